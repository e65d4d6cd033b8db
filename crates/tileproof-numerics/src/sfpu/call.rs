//! One call of an operation, and the loops over its tiles that a family fills in.
//!
//! A loop is inlined into the family with the function of a register that it is given, so that an operation costs one
//! dispatch for a tile. Must not know an operation. Start reading at [`Call`].

use super::lreg::{LANES, LReg, Register};
use super::op::SfpuOp;
use super::tiles::{Layout, Part, load, register, register_mut, registers, store, stored};
use super::unit::Sfpu;
use crate::dst::Dst;
use crate::simd::{Lanes, vectorized};

/// Words in, words out.
pub(super) const WORDS: [Layout; 2] = [Layout::Int32; 2];
/// 16-bit words in and out.
pub(super) const LOW_16: [Layout; 2] = [Layout::Low16; 2];
/// Floats in, words out.
pub(super) const TO_WORDS: [Layout; 2] = [Layout::Float, Layout::Int32];
/// Words in, floats out.
pub(super) const TO_FLOATS: [Layout; 2] = [Layout::Int32, Layout::Float];

/// What came of a call: nothing more, or what of it is not modelled, with Dst unchanged.
pub(super) type Ran = Result<(), &'static str>;

/// The row names a family that has no steps for the operation; a test sees to it that there is none.
pub(super) const NO_STEPS: &str = "the kernel";
/// The format of the call's template and the width of Dst do not go together.
pub(super) const OTHER_WIDTH: &str = "a data format of another width than Dst";

/// One call.
pub(super) struct Call<'a> {
    pub(super) op: SfpuOp,
    pub(super) unit: Sfpu,
    pub(super) dst: &'a mut Dst,
    /// Physical tiles, as many as the operation's row says.
    pub(super) inputs: [usize; 3],
    pub(super) output: usize,
    pub(super) part: Part,
    pub(super) params: &'a [u32; 4],
}

impl Call<'_> {
    /// A parameter in every lane.
    #[inline(always)]
    pub(super) fn scalar(&self, parameter: usize) -> LReg {
        LReg::splat(self.params[parameter])
    }

    /// Whether the compiler of the kernel sees one of the first three parameters, where that changes what it makes.
    #[inline(always)]
    pub(super) fn sees(&self, parameter: u32) -> bool {
        self.params[3] >> parameter & 1 == 1
    }

    /// Runs `f` over a tile: one input.
    #[inline(always)]
    pub(super) fn unary_as(&mut self, layout: [Layout; 2], f: impl Fn(LReg) -> LReg) {
        for k in registers(self.part) {
            let x = load(self.dst.tile(self.inputs[0]), k, layout[0]);
            store(self.dst.tile_mut(self.output), k, f(x), layout[1], self.unit.dst_32);
        }
    }

    /// Runs `f` over a tile of floats: one input.
    #[inline(always)]
    pub(super) fn unary(&mut self, f: impl Fn(LReg) -> LReg) {
        self.unary_as([Layout::Float; 2], f);
    }

    /// Runs `f` over a tile of floats and stores only the lanes of the condition it returns.
    #[inline(always)]
    pub(super) fn unary_masked(&mut self, f: impl Fn(LReg) -> (LReg, LReg)) {
        for k in registers(self.part) {
            let x = load(self.dst.tile(self.inputs[0]), k, Layout::Float);
            self.store_where(k, f(x));
        }
    }

    /// Runs `f` over two tiles of floats and stores only the lanes of the condition it returns.
    #[inline(always)]
    pub(super) fn binary_masked(&mut self, f: impl Fn(LReg, LReg) -> (LReg, LReg)) {
        for k in registers(self.part) {
            let x = load(self.dst.tile(self.inputs[0]), k, Layout::Float);
            let y = load(self.dst.tile(self.inputs[1]), k, Layout::Float);
            self.store_where(k, f(x, y));
        }
    }

    /// Stores a value as a float, in the lanes of a condition.
    #[inline(always)]
    fn store_where(&mut self, k: usize, (condition, value): (LReg, LReg)) {
        let value = stored(value, Layout::Float, self.unit.dst_32);
        let kept = load(self.dst.tile(self.output), k, Layout::Int32);
        let output = self.dst.tile_mut(self.output);
        store(output, k, value.where_(condition, kept), Layout::Int32, self.unit.dst_32);
    }

    /// Stores the same word everywhere.
    pub(super) fn fill(&mut self, value: LReg, layout: Layout) {
        let word = stored(value, layout, self.unit.dst_32).0[0];
        let tile = self.dst.tile_mut(self.output);
        if self.part == Part::ALL {
            tile.0.fill(word);
        } else {
            for k in registers(self.part) {
                register_mut(tile, k).fill(word);
            }
        }
    }

    /// Runs `f` over two tiles.
    #[inline(always)]
    pub(super) fn binary_as(&mut self, layout: Layout, f: impl Fn(LReg, LReg) -> LReg) {
        for k in registers(self.part) {
            let x = load(self.dst.tile(self.inputs[0]), k, layout);
            let y = load(self.dst.tile(self.inputs[1]), k, layout);
            store(self.dst.tile_mut(self.output), k, f(x, y), layout, self.unit.dst_32);
        }
    }

    /// Runs `f` over two tiles of floats.
    #[inline(always)]
    pub(super) fn binary(&mut self, f: impl Fn(LReg, LReg) -> LReg) {
        self.binary_as(Layout::Float, f);
    }

    /// Runs `f` over three tiles.
    #[inline(always)]
    pub(super) fn ternary_as(&mut self, layout: Layout, f: impl Fn(LReg, LReg, LReg) -> LReg) {
        for k in registers(self.part) {
            let x = load(self.dst.tile(self.inputs[0]), k, layout);
            let y = load(self.dst.tile(self.inputs[1]), k, layout);
            let z = load(self.dst.tile(self.inputs[2]), k, layout);
            store(self.dst.tile_mut(self.output), k, f(x, y, z), layout, self.unit.dst_32);
        }
    }

    /// Runs `f` over two tiles of raw words with the widest vectors of the host.
    #[inline(always)]
    pub(super) fn words(&mut self, f: impl Fn(u32, u32) -> u32) {
        vectorized(Words { call: self, f });
    }
}

/// A loop over tiles of raw words, to be compiled for several instruction sets: only for functions
/// that are inlined whole.
struct Words<'a, 'b, F> {
    call: &'a mut Call<'b>,
    f: F,
}

impl<F: Fn(u32, u32) -> u32> Lanes for Words<'_, '_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Words { call, f } = self;
        for k in registers(call.part) {
            let x = *register(call.dst.tile(call.inputs[0]), k);
            let y = *register(call.dst.tile(call.inputs[1]), k);
            let out = register_mut(call.dst.tile_mut(call.output), k);
            for i in 0..LANES {
                out[i] = f(x[i], y[i]);
            }
        }
    }
}
