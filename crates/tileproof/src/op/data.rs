//! The data that gate 7 proves kernels on, and why each is there.
//!
//! Values are exact in bf16 wherever that serves the purpose, so that both formats see the same ones. It must never draw
//! from anything but the fills. Start at [`Data`].

use tileproof_model::numerics::format::DataFormat;

use crate::fill::Fill;

/// A kind of data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Data {
    /// One value: what a sum over a row does not notice if it drops elements in pairs, a mean does; variances are 0.
    Constant,
    /// From -1 to 1 along a row: elements that change places show.
    Ramp,
    /// A single 1 in each row, at another column in each: one lost tile loses everything.
    OneHot,
    /// Random, each value beside its negative: what tests that hide faults use.
    MeanZero,
    /// A first input whose mean is large beside its deviation: sums of too few bits show. The other inputs are random, since
    /// products of offsets would drown in their own rounding.
    LargeOffset,
    /// Signs that alternate over 16 powers of two: terms that cancel.
    Adversarial,
}

impl Data {
    /// All of them.
    pub const ALL: [Data; 6] =
        [Data::Constant, Data::Ramp, Data::OneHot, Data::MeanZero, Data::LargeOffset, Data::Adversarial];

    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Data::Constant => "constant",
            Data::Ramp => "ramp",
            Data::OneHot => "one_hot",
            Data::MeanZero => "mean_zero",
            Data::LargeOffset => "large_offset",
            Data::Adversarial => "adversarial",
        }
    }

    /// The fill of an input. `stream` tells the inputs of a call apart.
    pub fn fill(self, shape: &[u32], format: DataFormat, stream: u64) -> Fill {
        let count: usize = shape.iter().map(|d| *d as usize).product();
        let width = shape.last().copied().unwrap_or(1).max(1) as usize;
        let random = |fill: Fill| {
            let values = fill.values(shape, DataFormat::Float32, 0, stream).unwrap_or_default();
            values.into_iter().map(f64::from).collect::<Vec<f64>>()
        };
        let each = |of: &dyn Fn(usize, usize) -> f64| (0..count).map(|i| of(i / width, i % width)).collect();
        let values: Vec<f64> = match self {
            // Another value for each input: inputs that change places show.
            Data::Constant => return Fill::Constant(0.5 + 0.25 * stream as f64),
            Data::Ramp => return Fill::Ramp { lo: -1.0, hi: 1.0 },
            Data::OneHot => each(&|row, column| f64::from(u8::from((row * 7 + stream as usize) % width == column))),
            Data::MeanZero => {
                let values = random(Fill::Uniform { lo: -1.0, hi: 1.0 });
                let of = |row: usize, column: usize| {
                    let pair = values[row * width + column / 2 * 2];
                    match (column % 2, column + 1 == width) {
                        // The last of an odd row has no partner.
                        (0, true) => 0.0,
                        (0, false) => pair,
                        _ => -pair,
                    }
                };
                each(&of)
            }
            Data::LargeOffset if stream > 0 => return Fill::Uniform { lo: -1.0, hi: 1.0 },
            // bf16 has steps of a half from 64 on; fp32 has room for more.
            Data::LargeOffset if format == DataFormat::Float32 => random(Fill::Normal { mean: 1e4, std: 1.0 }),
            Data::LargeOffset => random(Fill::Normal { mean: 100.0, std: 4.0 }),
            Data::Adversarial => each(&|row, column| {
                let sign = if (row + column) % 2 == 0 { 1.0 } else { -1.0 };
                sign * 2f64.powi(((column * 7 + row * 3) % 16) as i32 - 8)
            }),
        };
        Fill::Values(values.into())
    }
}
