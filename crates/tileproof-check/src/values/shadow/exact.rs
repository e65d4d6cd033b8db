//! What operations of the matrix unit and of the vector unit give in exact arithmetic, and how errors go through them.
//!
//! Must never round: what a unit rounds is the difference. Start at [`run`] and [`applied`].

use std::rc::Rc;

use tileproof_model::op_word::{OpWord, broadcast, eltwise, flag, math_kind, pool, reduce_dim};
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::host::f16_to_f32;
use tileproof_numerics::pack::Relu;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::{TILE_DATUMS, face_index};

use super::elementary;
use super::planes::{Numbers, Planes, Slope, numbers};

/// The result, and what exact arithmetic would have made of the operands that the unit had.
pub(super) struct Ran {
    pub(super) planes: Planes,
    pub(super) ideal: Numbers,
}

/// The operand that an operation does not have.
static NOTHING: [f64; TILE_DATUMS] = [0.0; TILE_DATUMS];

/// Row and column of a datum.
pub(super) fn place(at: usize) -> (usize, usize) {
    let (face, within) = (at / 256, at % 256);
    (face / 2 * 16 + within / 16, face % 2 * 16 + within % 16)
}

/// Which datum of SrcB a broadcast brings to a place.
pub(super) fn spread(kind: u8, at: usize) -> usize {
    let (row, column) = place(at);
    match kind {
        broadcast::COL => face_index(row, 0),
        broadcast::ROW => face_index(0, column),
        broadcast::SCALAR => 0,
        _ => at,
    }
}

/// Runs a program. `before` is the tile of Dst, zero where nothing had written it; `after` what the unit gave.
pub(super) fn run(
    word: OpWord,
    [a, b]: [Option<&Planes>; 2],
    before: &Planes,
    written: bool,
    after: Numbers,
) -> Option<Ran> {
    match (word.kind(), a, b) {
        (math_kind::DATACOPY, Some(a), _) if word.a() == 0 => {
            let ideal = a.actual.clone();
            Some(Ran { planes: Planes::combined(after, a.exact.clone(), &[(a, Slope::One)]), ideal })
        }
        (math_kind::DATACOPY, _, Some(b)) => {
            let b = b.moved(|at| Some(spread(word.b(), at)));
            let ideal = b.actual.clone();
            Some(Ran { planes: Planes::combined(after, b.exact.clone(), &[(&b, Slope::One)]), ideal })
        }
        (math_kind::ELTWISE, ..) => {
            let none = Planes::zero();
            let (a, b, before) = match (word.has(flag::REUSE_SRCA), word.has(flag::REUSE_SRCB)) {
                (true, _) => (before, b?, &none),
                (_, true) => (a?, before, &none),
                _ => (a?, b?, before),
            };
            let spread_b = b.moved(|at| Some(spread(word.b(), at)));
            Some(elementwise(word, [a, &spread_b], before, after))
        }
        (math_kind::MATMUL, Some(a), Some(b)) => Some(product(a, b, before, after)),
        (math_kind::REDUCE, Some(a), Some(b)) => {
            let (data, scaler) = if word.scaler_is_src_a() { (b, a) } else { (a, b) };
            Some(reduce(word, data, scaler.actual[0], before, written, after))
        }
        _ => None,
    }
}

/// A slope for each datum.
fn slopes(f: impl Fn(usize) -> f32) -> Box<[f32; TILE_DATUMS]> {
    let mut all = Box::new([0.0; TILE_DATUMS]);
    all.iter_mut().enumerate().for_each(|(at, slope)| *slope = f(at));
    all
}

fn elementwise(word: OpWord, [a, b]: [&Planes; 2], before: &Planes, after: Numbers) -> Ran {
    if word.a() == eltwise::MUL {
        let f = |a: f64, b: f64, before: f64| before + a * b;
        let exact = numbers(|at| f(a.exact[at], b.exact[at], before.exact[at]));
        let ideal = numbers(|at| f(a.actual[at], b.actual[at], before.actual[at]));
        let (of_a, of_b) = (slopes(|at| b.actual[at] as f32), slopes(|at| a.actual[at] as f32));
        let terms = [(a, Slope::By(&of_a)), (b, Slope::By(&of_b)), (before, Slope::One)];
        return Ran { planes: Planes::combined(after, exact, &terms), ideal };
    }
    let sign = if word.a() == eltwise::SUB { -1.0 } else { 1.0 };
    let keep = if word.has(flag::ACCUMULATE) { 1.0 } else { 0.0 };
    let exact = numbers(|at| keep * before.exact[at] + a.exact[at] + sign * b.exact[at]);
    let ideal = numbers(|at| keep * before.actual[at] + a.actual[at] + sign * b.actual[at]);
    let of_b = if sign < 0.0 { Slope::Minus } else { Slope::One };
    let mut terms = vec![(a, Slope::One), (b, of_b)];
    if keep > 0.0 {
        terms.push((before, Slope::One));
    }
    Ran { planes: Planes::combined(after, exact, &terms), ideal }
}

