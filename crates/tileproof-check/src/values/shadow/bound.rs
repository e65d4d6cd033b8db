//! How far a datum may be from what exact arithmetic gives, by the formats and the units that it went through.
//!
//! Worst cases: what an operand may be off by goes on through an operation, which may round each of its terms the wrong way.
//! Nothing is left to luck: data of the same size have the same bound, however they happened to round here. Where no rule says
//! what a unit loses, as in an approximation of the vector unit, it is what it lost here; where it loses more than its rule says,
//! no bound is known. It must never know what is expected. Start at [`matrix`] and [`vector`].

use std::rc::Rc;

use tileproof_model::op_word::{OpWord, eltwise, flag, math_kind, reduce_dim};
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::{TILE_DATUMS, face_index};

use super::blame::bits;
use super::elementary;
use super::exact::{Pool, spread, taken_in, vector_pool};
use super::planes::{Numbers, Planes, numbers};
use super::special;

/// Smaller numbers are zero to the units.
const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
/// The matrix unit adds with 10 bits behind the point of its largest term, each other rounded to that (`align` in `fpu/plain.rs` of the
/// numerics, which recorded results hold).
const HALF_A_TERM: f64 = 1.0 / 2048.0;

/// 2 to the power of less so much.
const fn half_to(power: u32) -> f64 {
    f64::from_bits((1023 - power as u64) << 52)
}

/// What is lost of a value that is cut to a format, or rounded to its nearest.
fn of_format(format: DataFormat, cuts: bool) -> f64 {
    bits(format).map_or(0.0, |bits| half_to(bits - u32::from(cuts)))
}

/// A datum as a bound sees it: none is known of what is no number.
fn known(bound: f64, value: f64) -> f64 {
    if value.is_finite() && bound.is_finite() { bound } else { f64::INFINITY }
}

/// What an operation loses at most; nobody knows where it has lost more than its rule says.
fn by_rule(lost: f64, most: f64) -> f64 {
    if lost.abs() <= most * (1.0 + 1e-9) { most } else { f64::INFINITY }
}

/// What UNPACK leaves in a register, of datums in L1 that are off by `planes` allows.
pub(super) fn unpacked(
    planes: &Planes,
    (l1, register): (DataFormat, DataFormat),
    in_l1: &[f64; TILE_DATUMS],
    in_register: &[f64; TILE_DATUMS],
) -> Numbers {
    let narrows = bits(register) < bits(l1);
    let unit = if narrows { of_format(register, true) } else { 0.0 };
    numbers(|at| {
        let lost = in_register[at] - in_l1[at];
        // What is kept as it is stays exact, as masks must.
        let least = if lost == 0.0 { 0.0 } else { SMALLEST };
        let lost = by_rule(lost, unit * in_l1[at].abs() + least);
        known(planes.bound_at(at) + lost, in_register[at])
    })
}

/// What PACK leaves in L1, of numbers in its register; datums of a block float go by the largest of their block.
pub(super) fn packed(planes: &Planes, (l1, register): (DataFormat, DataFormat), in_l1: &[f64; TILE_DATUMS]) -> Numbers {
    let made = &planes.actual;
    let is_rounded = |(made, held): (&f64, &f64)| made.is_finite() && held != made;
    let rounds = bits(l1) < bits(register) || made.iter().zip(in_l1).any(is_rounded);
    // Cut to the format that the packer makes of Dst, then rounded, up from the half.
    let unit = if rounds { of_format(l1, false) } else { 0.0 };
    numbers(|at| {
        let block = at / 16 * 16;
        let of_block = || made[block..block + 16].iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let size = if l1.is_block_float() { 2.0 * of_block() } else { made[at].abs() };
        let lost = in_l1[at] - made[at];
        let least = if lost == 0.0 { 0.0 } else { SMALLEST };
        known(planes.bound_at(at) + by_rule(lost, unit * size + least), in_l1[at])
    })
}

