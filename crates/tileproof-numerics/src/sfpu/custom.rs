//! Custom vector code: a program of a kernel's own, run on Dst.
//!
//! It must compute a step as the instruction does that the compiler makes of it, and stop at what is not known. Sources: the ISA
//! documentation (`TensixCoprocessor/SFP*.md`), sfpi 7.87 for what C++ becomes, answers of ttsim 1.10.0. Start at
//! [`run_steps`].

use super::instruction::{Coefficients, Comparison, Instruction, NO_VALUE, VectorStep};
use super::lreg::{LANES, LReg, Lanes, Register};
use super::mode::SfpuMode;
use super::program::{Program, first_row};
use super::reciprocal::estimate;
use super::unit::Sfpu;
use crate::chip::Reciprocal;
use crate::dst::{Dst, TILE_ROWS};
use crate::tile::{ROW_DATUMS, face_index};

/// What lies in the unit between programs: registers 0 to 7, the programmable constants 11 to 14, how lanes work, and what they draw.
#[derive(Clone, Debug)]
pub struct VectorRegisters {
    registers: [Option<LReg>; 8],
    constants: [Option<LReg>; 4],
    configuration: u32,
    /// `None` until numbers are drawn from a seed, and once other code may have drawn some.
    random: Option<LReg>,
}

impl Default for VectorRegisters {
    fn default() -> Self {
        // Register 11 is -1 until somebody writes it.
        let constants = [Some(LReg::float(-1.0)), None, None, None];
        VectorRegisters { registers: [None; 8], constants, configuration: 0, random: None }
    }
}

/// The first of the programmable constants.
const FIRST_CONSTANT: usize = 11;

/// Bit of the configuration: SFPSWAP exchanges registers 4 to 7 as it does 0 to 3.
const INDICES_FOLLOW: u32 = 1 << 2;
/// Bit of the configuration: SFPSWAP exchanges where it would not.
const SWAPS_TURNED: u32 = 1 << 8;

/// Modes of SFPSWAP: in which rows the second register gets the smaller number.
mod swap {
    pub(super) const ALWAYS: u32 = 0;
    pub(super) const ALL_ROWS: u32 = 1;
    pub(super) const ROWS_0_AND_1: u32 = 2;
    pub(super) const ROWS_0_AND_2: u32 = 3;
    pub(super) const NO_ROW: u32 = 9;
}

/// A step of the shift register that each lane draws from (ISA documentation, `TensixCoprocessor/SFPMOV.md`).
const fn drawn_next(word: u32) -> u32 {
    (!(word & 0x8020_0003).count_ones()) << 31 | word >> 1
}

/// What lanes draw first behind a seed: it has moved on 32 times, and then twice for each lane, the last one first.
fn seeded(seed: u32) -> LReg {
    let mut word = (0..32).fold(seed, |word, _| drawn_next(word));
    let mut out = LReg::splat(0);
    for lane in out.0.iter_mut().rev() {
        word = drawn_next(drawn_next(word));
        *lane = word;
    }
    out
}

impl VectorRegisters {
    /// Constant register 12, 13 or 14 takes a word in every lane; `None` where nobody knows which.
    pub fn load(&mut self, register: usize, word: Option<u32>) {
        self.constants[register - FIRST_CONSTANT] = word.map(LReg::splat);
    }

    /// Whether constant register 12, 13 or 14 holds a word in every lane.
    pub fn holds(&self, register: usize, word: u32) -> bool {
        self.constants[register - FIRST_CONSTANT].is_some_and(|held| held.0 == LReg::splat(word).0)
    }

    /// Other code of the unit has used registers 0 to 7.
    pub fn forget_values(&mut self) {
        self.registers = [None; 8];
    }

    /// Other code of the unit may have drawn numbers.
    pub fn forget_random(&mut self) {
        self.random = None;
    }

    /// Inits have lanes work as they do at first.
    pub fn configure_plainly(&mut self) {
        self.configuration = 0;
    }
}

