//! Runs one piece of code with the widest vector instructions of the host.
//!
//! A fast route is plain Rust over fixed-size arrays, written so that the compiler vectorises it; it
//! is compiled once for each level here and picked at run time. It must never change a result: the
//! same source runs at every level, on every architecture, and no level contracts a multiply and an
//! add by itself. Only [`Lanes::run_fused`] may ask for it, where a product is exact. Start at [`vectorized`].
#![allow(unsafe_code)]

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

/// Runs `lanes` with the widest instructions that the host has.
#[inline]
pub(crate) fn vectorized<L: Lanes>(lanes: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[cfg(test)]
        match levels::most() {
            levels::Level::Avx2 if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") => {
                // SAFETY: the host has every feature that the function is compiled for.
                return unsafe { run_avx2(lanes) };
            }
            levels::Level::Plain | levels::Level::Avx2 => return lanes.run(),
            levels::Level::Widest => {}
        }
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("fma")
        {
            // SAFETY: the host has every feature that the function is compiled for.
            return unsafe { run_avx512(lanes) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the host has every feature that the function is compiled for.
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

/// For tests: fewer instructions than the host has.
#[cfg(test)]
pub(crate) mod levels {
    use std::cell::Cell;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Level {
        Widest,
        Avx2,
        Plain,
    }

    thread_local! {
        static MOST: Cell<Level> = const { Cell::new(Level::Widest) };
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
