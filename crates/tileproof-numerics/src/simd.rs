//! Runs one piece of code with the widest vector instructions of the host.
//!
//! A fast route is plain Rust over fixed-size arrays, written so that the compiler vectorises it; it
//! is compiled once for each level here and picked at run time. It must never change a result: the
//! same source runs at every level, on every architecture, and no level contracts a multiply and an
//! add by itself. Only [`Lanes::run_fused`] may ask for it, where a product is exact. Start at [`vectorized`].
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// A piece of code to be compiled for several instruction sets. `run` must be `#[inline(always)]`, or
/// it is compiled for the baseline only.
pub(crate) trait Lanes {
    /// What it returns.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
    /// [`Lanes::run`] on a host that multiplies and adds in one instruction, for code whose products are exact anyway.
    #[inline(always)]
    fn run_fused(self) -> Self::Output
    where
        Self: Sized,
    {
        self.run()
    }
}

/// Instruction sets that fast routes are compiled for, the narrower first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Level {
    /// What every host of the architecture has.
    Plain = 1,
    /// AVX2 and fused multiply-add.
    Avx2,
    /// AVX-512 with CD, DQ, BW and VL.
    Avx512,
}

/// The [`Level`] to run, or 0 while nobody has asked the host.
static LEVEL: AtomicU8 = AtomicU8::new(0);

impl Level {
    /// The widest that the host has.
    fn of_host() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let fused = is_x86_feature_detected!("fma");
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && fused
            {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") && fused {
                return Level::Avx2;
            }
        }
        Level::Plain
    }

    /// Has this process run no wider instructions from now on, to measure what a lesser host takes. Results do not change.
    pub fn at_most(self) {
        LEVEL.store(self.min(Level::of_host()) as u8, Ordering::Relaxed);
    }

    #[inline]
    fn to_run() -> u8 {
        match LEVEL.load(Ordering::Relaxed) {
            0 => Level::asked(),
            level => level,
        }
    }

    #[cold]
    fn asked() -> u8 {
        Level::Avx512.at_most();
        LEVEL.load(Ordering::Relaxed)
    }
}

/// Runs `lanes` with the widest instructions that the host has.
#[inline]
pub(crate) fn vectorized<L: Lanes>(lanes: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let level = Level::to_run();
        #[cfg(test)]
        let level = level.min(levels::most() as u8);
        if level == Level::Avx512 as u8 {
            // SAFETY: a level is only kept if the host has every feature that the function is compiled for.
            return unsafe { run_avx512(lanes) };
        }
        if level == Level::Avx2 as u8 {
            // SAFETY: a level is only kept if the host has every feature that the function is compiled for.
            return unsafe { run_avx2(lanes) };
        }
    }
    lanes.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512cd,avx512dq,avx512bw,avx512vl,fma")]
fn run_avx512<L: Lanes>(lanes: L) -> L::Output {
    lanes.run_fused()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<L: Lanes>(lanes: L) -> L::Output {
    lanes.run_fused()
}

/// For tests: fewer instructions than the host has, on one thread.
#[cfg(test)]
pub(crate) mod levels {
    use std::cell::Cell;

    pub(crate) use super::Level;

    thread_local! {
        static MOST: Cell<Level> = const { Cell::new(Level::Avx512) };
    }

    pub(super) fn most() -> Level {
        MOST.get()
    }

    /// Runs `work` with the instructions of a level at most.
    pub(crate) fn at_most<T>(level: Level, work: impl FnOnce() -> T) -> T {
        let before = MOST.replace(level);
        let done = work();
        MOST.set(before);
        done
    }
}