/// What a function that only grows makes of a number that may be off.
pub(super) fn through(f: &dyn Fn(f64) -> f64, value: f64, bound: f64) -> f64 {
    if bound == 0.0 || bound.is_infinite() {
        return bound;
    }
    let mid = f(value);
    samples(value, bound, &[0.0]).map(|x| (f(x) - mid).abs()).fold(0.0, f64::max)
}

/// Numbers that one may be in place of another: the ends, what lies between, and where a function may turn.
fn samples(value: f64, bound: f64, points: &[f64]) -> impl Iterator<Item = f64> {
    let ends = [-1.0, -0.5, 0.5, 1.0].map(|part| value + part * bound);
    // Beside a jump it counts on which side one is.
    let beside = points.iter().flat_map(move |at| {
        let step = (at.abs() * f64::EPSILON).max(f64::MIN_POSITIVE);
        [at - step, *at, at + step]
    });
    ends.into_iter().chain(beside.filter(move |at| (at - value).abs() <= bound))
}

/// What one addition of the matrix unit may round away, of terms of that size together: each of them once, and the sum, to 23 bits
/// behind the point or, in a Dst of 16 bits, to 8 significant ones (`accumulate` and `renormalise` in `fpu/plain.rs`).
fn step(size: f64, terms: f64, wide: bool) -> f64 {
    let unit = if wide { (terms + 2.0) * half_to(24) } else { terms * HALF_A_TERM + half_to(8) };
    unit * size + if size == 0.0 { 0.0 } else { SMALLEST }
}

/// The share of a product that so many phases of fidelity leave out: of SrcA 5 bits are multiplied, then 10; of SrcB 7, then 11
/// (`product` in `fpu/plain.rs`).
fn left_out(phases: u32) -> f64 {
    let (of_a, of_b, of_both) = (half_to(4), half_to(6), half_to(10));
    match phases {
        0 | 1 => of_a + of_b,
        2 => of_both + of_b,
        3 => 2.0 * of_both,
        _ => of_both,
    }
}

/// How the matrix unit was set.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) phases: u32,
    pub(super) wide: bool,
}

/// What a program of the matrix unit itself may be off by at most; a rule that says nothing of it gives 0.
pub(super) fn of_matrix(word: OpWord, operands: [Option<&Planes>; 2], before: &Planes, of: Setting) -> Numbers {
    let [a, b] = operands;
    let none = Planes::zero();
    // Products are rounded to the largest of their group of eight, and two groups added to Dst at a time, in each phase (`mvmul` in
    // `fpu/plain.rs`); of a tile there are two such additions.
    let sum_of = |sizes: f64, held: f64, additions: f64| {
        let phases = f64::from(of.phases.clamp(1, 4));
        (left_out(of.phases) + 8.0 * HALF_A_TERM) * sizes + additions * phases * step(sizes + held, 3.0, of.wide)
    };
    match word.kind() {
        math_kind::ELTWISE => {
            let (a, b, before) = in_place(word, (a.unwrap_or(&none), b.unwrap_or(&none)), before, &none);
            let b = b.moved(|at| Some(spread(word.b(), at)));
            numbers(|at| {
                let held = before.actual[at].abs();
                let (a, b) = (a.actual[at].abs(), b.actual[at].abs());
                if word.a() == eltwise::MUL {
                    let phases = f64::from(of.phases.clamp(1, 4));
                    return left_out(of.phases) * a * b + phases * step(a * b + held, 2.0, of.wide);
                }
                let held = if word.has(flag::ACCUMULATE) { held } else { 0.0 };
                HALF_A_TERM * a.max(b) + step(a + b + held, 2.0, of.wide)
            })
        }
        math_kind::MATMUL => {
            let sizes = products(b.unwrap_or(&none), a.unwrap_or(&none), |x, _| x.abs(), |y, _| y.abs());
            numbers(|at| sum_of(sizes[at], before.actual[at].abs(), 2.0))
        }
        math_kind::REDUCE if !word.is_maximum() => {
            let (data, scaler) = if word.scaler_is_src_a() { (b, a) } else { (a, b) };
            let (data, scaler) = (data.unwrap_or(&none), scaler.map_or(0.0, |scaler| scaler.actual[0].abs()));
            let is_scalar = word.b() == reduce_dim::SCALAR;
            numbers(|at| {
                let Some(all) = taken_in(word.b(), at) else { return 0.0 };
                let size: f64 = all.iter().map(|at| data.actual[*at].abs()).sum();
                let held = before.actual[at].abs();
                if !is_scalar {
                    return sum_of(scaler * size, held, 2.0);
                }
                // Columns, then what came of them, which goes through SrcB again.
                let partial = sum_of(scaler * size, 0.0, 4.0) + half_to(7) * scaler * size;
                (scaler * partial) + sum_of(scaler * scaler * size, held, 2.0)
            })
        }
        _ => numbers(|_| 0.0),
    }
}

