//! Vector code of a kernel's own: what must end it by name, and what one program leaves for another.
//!
//! Expected numbers follow from the definition of what a kernel asks for.

use crate::case::{Case, compute};

const KERNEL: &str = r#"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"
#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

inline void unwritten() {
    vFloat x = 1.0f;
    x = 2.0f;
    vFloat y;
    x = y;
    dst_reg[0] = x;
}
inline void unwritten_in_a_sum() {
    vFloat y;
    dst_reg[0] = dst_reg[0] + y;
}
// The near miss: both parts of the lanes write it.
inline void written_in_parts() {
    for (uint32_t v = 0; v < 8; v++) {
        vFloat x = dst_reg[v];
        vFloat y;
        v_if(x < 0.0f) { y = 3.0f; }
        v_else { y = x + 4.0f; }
        v_endif;
        dst_reg[v] = y;
    }
}
#endif

void kernel_main() {
    compute_kernel_hw_startup(16, 16);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 1.0f);
    switch (get_arg_val<uint32_t>(0)) {
        case 0: MATH((_llk_math_eltwise_unary_sfpu_params_(unwritten, 0, VectorMode::RC))); break;  // 0
        case 1: MATH((_llk_math_eltwise_unary_sfpu_params_(unwritten_in_a_sum, 0, VectorMode::RC))); break;  // 1
        case 2: MATH((_llk_math_eltwise_unary_sfpu_params_(written_in_parts, 0, VectorMode::RC))); break;
        default: break;
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

fn vectors(what: u32) -> Case {
    Case { kernels: vec![("vectors", KERNEL, compute())], arguments: vec![what], ..Case::default() }
}

/// The bf16 number that fills the tile, of which the kernel prints a word.
fn number(what: u32) -> f32 {
    let lines = vectors(what).prints();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    let word: u32 = line.strip_prefix("UNPACK ").unwrap().parse().unwrap();
    f32::from_bits(word & 0xffff_0000)
}

#[test]
fn a_variable_that_was_never_written_is_named_where_it_is_read() {
    for what in 0..2 {
        vectors(what).stops("custom vector code that reads a variable which was never written", &what.to_string());
    }
    assert_eq!(number(2), 5.0);
}
