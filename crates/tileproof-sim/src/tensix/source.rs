//! The hand-over of operands: SrcA and SrcB with their valid flags, a tile at a time.
//!
//! Each register has two banks (ISA documentation, `TensixCoprocessor/SrcASrcB.md`). Matmul hands over a whole tile a bank;
//! other operations a face, so a call of UNPACK cannot end before the matrix unit has begun with its tile: only two of the
//! four faces find a bank. Both rules come down to how many tiles may be outstanding.

use tileproof_model::abi::Site;
use tileproof_model::op_word::OpWord;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::tile::Tile;

/// A tile on its way to the matrix unit.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) tile: Tile,
    /// Register format of the datums.
    pub(crate) format: DataFormat,
    /// The unpack program that produced it.
    pub(crate) word: OpWord,
    /// It goes straight to Dst.
    pub(crate) to_dst: bool,
    /// When it is there.
    pub(crate) ready_at: u64,
    pub(crate) site: Site,
    /// Circular buffer it came from.
    pub(crate) cb: u32,
}

const BANKS: usize = 2;

/// One of SrcA and SrcB.
pub(crate) struct SourceQueue {
    tokens: Box<[Token; BANKS]>,
    /// Tiles handed over, and tiles that the matrix unit has begun with.
    given: u64,
    taken: u64,
    /// When it began with the last two.
    taken_at: [u64; BANKS],
}

impl Default for SourceQueue {
    fn default() -> Self {
        let empty = Token {
            tile: Tile::ZERO,
            format: DataFormat::Float32,
            word: OpWord::default(),
            to_dst: false,
            ready_at: 0,
            site: Site::default(),
            cb: 0,
        };
        SourceQueue { tokens: Box::new([empty.clone(), empty]), given: 0, taken: 0, taken_at: [0; BANKS] }
    }
}

impl SourceQueue {
    /// As a launch finds it: nothing handed over. The places keep what they held, which nobody looks at.
    pub(crate) fn reset(&mut self) {
        (self.given, self.taken, self.taken_at) = (0, 0, [0; BANKS]);
    }

    /// Tiles handed over and not begun with.
    pub(crate) fn outstanding(&self) -> u64 {
        self.given - self.taken
    }

    /// Tiles handed over since the launch.
    pub(crate) fn given(&self) -> u64 {
        self.given
    }

    /// Tiles begun with since the launch.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Tiles that may be outstanding when another is handed over.
    fn room(&self) -> u64 {
        match self.given {
            0 => 1,
            // The last tile given decides: a matmul operand leaves the other bank free.
            given => u64::from(
                self.tokens[(given - 1) as usize % BANKS].word.kind()
                    == tileproof_model::op_word::unpack_kind::AB_MATMUL,
            ),
        }
    }

    /// When the unpacker may hand over another tile, or `None` while it may not.
    pub(crate) fn taken_at(&self) -> Option<u64> {
        let room = self.room();
        if self.outstanding() > room {
            return None;
        }
        // The tile that had to be begun with for this hand-over.
        let needed = self.given.checked_sub(room + 1);
        Some(needed.map_or(0, |n| self.taken_at[n as usize % BANKS]))
    }

    /// The next tile's place, for writing; [`SourceQueue::give`] hands it over.
    pub(crate) fn back_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.given as usize % BANKS]
    }

    /// Hands over the tile that was written there; it can be used from `ready_at` on.
    pub(crate) fn give(&mut self, ready_at: u64) {
        self.back_mut().ready_at = ready_at;
        self.given += 1;
    }

    /// The tile that was handed over last.
    pub(crate) fn last(&self) -> Option<&Token> {
        self.given.checked_sub(1).map(|last| &self.tokens[last as usize % BANKS])
    }

    /// The same, for writing; before any was handed over, the place of the first.
    pub(crate) fn last_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.given.saturating_sub(1) as usize % BANKS]
    }

    /// The tile that the matrix unit would begin with.
    pub(crate) fn front(&self) -> Option<&Token> {
        (self.outstanding() > 0).then(|| &self.tokens[self.taken as usize % BANKS])
    }

    /// The matrix unit begins with the front tile.
    pub(crate) fn take(&mut self, now: u64) {
        self.taken_at[self.taken as usize % BANKS] = now;
        self.taken += 1;
    }
}