/// How SFPLOAD and SFPSTORE see a datum (sfpi `SFPLOAD_MOD0_FMT_*`).
mod format {
    pub(super) const OF_DST: u32 = 0;
    pub(super) const BF16: u32 = 2;
    pub(super) const FP32: u32 = 3;
    pub(super) const INT32: u32 = 4;
    pub(super) const UINT16: u32 = 6;
    pub(super) const SIGN_MAGNITUDE: u32 = 12;
}

/// Runs a program on Dst. `tile_of` says which tile of Dst an index of the half is; rows that hold nothing must have been given
/// a value with [`Dst::materialize`].
///
/// # Errors
/// What of the program is not known; Dst may be written in part then.
pub fn run_steps(
    program: &Program,
    mode: &SfpuMode,
    dst: &mut Dst,
    tile_of: &dyn Fn(u32) -> usize,
    registers: &mut VectorRegisters,
) -> Result<(), &'static str> {
    if mode.src_b_is_fp16 && !mode.dst_32 {
        return Err("custom vector code on a 16-bit Dst of Float16");
    }
    let steps = &program.steps;
    let values = vec![LReg::splat(0); steps.len()];
    let all = LReg::splat(u32::MAX);
    let unit = Sfpu::new(mode);
    let mut run = Run { unit, steps, dst, tile_of, registers, values, lanes: all, kept: Vec::new() };
    for (at, step) in steps.iter().enumerate() {
        if let Some(step) = step {
            run.values[at] = run.step(step)?;
        }
    }
    Ok(())
}

struct Run<'a> {
    unit: Sfpu,
    steps: &'a [Option<VectorStep>],
    dst: &'a mut Dst,
    tile_of: &'a dyn Fn(u32) -> usize,
    registers: &'a mut VectorRegisters,
    values: Vec<LReg>,
    lanes: Lanes,
    kept: Vec<Lanes>,
}

