//! The conditions of a user's op in words, by which probes find them again.
//!
//! It must never decide whether one holds. Start at [`Words`].

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

use crate::op::call::{layout_name, plain};
use crate::op::file::UserOp;
use crate::op::spec::{AttributeSpec, TensorSpec};

/// The conditions that every description has, in words. Probes find them again by these.
pub(in crate::op) struct Words;

impl Words {
    pub(in crate::op) fn rank(op: &UserOp) -> String {
        let (least, most) = op.ranks;
        let of = op.inputs.first().map_or("", |input| &input.name);
        if least == most {
            format!("{of} has {least} dimensions")
        } else {
            format!("{of} has {least} to {most} dimensions")
        }
    }

    pub(in crate::op) const DIMENSIONS: &'static str = "every dimension is at least 1";
    pub(in crate::op) const SIZE: &'static str = "every tensor fits on the simulated device";

    pub(in crate::op) fn dtype(allowed: &[DataFormat]) -> String {
        let names: Vec<&str> = allowed.iter().map(|format| format.dtype_name()).collect();
        format!("dtype is {}", names.join(" or "))
    }

    pub(in crate::op) fn layout(allowed: &[Layout]) -> String {
        let names: Vec<&str> = allowed.iter().map(|layout| layout_name(*layout)).collect();
        format!("layout is {}", names.join(" or "))
    }

    pub(in crate::op) fn shape(input: &TensorSpec) -> String {
        format!("{} has shape {}", input.name, shape_text(input))
    }

    pub(in crate::op) fn attribute(attribute: &AttributeSpec) -> String {
        let kind = if attribute.integer { "a whole number" } else { "a number" };
        format!("{} is {kind} {}", attribute.name, range(attribute))
    }
}

/// From where to where an attribute goes.
pub(in crate::op) fn range(attribute: &AttributeSpec) -> String {
    match (attribute.min.is_finite(), attribute.max.is_finite()) {
        (true, true) => format!("from {} to {}", plain(attribute.min), plain(attribute.max)),
        (true, false) => format!("from {} on", plain(attribute.min)),
        (false, true) => format!("up to {}", plain(attribute.max)),
        (false, false) => "of any size".into(),
    }
}

pub(in crate::op) fn shape_text(tensor: &TensorSpec) -> String {
    match &tensor.shape {
        None => "that of the call".into(),
        Some(sides) => format!("[{}]", sides.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(", ")),
    }
}
