//! What a program does otherwise than its kernels say, in one place: the words for a fault that was put there on purpose.
//!
//! A test is worth what it tells apart from such a program. Start at [`Mutant`].

use crate::kernel::SourceLocation;

/// What is done otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// What one call would have added is lost.
    AccumulateSkipped,
    /// Nothing is added to what was there: it is written over.
    AccumulateOverwrites,
    /// What would have been written over is added to.
    OverwriteAccumulates,
    /// A call leaves Dst, or the packer, as it was.
    LeftOut,
    /// A tile is not written to its page.
    TileDropped,
    /// A transfer brings what the one before brought.
    TileRepeated,
    /// The tile beside the one that is meant.
    TileOffByOne,
    /// The two operands are each other.
    OperandsExchanged,
    /// A row where a column is broadcast, a column where a row or one element is.
    BroadcastAxis,
    /// The scaler of a reduction has lost its low bits.
    ScalerTruncated,
    /// The scaler of a reduction is 1, as one that an earlier program left.
    ScalerStale,
    /// A unit keeps the format that it was programmed for.
    ReconfigurationLeftOut,
    /// A transfer brings half of its bytes.
    TransferShort,
    /// One core writes nothing there.
    CoreLeftOut,
    /// LoFi in place of the fidelity that was asked for.
    FidelityLowered,
    /// A Dst of 16 bits in place of 32.
    DstOf16Bits,
}

impl Change {
    /// All of them.
    pub const ALL: [Change; 16] = [
        Change::AccumulateSkipped,
        Change::AccumulateOverwrites,
        Change::OverwriteAccumulates,
        Change::LeftOut,
        Change::TileDropped,
        Change::TileRepeated,
        Change::TileOffByOne,
        Change::OperandsExchanged,
        Change::BroadcastAxis,
        Change::ScalerTruncated,
        Change::ScalerStale,
        Change::ReconfigurationLeftOut,
        Change::TransferShort,
        Change::CoreLeftOut,
        Change::FidelityLowered,
        Change::DstOf16Bits,
    ];

    /// The name that documents give it.
    pub const fn name(self) -> &'static str {
        match self {
            Change::AccumulateSkipped => "accumulate_skipped",
            Change::AccumulateOverwrites => "accumulate_overwrites",
            Change::OverwriteAccumulates => "overwrite_accumulates",
            Change::LeftOut => "left_out",
            Change::TileDropped => "tile_dropped",
            Change::TileRepeated => "tile_repeated",
            Change::TileOffByOne => "tile_off_by_one",
            Change::OperandsExchanged => "operands_exchanged",
            Change::BroadcastAxis => "broadcast_axis",
            Change::ScalerTruncated => "scaler_truncated",
            Change::ScalerStale => "scaler_stale",
            Change::ReconfigurationLeftOut => "reconfiguration_left_out",
            Change::TransferShort => "transfer_short",
            Change::CoreLeftOut => "core_left_out",
            Change::FidelityLowered => "fidelity_lowered",
            Change::DstOf16Bits => "dst_of_16_bits",
        }
    }

    /// What it does, for a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Change::AccumulateSkipped => "one call adds nothing",
            Change::AccumulateOverwrites => "it overwrites where it should add",
            Change::OverwriteAccumulates => "it adds where it should overwrite",
            Change::LeftOut => "it is left out",
            Change::TileDropped => "one tile is not written",
            Change::TileRepeated => "one transfer repeats the one before",
            Change::TileOffByOne => "the tile index is off by one",
            Change::OperandsExchanged => "the operands are exchanged",
            Change::BroadcastAxis => "it broadcasts along the other axis",
            Change::ScalerTruncated => "the scaler has lost its low bits",
            Change::ScalerStale => "the scaler is 1, left by another",
            Change::ReconfigurationLeftOut => "it is left out: the old format stays",
            Change::TransferShort => "one transfer is half as long",
            Change::CoreLeftOut => "they are left out",
            Change::FidelityLowered => "LoFi in place of the fidelity asked for",
            Change::DstOf16Bits => "Dst has 16 bits in place of 32",
        }
    }

    /// Whether it befalls one call of each core, and not all that its line makes.
    pub const fn is_of_one_call(self) -> bool {
        matches!(self, Change::AccumulateSkipped | Change::TileDropped | Change::TileRepeated | Change::TransferShort)
    }
}

/// Calls of a line that a change can befall.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The change.
    pub change: Change,
    /// The kernel, as reports name it.
    pub kernel: String,
    /// The line.
    pub location: SourceLocation,
    /// What the calls do, as `multiply with column broadcast`.
    pub what: String,
    /// The most that one core makes in a launch.
    pub calls: u64,
}

/// A program with one thing wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Where, and what.
    pub spot: Spot,
    /// The call of each core in a launch that it befalls, from 1; all of them if it is 0.
    pub call: u64,
}

impl Mutant {
    /// The mutant that a spot is tried with: of changes of one call the second, where there is one, since what begins a sum may do
    /// without what was there before.
    pub fn of(spot: Spot) -> Mutant {
        let call = if spot.change.is_of_one_call() { spot.calls.min(2) } else { 0 };
        Mutant { spot, call }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_changes_have_one_name_and_all_are_listed() {
        let mut names = Change::ALL.map(Change::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Change::ALL.len());
        assert_eq!(Change::ALL.map(|change| change as usize), std::array::from_fn(|i| i));
    }
}