/// Row-major.
fn rows(of: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..TILE_DATUMS).map(|at| of(face_index(at / 32, at % 32))).collect()
}

/// `x` times `y`, both row-major, added to face order.
pub(super) fn add_product(x: &[f64], y: &[f64], to: &mut [f64; TILE_DATUMS]) {
    for row in 0..32 {
        let mut sums = [0.0; 32];
        for (k, y) in y.chunks_exact(32).enumerate() {
            let x = x[32 * row + k];
            if x != 0.0 {
                sums.iter_mut().zip(y).for_each(|(sum, y)| *sum += x * y);
            }
        }
        for (column, sum) in sums.into_iter().enumerate() {
            to[face_index(row, column)] += sum;
        }
    }
}

/// SrcB times SrcA onto Dst.
fn product(a: &Planes, b: &Planes, before: &Planes, after: Numbers) -> Ran {
    let mut exact = before.exact.clone();
    add_product(&rows(|at| b.exact[at]), &rows(|at| a.exact[at]), &mut exact);
    let mut ideal = before.actual.clone();
    let (left, right) = (rows(|at| b.actual[at]), rows(|at| a.actual[at]));
    add_product(&left, &right, &mut ideal);
    let mut carried = Planes::combined(after, exact, &[(before, Slope::One)]);
    for (who, share) in &a.shares {
        let mut sum = numbers(|_| 0.0);
        add_product(&left, &rows(|at| share[at].into()), &mut sum);
        carried.add_error(*who, |at| sum[at]);
    }
    for (who, share) in &b.shares {
        let mut sum = numbers(|_| 0.0);
        add_product(&rows(|at| share[at].into()), &right, &mut sum);
        carried.add_error(*who, |at| sum[at]);
    }
    Ran { planes: carried, ideal }
}

/// The datums that one result of a reduce takes in.
pub(super) fn taken_in(dim: u8, at: usize) -> Option<Vec<usize>> {
    let (row, column) = place(at);
    match dim {
        reduce_dim::ROW if column == 0 => Some((0..32).map(|column| face_index(row, column)).collect()),
        reduce_dim::COL if row == 0 => Some((0..32).map(|row| face_index(row, column)).collect()),
        reduce_dim::SCALAR if at == 0 => Some((0..TILE_DATUMS).collect()),
        _ => None,
    }
}

/// How data that a result takes in become one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Pool {
    /// The sum, times this.
    Sum(f64),
    Max,
    Min,
}

impl Pool {
    pub(super) fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        match self {
            Pool::Sum(factor) => factor * values.sum::<f64>(),
            Pool::Max => values.fold(f64::NEG_INFINITY, f64::max),
            Pool::Min => values.fold(f64::INFINITY, f64::min),
        }
    }

    fn with(self, pooled: f64, old: f64) -> f64 {
        match self {
            Pool::Sum(_) => old + pooled,
            Pool::Max => pooled.max(old),
            Pool::Min => pooled.min(old),
        }
    }
}

fn reduce(word: OpWord, data: &Planes, scaler: f64, before: &Planes, written: bool, after: Numbers) -> Ran {
    let factor = if word.b() == reduce_dim::SCALAR { scaler * scaler } else { scaler };
    let pool = if word.a() == pool::MAX { Pool::Max } else { Pool::Sum(factor) };
    pooled(data, (word.b(), pool), written.then_some(before), after)
}

/// A reduction of a tile onto what lay where the result goes, if that counts.
fn pooled(data: &Planes, (dim, pool): (u8, Pool), before: Option<&Planes>, after: Numbers) -> Ran {
    let of = |pick: &dyn Fn(&Planes) -> &Numbers| {
        numbers(|at| match taken_in(dim, at) {
            None => after[at],
            Some(all) => {
                let pooled = pool.of(all.iter().map(|at| pick(data)[*at]));
                before.map_or(pooled, |before| pool.with(pooled, pick(before)[at]))
            }
        })
    };
    let (exact, ideal) = (of(&|planes| &planes.exact), of(&|planes| &planes.actual));
    let of_data = |share: &[f32; TILE_DATUMS], at: usize| {
        let Some(all) = taken_in(dim, at) else { return 0.0 };
        let by_value = |x: &usize, y: &usize| data.actual[*x].total_cmp(&data.actual[*y]);
        let one = match pool {
            Pool::Sum(factor) => return factor as f32 * all.into_iter().map(|at| share[at]).sum::<f32>(),
            Pool::Max => all.into_iter().max_by(by_value),
            Pool::Min => all.into_iter().min_by(by_value),
        };
        one.map_or(0.0, |at| share[at])
    };
    let sums = matches!(pool, Pool::Sum(_));
    let of_before =
        |share: &[f32; TILE_DATUMS], at: usize| if sums && taken_in(dim, at).is_some() { share[at] } else { 0.0 };
    let none = Planes::zero();
    let terms = [(data, Slope::Of(&of_data)), (before.unwrap_or(&none), Slope::Of(&of_before))];
    Ran { planes: Planes::combined(after, exact, &terms), ideal }
}

