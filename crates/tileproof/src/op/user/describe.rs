//! What is told of a user's op, and what its description lacks.
//!
//! Nothing is worked out that the description does not say. Start at [`UserOp::described`].

use std::path::PathBuf;

use tileproof_model::wording::cb_name;

use super::super::Op;
use super::super::call::{layout_name, plain};
use super::super::data::Data;
use super::super::description::{
    AttributeDescription, CbDescription, Description, KernelDescription, PathDescription, TensorDescription,
};
use super::super::file::UserOp;
use super::super::spec::{CbSpec, TensorSpec};
use super::words::{range, shape_text};
use crate::fill::Fill;

impl UserOp {
    pub(super) fn described(&self) -> Description {
        let tensor = |tensor: &TensorSpec| TensorDescription {
            name: tensor.name.clone(),
            shape: shape_text(tensor),
            dtypes: tensor.dtypes.iter().map(|format| format.dtype_name().into()).collect(),
            layouts: tensor.layouts.iter().map(|layout| layout_name(*layout).into()).collect(),
        };
        let format_of = |cb: &CbSpec| match (&cb.dtype, &cb.of) {
            (Some(format), _) => format.dtype_name().to_string(),
            (None, Some(of)) => format!("that of {of}"),
            (None, None) => String::new(),
        };
        let mut conditions: Vec<String> = self.probes().into_iter().map(|probe| probe.condition).collect();
        conditions.dedup();
        Description {
            name: self.name.clone(),
            summary: self.summary.clone(),
            inputs: self.inputs.iter().map(tensor).collect(),
            outputs: self.outputs.iter().map(tensor).collect(),
            attributes: self
                .attributes
                .iter()
                .map(|attribute| AttributeDescription {
                    name: attribute.name.clone(),
                    kind: if attribute.integer { "integer" } else { "float" }.into(),
                    default: plain(attribute.default),
                    allowed: range(attribute),
                })
                .collect(),
            conditions,
            cbs: self
                .cbs
                .iter()
                .map(|cb| CbDescription {
                    cb: cb_name(cb.index),
                    content: cb.content.clone(),
                    format: format_of(cb),
                    pages: cb.pages.text.clone(),
                    page_size: cb.page_size.as_ref().map_or("a tile".into(), |size| size.text.clone()),
                })
                .collect(),
            cbs_of: None,
            kernels: self
                .kernels
                .iter()
                .map(|kernel| KernelDescription {
                    role: kernel.role.name().into(),
                    source: kernel.file.display().to_string(),
                    compile_time_args: kernel.compile_time_args.iter().map(ToString::to_string).collect(),
                    runtime_args: kernel.runtime_args.iter().map(ToString::to_string).collect(),
                })
                .collect(),
            paths: vec![PathDescription {
                name: "only".into(),
                when: format!(
                    "always; {} divided over {}",
                    self.units.as_ref().map_or("pages of the first output".into(), |units| units.text.clone()),
                    self.cores.map_or("the whole grid".into(), |cores| format!("at most {cores} cores"))
                ),
            }],
            reference: self.reference.iter().map(|step| format!("{} = {}", step.name, step.value.text)).collect(),
            calls: vec![
                format!("tileproof op run {} --shape {}", self.folder.display(), self.example_shape()),
                format!(
                    "a program file with op = \"{}\" and shape = [{}]",
                    self.folder.display(),
                    self.example_shape()
                ),
            ],
            files: self.files(),
        }
    }

    fn example_shape(&self) -> String {
        let shape = self.grid.shapes.first().cloned().unwrap_or(vec![32; self.ranks.0 as usize]);
        shape.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }

    fn files(&self) -> Vec<PathBuf> {
        std::iter::once(self.path.clone()).chain(self.kernel_files().into_iter().map(|(_, file)| file)).collect()
    }

    pub(super) fn whats_missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let file = self.path.display();
        let mut lacks = |yes: bool, line: Option<usize>, what: String| {
            if yes {
                missing.push(match line {
                    Some(line) => format!("{file}:{line}: {what}"),
                    None => format!("{file}: {what}"),
                });
            }
        };
        lacks(self.summary.is_empty(), None, "summary is missing: say in a sentence what the op computes".into());
        lacks(self.inputs.is_empty(), None, "there is no [[input]]".into());
        lacks(self.outputs.is_empty(), None, "there is no [[output]]".into());
        for output in &self.outputs {
            let has = self.reference.iter().any(|step| step.name == output.name);
            lacks(!has, Some(output.line), format!("output {} has no line in [reference]", output.name));
        }
        for condition in &self.conditions {
            let text = &condition.that.text;
            let both = condition.inside.is_some() && condition.outside.is_some();
            let what = format!("condition \"{text}\" needs inside and outside, a call on each side of it");
            lacks(!both, Some(condition.line), what);
        }
        lacks(self.cbs.is_empty(), None, "there is no [[cb]]".into());
        for role in ["reader", "compute", "writer"] {
            let has = self.kernels.iter().any(|kernel| kernel.role.name() == role);
            lacks(!has, None, format!("there is no [[kernel]] with role \"{role}\""));
        }
        lacks(self.grid.shapes.is_empty(), None, "[grid] has no shapes to prove the op on".into());
        let unused: Vec<&str> =
            Data::ALL.iter().filter(|data| !self.grid.data.contains(data)).map(|data| data.name()).collect();
        let what = format!(
            "[grid] has no data {}: leave data out, and give an input that cannot have them a fill",
            unused.join(", ")
        );
        lacks(!unused.is_empty(), None, what);
        // Fills stand in for the data of the grid: if none of them is drawn anew, all runs of a shape are one.
        let same = |fill: &Fill| !matches!(fill, Fill::Normal { .. } | Fill::Uniform { .. });
        let all_same = self.inputs.iter().all(|input| input.fill.as_ref().is_some_and(same));
        if let (true, Some(first)) = (all_same, self.inputs.first()) {
            let what = format!(
                "every input has a fill that is always the same, so the op would be proved on one set of data: leave \
                 out that of {}, or make it random, as normal or uniform",
                first.name
            );
            lacks(true, Some(first.line), what);
        }
        missing
    }
}
