//! A random chain of operations on a tile: what a kernel does for it, and the same in float64.
//!
//! Start at [`Chain::random`].

use tileproof_kernel::{Compute, DataMovement, Pool, ReduceDim, TensorAccessor};

use crate::random_programs::program::Numbers;

/// Buffers: the two inputs, a tile of equal numbers for reduces, what a round leaves for the next, and the output.
pub(super) const IN: [u32; 3] = [0, 1, 2];
pub(super) const MID: u32 = 24;
pub(super) const OUT: u32 = 16;

/// A tile, row by row.
pub(super) type Matrix = Vec<f64>;

/// What the matrix unit does with the tile and the second input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Matrices {
    Copy,
    Add,
    Sub,
    Mul,
    AddRows,
    MulColumns,
    SubScalar,
    Matmul,
    SumRow,
    SumColumn,
    MaxRow,
}

const MATRICES: [Matrices; 11] = {
    use Matrices::*;
    [Copy, Add, Sub, Mul, AddRows, MulColumns, SubScalar, Matmul, SumRow, SumColumn, MaxRow]
};

/// What the vector unit does with the result, and with the second input in another tile of Dst.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Vectors {
    Square,
    AddNumber,
    MulNumber,
    Add,
    Sub,
    Mul,
    Rsqrt,
}

const VECTORS: [Vectors; 7] = {
    use Vectors::*;
    [Square, AddNumber, MulNumber, Add, Sub, Mul, Rsqrt]
};

/// A round: from L1 to L1.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) first: Matrices,
    pub(super) then: Vec<(Vectors, f32)>,
}

/// One or two rounds.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) rounds: Vec<Round>,
    /// What sums are scaled with.
    pub(super) scaler: f32,
}

fn reduces(op: Matrices) -> Option<(Pool, ReduceDim)> {
    match op {
        Matrices::SumRow => Some((Pool::Sum, ReduceDim::Row)),
        Matrices::SumColumn => Some((Pool::Sum, ReduceDim::Col)),
        Matrices::MaxRow => Some((Pool::Max, ReduceDim::Row)),
        _ => None,
    }
}

impl Chain {
    pub(super) fn random(numbers: &mut Numbers) -> Chain {
        let rounds = (0..numbers.one(1, 2)).map(|_| Round::random(numbers)).collect::<Vec<_>>();
        // A maximum takes its scaler for 1.
        let has_maximum = rounds.iter().any(|round| round.first == Matrices::MaxRow);
        Chain { rounds, scaler: if has_maximum { 1.0 } else { numbers.of(&[1.0, 0.5, 0.03125, 0.328125]) } }
    }

    /// For the kernel.
    pub(super) fn words(&self) -> Vec<u32> {
        let mut words = vec![self.rounds.len() as u32];
        for round in &self.rounds {
            words.extend([round.first as u32, round.then.len() as u32]);
            words.extend(round.then.iter().flat_map(|(op, number)| [*op as u32, number.to_bits()]));
        }
        words
    }

    /// In float64, from the inputs.
    pub(super) fn exact(&self, inputs: [&Matrix; 2]) -> Matrix {
        let [first, second] = inputs;
        self.rounds.iter().fold(first.clone(), |tile, round| round.exact(&tile, second, f64::from(self.scaler)))
    }
}

impl Round {
    fn random(numbers: &mut Numbers) -> Round {
        let first = numbers.of(&MATRICES);
        let mut then = Vec::new();
        for _ in 0..numbers.one(0, 3) {
            let number = numbers.of(&[0.5, -1.25, 3.0, 0.001, 1.0 / 3.0]);
            match numbers.of(&VECTORS) {
                // Of what is 1 at least.
                Vectors::Rsqrt => {
                    then.extend([(Vectors::Square, 0.0), (Vectors::AddNumber, 1.0), (Vectors::Rsqrt, 0.0)])
                }
                op => then.push((op, number)),
            }
        }
        Round { first, then }
    }

