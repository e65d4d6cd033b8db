//! Digits that are lost and values that leave the range, by the operation that does it.
//!
//! Infinity, NaN and zero that an operation makes of ordinary numbers; sums that no longer change; reduce scalers that are
//! not the fraction they stand for; differences that are all that is left of large numbers. Each happens in right kernels, so
//! at most one is said for a run, the most telling, and it must never be more than a suspicion. Start reading at
//! [`Digits::values`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, Values, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::layout::MemoryLayout;
use tileproof_model::numerics::sfpu::SfpuOp;
use tileproof_model::numerics::tile::Tile;
use tileproof_model::observe::{Observer, Raised, Raises};
use tileproof_model::op_word::{OpWord, eltwise, flag, math_kind, pool, reduce_dim};
use tileproof_model::thread::Thread;

/// A difference this much smaller than its operands is all that is left of them: bf16 has 8 bits.
const CANCELLED: f32 = 1.0 / 256.0;
/// Calls in which a sum must stand still to be spoken of.
const STUCK_CALLS: u64 = 8;
/// How far a scaler may be from 1/N: half of the last of 12 bits.
const SCALER: f64 = 1.0 / 8192.0;
/// How far it may be and still be meant as 1/N.
const MEANT: f64 = 0.02;

/// A call of a thread.
type Call = (usize, Thread, Site);

#[derive(Default, Debug)]
struct Sum {
    calls: u64,
    stuck: u64,
    first: Option<Raised>,
}

/// The observer.
#[derive(Default, Debug)]
pub struct Digits {
    /// Lengths that a scaler may be one over: the sides of the program's tensors, and their products.
    pub lengths: Vec<u32>,
    /// What is expected holds infinity: to make it is no fault.
    pub infinity_is_meant: bool,
    /// The first of each kind.
    range: Option<Raised>,
    scaler: Option<Raised>,
    cancelled: Option<Raised>,
    sums: BTreeMap<Call, Sum>,
    nan_made: Option<(Thread, Site)>,
}

impl Observer for Digits {
    const ACTIVE: bool = true;
    const VALUES: bool = true;

    fn launch(&mut self, _layout: &MemoryLayout) {
        // Sites of another launch mean nothing.
        let Digits { lengths, infinity_is_meant, .. } = std::mem::take(self);
        *self = Digits { lengths, infinity_is_meant, ..Digits::default() };
    }

    fn on(&mut self, _event: &Event, _raised: &mut Raises) {}

    fn values(&mut self, event: &Event, values: &Values<'_>, _raised: &mut Raises) {
        match event.what {
            What::Sfpu { op, rows, .. } => self.vector(event, op, rows, values),
            What::Math { word, .. } => self.matrix(event, word, values),
            _ => {}
        }
    }

    fn end(&mut self, _core: usize, raised: &mut Raises) {
        let stuck = std::mem::take(&mut self.sums).into_values().filter(|sum| sum.stuck >= STUCK_CALLS);
        let stuck = stuck.filter_map(|sum| Some(sum.first?.fact("calls", sum.calls).fact("stuck", sum.stuck))).next();
        let found = [self.range.take(), stuck, self.scaler.take(), self.cancelled.take()];
        raised.extend(found.into_iter().flatten().next());
    }
}

fn float(tile: &Tile, at: usize) -> f32 {
    f32::from_bits(tile.0[at])
}

/// Whether a word is a number other than 0: less than the least normal one counts for nothing in any unit.
fn is_number(value: f32) -> bool {
    value.is_normal()
}

/// Says of a product that left the range that its factor is no normal number: its bits may be those of bfloat16.
fn of_bits(found: Raised, bits: u32) -> Raised {
    let factor = f32::from_bits(bits);
    if factor.is_normal() || factor == 0.0 {
        return found;
    }
    let meant = f32::from_bits(bits << 16);
    let found = found.fact("factor", format!("{bits:#x}"));
    found
        .remark(format!("the factor is below the least normal number; as bits of bfloat16 it would be {meant}"))
        .help("hand over the bits of a float32: those of bfloat16, 16 places to the left")
}

fn suspect(event: &Event, code: Code, message: String) -> Raised {
    let mut found = Raised::at(event, code, message);
    found.certainty = Certainty::Suspect;
    found
}

