//! How the elements that are furthest off came about, for pictures: the program once more, with its values followed.
//!
//! It must never change what a run says. Start at [`Loaded::add_recipes`].

use tileproof_check::values::shadow::Shadow;
use tileproof_model::finding::{Code, Finding, Label};
use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;

use super::diagnose::{LONG, PADDINGS, has_padding};
use super::error::RunError;
use super::loaded::Loaded;
use crate::cpp_kernels::Kernels;
use crate::error_map::{ErrorMap, Recipe};

/// Elements of an output whose recipes are kept.
const MOST: usize = 128;

/// What is asked of an output: its map, its tensor by number, and its elements as [`ErrorMap::furthest`] gives them.
type Asked = (usize, usize, Vec<(usize, usize)>);

impl<O: Observer> Loaded<'_, O> {
    /// Has each map tell how its worst elements came about. `work` is cycles of the run over all cores: a long one is not repeated.
    pub(super) fn add_recipes(&self, kernels: &Kernels, work: u64, maps: &mut [ErrorMap]) -> Result<(), RunError> {
        let tensors = &self.file.program.tensors;
        let asked: Vec<Asked> = maps
            .iter()
            .enumerate()
            .filter_map(|(map, of)| {
                let number = tensors.iter().position(|tensor| tensor.name == of.name)?;
                let width = tensors[number].shape.last().map_or(1, |side| *side as usize);
                let elements = of.furthest(width, MOST);
                (!elements.is_empty()).then_some((map, number, elements))
            })
            .collect();
        if asked.is_empty() || work > LONG {
            return Ok(());
        }
        let prepare = |shadow: &mut Shadow| {
            let elements = |of: &[(usize, usize)]| of.iter().map(|(_, element)| *element).collect();
            shadow.recipes = asked.iter().map(|(_, number, of)| (*number, elements(of))).collect();
            shadow.prepare(self.homes(), self.file.program.launches.len());
        };
        let word = |tensor: &TensorDescriptor| if has_padding(tensor) { f32::NAN } else { PADDINGS[0] };
        let Some((_, record)) = self.again::<Shadow>(kernels, &word, prepare)? else { return Ok(()) };
        let notes: Vec<Finding> = record.notes.into_iter().filter(|note| note.code == Code::FOLLOWED).collect();
        for (map, number, elements) in asked {
            let begins = format!("{}[", tensors[number].name);
            let Some(note) = notes.iter().find(|note| note.message.starts_with(&begins)) else { continue };
            let told: Vec<&String> = std::iter::once(&note.message).chain(&note.notes).collect();
            maps[map].recipes = elements.iter().filter_map(|of| recipe(&tensors[number], *of, &told)).collect();
            let first = Label { place: note.primary.clone(), text: note.primary_text.clone() };
            maps[map].calls = std::iter::once(first).chain(note.labels.iter().cloned()).collect();
        }
        Ok(())
    }
}

/// What is told of an element.
fn recipe(tensor: &TensorDescriptor, (at, element): (usize, usize), told: &[&String]) -> Option<Recipe> {
    let mut rest = element;
    let mut place: Vec<usize> = Vec::new();
    for side in tensor.shape.iter().rev() {
        place.insert(0, rest % (*side).max(1) as usize);
        rest /= (*side).max(1) as usize;
    }
    let element = format!("{}{place:?}", tensor.name);
    let text = told.iter().find_map(|text| text.strip_prefix(&element)?.strip_prefix(" = "))?;
    Some(Recipe { at, element, text: text.into() })
}