    fn exact(&self, a: &Matrix, b: &Matrix, scaler: f64) -> Matrix {
        let of = |f: &dyn Fn(usize, usize) -> f64| -> Matrix { (0..1024).map(|at| f(at / 32, at % 32)).collect() };
        let at = |m: &Matrix, row: usize, column: usize| m[32 * row + column];
        let mut tile = match self.first {
            Matrices::Copy => a.clone(),
            Matrices::Add => of(&|r, c| at(a, r, c) + at(b, r, c)),
            Matrices::Sub => of(&|r, c| at(a, r, c) - at(b, r, c)),
            Matrices::Mul => of(&|r, c| at(a, r, c) * at(b, r, c)),
            Matrices::AddRows => of(&|r, c| at(a, r, c) + at(b, 0, c)),
            Matrices::MulColumns => of(&|r, c| at(a, r, c) * at(b, r, 0)),
            Matrices::SubScalar => of(&|r, c| at(a, r, c) - b[0]),
            Matrices::Matmul => of(&|r, c| (0..32).map(|k| at(a, r, k) * at(b, k, c)).sum()),
            Matrices::SumRow => of(&|r, _| scaler * (0..32).map(|k| at(a, r, k)).sum::<f64>()),
            Matrices::SumColumn => of(&|_, c| scaler * (0..32).map(|k| at(a, k, c)).sum::<f64>()),
            Matrices::MaxRow => of(&|r, _| (0..32).map(|k| at(a, r, k)).fold(f64::NEG_INFINITY, f64::max)),
        };
        // A reduce makes one row or column; what it leaves beside is 0, and the packer keeps of it what stands first in a face.
        let (made, kept): (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> bool) = match reduces(self.first) {
            None => (&|_| true, &|_| true),
            Some((_, ReduceDim::Row)) => (&|index| index.is_multiple_of(32), &|index| index.is_multiple_of(16)),
            Some(_) => (&|index| index < 32, &|index| index < 32),
        };
        let clear = |tile: &mut Matrix, kept: &dyn Fn(usize) -> bool| {
            tile.iter_mut().enumerate().filter(|(index, _)| !kept(*index)).for_each(|(_, x)| *x = 0.0);
        };
        clear(&mut tile, made);
        for (op, number) in &self.then {
            let number = f64::from(*number);
            for (x, y) in tile.iter_mut().zip(b) {
                *x = match op {
                    Vectors::Square => *x * *x,
                    Vectors::AddNumber => *x + number,
                    Vectors::MulNumber => *x * number,
                    Vectors::Add => *x + y,
                    Vectors::Sub => *x - y,
                    Vectors::Mul => *x * y,
                    Vectors::Rsqrt => 1.0 / x.sqrt(),
                };
            }
        }
        clear(&mut tile, kept);
        tile
    }
}

/// Brings one tile of each input.
pub(super) fn reader(dm: &DataMovement<'_>) {
    for (input, cb) in IN.into_iter().enumerate() {
        let tensor = TensorAccessor::new(dm, input, dm.get_arg_val(input), dm.get_page_size(cb));
        dm.cb_reserve_back(cb, 1);
        dm.noc_async_read_page(0, &tensor, dm.get_write_ptr(cb));
        dm.noc_async_read_barrier();
        dm.cb_push_back(cb, 1);
    }
}

/// Writes the output.
pub(super) fn writer(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), dm.get_page_size(OUT));
    dm.cb_wait_front(OUT, 1);
    dm.noc_async_write_page(0, &out, dm.get_read_ptr(OUT));
    dm.noc_async_write_barrier();
    dm.cb_pop_front(OUT, 1);
}

