//! Broadcasts of reduced tiles: each reduce with the broadcasts that fit what it computes, and with those that do not.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES};
use crate::support::checked::run;
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof_kernel::{Broadcast, Compute, Pool, ReduceDim};
use tileproof_model::finding::Code;
use tileproof_model::record::RunRecord;

/// The support program's spare buffer.
const SIDE: u32 = 2;

/// Reduces a tile to a page of its own, element-wise work on it included, and broadcasts that page.
fn broadcasts(k: &Compute<'_>, dim: ReduceDim, kind: Broadcast) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.cb_reserve_back(SIDE, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format(IN0, IN1);
        k.reduce_init(Pool::Sum, dim, IN0, IN1, SIDE);
        k.reduce_tile(Pool::Sum, dim, IN0, IN1, 0, 0, 0); // reduced here
        k.reduce_uninit();
        k.rsqrt_tile_init();
        k.rsqrt_tile(0);
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.pack_reconfig_data_format(SIDE);
        k.pack_tile(0, SIDE);
        k.tile_regs_release();
        k.cb_push_back(SIDE, 1);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);

        k.cb_wait_front(SIDE, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format(SIDE, SIDE);
        k.unary_bcast_init(kind, SIDE);
        k.unary_bcast(kind, SIDE, 0, 0); // broadcast
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.pack_reconfig_data_format(OUT);
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
        k.cb_pop_front(SIDE, 1);
    }
}

/// Subtracts a reduced tile from an input, whose rows or columns it is the same for.
fn subtracts(k: &Compute<'_>, rows: bool) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.cb_reserve_back(SIDE, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format(IN0, IN1);
        k.reduce_init(Pool::Sum, ReduceDim::Row, IN0, IN1, SIDE);
        k.reduce_tile(Pool::Sum, ReduceDim::Row, IN0, IN1, 0, 0, 0);
        k.reduce_uninit();
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.pack_reconfig_data_format(SIDE);
        k.pack_tile(0, SIDE);
        k.tile_regs_release();
        k.cb_push_back(SIDE, 1);

        k.cb_wait_front(SIDE, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format(IN0, SIDE);
        if rows {
            k.sub_bcast_rows_init(IN0, SIDE);
            k.sub_tiles_bcast_rows(IN0, SIDE, 0, 0, 0); // subtracted
        } else {
            k.sub_bcast_cols_init(IN0, SIDE);
            k.sub_tiles_bcast_cols(IN0, SIDE, 0, 0, 0);
        }
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.pack_reconfig_data_format(OUT);
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
        for cb in [SIDE, IN0, IN1] {
            k.cb_pop_front(cb, 1);
        }
    }
}

#[test]
fn a_reduced_tile_that_is_subtracted_from_another_counts_as_its_broadcast_says() {
    let found = compute(|k| subtracts(k, true));
    assert_eq!(line_of(only(&found, Code::BROADCAST_OF_PART)), marked("subtracted"));
    silent(&compute(|k| subtracts(k, false)));
}

fn compute(kernel: fn(&Compute<'_>)) -> RunRecord {
    run(Kernels { compute: kernel, ..Kernels::default() })
}

#[test]
fn a_broadcast_of_what_a_reduce_did_not_compute_is_reported() {
    let kernels: [fn(&Compute<'_>); 4] = [
        |k| broadcasts(k, ReduceDim::Row, Broadcast::Row),
        |k| broadcasts(k, ReduceDim::Col, Broadcast::Col),
        |k| broadcasts(k, ReduceDim::Scalar, Broadcast::Row),
        |k| broadcasts(k, ReduceDim::Scalar, Broadcast::Col),
    ];
    for kernel in kernels {
        let found = compute(kernel);
        let finding = only(&found, Code::BROADCAST_OF_PART);
        assert_eq!((line_of(finding), labelled(finding)), (marked("broadcast"), vec![marked("reduced here")]));
    }
    let found = compute(kernels[0]);
    let message = &only(&found, Code::BROADCAST_OF_PART).message;
    assert!(message.contains("takes row 0 of a tile of which a reduce has computed column 0"), "{message}");
}

#[test]
fn the_broadcast_that_fits_a_reduce_and_that_of_the_scalar_are_right() {
    let kernels: [fn(&Compute<'_>); 5] = [
        |k| broadcasts(k, ReduceDim::Row, Broadcast::Col),
        |k| broadcasts(k, ReduceDim::Col, Broadcast::Row),
        |k| broadcasts(k, ReduceDim::Row, Broadcast::Scalar),
        |k| broadcasts(k, ReduceDim::Col, Broadcast::Scalar),
        |k| broadcasts(k, ReduceDim::Scalar, Broadcast::Scalar),
    ];
    kernels.into_iter().for_each(|kernel| silent(&compute(kernel)));
}
