//! Outputs of an op that its host makes of those of a program: the sums over the rows of a tensor, rounded to bfloat16.
//!
//! It must never know an op. Start at [`sums`].

use tileproof_model::numerics::host::{bf16_to_f32, f32_to_bf16};
use tileproof_ops::layernorm_bw::public_layout::sum_rows;

/// The sums over the rows of a tensor with `width` columns, as the host gives them back.
pub(crate) fn sums(terms: &[f32], width: usize) -> Vec<f32> {
    sum_rows(terms, width).into_iter().map(|sum| bf16_to_f32(f32_to_bf16(sum as f32))).collect()
}

/// What sums may be off by: what their terms may together, and half a step of bfloat16, to which they are rounded. `None` if that is not
/// known of their terms.
pub(crate) fn bounds(of_terms: Option<&[f64]>, sums: &[f32]) -> Option<Vec<f64>> {
    let of_terms = of_terms.filter(|of_terms| of_terms.len() >= sums.len() && !sums.is_empty())?;
    let mut bounds = vec![0.0; sums.len()];
    for row in of_terms.chunks_exact(sums.len()) {
        bounds.iter_mut().zip(row).for_each(|(sum, bound)| *sum += bound);
    }
    Some(bounds.iter().zip(sums).map(|(bound, sum)| bound + f64::from(sum.abs()) / 256.0).collect())
}
