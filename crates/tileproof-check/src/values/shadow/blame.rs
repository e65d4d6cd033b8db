//! Who has rounded or may be meant otherwise, and how: the table of those that shares of an error are told for.
//!
//! A call on several cores is one of it, once their launch is over. Must never hold a share. Start at [`Blamed`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::kernel::SourceLocation;
use tileproof_model::op_word::{OpWord, describe_math, eltwise, math_kind, pool};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;

use super::fraction::Fraction;
use super::nodes::{Call, Op};
use super::planes::{Culprit, WHAT_IF};

/// How a value lost digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loss {
    /// Before it came: a constant that stands for 1/N.
    Fraction { cb: u32, fraction: Fraction },
    /// On its way into a register.
    Register { cb: u32, l1: DataFormat, register: DataFormat },
    /// In the matrix unit, with a Dst of 32 bits or of 16, and so many phases of fidelity.
    Matrix { word: OpWord, wide: bool, phases: u32 },
    /// In the vector unit.
    Vector { op: SfpuOp, wide: bool },
    /// In the vector unit, which took integers for floats.
    AsFloats { op: SfpuOp, format: DataFormat },
    /// On its way to L1.
    Packed { cb: u32, l1: DataFormat },
    /// By being added in L1.
    Added { cb: u32, l1: DataFormat },
    /// Not at all: what its tile of Dst held came in beside.
    Onto { word: OpWord },
    /// Not at all: what had been summed up was dropped on the way.
    Dropped { by: Op },
}

/// Bits of a format's significand.
pub(super) fn bits(format: DataFormat) -> Option<u32> {
    use DataFormat::*;
    match format {
        Float32 => Some(24),
        Tf32 | Float16 => Some(11),
        Float16_b => Some(8),
        Bfp8 | Bfp8_b => Some(7),
        Bfp4 | Bfp4_b => Some(3),
        Bfp2 | Bfp2_b => Some(1),
        _ => None,
    }
}

fn with_bits(format: DataFormat) -> String {
    bits(format).map_or_else(|| format!("{format:?}"), |bits| format!("{format:?}, {bits} bits"))
}

/// Whether fidelity matters to a program.
pub(super) fn multiplies(word: OpWord) -> bool {
    match word.kind() {
        math_kind::ELTWISE => word.a() == eltwise::MUL,
        math_kind::REDUCE => word.a() != pool::MAX,
        math_kind::MATMUL => true,
        _ => false,
    }
}

impl Loss {
    /// What happens, as a predicate.
    pub(super) fn does(self) -> String {
        match self {
            Loss::Fraction { cb, fraction } => {
                let off = 100.0 * (fraction.held() / fraction.meant() - 1.0);
                format!("{} holds 1/{} in bfloat16, which is off by {off:+.2} %", cb_name(cb), fraction.of)
            }
            Loss::Register { cb, l1: l1 @ DataFormat::Float32, register: DataFormat::Tf32 } => {
                format!("{} ({l1:?}) goes through SrcA or SrcB, which hold 10 bits of mantissa (TF32)", cb_name(cb))
            }
            Loss::Register { cb, l1, register } => {
                format!("{} ({l1:?}) is cut to {} in its register", cb_name(cb), with_bits(register))
            }
            Loss::Matrix { word, wide: false, .. } => {
                format!("{} rounds to a Dst of 16 bits, 8 of them significant", describe_math(word))
            }
            Loss::Matrix { word, .. } if word.kind() == math_kind::DATACOPY => "the copy to Dst rounds".into(),
            Loss::Matrix { word, phases, .. } if phases < 4 && multiplies(word) => {
                let at = (phases.max(1) - 1).min(2) as usize;
                let fidelity = ["LoFi", "HiFi2", "HiFi3"][at];
                let bits =
                    ["5 bits of SrcA and 7 of SrcB", "10 bits of SrcA and 7 of SrcB", "all but the low bits"][at];
                format!("{} at {fidelity} multiplies {bits}", describe_math(word))
            }
            Loss::Matrix { word, .. } => {
                format!("{} keeps 10 bits below the largest of what it adds at once", describe_math(word))
            }
            Loss::Vector { op, .. } if super::elementary::integers(op).is_some() => {
                format!("{} makes integers, and what stands behind the point is lost", op.name())
            }
            Loss::Vector { op, .. } if super::elementary::is_to_bfloat16(op) => {
                format!("{} rounds to {}", op.name(), with_bits(DataFormat::Float16_b))
            }
            Loss::AsFloats { op, format } => {
                format!("{} works on floats, and takes words of {format:?} for such", op.name())
            }
            Loss::Vector { op, wide: false } => format!("{} stores to a Dst of 16 bits, which cuts to 8", op.name()),
            Loss::Vector { op, .. } => format!("{} is an approximation", op.name()),
            Loss::Packed { cb, l1 } => format!("packing to {} rounds to {}", cb_name(cb), with_bits(l1)),
            Loss::Onto { word } => {
                format!("{} adds to a Dst tile that still held another result, which is in it now", describe_math(word))
            }
            Loss::Dropped { by } => format!(
                "what {} had summed up was overwritten or cleared before it was packed, and the sum goes on without it",
                by.name()
            ),
            Loss::Added { cb, l1 } => {
                format!(
                    "each sum that the packer accumulates in L1, in {}, is rounded to {}",
                    cb_name(cb),
                    with_bits(l1)
                )
            }
        }
    }