/// Carries a chain out.
pub(super) fn compute(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN[0], IN[1], OUT);
    IN.into_iter().for_each(|cb| k.cb_wait_front(cb, 1));
    let rounds = k.get_arg_val(0);
    let mut next = 1;
    let mut word = || {
        next += 1;
        k.get_arg_val(next - 1)
    };
    for round in 0..rounds {
        let from = if round == 0 { IN[0] } else { MID };
        let to = if round + 1 == rounds { OUT } else { MID };
        if round > 0 {
            k.cb_wait_front(MID, 1);
        }
        let first = MATRICES[word() as usize];
        k.tile_regs_acquire();
        k.reconfig_data_format_srca(IN[1]);
        k.copy_init(IN[1]);
        k.copy_tile(IN[1], 0, 1);
        matrices(k, first, from);
        for _ in 0..word() {
            let op = VECTORS[word() as usize];
            vectors(k, op, f32::from_bits(word()));
        }
        k.tile_regs_commit();
        if round > 0 {
            k.cb_pop_front(MID, 1);
        }
        k.cb_reserve_back(to, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(to);
        k.pack_tile(0, to);
        k.tile_regs_release();
        k.cb_push_back(to, 1);
        if reduces(first).is_some() {
            k.reduce_uninit();
        }
    }
    IN.into_iter().for_each(|cb| k.cb_pop_front(cb, 1));
}

fn matrices(k: &Compute<'_>, op: Matrices, from: u32) {
    let other = IN[1];
    let (a, b) = match (op, reduces(op)) {
        (Matrices::Matmul, _) => (other, from),
        (_, Some((Pool::Sum, ReduceDim::Row))) => (IN[2], from),
        (_, Some(_)) => (from, IN[2]),
        _ => (from, other),
    };
    k.reconfig_data_format(a, b);
    match op {
        Matrices::Copy => (k.copy_init(from), k.copy_tile(from, 0, 0)).1,
        Matrices::Add => (k.add_init(from, other), k.add_tiles(from, other, 0, 0, 0)).1,
        Matrices::Sub => (k.sub_init(from, other), k.sub_tiles(from, other, 0, 0, 0)).1,
        Matrices::Mul => (k.mul_init(from, other), k.mul_tiles(from, other, 0, 0, 0)).1,
        Matrices::AddRows => (k.add_bcast_rows_init(from, other), k.add_tiles_bcast_rows(from, other, 0, 0, 0)).1,
        Matrices::MulColumns => (k.mul_bcast_cols_init(from, other), k.mul_tiles_bcast_cols(from, other, 0, 0, 0)).1,
        Matrices::SubScalar => (k.sub_bcast_scalar_init(from, other), k.sub_tiles_bcast_scalar(from, other, 0, 0, 0)).1,
        Matrices::Matmul => (k.matmul_init(from, other, false), k.matmul_tiles(from, other, 0, 0, 0, false)).1,
        Matrices::SumRow | Matrices::SumColumn | Matrices::MaxRow => {
            let (pool, dim) = reduces(op).expect("a reduce");
            k.reduce_init(pool, dim, from, IN[2], OUT);
            k.reduce_tile(pool, dim, from, IN[2], 0, 0, 0);
        }
    }
}

fn vectors(k: &Compute<'_>, op: Vectors, number: f32) {
    match op {
        Vectors::Square => (k.square_tile_init(), k.square_tile(0)).1,
        Vectors::AddNumber => (k.binop_with_scalar_tile_init(), k.add_unary_tile(0, number)).1,
        Vectors::MulNumber => (k.binop_with_scalar_tile_init(), k.mul_unary_tile(0, number)).1,
        Vectors::Add => (k.add_binary_tile_init(), k.add_binary_tile(0, 1, 0)).1,
        Vectors::Sub => (k.sub_binary_tile_init(), k.sub_binary_tile(0, 1, 0)).1,
        Vectors::Mul => (k.mul_binary_tile_init(), k.mul_binary_tile(0, 1, 0)).1,
        Vectors::Rsqrt => (k.rsqrt_tile_init(), k.rsqrt_tile(0)).1,
    }
}