impl Run<'_> {
    fn step(&mut self, step: &VectorStep) -> Result<LReg, &'static str> {
        let [a, b, c] = step.words;
        let mut operands = [LReg::splat(0); 3];
        for (operand, word) in operands.iter_mut().zip(&step.words[..step.instruction.values()]) {
            *operand = self.values.get(*word as usize).copied().unwrap_or(LReg::splat(0));
        }
        let [x, y, z] = operands;
        let unit = self.unit;
        let value = match step.instruction {
            Instruction::Constant => LReg::splat(a),
            Instruction::Load => return self.load(a, b),
            Instruction::Store => return self.store(x, b, c),
            Instruction::Add => unit.add(flipped(x, step, 0), flipped(y, step, 1)),
            Instruction::Subtract => unit.sub(x, y),
            Instruction::Multiply => unit.mul(flipped(x, step, 0), y),
            Instruction::MultiplyAdd => unit.mad(flipped(x, step, 0), y, flipped(z, step, 1)),
            Instruction::ApproximateReciprocal if unit.rules.reciprocal != Reciprocal::Estimate => {
                return Err("SFPARECIP, which this chip does not have");
            }
            Instruction::ApproximateReciprocal => estimate(x),
            Instruction::Min => x.min(y),
            Instruction::Max => x.max(y),
            // Who looks something up takes its words.
            Instruction::Table | Instruction::Lines => LReg::splat(0),
            Instruction::Lookup => return self.lookup(a, y, c != 0),
            Instruction::ToFloatAtRandom if x.magnitude().0.iter().any(|&lane| lane > 1 << 24) => {
                return Err("a conversion that rounds at random");
            }
            Instruction::CompareFloat => return self.compare_float(step, [x, y], self.is_zero(b)),
            Instruction::CompareInt => return compare_int(c, x, y),
            Instruction::Both => x & y,
            Instruction::Either => x | y,
            Instruction::Opposite => !x,
            Instruction::Assign if a == NO_VALUE => y,
            Instruction::Assign => y.where_(self.lanes, x),
            _ => match integer(step, x, y) {
                Some(value) => {
                    self.rounded(step.instruction);
                    value
                }
                None => return self.control(step, x),
            },
        };
        Ok(value)
    }

    /// Whether a value is a zero that the compiler sees.
    fn is_zero(&self, value: u32) -> bool {
        self.steps[value as usize]
            .is_some_and(|step| step.instruction == Instruction::Constant && step.words[..2] == [0, 1])
    }

    /// SFPLUT and SFPLUTFP32: the line for |x| applied to it, and the sign of x put back, unless the result has its own (ISA
    /// documentation, `TensixCoprocessor/SFPLUT.md`, `SFPLUTFP32.md`).
    fn lookup(&self, lines: u32, x: LReg, own_sign: bool) -> Result<LReg, &'static str> {
        let magnitude = x.magnitude();
        let (slope, intercept) = self.line(lines, magnitude)?;
        let value = self.unit.mad(slope, magnitude, intercept);
        Ok(if own_sign { value } else { value.with_sign_of(x) })
    }

    /// Slope and intercept for each magnitude: one line below 1, one below 2 and one above; pairs of 16 bits have each in two, the
    /// lower half first.
    fn line(&self, lines: u32, magnitude: LReg) -> Result<(LReg, LReg), &'static str> {
        let below = |limit: f32| magnitude.ilt(limit.to_bits() as i32);
        let word = |table: u32| -> Result<LReg, &'static str> {
            let table = self.steps[table as usize].filter(|step| step.instruction == Instruction::Table);
            let [low, middle, high] =
                table.ok_or("a table of the vector unit")?.words.map(|word| self.values[word as usize]);
            Ok(low.where_(below(1.0), middle.where_(below(2.0), high)))
        };
        let Some(VectorStep { words: [slopes, intercepts, how], .. }) =
            self.steps[lines as usize].filter(|step| step.instruction == Instruction::Lines)
        else {
            let word = word(lines)?;
            return Ok((word.shr(8).map(coefficient), word.map(coefficient)));
        };
        let (slopes, intercepts) = (word(slopes)?, word(intercepts)?);
        let how = Coefficients::from_code(how).ok_or("lines of the vector unit")?;
        Ok(match how {
            Coefficients::Wide => (slopes, intercepts),
            Coefficients::Halves => (slopes.shr(16).map(coefficient_16), intercepts.map(coefficient_16)),
            Coefficients::PairsTo3 | Coefficients::PairsTo4 => {
                let cut = below(if how == Coefficients::PairsTo3 { 3.0 } else { 4.0 });
                let lower = below(0.5) | !below(1.0) & below(1.5) | !below(2.0) & cut;
                let half = |word: LReg| word.where_(lower, word.shr(16)).map(coefficient_16);
                (half(slopes), half(intercepts))
            }
        })
    }

    /// Where lanes run, and registers.
    fn control(&mut self, step: &VectorStep, x: LReg) -> Result<LReg, &'static str> {
        let [a, b, c] = step.words;
        match step.instruction {
            Instruction::Begin => self.kept.push(self.lanes),
            Instruction::Where => self.lanes = self.lanes & x,
            Instruction::Otherwise => {
                let kept = self.kept.last().copied().unwrap_or(LReg::splat(u32::MAX));
                self.lanes = kept & !self.lanes;
            }
            Instruction::End => {
                for _ in 0..a {
                    self.lanes = self.kept.pop().ok_or("lanes that nobody has kept")?;
                }
            }
            Instruction::AllLanes => self.lanes = LReg::splat(u32::MAX),
            Instruction::LoadHalf => {
                let place = self.registers.registers.get_mut(a as usize).ok_or("a register beyond 7")?;
                // The lower half comes first where both are new.
                let old =
                    place.or((c == 0).then(|| LReg::splat(0))).ok_or("half of a register that was never written")?;
                let new = old.map(|word| if c == 1 { word & 0xffff | b << 16 } else { word & 0xffff_0000 | b });
                *place = Some(new.where_(self.lanes, old));
            }
            Instruction::SetConstant => {
                let place =
                    (b as usize).checked_sub(FIRST_CONSTANT).and_then(|at| self.registers.constants.get_mut(at));
                let place = place.ok_or("a constant register that cannot be written")?;
                let (value, lanes) = (of_first_lanes(x), of_first_lanes(self.lanes));
                *place = Some(match *place {
                    _ if lanes.0.iter().all(|lane| *lane != 0) => value,
                    Some(old) => value.where_(lanes, old),
                    None => return Err("a constant register that is written in part of its lanes, and was not before"),
                });
            }
            Instruction::Swap => return self.swap(a, b, c),
            Instruction::Transpose => return self.transpose(),
            Instruction::TransposeTile => self.transpose_tile(a, b == 1),
            Instruction::Configure if a & !(INDICES_FOLLOW | SWAPS_TURNED) != 0 => {
                return Err("lanes of the vector unit that work in a way which is not modelled");
            }
            Instruction::Configure => self.registers.configuration = a,
            Instruction::Random => return self.draw(),
            Instruction::Seed => self.registers.random = Some(seeded(a)),
            Instruction::ReadConstant => return self.constant(a),
            Instruction::WriteRegister => {
                let place = self.registers.registers.get_mut(b as usize).ok_or("a register beyond 7")?;
                *place = Some(place.map_or(x, |old| x.where_(self.lanes, old)));
            }
            Instruction::ReadRegister => {
                let held = self.registers.registers.get(a as usize).copied().flatten();
                return held.ok_or("a register of the vector unit that holds what is not known");
            }
            _ => return Err("an instruction of the vector unit"),
        }
        Ok(LReg::splat(0))
    }

    /// SFPSWAP: both registers exchanged where the larger one, by sign and magnitude, is not where the mode has it; rows are
    /// numbered from 0. Where indices follow, registers 4 to 7 are exchanged with 0 to 3 (ISA documentation,
    /// `TensixCoprocessor/SFPSWAP.md`).
    fn swap(&mut self, one: u32, other: u32, mode: u32) -> Result<LReg, &'static str> {
        // Rows whose second register gets the smaller.
        let rows = match mode {
            swap::ALWAYS | swap::ALL_ROWS => 0b1111,
            swap::ROWS_0_AND_1 => 0b0011,
            swap::ROWS_0_AND_2 => 0b0101,
            swap::NO_ROW => 0,
            _ => return Err("SFPSWAP in a mode that is not modelled"),
        };
        let follow = self.registers.configuration & INDICES_FOLLOW != 0;
        let last = if follow { 4 } else { 8 };
        if one >= last || other >= last {
            return Err("SFPSWAP of other registers than 0 to 7, or than 0 to 3 where indices follow");
        }
        let (one, other) = (one as usize, other as usize);
        let unknown = "SFPSWAP of a register that holds what is not known";
        let x = self.registers.registers[one].ok_or(unknown)?;
        let y = self.registers.registers[other].ok_or(unknown)?;
        let below = x.ordered_below(y);
        let gets_smaller = LReg(std::array::from_fn(|lane| 0_u32.wrapping_sub(rows >> (lane / 8) & 1)));
        let out_of_order = below.where_(gets_smaller, !below);
        let turned = self.registers.configuration & SWAPS_TURNED != 0;
        let exchanged = match mode {
            swap::ALWAYS => self.lanes,
            _ if turned => self.lanes & !out_of_order,
            _ => self.lanes & out_of_order,
        };
        let exchange = |registers: &mut [Option<LReg>; 8], one: usize, other: usize| {
            let (x, y) = (registers[one].ok_or(unknown)?, registers[other].ok_or(unknown)?);
            registers[one] = Some(y.where_(exchanged, x));
            registers[other] = Some(x.where_(exchanged, y));
            Ok(())
        };
        exchange(&mut self.registers.registers, one, other)?;
        if follow {
            exchange(&mut self.registers.registers, one + 4, other + 4)?;
        }
        Ok(LReg::splat(0))
    }

    /// SFPTRANSP: rows and registers of 0 to 3 exchanged, and of 4 to 7 (ISA documentation, `TensixCoprocessor/SFPTRANSP.md`).
    fn transpose(&mut self) -> Result<LReg, &'static str> {
        if self.lanes.0.contains(&0) {
            return Err("SFPTRANSP in part of the lanes");
        }
        for registers in self.registers.registers.chunks_exact_mut(4) {
            let held = [registers[0], registers[1], registers[2], registers[3]];
            let [Some(a), Some(b), Some(c), Some(d)] = held else {
                registers.fill(None);
                continue;
            };
            let held = [a, b, c, d];
            for (number, register) in registers.iter_mut().enumerate() {
                *register = Some(LReg(std::array::from_fn(|lane| held[lane / 8].0[8 * number + lane % 8])));
            }
        }
        Ok(LReg::splat(0))
    }

    /// A tile of Dst through SrcB and back, in halves of words where Dst has 32 bits, which keeps all bits (LLK
    /// `llk_math_transpose_dest.h`; measured: ttsim 1.10.0).
    fn transpose_tile(&mut self, address: u32, within_faces: bool) {
        let tile = (self.tile_of)(address / TILE_ROWS as u32);
        let before = self.dst.tile(tile).0;
        let side = 2 * ROW_DATUMS;
        for row in 0..side {
            for column in 0..side {
                let (from_row, from_column) = if within_faces {
                    (row & ROW_DATUMS | (column % ROW_DATUMS), column & ROW_DATUMS | (row % ROW_DATUMS))
                } else {
                    (column, row)
                };
                self.dst.tile_mut(tile).0[face_index(row, column)] = before[face_index(from_row, from_column)];
            }
        }
        self.dst.set_valid(tile, u64::MAX);
    }

    /// A rounding that may draw a number draws one, whether it uses it or not (ISA documentation,
    /// `TensixCoprocessor/SFPSTOCHRND_FloatInt.md`); of a conversion that rounds at random that is not known.
    fn rounded(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::RoundToBf16
            | Instruction::RoundToUInt16
            | Instruction::RoundToInt16
            | Instruction::RoundToUInt8
            | Instruction::RoundToInt8 => {
                let lanes = self.lanes;
                self.registers.random = self.registers.random.map(|word| word.map(drawn_next).where_(lanes, word));
            }
            Instruction::ToFloatAtRandom => self.registers.random = None,
            _ => {}
        }
    }

    /// A number in each lane that runs, which moves on there (ISA documentation, `TensixCoprocessor/SFPMOV.md`).
    fn draw(&mut self) -> Result<LReg, &'static str> {
        let random = self.registers.random.as_mut().ok_or("a random number that was drawn from no known seed")?;
        let drawn = *random;
        *random = drawn.map(drawn_next).where_(self.lanes, drawn);
        Ok(drawn)
    }

    /// Registers 8 to 15 (ISA documentation, `TensixCoprocessor/LReg.md`).
    fn constant(&self, register: u32) -> Result<LReg, &'static str> {
        match register {
            8 => Ok(LReg::float(0.8373)),
            9 => Ok(LReg::splat(0)),
            10 => Ok(LReg::float(1.0)),
            11..=14 => self.registers.constants[register as usize - FIRST_CONSTANT]
                .ok_or("a constant register of the vector unit that holds what is not known"),
            15 => {
                let mut out = LReg::splat(0);
                out.0.iter_mut().zip(0..).for_each(|(lane, number)| *lane = 2 * number);
                Ok(out)
            }
            _ => Err("a constant register beyond 15"),
        }
    }

    /// Comparisons are by sign and magnitude where the chip has that, or else differences, except with a zero that the compiler sees;
    /// equal are equal bits.
    fn compare_float(&self, step: &VectorStep, [x, y]: [LReg; 2], with_zero: bool) -> Result<LReg, &'static str> {
        Ok(match Comparison::from_code(step.words[2]).ok_or("a comparison")? {
            Comparison::Less if with_zero => x.negative(),
            Comparison::GreaterOrEqual if with_zero => !x.negative(),
            how => compared(how, x, y, |a, b| self.unit.below(a, b)),
        })
    }

    /// Where lane `lane` of an address lies: four rows, even columns or odd ones (ISA documentation,
    /// `TensixCoprocessor/SFPLOAD.md`).
    fn datum(&self, address: u32, lane: usize) -> (usize, usize) {
        let tile = (self.tile_of)(address / TILE_ROWS as u32);
        let row = first_row(address) + lane / 8;
        (tile, row * ROW_DATUMS + 2 * (lane % 8) + (address as usize >> 1 & 1))
    }

    fn is_known(&self, format: u32) -> bool {
        match format {
            format::OF_DST => true,
            format::BF16 | format::UINT16 => !self.unit.dst_32,
            format::FP32 | format::INT32 | format::SIGN_MAGNITUDE => self.unit.dst_32,
            _ => false,
        }
    }

    fn load(&self, address: u32, format: u32) -> Result<LReg, &'static str> {
        if !self.is_known(format) {
            return Err("a load in a format of another width than Dst, or one that is not known");
        }
        let mut out = LReg::splat(0);
        for lane in 0..LANES {
            let (tile, at) = self.datum(address, lane);
            out.0[lane] = self.dst.tile(tile).0[at];
        }
        Ok(match format {
            format::UINT16 => out.shr(16),
            format::SIGN_MAGNITUDE => out.to_twos_complement(),
            _ => out,
        })
    }

    fn store(&mut self, value: LReg, address: u32, format: u32) -> Result<LReg, &'static str> {
        if !self.is_known(format) {
            return Err("a store in a format of another width than Dst, or one that is not known");
        }
        let word = match format {
            format::INT32 => value,
            format::SIGN_MAGNITUDE => value.to_sign_magnitude(),
            format::UINT16 => value.shl(16),
            _ => self.unit.stored(value),
        };
        for lane in 0..LANES {
            if self.lanes.0[lane] != 0 {
                let (tile, at) = self.datum(address, lane);
                self.dst.tile_mut(tile).0[at] = word.0[lane];
            }
        }
        let rows = 0xf << first_row(address);
        self.dst.set_valid((self.tile_of)(address / TILE_ROWS as u32), rows);
        Ok(value)
    }
}

