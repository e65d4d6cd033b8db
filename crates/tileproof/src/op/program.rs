//! From a call of a user's op to its program: the text of a program file, which is then read like any other.
//!
//! What a program may say is for `program_file` to check; nothing is checked twice. Start at [`UserOp::program_text`].

use std::fmt::Write;

use tileproof_model::program::TensorDescriptor;
use tileproof_model::thread::CoreCoord;
use tileproof_ops::{CoreRows, split_rows};

use super::call::{Call, Refusal, layout_name, plain};
use super::file::UserOp;
use super::spec::{ArgumentSpec, KernelSpec, Role};
use super::user::resolved::{Resolved, count, refusal};
use super::{Moves, tensor};
use crate::program_file::ProgramFile;
use crate::program_file::value::quoted;

/// A core and its share of the work.
struct Share {
    index: usize,
    rows: CoreRows,
}

impl UserOp {
    /// The pieces of work of each core.
    fn shares(&self, resolved: &Resolved) -> Result<Vec<Share>, Refusal> {
        let units = match &self.units {
            Some(units) => resolved.count("work: units", units, 1)?,
            None => resolved.tensors.iter().find(|t| t.output).map_or(1, TensorDescriptor::pages),
        };
        let (columns, rows) = self.arch.constants().grid;
        let cores = self.cores.unwrap_or(columns * rows);
        if cores > columns * rows {
            let message = format!("{cores}; {} has a grid of {} cores", self.arch.name(), columns * rows);
            return Err(refusal("work: cores", message));
        }
        let shares = split_rows(units, cores, rows).into_iter().enumerate();
        Ok(shares.map(|(index, rows)| Share { index, rows }).collect())
    }

    /// The program of a call, as the text of a program file in the op's folder. Inputs have no fills.
    ///
    /// # Errors
    /// What validation refuses, and expressions that give no number of the kind that is needed.
    pub fn program_text(&self, call: &Call) -> Result<String, Refusal> {
        let resolved = self.resolve(call)?;
        let shares = self.shares(&resolved)?;
        let core = |core: CoreCoord| format!("[{}, {}]", core.x, core.y);
        let ranges: Vec<String> = shares.iter().map(|s| format!("[{0}, {0}]", core(s.rows.core))).collect();
        let ranges = format!("[{}]", ranges.join(", "));
        let mut text = format!("# {} of {call}\narch = \"{}\"\n", self.name, self.arch.name());
        for tensor in &resolved.tensors {
            let output = if tensor.output { "output = true\n" } else { "" };
            let _ = write!(
                text,
                "\n[[tensor]]\nname = \"{}\"\nshape = {:?}\ndtype = \"{}\"\nlayout = \"{}\"\n{output}",
                tensor.name,
                tensor.shape,
                tensor.format.dtype_name(),
                layout_name(tensor.layout)
            );
        }
        for cb in &self.cbs {
            let what = format!("cb {}", cb.index);
            let of = cb.of.as_ref().and_then(|of| resolved.tensors.iter().find(|t| t.name == *of));
            let format = cb.dtype.or(of.map(|t| t.format)).ok_or_else(|| refusal(&what, "it has no format"))?;
            let page_size = match &cb.page_size {
                Some(size) => resolved.count(&format!("{what}: page_size"), size, 1)?,
                None => format.tile_bytes(),
            };
            let pages = resolved.count(&format!("{what}: pages"), &cb.pages, 1)?;
            let total = pages.checked_mul(page_size).ok_or_else(|| refusal(&what, "it has more than 4 GiB"))?;
            let _ = write!(
                text,
                "\n[[cb]]\ntotal_size = {total}\ncore_ranges = {ranges}\nformat_descriptors = \
                 [{{ buffer_index = {}, data_format = \"{}\", page_size = {page_size} }}]\n",
                cb.index,
                format.dtype_name()
            );
        }
        for kernel in &self.kernels {
            self.kernel_text(&mut text, kernel, &resolved, &shares, &ranges)?;
        }
        Ok(text)
    }