/// How the vector unit reduces a tile, by the parameters of [`SfpuOp::Reduce`]; `None` of integers.
pub(super) fn vector_pool([pool, along, format, _]: [u32; 4]) -> Option<(u8, Pool)> {
    let pool = match (pool, format) {
        (0, 0 | 5) => Pool::Sum(1.0),
        (1, 0 | 5) => Pool::Sum(1.0 / 32.0),
        (2, 0 | 5) => Pool::Max,
        (3, 0 | 5) => Pool::Min,
        _ => return None,
    };
    Some((if along != 0 { reduce_dim::ROW } else { reduce_dim::COL }, pool))
}

/// What the packer's ReLU makes of a number, by its configuration; a threshold is in 16 bits of the format that Dst is read as.
pub(super) fn relu(config: u32, source: DataFormat) -> Option<impl Fn(f64) -> f64> {
    let relu = Relu::of_config(config);
    let value = move |threshold: u16| match source {
        DataFormat::Float16 => f64::from(f16_to_f32(threshold)),
        _ => f64::from(f32::from_bits(u32::from(threshold) << 16)),
    };
    let applied = move |x: f64| match relu {
        Relu::MinThreshold(threshold) if x <= value(threshold) => 0.0,
        Relu::MaxThreshold(threshold) => x.max(0.0).min(value(threshold)),
        _ => x.max(0.0),
    };
    (relu != Relu::None).then_some(applied)
}

/// An operation of the vector unit on exact values and on those that it had.
pub(super) fn applied(op: SfpuOp, parameters: [u32; 4], tiles: &[Rc<Planes>], after: &Numbers) -> Option<Ran> {
    if op == SfpuOp::Reduce {
        return Some(pooled(tiles.first()?, vector_pool(parameters)?, None, after.clone()));
    }
    let of = |all: &[&[f64; TILE_DATUMS]; 3], at: usize| all.map(|tile| tile[at]);
    let three = [0, 1, 2].map(|number| tiles.get(number));
    let had = three.map(|tile| tile.map_or(&NOTHING, |tile| &*tile.actual));
    let meant = three.map(|tile| tile.map_or(&NOTHING, |tile| &*tile.exact));
    elementary::function(op, of(&had, 0), parameters)?;
    let value = |inputs: [f64; 3]| elementary::function(op, inputs, parameters).unwrap_or(f64::NAN);
    // What a unit makes of a NaN is its own matter.
    let holds_none = had.iter().chain(&meant).any(|tile| tile.iter().any(|value| value.is_nan()));
    let is_none = |at: usize| holds_none && of(&had, at).iter().chain(&of(&meant, at)).any(|value| value.is_nan());
    let of_all =
        |all: &[&[f64; TILE_DATUMS]; 3]| numbers(|at| if is_none(at) { after[at] } else { value(of(all, at)) });
    let (exact, ideal) = (of_all(&meant), of_all(&had));
    let slope = |number: usize| {
        let slope_at = |at: usize| {
            let mut there = of(&had, at);
            let step = 1e-6 * there[number].abs().max(1e-6);
            there[number] += step;
            let slope = (value(there) - ideal[at]) / step;
            if slope.is_finite() { slope as f32 } else { 0.0 }
        };
        slopes(slope_at)
    };
    let carrying = tiles.iter().enumerate().filter(|(_, tile)| !tile.shares.is_empty());
    let carrying: Vec<(&Planes, Box<[f32; TILE_DATUMS]>)> =
        carrying.map(|(number, tile)| (&**tile, slope(number))).collect();
    let terms: Vec<(&Planes, Slope<'_>)> = carrying.iter().map(|(tile, slopes)| (*tile, Slope::By(slopes))).collect();
    Some(Ran { planes: Planes::combined(after.clone(), exact, &terms), ideal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relu_has_three_modes() {
        let of = |config: u32| [-1.0, 0.5, 2.0, 3.0].map(relu(config, DataFormat::Float16_b).unwrap());
        let two = 2.0f32.to_bits();
        assert_eq!(of(1), [0.0, 0.5, 2.0, 3.0]);
        assert_eq!(of(two | 2), [0.0, 0.0, 0.0, 3.0]);
        assert_eq!(of(two | 3), [0.0, 0.5, 2.0, 2.0]);
        let half = relu(0x4000_0003, DataFormat::Float16).unwrap();
        assert_eq!([half(1.5), half(2.5)], [1.5, 2.0]);
        assert!(relu(0, DataFormat::Float32).is_none() && relu(two, DataFormat::Float32).is_none());
    }

    /// Whether a row ends with the tile or goes on in the next one.
    #[test]
    fn the_vector_unit_reduces_rows_of_one_tile_and_of_several_along_them() {
        let dim = |along: u32| vector_pool([0, along, 0, 0]).map(|(dim, _)| dim);
        assert_eq!([0, 1, 2].map(dim), [reduce_dim::COL, reduce_dim::ROW, reduce_dim::ROW].map(Some));
    }
}