/// A value with its sign flipped, if the step flips that of its term `number`.
fn flipped(value: LReg, step: &VectorStep, number: u8) -> LReg {
    if step.flips >> number & 1 != 0 { value.negate() } else { value }
}

/// SFPCONFIG takes the first eight lanes, and gives them to all rows (ISA documentation, `TensixCoprocessor/SFPCONFIG.md`).
fn of_first_lanes(x: LReg) -> LReg {
    LReg(std::array::from_fn(|lane| x.0[lane % 8]))
}

/// A coefficient of SFPLUT: a sign, three bits of a negative exponent, four of a mantissa; all ones are zero.
const fn coefficient(word: u32) -> u32 {
    if word & 0xff == 0xff {
        return 0;
    }
    (word & 0x80) << 24 | (127 - (word >> 4 & 7)) << 23 | (word & 15) << 19
}

/// A coefficient of SFPLUTFP32: a sign, five bits of an exponent with a bias of 15, ten of a mantissa; an exponent of all ones is zero,
/// and one of none is no denormal.
const fn coefficient_16(word: u32) -> u32 {
    let exponent = word >> 10 & 31;
    (word & 0x8000) << 16 | (if exponent == 31 { 0 } else { 112 + exponent }) << 23 | (word & 0x3ff) << 13
}

