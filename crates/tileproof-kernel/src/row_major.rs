//! Between row-major sticks and tiles: tilize, and the packer's untilize.
//!
//! The blocks open Dst windows of their own and must stand outside an open one; `pack_untilize_dest` alone packs the window
//! that the kernel holds. Which thread does what follows tt-metal `tilize.h` and `pack_untilize.h`. Start at
//! [`Compute::tilize_block`].

use tileproof_model::abi::configure;
use tileproof_model::op_word::{OpWord, math_kind, pack_kind, unpack_kind, untilize};
use tileproof_model::thread::Thread;

use crate::call::here;
use crate::compute::Compute;
use crate::fpu::copy_words;

const fn tilize_words(block: u32) -> (OpWord, OpWord) {
    (OpWord::new(unpack_kind::TILIZE, 0, 0, 0, block), OpWord::new(math_kind::DATACOPY, 0, 0, 0, 0))
}

/// `block` tiles of rows that are `full` tiles long.
const fn untilize_word(block: u32, full: u32) -> OpWord {
    OpWord::new(pack_kind::UNTILIZE, 0, 0, 0, block | full << untilize::FULL_SHIFT)
}

/// Sticks to tiles, by the unpacker.
impl Compute<'_> {
    /// Programs [`Compute::tilize_block`] for rows of `block` tiles.
    #[track_caller]
    pub fn tilize_init(&self, _icb: u32, block: u32, _ocb: u32) {
        let (unpack, math) = tilize_words(block);
        self.init(unpack, math);
    }

    /// 32 rows of `block * 32` datums at the front of `icb` to `block` tiles in the reserved pages of `ocb`. Each tile goes
    /// through a Dst window of its own; exact for a buffer in `unpack_to_dest_fp32`, else what SrcA holds.
    #[track_caller]
    pub fn tilize_block(&self, icb: u32, block: u32, ocb: u32) {
        let (unpack, math) = tilize_words(block);
        for tile in 0..block {
            self.tile_regs_acquire();
            self.execute(unpack, math, [icb, icb], [tile, tile], 0);
            self.tile_regs_commit();
            self.tile_regs_wait();
            self.pack_tile_out_of_order(0, ocb, tile);
            self.tile_regs_release();
        }
    }

    /// Puts the unpacker's strides back. The next init programs them all the same, and on Wormhole the packer was not
    /// touched (LLK `llk_unpack_tilize.h`).
    #[track_caller]
    pub fn tilize_uninit(&self, _icb: u32, _ocb: u32) {}
}

/// Tiles to sticks, by the packer.
impl Compute<'_> {
    /// `pack_untilize_dest_init<block, full>`: the packer writes rows of `full` tiles, `block` of them a call, and in the
    /// format of `ocb`.
    #[track_caller]
    pub fn pack_untilize_dest_init(&self, block: u32, full: u32, ocb: u32) {
        if self.on(Thread::Pack) {
            let site = here();
            (self.abi.pack_configure)(site, ocb, configure::AGAIN);
            (self.abi.pack_init)(site, untilize_word(block, full));
        }
    }

    /// `pack_untilize_dest<block, full>`: Dst tiles 0 to `block - 1` as 32 row-major rows at column block `column` of the
    /// reserved pages.
    #[track_caller]
    pub fn pack_untilize_dest(&self, block: u32, full: u32, ocb: u32, column: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_untilize)(here(), untilize_word(block, full), 0, ocb, column);
        }
    }

    /// `pack_untilize_init<block, full>`: as [`Compute::pack_untilize_dest_init`], and programs the copy.
    #[track_caller]
    pub fn pack_untilize_init(&self, block: u32, full: u32, _icb: u32, ocb: u32) {
        let (unpack, math) = copy_words();
        self.init(unpack, math);
        self.pack_untilize_dest_init(block, full, ocb);
    }

    /// `pack_untilize_block<block, full>`: `block` tiles at the front of `icb` as row-major rows, in a window of its own.
    #[track_caller]
    pub fn pack_untilize_block(&self, block: u32, full: u32, icb: u32, ocb: u32, column: u32) {
        self.tile_regs_acquire();
        for tile in 0..block {
            self.copy_tile(icb, tile, tile);
        }
        self.tile_regs_commit();
        self.tile_regs_wait();
        self.pack_untilize_dest(block, full, ocb, column);
        self.tile_regs_release();
    }

    /// The packer packs tiles again.
    #[track_caller]
    pub fn pack_untilize_uninit(&self, _ocb: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_init)(here(), OpWord::new(pack_kind::TILE, 0, 0, 0, 0));
        }
    }
}

/// Rows of a tile, one after the other.
impl Compute<'_> {
    /// `pack_rows_init(rows)`.
    #[track_caller]
    pub fn pack_rows_init(&self, rows: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_init)(here(), rows_word(rows));
        }
    }

    /// `pack_rows`: the first rows of 16 datums of Dst tile `dst`, to reserved page `index` of `ocb`. Their number is that of
    /// the init in C++.
    #[track_caller]
    pub fn pack_rows(&self, rows: u32, dst: u32, ocb: u32, index: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_rows)(here(), rows_word(rows), dst, ocb, index);
        }
    }
}

fn rows_word(rows: u32) -> OpWord {
    OpWord::new(pack_kind::ROWS, 0, 0, 0, rows)
}
