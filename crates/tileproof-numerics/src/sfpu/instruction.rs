//! What custom vector code is made of: the instructions, as a kernel hands them over, and the program that they make.
//!
//! Codes are part of the binary interface with kernels: never reused and never derived from the order here. An instruction stands
//! for what the vector compiler is told (sfpi 7.87, `sfpi_classes.h`, `sfpi_lib.h`), before it joins any. Start reading at the table;
//! what the compiler makes of a program is in [`super::compiled`].

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $values:literal $(, $effect:ident)?;)*) => {
        /// An instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Instruction {
            $($(#[$doc])* $name,)*
        }

        impl Instruction {
            /// Every instruction with its code.
            pub const ALL: &'static [(Instruction, u32)] = &[$((Instruction::$name, $code),)*];

            /// The instruction with a code.
            pub const fn from_code(code: u32) -> Option<Instruction> {
                match code {
                    $($code => Some(Instruction::$name),)*
                    _ => None,
                }
            }

            /// How many of its words are values: numbers of steps before it.
            pub(super) const fn values(self) -> usize {
                match self {
                    $(Instruction::$name => $values,)*
                }
            }

            /// Whether it does more than give a value.
            pub(super) const fn has_effect(self) -> bool {
                match self {
                    $(Instruction::$name => instructions!(@ $($effect)?),)*
                }
            }
        }
    };
    (@) => { false };
    (@ effect) => { true };
}

// Code, how many of the words are values, and whether it does more than give one.
instructions! {
    /// The word `a` in every lane; `b` is 1 where the compiler sees it.
    Constant = 1, 0;
    /// SFPLOAD of address `a` in format `b`.
    Load = 2, 0;
    /// SFPSTORE of a value to address `b` in format `c`.
    Store = 3, 1, effect;
    /// Sum of floats.
    Add = 4, 2;
    /// Product of floats.
    Multiply = 5, 2;
    /// `a * b + c`.
    MultiplyAdd = 6, 3;
    /// `a - b`, as one instruction.
    Subtract = 59, 2;
    /// The sign flipped.
    Negate = 7, 1;
    /// Without its sign, as a float.
    AbsFloat = 8, 1;
    /// Without its sign, as an integer.
    AbsInt = 9, 1;
    /// Bits.
    And = 10, 2;
    /// Bits.
    Or = 11, 2;
    /// Bits.
    Xor = 12, 2;
    /// Bits.
    Not = 13, 1;
    /// Sum of integers, wrapping.
    AddInt = 14, 2;
    /// Difference of integers, wrapping.
    SubtractInt = 15, 2;
    /// `a` to the left by `b`, to the right where that is negative, with zeros.
    Shift = 16, 2;
    /// The exponent field out of the low 8 bits of `b`.
    SetExponent = 17, 2;
    /// The exponent field of `b`.
    CopyExponent = 18, 2;
    /// The mantissa of `b`.
    CopyMantissa = 19, 2;
    /// The sign of `b`.
    CopySign = 20, 2;
    /// The number `b` added to the exponent field.
    AddExponent = 21, 1;
    /// The exponent without its bias.
    Exponent = 22, 1;
    /// The exponent field.
    ExponentField = 23, 1;
    /// The 23 mantissa bits.
    Mantissa = 24, 1;
    /// The same with the bit before them.
    Significand = 25, 1;
    /// Leading zeros.
    LeadingZeros = 26, 1;
    /// Leading zeros but for the sign.
    LeadingZerosOfMagnitude = 27, 1;
    /// Sign and magnitude to a float, to nearest even.
    ToFloat = 28, 1;
    /// The same with a rounding that draws a number: known where nothing is rounded.
    ToFloatAtRandom = 60, 1;
    /// Two's complement to sign and magnitude.
    ToSignMagnitude = 29, 1;
    /// Sign and magnitude to two's complement.
    ToTwosComplement = 30, 1;
    /// A float to bf16, to nearest.
    RoundToBf16 = 31, 1;
    /// A float to an integer of 16 bits without a sign, to nearest.
    RoundToUInt16 = 32, 1;
    /// A float to sign and magnitude of 16 bits, to nearest.
    RoundToInt16 = 33, 1;
    /// A float to an integer of 8 bits without a sign, to nearest.
    RoundToUInt8 = 34, 1;
    /// A float to sign and magnitude of 8 bits, to nearest.
    RoundToInt8 = 35, 1;
    /// The smaller by sign and magnitude.
    Min = 36, 2;
    /// The larger by sign and magnitude.
    Max = 37, 2;
    /// Three words as a table.
    Table = 38, 3;
    /// Lines applied to `b`: those of a table with 8-bit coefficients, or of [`Instruction::Lines`]; `c` is 1 where the result's sign
    /// is its own.
    Lookup = 39, 2;
    /// Two floats compared; `c` is how.
    CompareFloat = 45, 2;
    /// Two integers compared; `c` is how.
    CompareInt = 46, 2;
    /// Both conditions.
    Both = 47, 2;
    /// One condition or the other.
    Either = 48, 2;
    /// The opposite of a condition.
    Opposite = 49, 1;
    /// Keeps which lanes run, for [`Instruction::End`].
    Begin = 50, 0, effect;
    /// Lanes run where a condition holds.
    Where = 51, 1, effect;
    /// Those lanes run that did not, of those that ran before.
    Otherwise = 52, 0, effect;
    /// Lanes run as before the last `a` times that they were kept.
    End = 53, 0, effect;
    /// `b` where lanes run, `a` elsewhere.
    Assign = 54, 2;
    /// Register `b` of 12 to 14 takes a value.
    SetConstant = 55, 1, effect;
    /// What register `a` holds: 8 to 14 are constants.
    ReadConstant = 56, 0;
    /// Register `b` takes a value.
    WriteRegister = 57, 1, effect;
    /// What register `a` holds, 0 to 7.
    ReadRegister = 58, 0;
    /// All lanes run.
    AllLanes = 61, 0, effect;
    /// Register `a` takes the word `b` in its upper half, if `c` is 1, or in its lower one.
    LoadHalf = 62, 0, effect;
    /// SFPSWAP of registers `a` and `b` in mode `c`.
    Swap = 63, 0, effect;
    /// SFPTRANSP.
    Transpose = 64, 0, effect;
    /// The bits `a` of how all lanes work, which SFPCONFIG writes.
    Configure = 65, 0, effect;
    /// The next number that each lane draws.
    Random = 66, 0, effect;
    /// Numbers are drawn from a seed `a` on.
    Seed = 67, 0, effect;
    /// Product of the low 23 bits of two integers: its low 23 bits, or those above if `c` is 1.
    MultiplyInt23 = 68, 2;
    /// 7 bits of a reciprocal (SFPARECIP), which not every chip has.
    ApproximateReciprocal = 69, 1;
    /// Lines with slopes out of table `a` and intercepts out of table `b`; `c` says how wide they are and where they end.
    Lines = 70, 2;
    /// The tile of address `a` transposed in place, within its faces alone if `b` is 1: moves of the matrix unit on Dst, which no word
    /// of the vector unit makes.
    TransposeTile = 71, 0, effect;
}