/// Steps on the bits of registers.
fn integer(step: &VectorStep, x: LReg, y: LReg) -> Option<LReg> {
    Some(match step.instruction {
        Instruction::Negate => x.negate(),
        Instruction::AbsFloat => x.abs(),
        Instruction::AbsInt => x.iabs(),
        Instruction::And => x & y,
        Instruction::Or => x | y,
        Instruction::Xor => x ^ y,
        Instruction::Not => !x,
        Instruction::AddInt => x.iadd(y),
        Instruction::SubtractInt => x.isub(y),
        Instruction::Shift => x.shift(y),
        Instruction::MultiplyInt23 => x.zip(y, |a, b| {
            let product = u64::from(a & 0x7f_ffff) * u64::from(b & 0x7f_ffff);
            (product >> if step.words[2] == 1 { 23 } else { 0 }) as u32 & 0x7f_ffff
        }),
        Instruction::SetExponent => x.with_exponent(y),
        Instruction::CopyExponent => x.with_exponent(y.exponent_field()),
        Instruction::CopyMantissa => x.with_mantissa_of(y),
        Instruction::CopySign => x.with_sign_of(y),
        Instruction::AddExponent => x.add_exponent(step.words[1] as i32),
        Instruction::Exponent => x.exponent(),
        Instruction::ExponentField => x.exponent_field(),
        Instruction::Mantissa => x.mantissa(),
        Instruction::Significand => x.significand(),
        Instruction::LeadingZeros => x.map(u32::leading_zeros),
        Instruction::LeadingZerosOfMagnitude => x.magnitude().map(u32::leading_zeros),
        Instruction::ToFloat | Instruction::ToFloatAtRandom => x.to_float(),
        Instruction::ToSignMagnitude => x.to_sign_magnitude(),
        Instruction::ToTwosComplement => x.to_twos_complement(),
        Instruction::RoundToBf16 => x.round_to_bf16(),
        Instruction::RoundToUInt16 => x.round_to_integer(0xffff, false),
        Instruction::RoundToInt16 => x.round_to_integer(0x7fff, true),
        Instruction::RoundToUInt8 => x.round_to_integer(0xff, false),
        Instruction::RoundToInt8 => x.round_to_integer(0x7f, true),
        _ => return None,
    })
}

