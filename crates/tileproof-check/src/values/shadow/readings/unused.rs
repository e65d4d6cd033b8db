//! Inputs that reach a unit and not the output: an operation with them is missing.
//!
//! Must never name one unless it makes every element right that is asked of. Start at [`Case::without_operand`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_numerics::sfpu::SfpuOp;

use super::super::blame::label;
use super::super::elementary::function;
use super::super::nodes::{Call, Op};
use super::super::origin::Origin;
use super::super::recipe;
use super::case::{Case, Wrong};
use super::guess::{NEAR, OF_TWO};

/// Elements that an operation is tried on.
const TRIED: usize = 2_000;
/// With fewer an operation may be right by chance.
const ENOUGH: usize = 8;

/// What units were given of an input, and the last call that took any.
struct Given {
    /// By the element; NaN where none was given.
    numbers: Vec<f64>,
    call: Call,
}

impl Case<'_> {
    /// An input that units took and no element came of, with which one operation more gives what is expected.
    /// Or `once_more` one that it did come of, if that was not asked before.
    pub(super) fn without_operand(&self, first: &Wrong, once_more: bool) -> Option<Raised> {
        if self.wrong.len() < ENOUGH || self.wrong.len() != self.question.wrong.len() || self.of.nodes.has_dropped() {
            return None;
        }
        let used = self.inputs(first.node, first.at);
        let all = |is_used: bool| (0..self.of.homes.all.len()).filter(move |tensor| used.contains(tensor) == is_used);
        all(once_more).find_map(|tensor| self.missing_with(first, tensor, once_more))
    }

    fn missing_with(&self, first: &Wrong, tensor: usize, once_more: bool) -> Option<Raised> {
        let home = self.of.homes.all.get(tensor).filter(|home| home.is_filled)?;
        let own = self.of.homes.all[self.question.tensor].matrices();
        let its = home.matrices();
        // The element of the input that goes with one of the output: the same, that of its row, or that of its column.
        let with = |element: usize| match its {
            its if its == own => Some(element),
            (1, columns, 1) if columns == own.1 => Some(element % columns),
            (rows, 1, 1) if rows == own.0 => Some(element / own.1 % rows),
            (1, 1, 1) => Some(0),
            _ => None,
        };
        with(first.element)?;
        let given = self.given(tensor)?;
        let step = self.wrong.len().div_ceil(TRIED).max(1);
        let expected = |wrong: &Wrong| self.question.expected[wrong.element];
        let largest = self.wrong.iter().fold(0.0f64, |most, wrong| most.max(expected(wrong).abs()));
        let gives = |op: &SfpuOp| {
            self.wrong.iter().step_by(step).all(|wrong| {
                let number = with(wrong.element).and_then(|element| given.numbers.get(element)).filter(|n| !n.is_nan());
                let value = number.and_then(|number| function(*op, [wrong.exact, *number, 0.0], [0; 4]));
                let off = value.map_or(f64::INFINITY, |value| (value - expected(wrong)).abs());
                off <= NEAR.0 * largest + NEAR.1 * expected(wrong).abs()
            })
        };
        let op = OF_TWO.into_iter().find(gives)?;
        let made = |op: Op| matches!(op, Op::Math(_) | Op::Vector { .. });
        let (call, name) = (self.on_the_way(first, made)?.0, &home.tensor.name);
        let why = match once_more {
            true => format!("{name} once more"),
            false => format!("{name}, and nothing of {name} comes into it"),
        };
        let message = format!("{}: what is expected is {} of it and {why}", self.name(), op.name());
        let found = self
            .raised(call, Code::OTHER_FUNCTION, message)
            .text(format!("goes out without {name}{}", if once_more { " once more" } else { "" }));
        let found = found.label_on(given.call.core, label(given.call), format!("{name} is unpacked here"));
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(
            found.help(
                "compare the recipe with the formula: an operation is missing, or its result is not what is packed",
            ),
        )
    }

    /// What units were given of an input in this launch.
    fn given(&self, tensor: usize) -> Option<Given> {
        let home = &self.of.homes.all[tensor];
        let (mut numbers, mut call) = (vec![f64::NAN; home.tensor.elements()], None);
        for (number, node) in self.of.nodes.all().iter().enumerate() {
            let Some(origins) = node.origins.as_ref().filter(|_| matches!(node.op, Op::Unpack { .. })) else {
                continue;
            };
            for (at, origin) in origins.iter().enumerate() {
                let Origin::Tensor { number: its, byte } = *origin else { continue };
                if usize::from(its) == tensor
                    && let Some(Ok(element)) = home.element(byte)
                    && let Some(value) = recipe::value(self.of, number as u32, at)
                    && let Some(given) = numbers.get_mut(element)
                {
                    *given = value;
                    call = Some(node.call);
                }
            }
        }
        Some(Given { numbers, call: call.filter(|call| call.launch == self.of.launch)? })
    }
}