/// SrcA, SrcB and Dst of an elementwise program, one of which may be the tile of Dst.
fn in_place<'a>(
    word: OpWord,
    (a, b): (&'a Planes, &'a Planes),
    before: &'a Planes,
    none: &'a Planes,
) -> (&'a Planes, &'a Planes, &'a Planes) {
    match (word.has(flag::REUSE_SRCA), word.has(flag::REUSE_SRCB)) {
        (true, _) => (before, b, none),
        (_, true) => (a, before, none),
        _ => (a, b, before),
    }
}

/// Sums of products of rows of `x` and columns of `y`, of what is made of each datum.
fn products(x: &Planes, y: &Planes, of_x: impl Fn(f64, f64) -> f64, of_y: impl Fn(f64, f64) -> f64) -> Numbers {
    let rows = |planes: &Planes, of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        let datum = |at: usize| of(planes.actual[at], planes.bound_at(at));
        (0..TILE_DATUMS).map(|at| datum(face_index(at / 32, at % 32))).collect()
    };
    let (x, y) = (rows(x, &of_x), rows(y, &of_y));
    let mut sums = numbers(|_| 0.0);
    super::exact::add_product(&x, &y, &mut sums);
    sums
}

/// What the operands of a program of the matrix unit may be off by, in its result.
fn carried(word: OpWord, operands: [Option<&Planes>; 2], before: &Planes, written: bool) -> Numbers {
    let [a, b] = operands;
    let none = Planes::zero();
    match word.kind() {
        math_kind::DATACOPY if word.a() == 0 => numbers(|at| a.map_or(0.0, |a| a.bound_at(at))),
        math_kind::DATACOPY => numbers(|at| b.map_or(0.0, |b| b.bound_at(spread(word.b(), at)))),
        math_kind::ELTWISE => {
            let (a, b, before) = in_place(word, (a.unwrap_or(&none), b.unwrap_or(&none)), before, &none);
            let b = b.moved(|at| Some(spread(word.b(), at)));
            numbers(|at| {
                let (of_a, of_b, of_dst) = (a.bound_at(at), b.bound_at(at), before.bound_at(at));
                if word.a() == eltwise::MUL {
                    return of_product([a.actual[at], b.actual[at]], [of_a, of_b]) + of_dst;
                }
                of_a + of_b + if word.has(flag::ACCUMULATE) { of_dst } else { 0.0 }
            })
        }
        math_kind::MATMUL => {
            let (a, b) = (a.unwrap_or(&none), b.unwrap_or(&none));
            if a.bound.is_none() && b.bound.is_none() {
                return numbers(|at| before.bound_at(at));
            }
            let of_a = products(b, a, |b, off| b.abs() + off, |_, off| off);
            let of_b = products(b, a, |_, off| off, |a, _| a.abs());
            numbers(|at| of_a[at] + of_b[at] + before.bound_at(at))
        }
        math_kind::REDUCE => {
            let (data, scaler) = if word.scaler_is_src_a() { (b, a) } else { (a, b) };
            let (data, scaler) = (data.unwrap_or(&none), scaler.unwrap_or(&none));
            let twice = word.b() == reduce_dim::SCALAR;
            let (factor, off) = (scaler.actual[0].abs(), scaler.bound_at(0));
            let (factor, off) = if twice { (factor * factor, off * (2.0 * factor + off)) } else { (factor, off) };
            numbers(|at| {
                let Some(all) = taken_in(word.b(), at) else { return 0.0 };
                let of_data = all.iter().map(|at| data.bound_at(*at));
                if word.is_maximum() {
                    let of_dst = if written { before.bound_at(at) } else { 0.0 };
                    return of_data.fold(of_dst, f64::max);
                }
                let (size, of_data): (f64, f64) = (all.iter().map(|at| data.actual[*at].abs()).sum(), of_data.sum());
                of_product([factor, size], [off, of_data]) + before.bound_at(at)
            })
        }
        _ => numbers(|_| 0.0),
    }
}