impl Digits {
    fn vector(&mut self, event: &Event, op: SfpuOp, rows: u64, values: &Values<'_>) {
        use SfpuOp::*;
        let inputs: Vec<&Tile> = values.inputs.iter().flatten().copied().collect();
        let Some(first) = inputs.first() else { return };
        let lanes = (0..1024).filter(|at| rows >> (at / 16) & 1 == 1);
        let is_product =
            matches!(op, MulBinary | MulUnary | Square | Recip | RecipLegacy | Rsqrt | RsqrtLegacy | DivBinary);
        let is_sum = matches!(op, AddBinary | SubBinary | AddUnary | SubUnary);
        // A NaN goes through arithmetic; it is used up by what chooses, compares and masks.
        let keeps_nan = is_product || is_sum || matches!(op, Exp | ExpFast | ExpFastUnclamped | Sqrt);
        let (mut infinite, mut vanished, mut nan_made, mut nan_lost) = (0, 0, 0, 0);
        let (mut cancelled, mut compared, mut largest) = (0, 0, (0.0f32, 0.0f32));
        for at in lanes {
            let out = float(values.after, at);
            let numbers = inputs.iter().all(|tile| is_number(float(tile, at)));
            let any_nan = inputs.iter().any(|tile| float(tile, at).is_nan());
            infinite += u32::from(numbers && out.is_infinite());
            vanished += u32::from(is_product && numbers && out == 0.0);
            nan_made += u32::from(!any_nan && out.is_nan());
            nan_lost += u32::from(keeps_nan && any_nan && !out.is_nan());
            if let (SubBinary | AddBinary, [a, b, ..]) = (op, &inputs[..])
                && numbers
            {
                let (a, b) = (float(a, at), float(b, at));
                compared += 1;
                if out.abs() < CANCELLED * a.abs().max(b.abs()) && a.abs() != b.abs() {
                    cancelled += 1;
                    largest = if a.abs() > largest.0.abs() { (a, out) } else { largest };
                }
            }
        }
        if nan_made > 0 {
            self.nan_made.get_or_insert((event.thread, event.site));
        }
        let had_left = self.range.is_some();
        self.left_the_range(event, op.name(), infinite, vanished, nan_lost);
        if op == MulUnary && !had_left {
            self.range = self.range.take().map(|found| of_bits(found, values.parameters[0]));
        }
        self.cancellation(event, op.name(), (cancelled, compared), largest);
        if op == AddBinary && inputs.len() == 2 {
            self.sum(event, first, values.after, inputs[1]);
        }
    }

