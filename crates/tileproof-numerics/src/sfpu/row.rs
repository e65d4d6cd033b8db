//! What the table says of an operation: the columns of [`super::op`].
//!
//! Must hold facts alone and decide nothing. What most rows have in common is [`Row::PLAIN`]: an operation without recorded
//! results stops, on each chip. Start at [`Row`].

use super::constants::Constants;
use crate::chip::Recorded;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the call in the kernel API.
    pub name: &'static str,
    /// Its names in generation 0.66 of that API, where the format of the data was part of the name.
    pub older: &'static [&'static str],
    /// The name of the call that must have come before.
    pub init: &'static str,
    /// Tiles of Dst that the call reads.
    pub inputs: usize,
    /// The widths of Dst that its loads and stores are made for.
    pub width: Width,
    /// Issue slots for 32 datums: with a 16-bit Dst and with a 32-bit one.
    pub slots: [u32; 2],
    /// What registers keep from call to call.
    pub keeps: Keeps,
    /// It writes the tile after its output too.
    pub writes_beside: bool,
    /// Constants that its init leaves in registers 12 to 14 and its call reads.
    pub constants: Constants,
    /// Macros or a table that its init leaves and its call reads.
    pub macros: Macros,
    /// The chips on which what it answers is recorded (`tests/golden`); on others it stops.
    pub recorded: &'static [Recorded],
    pub(super) family: Family,
}

impl Row {
    /// What the columns hold that a row does not name.
    pub(super) const PLAIN: Row = Row {
        name: "",
        older: &[],
        init: "",
        inputs: 1,
        width: ANY,
        slots: [0; 2],
        keeps: Keeps::Nothing,
        writes_beside: false,
        constants: Constants::Own,
        macros: Macros::None,
        recorded: NOWHERE,
        family: Family::Basic,
    };

    /// Whether calls may run on a chip.
    pub fn runs_on(&self, chip: Recorded) -> bool {
        self.recorded.contains(&chip)
    }
}

/// The widths of Dst that an operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Either.
    Any,
    /// 16 bits.
    Narrow,
    /// 32 bits.
    Wide,
}

pub(super) const ANY: Width = Width::Any;
pub(super) const NARROW: Width = Width::Narrow;
pub(super) const WIDE: Width = Width::Wide;

impl Width {
    /// Whether the operation works on such a Dst.
    pub const fn allows(self, dst_32: bool) -> bool {
        match self {
            Width::Any => true,
            Width::Narrow => !dst_32,
            Width::Wide => dst_32,
        }
    }
}

/// What an operation keeps in registers for the next call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// Nothing, and it takes what another has kept.
    Nothing,
    /// A sum for each column.
    Sum,
    /// Means and squared differences.
    Moments,
}

/// Macros of SFPLOADMACRO, or a table in registers 0 to 6, that an init leaves in the unit and its call reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Macros {
    /// None.
    None,
    /// Its own.
    Own,
    /// Those of the operation with this code.
    Of(u16),
}

pub(super) const BOTH: &[Recorded] = &[Recorded::Wormhole, Recorded::Blackhole];
pub(super) const NOWHERE: &[Recorded] = &[];

/// The file that has an operation's steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Activation,
    Arcsine,
    Basic,
    Bessel,
    Compare,
    Convert,
    Custom,
    Division,
    Exponential,
    Gaussian,
    Hyperbolic,
    Integer,
    Limits,
    Logarithm,
    Power,
    Reciprocal,
    Reduce,
    Root,
    Rounding,
    Running,
    Shrink,
    Ternary,
    Trigonometry,
}
