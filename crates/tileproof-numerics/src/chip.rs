//! What of the arithmetic differs between chips, as data.
//!
//! Units ask these rules for the property that they need, never for the name of a chip: a chip that nobody has described has
//! no rules, and cannot run. Must not know anything of a chip but its arithmetic. Start at [`Arithmetic`].

/// The arithmetic of a chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arithmetic {
    /// The matrix unit.
    pub fpu: FpuRules,
    /// The vector unit.
    pub sfpu: SfpuRules,
    /// The packers.
    pub pack: PackRules,
}

/// What differs in the packers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackRules {
    /// One packer takes all faces of a tile in turn, where else each face has its own: the edge mask, which is told for each packer
    /// (`llk_pack_common.h`), is the first one's for all (ttsim `tensix.cpp`; measured on both chips).
    pub one_packer: bool,
}

/// What differs in the matrix unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FpuRules {
    /// The count of leading signs is wrong for a sum of exactly -1 (ttsim `tensix.cpp`, renormalisation).
    pub miscounts_minus_one: bool,
}

/// The last sums of floats down a column, of four rows (`ckernel_sfpu_reduce.h` of either chip).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ColumnSums {
    /// The third and the fourth, the first and the second, and both sums.
    InPairs,
    /// The third and the fourth, the second and that, the first and that.
    FromTheLast,
}

/// What differs in the vector unit, and in what its compiler makes of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SfpuRules {
    /// SFPMAD and what is made of it.
    pub multiply_add: MultiplyAdd,
    /// Where reciprocals begin.
    pub reciprocal: Reciprocal,
    /// SFPMAD can negate a factor, so that a residual is one instruction.
    pub negates_factors: bool,
    /// SFPGT and SFPLE compare floats by sign and magnitude, and the compiler has them do so in a kernel's own code.
    pub orders_floats: bool,
    /// The compiler adds one half to a product by SFPADDI (measured: `power_tile`), where else SFPMAD does.
    pub adds_immediates: bool,
    /// The compiler sees which powers of ten `round_tile` takes where it sees the decimals, and moves for a factor of 1 (measured).
    pub sees_powers_of_ten: bool,
    /// What the compiler makes of a factor of 1 or -1 that it sees is recorded: a move.
    pub moves_for_one: bool,
    /// Loads of 32-bit integers turn sign and magnitude into two's complement.
    pub turns_integers: bool,
    /// The kernel for arithmetic shifts by a tile fills in signs whatever the count is (`ckernel_sfpu_shift.h`).
    pub fills_shifted_signs: bool,
    /// The kernel for the largest and smallest floats down columns keeps those of each face in its first rows of Dst.
    pub parks_column_extremes: bool,
    /// The kernel for the largest and smallest integers without a sign along rows casts them to sign and magnitude and back
    /// (`ckernel_sfpu_reduce.h`).
    pub casts_row_extremes: bool,
    /// In which order a kernel adds what four rows hold.
    pub column_sums: ColumnSums,
    /// Whose recorded results tell which operations are known.
    pub recorded: Recorded,
}

/// How SFPMAD treats zeros, NaNs and what it rounds away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MultiplyAdd {
    /// Zero results are positive, bits of the mantissa leak into NaNs, and a carry into bit 28 makes the unit forget a bit.
    Leaking,
    /// Zero keeps the sign that both terms have, there is one NaN, and all lost bits are sticky.
    Canonical,
}

impl MultiplyAdd {
    /// The sign that a zero result may keep, as a mask.
    pub(crate) const fn sign_of_zero(self) -> u32 {
        match self {
            MultiplyAdd::Leaking => 0,
            MultiplyAdd::Canonical => 0x8000_0000,
        }
    }

    /// A zero that, added to a sum, makes -0 what the unit makes of it and changes nothing else.
    pub(crate) const fn neutral(self) -> f32 {
        f32::from_bits(self.sign_of_zero())
    }
}

/// What a reciprocal starts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reciprocal {
    /// A quadratic polynomial on the mantissa.
    Polynomial,
    /// SFPARECIP, which estimates 7 bits.
    Estimate,
}

/// A chip with recorded results in `tests/golden`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Recorded {
    /// Wormhole B0.
    Wormhole,
    /// Blackhole.
    Blackhole,
}

impl Recorded {
    /// What is missing where an operation is not proven on the chip.
    pub(crate) const fn kernel(self) -> &'static str {
        match self {
            Recorded::Wormhole => "the Wormhole kernel",
            Recorded::Blackhole => "the Blackhole kernel",
        }
    }
}

/// Wormhole B0.
pub const WORMHOLE: Arithmetic = Arithmetic {
    fpu: FpuRules { miscounts_minus_one: true },
    sfpu: SfpuRules {
        multiply_add: MultiplyAdd::Leaking,
        reciprocal: Reciprocal::Polynomial,
        negates_factors: false,
        orders_floats: false,
        adds_immediates: true,
        sees_powers_of_ten: false,
        moves_for_one: true,
        turns_integers: true,
        fills_shifted_signs: false,
        parks_column_extremes: false,
        casts_row_extremes: false,
        column_sums: ColumnSums::InPairs,
        recorded: Recorded::Wormhole,
    },
    pack: PackRules { one_packer: false },
};

/// Blackhole.
pub const BLACKHOLE: Arithmetic = Arithmetic {
    fpu: FpuRules { miscounts_minus_one: false },
    sfpu: SfpuRules {
        multiply_add: MultiplyAdd::Canonical,
        reciprocal: Reciprocal::Estimate,
        negates_factors: true,
        orders_floats: true,
        adds_immediates: false,
        sees_powers_of_ten: true,
        moves_for_one: false,
        turns_integers: false,
        fills_shifted_signs: true,
        parks_column_extremes: true,
        casts_row_extremes: true,
        column_sums: ColumnSums::FromTheLast,
        recorded: Recorded::Blackhole,
    },
    pack: PackRules { one_packer: true },
};