    fn kernel_text(
        &self,
        text: &mut String,
        kernel: &KernelSpec,
        resolved: &Resolved,
        shares: &[Share],
        ranges: &str,
    ) -> Result<(), Refusal> {
        let role = kernel.role.name();
        let config = match kernel.role {
            Role::Compute => {
                let options: Vec<String> =
                    kernel.compute.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                format!("{{ compute = {{ {} }} }}", options.join(", "))
            }
            _ => format!("\"{role}\""),
        };
        let compile_time = kernel.compile_time_args.iter().map(|a| argument(role, a, resolved, None));
        let compile_time = compile_time.collect::<Result<Vec<String>, _>>()?.join(", ");
        let _ = write!(
            text,
            "\n[[kernel]]\nkernel_source = {}\ncore_ranges = {ranges}\nconfig = {config}\ncompile_time_args = [{compile_time}]\n",
            quoted(&kernel.file.display().to_string())
        );
        if !kernel.defines.is_empty() {
            let pairs: Vec<String> =
                kernel.defines.iter().map(|(name, value)| format!("[{}, {}]", quoted(name), quoted(value))).collect();
            let _ = writeln!(text, "defines = [{}]", pairs.join(", "));
        }
        if !kernel.runtime_args.is_empty() {
            text.push_str("runtime_args = [\n");
            for share in shares {
                let args = kernel.runtime_args.iter().map(|a| argument(role, a, resolved, Some(share)));
                let args = args.collect::<Result<Vec<String>, _>>()?.join(", ");
                let _ =
                    writeln!(text, "    {{ core = [{}, {}], args = [{args}] }},", share.rows.core.x, share.rows.core.y);
            }
            text.push_str("]\n");
        }
        Ok(())
    }

    /// The program of a call. What is said of its parts has the lines of the description.
    pub(super) fn derive(&self, call: &Call) -> Result<ProgramFile, Refusal> {
        let text = self.program_text(call)?;
        let mut file = ProgramFile::described(&self.path, &text)
            .map_err(|error| Refusal::new("the program can be read", format!("{call}: {}", error.message)))?;
        for (data, spec) in file.tensors.iter_mut().zip(self.inputs.iter().chain(&self.outputs)) {
            data.line = spec.line;
        }
        for lines in &mut file.launches {
            lines.cbs = self.cbs.iter().map(|cb| cb.line).collect();
            lines.kernels = self.kernels.iter().map(|kernel| kernel.line).collect();
        }
        Ok(file)
    }

    /// Pages that the description says go through each buffer, core by core.
    pub(super) fn pages_moved(&self, call: &Call) -> Result<Vec<Moves>, Refusal> {
        let resolved = self.resolve(call)?;
        let mut all = Vec::new();
        for share in self.shares(&resolved)? {
            for cb in &self.cbs {
                let Some(moves) = &cb.moves else { continue };
                let what = format!("cb {}: moves", cb.index);
                let pages = tensor::number(moves, &|name| of_core(name, &share).or_else(|| resolved.lookup(name)))
                    .map_err(|message| refusal(&what, message))?;
                let pages = u64::from(count(&what, moves, pages, 0)?);
                all.push(Moves { cb: cb.index, core: share.rows.core, pages, text: moves.text.clone() });
            }
        }
        Ok(all)
    }
}

/// What is known of a core.
fn of_core(name: &str, share: &Share) -> Option<f64> {
    match name {
        "first" => Some(f64::from(share.rows.start)),
        "count" => Some(f64::from(share.rows.count)),
        "core" => Some(share.index as f64),
        _ => None,
    }
}

fn argument(
    role: &str,
    argument: &ArgumentSpec,
    resolved: &Resolved,
    share: Option<&Share>,
) -> Result<String, Refusal> {
    let what = format!("kernel {role}: argument {argument}");
    let lookup = |name: &str| share.and_then(|share| of_core(name, share)).or_else(|| resolved.lookup(name));
    let number = |expression| tensor::number(expression, &lookup).map_err(|message| refusal(&what, message));
    Ok(match argument {
        ArgumentSpec::Accessor(tensor) => format!("{{ tensor_accessor = \"{tensor}\" }}"),
        ArgumentSpec::Address(tensor) => format!("{{ address = \"{tensor}\" }}"),
        ArgumentSpec::Bits(expression) => (number(expression)? as f32).to_bits().to_string(),
        ArgumentSpec::Word(expression) => {
            let number = number(expression)?;
            if number.fract() != 0.0 || number < f64::from(i32::MIN) || number > f64::from(u32::MAX) {
                let message = format!("it is {}; an argument is a whole number of 32 bits, or bits(..)", plain(number));
                return Err(refusal(&what, message));
            }
            format!("{number}")
        }
    })
}