/// What the coefficients of lines are, and where lines end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Coefficients {
    /// Floats, three lines.
    Wide,
    /// 16 bits, three lines: slope and intercept are the halves of one word.
    Halves,
    /// 16 bits, six lines, the last two apart at 3.
    PairsTo3,
    /// The same, apart at 4.
    PairsTo4,
}

impl Coefficients {
    pub(super) const fn from_code(code: u32) -> Option<Coefficients> {
        match code {
            0 => Some(Coefficients::Wide),
            1 => Some(Coefficients::Halves),
            2 => Some(Coefficients::PairsTo3),
            3 => Some(Coefficients::PairsTo4),
            _ => None,
        }
    }
}

/// How values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Less,
    GreaterOrEqual,
    Greater,
    LessOrEqual,
    Equal,
    Different,
}

impl Comparison {
    pub(super) const fn from_code(code: u32) -> Option<Comparison> {
        match code {
            0 => Some(Comparison::Less),
            1 => Some(Comparison::GreaterOrEqual),
            2 => Some(Comparison::Greater),
            3 => Some(Comparison::LessOrEqual),
            4 => Some(Comparison::Equal),
            5 => Some(Comparison::Different),
            _ => None,
        }
    }
}

/// A step: an instruction and its three words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VectorStep {
    pub(super) instruction: Instruction,
    pub(super) words: [u32; 3],
    /// Signs that the instruction flips on its way, which the compiler puts there: of a sum bit 0 the left term's and bit 1 the right
    /// one's, of a product bit 0, of a multiply-add bit 0 the product's and bit 1 the other term's.
    pub(super) flips: u8,
}

/// A word where a value would stand, and none does: a variable that was never written.
pub(super) const NO_VALUE: u32 = u32::MAX;

impl VectorStep {
    pub(super) const fn new(instruction: Instruction, words: [u32; 3]) -> VectorStep {
        VectorStep { instruction, words, flips: 0 }
    }

    /// The step that four words of a kernel are, as number `at` of its program.
    ///
    /// # Errors
    /// What they are instead. A register that was never written holds whatever lies in it: that is not known. Where lanes are
    /// assigned to, the value of before may be missing, and only that.
    pub fn read([code, words @ ..]: [u32; 4], at: usize) -> Result<VectorStep, &'static str> {
        let what = "a step of custom vector code";
        let instruction = Instruction::from_code(code).ok_or(what)?;
        for (number, &word) in words[..instruction.values()].iter().enumerate() {
            let is_old = instruction == Instruction::Assign && number == 0;
            if word == NO_VALUE && !is_old {
                return Err("custom vector code that reads a variable which was never written");
            }
            if word != NO_VALUE && word as usize >= at {
                return Err(what);
            }
        }
        Ok(VectorStep::new(instruction, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_values_come_before_their_use() {
        for (number, &(instruction, code)) in Instruction::ALL.iter().enumerate() {
            assert_eq!(Instruction::from_code(code), Some(instruction));
            assert!(Instruction::ALL[..number].iter().all(|&(_, other)| other != code));
        }
        assert!(VectorStep::read([4, 0, 1, 0], 2).is_ok());
        assert!(VectorStep::read([4, 0, 2, 0], 2).is_err());
        assert!(VectorStep::read([54, NO_VALUE, 1, 0], 2).is_ok());
        assert!(VectorStep::read([99, 0, 0, 0], 2).is_err());
    }

    #[test]
    fn only_the_value_of_before_may_be_missing() {
        for words in [[54, 0, NO_VALUE, 0], [54, NO_VALUE, NO_VALUE, 0], [4, 0, NO_VALUE, 0], [3, NO_VALUE, 0, 0]] {
            let refused = VectorStep::read(words, 2).expect_err("a value that is not there");
            assert!(refused.contains("never written"), "{words:?}: {refused}");
        }
    }
}