    fn matrix(&mut self, event: &Event, word: OpWord, values: &Values<'_>) {
        let [Some(a), Some(b), _] = values.inputs else { return };
        match word.kind() {
            math_kind::ELTWISE if word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) == 0 && word.b() == 0 => {
                let name = ["add_tiles", "sub_tiles", "mul_tiles"][usize::from(word.a().min(2))];
                let (mut infinite, mut vanished, mut cancelled, mut compared) = (0, 0, 0, 0);
                let mut largest = (0.0f32, 0.0f32);
                for at in 0..1024 {
                    let (a, b, out) = (float(a, at), float(b, at), float(values.after, at));
                    if !is_number(a) || !is_number(b) {
                        continue;
                    }
                    infinite += u32::from(out.is_infinite() && float(values.before, at).is_finite());
                    vanished += u32::from(word.a() == eltwise::MUL && out == 0.0);
                    if word.a() != eltwise::MUL && !word.has(flag::ACCUMULATE) {
                        compared += 1;
                        if out.abs() < CANCELLED * a.abs().max(b.abs()) && a.abs() != b.abs() {
                            cancelled += 1;
                            largest = if a.abs() > largest.0.abs() { (a, out) } else { largest };
                        }
                    }
                }
                self.left_the_range(event, name, infinite, vanished, 0);
                self.cancellation(event, name, (cancelled, compared), largest);
            }
            math_kind::REDUCE if word.a() != pool::MAX => self.reduce(event, word, a, b),
            _ => {}
        }
        let accumulates = match word.kind() {
            math_kind::ELTWISE => word.has(flag::ACCUMULATE) || word.a() == eltwise::MUL,
            math_kind::MATMUL => true,
            math_kind::REDUCE => word.a() != pool::MAX,
            _ => false,
        };
        if let (true, Some(alone)) = (accumulates, values.alone) {
            self.sum(event, values.before, values.after, alone);
        }
    }

    fn left_the_range(&mut self, event: &Event, name: &str, infinite: u32, vanished: u32, nan_lost: u32) {
        let infinite = if self.infinity_is_meant { 0 } else { infinite };
        if self.range.is_some() || infinite + vanished + nan_lost == 0 {
            return;
        }
        let (message, text, help) = if infinite > 0 {
            (
                format!("{infinite} values overflow: {name} makes infinity of ordinary numbers"),
                "infinity from here on",
                "scale the data by a power of two before this call, and the result back",
            )
        } else if vanished > 0 {
            (
                format!("{vanished} values vanish: {name} makes zero of ordinary numbers"),
                "below the least normal number, 2^-126, which is flushed to zero",
                "scale the data by a power of two before this call, and the result back",
            )
        } else {
            (
                format!("{nan_lost} NaN go in and numbers come out: {name} hides them"),
                "NaN before, numbers from here on",
                "look for what makes the NaN, or use a form of the call that keeps it",
            )
        };
        let mut found = suspect(event, Code::OUT_OF_RANGE, message).text(text).help(help);
        if nan_lost > 0 && infinite + vanished == 0 {
            found = found.label(self.nan_made, "the first NaN is made here");
        }
        let counts = [("infinite", infinite), ("vanished", vanished), ("nan_hidden", nan_lost)];
        self.range = Some(counts.iter().filter(|(_, n)| *n > 0).fold(found, |found, (name, n)| found.fact(name, n)));
    }

    fn cancellation(&mut self, event: &Event, name: &str, (cancelled, compared): (u32, u32), (a, out): (f32, f32)) {
        if self.cancelled.is_some() || 2 * cancelled < compared.max(1) {
            return;
        }
        let exponent = |value: f32| (value.to_bits() >> 23 & 0xff) as i32;
        let bits = exponent(a) - exponent(out);
        let left = if out == 0.0 { "nothing".into() } else { format!("{out}") };
        let message = format!("a difference is all that is left of larger numbers: {name} of about {a} gives {left}");
        let lost = if out == 0.0 { "all digits cancel".into() } else { format!("about {bits} leading bits cancel") };
        self.cancelled = Some(
            suspect(event, Code::CANCELLATION, message)
                .text(lost)
                .fact("values", cancelled)
                .help("subtract before the squares and sums: two passes, a pivot near the data, or Welford's update"),
        );
    }

    /// `added` went onto `before`, and `after` came out.
    fn sum(&mut self, event: &Event, before: &Tile, after: &Tile, added: &Tile) {
        let (mut added_to, mut stuck, mut example) = (0u32, 0u32, None);
        for at in 0..1024 {
            let (was, is, plus) = (float(before, at), float(after, at), float(added, at));
            if is_number(was) && is_number(plus) {
                added_to += 1;
                if was == is {
                    stuck += 1;
                    example.get_or_insert((was, plus));
                }
            }
        }
        let sum = self.sums.entry((event.core, event.thread, event.site)).or_default();
        sum.calls += 1;
        let Some((was, plus)) = example.filter(|_| 2 * stuck >= added_to) else { return };
        sum.stuck += 1;
        let call = sum.calls;
        sum.first.get_or_insert_with(|| {
            let message = format!("the sum no longer changes: from call {call} on, adding {plus} to {was} gives {was}");
            suspect(event, Code::STAGNATION, message)
                .text("what is added here is lost")
                .fact("sum", was)
                .fact("added", plus)
                .help("keep the sum in 32 bits (fp32_dest_acc_en, a Float32 circular buffer), or add in a tree")
        });
    }

    fn reduce(&mut self, event: &Event, word: OpWord, a: &Tile, b: &Tile) {
        if self.scaler.is_some() {
            return;
        }
        // Sums along rows take the scaler through SrcA (LLK `llk_unpack_AB_reduce.h`).
        let swapped = word.b() == reduce_dim::ROW;
        let value = f64::from(float(if swapped { a } else { b }, 0));
        let near = |n: &u32| (f64::from(*n) * value - 1.0).abs();
        let best = self.lengths.iter().min_by(|x, y| near(x).total_cmp(&near(y)));
        let Some(n) = best.filter(|n| (SCALER..MEANT).contains(&near(n))) else { return };
        let percent = 100.0 * (f64::from(*n) * value - 1.0);
        let message = format!("the scaler of a reduce is {value:.6}, which is 1/{n} but for {percent:.2} %");
        self.scaler = Some(
            suspect(event, Code::SCALER, message)
                .text("every sum is off by as much")
                .fact("scaler", value)
                .fact("length", n)
                .help("sum with a scaler of 1, and multiply by 1/N once, in fp32"),
        );
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::event::DstTile;

    use super::*;

    const NONE: [Code; 0] = [];

    fn tile(value: f32) -> Tile {
        Tile([value.to_bits(); 1024])
    }

    fn event(what: What) -> Event {
        Event { core: 0, thread: Thread::Math, site: Site(1), cycle: 0, what }
    }

    fn sfpu(op: SfpuOp) -> Event {
        let any = DstTile::default();
        event(What::Sfpu { op, parameter: 0, inputs: [any; 3], output: any, rows: u64::MAX })
    }

    fn reduce() -> Event {
        let word = OpWord::new(math_kind::REDUCE, pool::SUM, reduce_dim::ROW, 0, 0);
        event(What::Math { word, dst: DstTile::default() })
    }

    /// What is said of `calls` calls that took `inputs` to `output`.
    fn said(event: &Event, inputs: &[f32], output: f32, calls: usize) -> Vec<Code> {
        let tiles: Vec<Tile> = inputs.iter().map(|value| tile(*value)).collect();
        let (before, after, alone) = (tile(output), tile(output), tile(1.0));
        let inputs = [tiles.first(), tiles.get(1), None];
        let (alone, wide, phases, parameters) = (Some(&alone), true, 4, [0; 4]);
        let values = Values { inputs, before: &before, after: &after, alone, wide, phases, parameters };
        let mut digits = Digits { lengths: vec![32, 800], ..Digits::default() };
        let mut raised = Raises::default();
        (0..calls).for_each(|_| digits.values(event, &values, &mut raised));
        digits.end(0, &mut raised);
        raised.take().into_iter().map(|found| found.code).collect()
    }

    #[test]
    fn infinity_of_zero_and_nan_that_a_mask_drops_are_meant() {
        assert_eq!(said(&sfpu(SfpuOp::Square), &[1e20], f32::INFINITY, 1), [Code::OUT_OF_RANGE]);
        assert_eq!(said(&sfpu(SfpuOp::Recip), &[0.0], f32::INFINITY, 1), NONE);
        assert_eq!(said(&sfpu(SfpuOp::Recip), &[2e38], 0.0, 1), [Code::OUT_OF_RANGE]);
        assert_eq!(said(&sfpu(SfpuOp::Recip), &[f32::INFINITY], 0.0, 1), NONE);
        assert_eq!(said(&sfpu(SfpuOp::ExpFast), &[f32::NAN], 0.5, 1), [Code::OUT_OF_RANGE]);
        assert_eq!(said(&sfpu(SfpuOp::Mask), &[f32::NAN, 0.0], 0.0, 1), NONE);
    }

    #[test]
    fn equal_operands_cancel_rightly() {
        assert_eq!(said(&sfpu(SfpuOp::SubBinary), &[1000.25, 1000.0], 0.25, 1), [Code::CANCELLATION]);
        assert_eq!(said(&sfpu(SfpuOp::SubBinary), &[1000.0, 1000.0], 0.0, 1), NONE);
        assert_eq!(said(&sfpu(SfpuOp::SubBinary), &[1000.0, 900.0], 100.0, 1), NONE);
    }

    #[test]
    fn a_scaler_is_spoken_of_where_it_is_near_a_length_and_not_there() {
        assert_eq!(said(&reduce(), &[0.001_243_591_3, 1.0], 0.0, 1), [Code::SCALER]);
        assert_eq!(said(&reduce(), &[1.0 / 800.0, 1.0], 0.0, 1), NONE);
        assert_eq!(said(&reduce(), &[1.0 / 32.0, 1.0], 0.0, 1), NONE);
        assert_eq!(said(&reduce(), &[1.0, 1.0], 0.0, 1), NONE);
    }

    #[test]
    fn a_sum_that_stands_still_a_few_times_is_none() {
        assert_eq!(said(&reduce(), &[1.0, 1.0], 512.0, 8), [Code::STAGNATION]);
        assert_eq!(said(&reduce(), &[1.0, 1.0], 512.0, 7), NONE);
    }
}