/// By the sign of a difference that wraps, as the compiler has it: right for numbers that are less than 2^31 apart.
fn compare_int(how: u32, x: LReg, y: LReg) -> Result<LReg, &'static str> {
    let how = Comparison::from_code(how).ok_or("a comparison")?;
    Ok(compared(how, x, y, |a, b| a.isub(b).negative()))
}

/// By what is below what, or the equality of bits.
fn compared(how: Comparison, x: LReg, y: LReg, less: impl Fn(LReg, LReg) -> Lanes) -> Lanes {
    match how {
        Comparison::Less => less(x, y),
        Comparison::GreaterOrEqual => !less(x, y),
        Comparison::Greater => less(y, x),
        Comparison::LessOrEqual => !less(y, x),
        Comparison::Equal => x.isub(y).zero(),
        Comparison::Different => !x.isub(y).zero(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    /// The 32 words that a program stores in row 0 of a 32-bit Dst as they are.
    fn stored(steps: &[[u32; 4]]) -> Result<Vec<u32>, &'static str> {
        let steps: Result<Vec<VectorStep>, _> =
            steps.iter().enumerate().map(|(at, words)| VectorStep::read(*words, at)).collect();
        let mode = SfpuMode { dst_32: true, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };
        let (mut dst, mut registers) = (Dst::default(), VectorRegisters::default());
        run_steps(&Program::of(&steps?, &WORMHOLE.sfpu), &mode, &mut dst, &|_| 0, &mut registers)?;
        Ok((0..LANES).map(|lane| dst.tile(0).0[lane / 8 * ROW_DATUMS + 2 * (lane % 8)]).collect())
    }

    #[test]
    fn a_constant_register_takes_the_first_eight_lanes() {
        let numbers = [56, 15, 0, 0];
        let first: Vec<u32> = (0..32).map(|lane| 2 * (lane % 8)).collect();
        assert_eq!(stored(&[numbers, [55, 0, 12, 0], [56, 12, 0, 0], [3, 2, 0, 4]]).unwrap(), first);
        // Where the number is below 6, that is in three lanes of the first row; the others keep 100.
        let below = [[1, 6, 1, 0], [46, 0, 1, 0], [50, 0, 0, 0], [51, 2, 0, 0], [55, 0, 12, 0], [53, 1, 0, 0]];
        let rest = [[56, 12, 0, 0], [3, 7, 0, 4]];
        let unset = [&[numbers][..], &below, &rest].concat();
        assert!(stored(&unset).unwrap_err().contains("in part of its lanes"));
        let set = [[56, 15, 0, 0], [1, 100, 1, 0], [55, 1, 12, 0], [1, 6, 1, 0], [46, 0, 3, 0], [50, 0, 0, 0]];
        let rest = [[51, 4, 0, 0], [55, 0, 12, 0], [53, 1, 0, 0], [56, 12, 0, 0], [3, 9, 0, 4]];
        let kept: Vec<u32> = (0..32).map(|lane| if lane % 8 < 3 { 2 * (lane % 8) } else { 100 }).collect();
        assert_eq!(stored(&[&set[..], &rest].concat()).unwrap(), kept);
    }

    /// Six lines of halves, of which the second has twice the slope of the first, and so on; those at the end are 4x + 3, and 4. What is
    /// expected follows from the tables of the ISA documentation (`TensixCoprocessor/SFPLUTFP32.md`).
    #[test]
    fn lines_end_where_the_documentation_says() {
        let (slopes, intercepts) =
            ([0x4000_3c00, 0x3800_4200, 0x7c00_4400], [0x3c00_7c00, 0x4000_3c00, 0x4400_4200_u32]);
        let looked_up = |x: f32, how: u32, own_sign: u32, [a, b]: [[u32; 3]; 2]| {
            let constants = a.iter().chain(&b).map(|word| [1, *word, 0, 0]);
            let rest = [
                [1, x.to_bits(), 0, 0],
                [38, 0, 1, 2],
                [38, 3, 4, 5],
                [70, 7, 8, how],
                [39, 9, 6, own_sign],
                [3, 10, 0, 3],
            ];
            let steps: Vec<[u32; 4]> = constants.chain(rest).collect();
            f32::from_bits(stored(&steps).unwrap()[0])
        };
        let six = [slopes, intercepts];
        for (x, to_3, to_4) in [
            (0.25, 0.25, 0.25),
            (0.75, 2.5, 2.5),
            (1.25, 4.75, 4.75),
            (1.75, 2.875, 2.875),
            (2.5, 13.0, 13.0),
            (3.5, 4.0, 17.0),
            (5.0, 4.0, 4.0),
        ] {
            assert_eq!([looked_up(x, 2, 0, six), looked_up(x, 3, 0, six)], [to_3, to_4], "{x}");
            assert_eq!([looked_up(-x, 2, 0, six), looked_up(-x, 2, 1, six)], [-to_3, to_3], "{x}");
        }
        // Three, with the slope in the upper half, or in words of their own.
        let floats = [[2.0f32, 0.5, 3.0], [1.0, -1.0, 0.25]].map(|words| words.map(f32::to_bits));
        for (x, halves, wide) in [(0.5, 2.0, 2.0), (1.5, 3.75, 0.25), (4.0, 4.0, 12.25)] {
            assert_eq!([looked_up(x, 1, 0, [slopes; 2]), looked_up(x, 0, 0, floats)], [halves, wide], "{x}");
        }
    }
}
