//! Row-major blocks reduced down their columns, as pooling kernels take them, and the forms of it that stop.
//!
//! Expected numbers follow from the definition of what a kernel asks for.

use tileproof_model::finding::Code;
use tileproof_model::numerics::format::DataFormat;

use crate::case::{Case, READER, compute};

/// 32 rows whose left halves are 2 and whose right halves are 5, and the first face of a scaler of ones, behind which nothing is written.
const ROWS: &str = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 2);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 512; i++) { words[i] = i % 16 < 8 ? 0x40004000 : 0x40a040a0; }
    for (uint32_t i = 0; i < 128; i++) { words[512 + i] = 0x3f803f80; }
    cb_push_back(0, 2);
}
"#;

const KERNEL: &str = r#"
#define REDUCE_OP PoolType::OP
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

void kernel_main() {
    const uint32_t what = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 0, 16);
    if (what == 5) {
        tilizeA_B_reduce_init<>(0, 0, 1, 16);  // 5
    }
    if (what == 6) {
        UNPACK((llk_unpack_tilizeA_B_init<true, false>(0, 0, 1)));  // 6
    }
    tilizeA_B_reduce_init<>(0, 0, what == 1 ? 2 : 1);
    cb_wait_front(0, 2);
    tile_regs_acquire();
    switch (what) {
        case 2: unpack_tilizeA_B_block(0, 0, 1, 1, 2); break;  // 2
        case 7: unpack_tilizeA_B_block<true, false>(0, 0, 1, 1); break;  // 7
        default: unpack_tilizeA_B_block(0, 0, 1, 1); break;  // 1
    }
    switch (what) {
        case 3: reduce_tile_math<PoolType::OP, ReduceDim::REDUCE_COL>(0, 2); break;  // 3
        case 4: reduce_tile_math<PoolType::OP, ReduceDim::REDUCE_ROW>(0); break;  // 4
        default: reduce_tile_math(0); break;
    }
    unpack_tilizeA_B_uninit(0);
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_wait_front(16, 1);
    const uint32_t left = read_tile_value(16, 0, 0), right = read_tile_value(16, 0, 128);
    UNPACK((DPRINT << HEX() << left << " " << right << ENDL()));
    cb_pop_front(16, 1);
    cb_pop_front(0, 2);
}
"#;

fn pooled(pool: &'static str, what: u32) -> Case {
    let kernels = vec![("pooled", KERNEL, compute()), ("pooled_rows", ROWS, READER)];
    Case { kernels, arguments: vec![what], defines: vec![("OP", pool)], ..Case::default() }
}

/// 64 and 160, 2 and 5. What is behind the scaler's first face nobody has written, and nobody reads.
#[test]
fn columns_of_row_major_rows_are_summed_and_their_largest_taken() {
    assert_eq!(pooled("SUM", 0).prints(), ["UNPACK 42804280 43204320"]);
    assert_eq!(pooled("MAX", 0).prints(), ["UNPACK 40004000 40a040a0"]);
}

#[test]
fn a_block_of_another_width_than_the_init_has_is_told() {
    let finding = pooled("SUM", 1).finding();
    assert_eq!(finding.code, Code::WRONG_INIT, "{}", finding.message);
    assert!(finding.message.contains("tilize, 2 tiles wide, and one face"), "{}", finding.message);
}

#[test]
fn what_nobody_has_recorded_of_pools_stops_by_its_name() {
    for (what, words) in [
        (2, "unpack_tilizeA_B_block of other than whole tiles and one face for SrcB"),
        (3, "reduce_tile_math of other than four faces"),
        (4, "reduce_tile_math of other than columns"),
        (5, "tilizeA_B_reduce_init with a buffer to pack to"),
        (6, "llk_unpack_tilizeA_B_init of other than whole tiles and one face for SrcB"),
        (7, "unpack_tilizeA_B_block of other than whole tiles and one face for SrcB"),
    ] {
        pooled("SUM", what).stops(words, &what.to_string());
    }
    let of_format = |format| Case { format: Some(format), ..pooled("SUM", 0) }.finding().message;
    assert!(of_format(DataFormat::Float16).contains("unpack_tilizeA_B_block of this format"));
    // Rows may be of Float32, their scaler not.
    assert!(of_format(DataFormat::Float32).contains("unpack_tilizeA_B_block with a scaler of this format"));
}