/// What a product may be off by where its factors are.
fn of_product([x, y]: [f64; 2], [of_x, of_y]: [f64; 2]) -> f64 {
    // What is off by no known bound stays so, even where it is multiplied by 0.
    if of_x.is_infinite() || of_y.is_infinite() {
        return f64::INFINITY;
    }
    x.abs() * of_y + y.abs() * of_x + of_x * of_y
}

/// The bound of what a program of the matrix unit gave; `off` is what it was off by here.
pub(super) fn matrix(
    word: OpWord,
    operands: [Option<&Planes>; 2],
    (before, written): (&Planes, bool),
    of: Setting,
    (after, off): (&Numbers, &dyn Fn(usize) -> f64),
) -> Numbers {
    let carried = carried(word, operands, before, written);
    let own = of_matrix(word, operands, before, of);
    // A copy that cuts one datum may cut any.
    let is_cut = |at: usize| off(at).is_finite() && off(at) != 0.0;
    let cuts = word.kind() == math_kind::DATACOPY && (0..TILE_DATUMS).any(is_cut);
    let unit = if cuts { of_format(DataFormat::Float16_b, true) } else { 0.0 };
    let has_rule = word.kind() != math_kind::DATACOPY && !word.is_maximum();
    numbers(|at| {
        let lost = if has_rule { by_rule(off(at), own[at]) } else { off(at).abs().max(unit * after[at].abs()) };
        known(carried[at] + lost, after[at])
    })
}

/// The bound of what an operation of the vector unit gave; `off` is what it was off by here.
pub(super) fn vector(
    op: SfpuOp,
    parameters: [u32; 4],
    tiles: &[Rc<Planes>],
    wide: bool,
    (after, ideal): (&Numbers, &Numbers),
    off: &dyn Fn(usize) -> f64,
) -> Numbers {
    if op == SfpuOp::Reduce
        && let (Some(of), Some(data)) = (vector_pool(parameters), tiles.first())
    {
        return reduced(data, of, wide, (after, ideal), off);
    }
    let unit =
        if elementary::integers(op).is_some() || elementary::moves(op).is_some() && wide { 0.0 } else { stored(wide) };
    numbers(|at| {
        let value = |number: usize| tiles.get(number).map_or(0.0, |tile| tile.actual[at]);
        let bound = |number: usize| tiles.get(number).map_or(0.0, |tile| tile.bound_at(at));
        let arguments = [0, 1, 2].map(|number| Argument { value: value(number), off: bound(number) });
        let carried = of_function(op, arguments, parameters);
        let least = if ideal[at] == 0.0 { 0.0 } else { SMALLEST };
        known(carried + off(at).abs().max(unit * ideal[at].abs() + least), after[at])
    })
}

/// What is lost of a result of the vector unit: it rounds to 24 bits (`sfpu/fma.rs`), of which a Dst of 16 bits cuts all but 8.
fn stored(wide: bool) -> f64 {
    if wide { of_format(DataFormat::Float32, false) } else { of_format(DataFormat::Float16_b, true) }
}

