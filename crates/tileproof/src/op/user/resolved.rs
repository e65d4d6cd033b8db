//! What a call makes of a user's op, in numbers.
//!
//! It must never look at a kernel. Start at [`Resolved`].

use tileproof_model::program::TensorDescriptor;

use crate::op::call::{Refusal, plain, whole};
use crate::op::expression::Expression;
use crate::op::tensor;

/// What a call makes of a description: tensors and attributes.
pub(in crate::op) struct Resolved {
    pub(in crate::op) tensors: Vec<TensorDescriptor>,
    pub(in crate::op) attributes: Vec<(String, f64)>,
}

impl Resolved {
    /// A number by its name: `x.w`, or an attribute.
    pub(in crate::op) fn lookup(&self, name: &str) -> Option<f64> {
        if let Some((_, value)) = self.attributes.iter().find(|(known, _)| known == name) {
            return Some(*value);
        }
        let (tensor, what) = name.split_once('.')?;
        let tensor = self.tensors.iter().find(|t| t.name == tensor)?;
        let side = |back: usize| tensor.shape.iter().rev().nth(back).copied().unwrap_or(1);
        let outer = || tensor.shape.iter().rev().skip(2).map(|d| f64::from(*d)).product();
        Some(match what {
            "rank" => tensor.shape.len() as f64,
            "n" => outer(),
            "h" => f64::from(side(1)),
            "w" => f64::from(side(0)),
            "ht" => f64::from(side(1).div_ceil(32)),
            "wt" => f64::from(side(0).div_ceil(32)),
            "pages" => f64::from(tensor.pages()),
            "page_size" => f64::from(tensor.page_bytes()),
            "tile_size" => f64::from(tensor.format.tile_bytes()),
            _ => return None,
        })
    }

    /// A number that an expression gives.
    pub(in crate::op) fn number(&self, what: &str, expression: &Expression) -> Result<f64, Refusal> {
        tensor::number(expression, &|name| self.lookup(name)).map_err(|message| refusal(what, message))
    }

    /// A whole number that an expression gives.
    pub(in crate::op) fn count(&self, what: &str, expression: &Expression, least: u32) -> Result<u32, Refusal> {
        let number = self.number(what, expression)?;
        count(what, expression, number, least)
    }
}

/// What an expression gave, as a count.
pub(in crate::op) fn count(what: &str, expression: &Expression, number: f64, least: u32) -> Result<u32, Refusal> {
    whole(number, least).ok_or_else(|| {
        let message = format!("\"{}\" is {}, a whole number from {least} on is needed", expression.text, plain(number));
        refusal(what, message)
    })
}

/// A refusal that is the description's own fault.
pub(in crate::op) fn refusal(what: &str, message: impl std::fmt::Display) -> Refusal {
    Refusal::new("the description makes sense", format!("{what}: {message}"))
}
