//! The tensors of a configuration, each with its circular buffer.
//!
//! It must never take a buffer that the configuration gives away. Start at [`bind`].

use tileproof_model::program::Layout;

use crate::op::file::UserOp;
use crate::op::spec::{CbSpec, TensorSpec};

/// A tensor with its buffer, and how stubs go through it.
pub(super) struct Bound<'a> {
    pub(super) tensor: &'a TensorSpec,
    pub(super) cb: u8,
    /// It is an output.
    pub(super) output: bool,
    /// It has a page for each piece of work; else all of its pages are gone through at once.
    pub(super) streamed: bool,
    /// Rows may be pages: then a page can be larger or smaller than a tile of the buffer.
    pub(super) sticks: bool,
}

/// Buffers that the configuration does not have, with the tensors that they are for.
pub(super) type NewBuffers<'a> = Vec<(u8, &'a TensorSpec)>;

/// A buffer for each tensor: the one that the configuration gives, or a new one.
pub(super) fn bind(op: &UserOp) -> Result<(Vec<Bound<'_>>, NewBuffers<'_>), String> {
    let first = &op.inputs[0];
    let mut bound = Vec::new();
    let mut new = Vec::new();
    let mut taken: Vec<u8> = op.cbs.iter().map(|cb| cb.index).collect();
    let inputs = op.inputs.iter().map(|tensor| (tensor, 0));
    for (tensor, from) in inputs.chain(op.outputs.iter().map(|tensor| (tensor, 16))) {
        let of = |cb: &&CbSpec| cb.of.as_deref() == Some(tensor.name.as_str());
        let cb = match op.cbs.iter().find(of) {
            Some(cb) if cb.page_size.is_some() => {
                return Err(format!(
                    "cb {} of {} has a page_size: stubs go by tiles; leave it out, and write it into op.toml with the kernels",
                    cb.index, tensor.name
                ));
            }
            Some(cb) => cb.index,
            None => {
                let free = (from..32).find(|index| !taken.contains(index));
                let index = free.ok_or_else(|| format!("there is no circular buffer left for {}", tensor.name))?;
                taken.push(index);
                new.push((index, tensor));
                index
            }
        };
        let streamed = tensor.shape.is_none() && tensor.layouts == first.layouts;
        bound.push(Bound {
            tensor,
            cb,
            output: from != 0,
            streamed,
            sticks: tensor.layouts.contains(&Layout::RowMajor),
        });
    }
    Ok((bound, new))
}