    /// What keeps the digits.
    pub(super) fn remedy(self) -> String {
        match self {
            Loss::Fraction { fraction, .. } => {
                format!("sum with a scaler of 1, and multiply by 1/{} once, in fp32 (mul_unary_tile)", fraction.of)
            }
            Loss::Register { cb, l1: DataFormat::Float32, .. } => format!(
                "name {} in unpack_to_dest_fp32 (with fp32_dest_acc_en), and copy it to Dst on its own: all 32 bits arrive",
                cb_name(cb)
            ),
            Loss::Register { cb, .. } => format!("keep {} in a format that the register holds", cb_name(cb)),
            Loss::Matrix { wide: false, .. } | Loss::Vector { wide: false, .. } => {
                "set fp32_dest_acc_en, and pack to a format that keeps what Dst holds".into()
            }
            Loss::Matrix { word, phases, .. } if phases < 4 && multiplies(word) => {
                "raise math_fidelity: HiFi4 multiplies all bits of bfloat16".into()
            }
            Loss::Matrix { .. } => "add on the vector unit, which works in fp32".into(),
            Loss::Vector { op, .. } if super::elementary::integers(op).is_some() => {
                "round as it is meant before the conversion: floor_tile, trunc_tile or ceil_tile".into()
            }
            Loss::Vector { op, .. } if super::elementary::is_to_bfloat16(op) => {
                "convert to Float32, and pack to a buffer of that format".into()
            }
            Loss::AsFloats { .. } => {
                "use the call for integers, as add_int_tile, or convert the operands to floats first (typecast_tile)"
                    .into()
            }
            Loss::Vector { .. } => "use the accurate form of the call".into(),
            Loss::Packed { cb, .. } => format!("give {} the format Float32, or fewer ways through it", cb_name(cb)),
            Loss::Onto { .. } => "clear the tile before this call (fill_tile with 0), or use one that is clear".into(),
            Loss::Dropped { .. } => {
                "keep the sum's window open to its end, or pack the sum at the end of each window and load it again"
                    .into()
            }
            Loss::Added { cb, .. } => {
                format!("give {} the format Float32, or add the parts up in Dst before one pack", cb_name(cb))
            }
        }
    }
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blame {
    pub(super) call: Call,
    pub(super) loss: Loss,
}

/// All of them; number 0 is nobody.
#[derive(Default, Debug)]
pub(super) struct Blamed {
    all: Vec<Blame>,
    /// The number of the first at the same place, for those that are not the first themselves.
    first: BTreeMap<Culprit, Culprit>,
}

impl Blamed {
    /// The number of one.
    pub(super) fn number(&mut self, call: Call, loss: Loss) -> Culprit {
        let key = |call: &Call| (call.launch, call.thread as u8, call.site);
        let at = self.all.iter().position(|known| key(&known.call) == key(&call) && known.loss == loss);
        let at = at.unwrap_or_else(|| {
            self.all.push(Blame { call, loss });
            self.all.len() - 1
        });
        // More calls than that are not told apart.
        Culprit::try_from(at + 1).ok().filter(|number| *number < WHAT_IF).unwrap_or(0)
    }

    /// Joins those of a launch at one place of a source: each core has a copy of its kernels.
    pub(super) fn join(&mut self, launch: usize, place: &dyn Fn(usize, Thread, Site) -> Option<SourceLocation>) {
        let mut known: Vec<(Thread, SourceLocation, Loss, Culprit)> = Vec::new();
        for (at, Blame { call, loss }) in self.all.iter().enumerate().filter(|(_, blame)| blame.call.launch == launch) {
            let number = Culprit::try_from(at + 1).ok().filter(|number| *number < WHAT_IF);
            let Some((number, its)) = number.zip(place(call.core, call.thread, call.site)) else { continue };
            let same = |(thread, place, other, _): &&(Thread, SourceLocation, Loss, Culprit)| {
                (*thread, place, other) == (call.thread, &its, loss)
            };
            match known.iter().find(same) {
                Some((.., first)) => _ = self.first.insert(number, *first),
                None => known.push((call.thread, its, *loss, number)),
            }
        }
    }

    /// The number that all at the same place have together.
    pub(super) fn joined(&self, who: Culprit) -> Culprit {
        self.first.get(&(who & !WHAT_IF)).map_or(who, |first| first | who & WHAT_IF)
    }

    /// The number of one whose share is another reading of its call.
    pub(super) fn what_if(&mut self, call: Call, loss: Loss) -> Culprit {
        self.number(call, loss) | WHAT_IF
    }

    /// Those who have rounded, with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (Culprit, &Blame)> {
        let number = |at: usize| Culprit::try_from(at + 1).ok().filter(|number| *number < WHAT_IF);
        let all = self.all.iter().enumerate().filter_map(move |(at, blame)| Some((number(at)?, blame)));
        all.filter(|(_, blame)| !matches!(blame.loss, Loss::Onto { .. } | Loss::Dropped { .. }))
    }

    pub(super) fn get(&self, number: Culprit) -> Option<&Blame> {
        self.all.get(usize::from(number & !WHAT_IF).checked_sub(1)?)
    }
}

/// A call, as labels name it.
pub(super) fn label(call: Call) -> (Thread, Site) {
    (call.thread, call.site)
}