/// The bound of a reduction of the vector unit; what it leaves beside the results means nothing.
fn reduced(
    data: &Planes,
    (dim, pool): (u8, Pool),
    wide: bool,
    (after, ideal): (&Numbers, &Numbers),
    off: &dyn Fn(usize) -> f64,
) -> Numbers {
    let store = stored(wide);
    numbers(|at| {
        let Some(all) = taken_in(dim, at) else { return f64::INFINITY };
        let bounds = all.iter().map(|at| data.bound_at(*at));
        let (carried, own) = match pool {
            Pool::Sum(factor) => {
                let size: f64 = all.iter().map(|at| data.actual[*at].abs()).sum();
                // Registers are added one to the other twice, three at a time, and pairs of those (`sfpu/reduce.rs`): at each step
                // sums of no more than that size round, to the nearest of 24 bits.
                let lost = 10.0 * of_format(DataFormat::Float32, false) * size;
                (factor * bounds.sum::<f64>(), factor * lost + store * ideal[at].abs() + SMALLEST)
            }
            Pool::Max | Pool::Min => (bounds.fold(0.0, f64::max), 0.0),
        };
        known(carried + off(at).abs().max(own), after[at])
    })
}

/// An argument of a function, and what it may be off by.
#[derive(Clone, Copy)]
struct Argument {
    value: f64,
    off: f64,
}

/// What a function may be off by where its arguments are.
fn of_function(op: SfpuOp, of: [Argument; 3], parameters: [u32; 4]) -> f64 {
    use SfpuOp::*;
    let [x, y, z] = of;
    let s = f64::from(f32::from_bits(parameters[0]));
    if of.iter().all(|argument| argument.off == 0.0) {
        return 0.0;
    }
    // What is not chosen does not count, whatever it is.
    match op {
        Mask | MaskInt if y.off == 0.0 => return if y.value == 0.0 { 0.0 } else { x.off },
        Where | WhereFloat16b if x.off == 0.0 => return if x.value != 0.0 { y.off } else { z.off },
        _ => {}
    }
    if of.iter().any(|argument| argument.off.is_infinite()) {
        return f64::INFINITY;
    }
    let product = |x: Argument, y: Argument| of_product([x.value, y.value], [x.off, y.off]);
    match op {
        AddBinary | SubBinary | RsubBinary => x.off + y.off,
        MulBinary => product(x, y),
        Mac => product(x, y) + z.off,
        Addcmul => x.off + s.abs() * product(y, z),
        Square => product(x, x),
        // Their slope is 1 at most.
        Sin | Cos => x.off.min(2.0),
        // No pole is nearer than the cosine is large.
        Tan if x.off >= special::cos(x.value).abs() => f64::INFINITY,
        Frac if (x.value - x.off).trunc() == (x.value + x.off).trunc() => x.off,
        Frac => 2.0,
        _ => sampled(op, of, parameters),
    }
}

/// The largest difference at the ends of what arguments may be, between them, and where the function may turn or jump.
fn sampled(op: SfpuOp, of: [Argument; 3], parameters: [u32; 4]) -> f64 {
    let points: Vec<f64> = parameters[..2].iter().map(|word| f64::from(f32::from_bits(*word))).collect();
    let values = |number: usize| -> Vec<f64> {
        let Argument { value, off } = of[number];
        if off == 0.0 {
            return vec![value];
        }
        // Two numbers that may be equal are compared where they are.
        let others = (0..3).filter(|other| *other != number).flat_map(|other| {
            let Argument { value, off } = of[other];
            [value - off, value, value + off]
        });
        let points: Vec<f64> = points.iter().copied().chain([0.0]).chain(others).collect();
        samples(value, off, &points).chain([value]).collect()
    };
    let mid = elementary::function(op, of.map(|argument| argument.value), parameters).unwrap_or(f64::NAN);
    let (xs, ys, zs) = (values(0), values(1), values(2));
    let mut most = 0.0f64;
    for x in &xs {
        for y in &ys {
            for z in &zs {
                let there = elementary::function(op, [*x, *y, *z], parameters).unwrap_or(f64::NAN);
                let off = (there - mid).abs();
                if !off.is_finite() {
                    return f64::INFINITY;
                }
                most = most.max(off);
            }
        }
    }
    most
}
