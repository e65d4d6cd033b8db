//! Calls on two tiles as they were until 28 August 2025, without a tile for the result.
//!
//! Expected: the tile that comes first in Dst is the left operand, whichever was named first, and takes the result (tt-metal 27513).

use crate::case::{Case, compute};

const KERNEL: &str = r#"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"

void kernel_main() {
    compute_kernel_hw_startup(16, 16);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 5.0f);
    fill_tile(1, 2.0f);
    switch (get_arg_val<uint32_t>(0)) {
        case 0:
            sub_binary_tile_init();
            sub_binary_tile(0, 1);
            break;
        case 1:
            sub_binary_tile_init();
            sub_binary_tile(1, 0);
            break;
        case 2:
            rsub_binary_tile_init();
            rsub_binary_tile(1, 0);
            break;
        case 3:
            binary_min_tile_init();
            binary_min_tile(1, 0);
            break;
        default:
            sub_binary_tile_init();
            sub_binary_tile(1, 0, 0);
            break;
    }
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_wait_front(16, 1);
    const uint32_t word = read_tile_value(16, 0, 7);
    UNPACK((DPRINT << word << ENDL()));
    cb_pop_front(16, 1);
}
"#;

#[test]
fn the_first_of_two_tiles_is_the_left_operand_and_takes_the_result() {
    let number = |what: u32| {
        let case = Case { kernels: vec![("in_place", KERNEL, compute())], arguments: vec![what], ..Case::default() };
        case.printed_number()
    };
    assert_eq!([0, 1, 2, 3].map(number), [3.0, 3.0, -3.0, 2.0]);
    // The newer call takes tiles as they are named.
    assert_eq!(number(4), -3.0);
}
