//! The datums of a tile beside what they would be in exact arithmetic, and who is to blame for the difference.
//!
//! To first order the error of a datum is a sum: each operation that rounds adds some, and what comes after carries it on. A
//! plane holds the share of one of them for each datum. It must never say more than first order does. Start at [`Planes`].

use std::rc::Rc;

use tileproof_numerics::tile::TILE_DATUMS;

/// Who rounded, as a number in the table of those who did; 0 stands for all that are not told apart.
pub(super) type Culprit = u16;
/// Marks one whose share is no rounding, but what another reading of the call would leave out: see `what_if.rs`.
pub(super) const WHAT_IF: Culprit = 0x8000;
/// Culprits that a tile tells apart, of each of the two sorts.
const TOLD_APART: [usize; 2] = [6, 4];

/// Whether a share is of the second sort.
pub(super) fn is_what_if(who: Culprit) -> bool {
    who & WHAT_IF != 0
}

pub(super) type Numbers = Box<[f64; TILE_DATUMS]>;
type Shares = Box<[f32; TILE_DATUMS]>;
/// What becomes of a share at a datum.
#[derive(Clone, Copy)]
pub(super) enum Slope<'a> {
    /// It stays.
    One,
    /// It changes its sign.
    Minus,
    /// It grows by a number for each datum.
    By(&'a [f32; TILE_DATUMS]),
    /// Others come to it.
    Of(&'a dyn Fn(&[f32; TILE_DATUMS], usize) -> f32),
}

impl Slope<'_> {
    /// Adds what becomes of shares; what is no number counts for nothing.
    fn add(self, share: &[f32; TILE_DATUMS], sums: &mut [f32; TILE_DATUMS]) {
        let part = |part: f32| if part.is_finite() { part } else { 0.0 };
        let all = sums.iter_mut().zip(share);
        match self {
            Slope::One => all.for_each(|(sum, share)| *sum += part(*share)),
            Slope::Minus => all.for_each(|(sum, share)| *sum -= part(*share)),
            Slope::By(slopes) => all.zip(slopes).for_each(|((sum, share), slope)| *sum += part(share * slope)),
            Slope::Of(of) => sums.iter_mut().enumerate().for_each(|(at, sum)| *sum += part(of(share, at))),
        }
    }
}

/// A box of numbers, each made from its index.
pub(super) fn numbers(f: impl Fn(usize) -> f64) -> Numbers {
    let mut all: Numbers = Box::new([0.0; TILE_DATUMS]);
    all.iter_mut().enumerate().for_each(|(at, value)| *value = f(at));
    all
}

/// A tile.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    /// What the machine holds.
    pub(super) actual: Numbers,
    /// What exact arithmetic on the same inputs would hold.
    pub(super) exact: Numbers,
    /// What `actual` may be off by from `exact` at most, where somebody asks; else, and at the beginning, nothing.
    pub(super) bound: Option<Numbers>,
    /// The shares of the error.
    pub(super) shares: Vec<(Culprit, Rc<Shares>)>,
}

impl Planes {
    pub(super) fn zero() -> Planes {
        Planes::fresh(numbers(|_| 0.0))
    }

    /// Values that begin here: they are what they are.
    pub(super) fn fresh(actual: Numbers) -> Planes {
        Planes { exact: actual.clone(), actual, bound: None, shares: Vec::new() }
    }

    /// The same datums in other places: `from` says which comes to a place, `None` what is zero there.
    pub(super) fn moved(&self, from: impl Fn(usize) -> Option<usize>) -> Planes {
        let pick = |all: &Numbers| numbers(|at| from(at).map_or(0.0, |from| all[from]));
        let shares = self.shares.iter().map(|(who, share)| (*who, of_share(|at| from(at).map_or(0.0, |at| share[at]))));
        let bound = self.bound.as_ref().map(pick);
        Planes { actual: pick(&self.actual), exact: pick(&self.exact), bound, shares: shares.collect() }
    }

    /// What a datum may be off by.
    pub(super) fn bound_at(&self, at: usize) -> f64 {
        self.bound.as_ref().map_or(0.0, |bound| bound[at])
    }

    /// Sums of terms: what each plane of some tiles gives, times what the term's slope at a datum is. It has no bound yet.
    pub(super) fn combined(actual: Numbers, exact: Numbers, terms: &[(&Planes, Slope<'_>)]) -> Planes {
        let mut shares: Vec<(Culprit, Shares)> = Vec::new();
        for (planes, slope) in terms {
            for (who, share) in &planes.shares {
                let at = shares.iter().position(|(other, _)| other == who).unwrap_or_else(|| {
                    shares.push((*who, Box::new([0.0; TILE_DATUMS])));
                    shares.len() - 1
                });
                slope.add(share, &mut shares[at].1);
            }
        }
        let shares = shares.into_iter().map(|(who, share)| (who, Rc::new(share))).collect();
        let mut all = Planes { actual, exact, bound: None, shares };
        all.tell_apart();
        all
    }

    /// Adds what an operation itself has rounded: `error` at each datum.
    pub(super) fn add_error(&mut self, who: Culprit, error: impl Fn(usize) -> f64) {
        let share = of_share(|at| {
            let error = error(at) as f32;
            if error.is_finite() { error } else { 0.0 }
        });
        if share.iter().all(|error| *error == 0.0) {
            return;
        }
        match self.shares.iter_mut().find(|(other, _)| *other == who) {
            Some((_, known)) => Rc::make_mut(known).iter_mut().zip(share.iter()).for_each(|(a, b)| *a += b),
            None => self.shares.push((who, share)),
        }
        self.tell_apart();
    }

    /// Puts the smallest shares together where there are too many; another reading too many is forgotten.
    fn tell_apart(&mut self) {
        for what_if in [false, true] {
            let size = |share: &Shares| share.iter().map(|error| f64::from(error.abs())).sum::<f64>();
            let of_sort = |shares: &[(Culprit, Rc<Shares>)]| {
                (0..shares.len()).filter(|at| is_what_if(shares[*at].0) == what_if).collect::<Vec<_>>()
            };
            let mut all = of_sort(&self.shares);
            while all.len() > TOLD_APART[usize::from(what_if)] {
                let known = all.iter().filter(|at| self.shares[**at].0 != 0);
                let least = known.min_by(|a, b| size(&self.shares[**a].1).total_cmp(&size(&self.shares[**b].1)));
                let Some(least) = least.copied() else { break };
                let (_, share) = self.shares.swap_remove(least);
                if !what_if {
                    self.add_error(0, |at| share[at].into());
                }
                all = of_sort(&self.shares);
            }
        }
    }

    /// The share of one.
    pub(super) fn share(&self, who: Culprit, at: usize) -> f64 {
        self.shares.iter().find(|(other, _)| *other == who).map_or(0.0, |(_, share)| share[at].into())
    }
}

fn of_share(f: impl Fn(usize) -> f32) -> Rc<Shares> {
    let mut all: Shares = Box::new([0.0; TILE_DATUMS]);
    all.iter_mut().enumerate().for_each(|(at, value)| *value = f(at));
    Rc::new(all)
}
