//! Vector code of a kernel's own: what must end it by name, and what one program leaves for another.
//!
//! Expected numbers follow from the definition of what a kernel asks for.

use tileproof_model::finding::Code;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{ComputeConfig, KernelConfig};

use crate::case::{Case, compute};

const KERNEL: &str = r#"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/dropout.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/remainder.h"
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
inline void sets_a_constant() { vConstFloatPrgm0 = 0.25f; }
inline void gives_a_constant() {
    for (uint32_t v = 0; v < 8; v++) { dst_reg[v] = vFloat(dst_reg[v]) * 0.0f + vConstFloatPrgm0; }
}
inline void keeps_a_value() { l_reg[LRegs::LReg3] = vFloat(2.0f); }
inline void gives_a_value() {
    vFloat kept = l_reg[LRegs::LReg3];
    for (uint32_t v = 0; v < 8; v++) { dst_reg[v] = vFloat(dst_reg[v]) * 0.0f + kept; }
}
#endif
#define RUN(FUNCTION) MATH((_llk_math_eltwise_unary_sfpu_params_(FUNCTION, 0, VectorMode::RC)))

void kernel_main() {
    compute_kernel_hw_startup(16, 16);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 1.0f);
    switch (get_arg_val<uint32_t>(0)) {
        case 0: RUN(unwritten); break;  // 0
        case 1: RUN(unwritten_in_a_sum); break;  // 1
        case 2: RUN(written_in_parts); break;
        case 3:
            RUN(sets_a_constant);
            recip_tile_init<false>();
            RUN(gives_a_constant);
            break;
        case 4:
            recip_tile_init<false>();
            RUN(sets_a_constant);
            recip_tile<false>(0);  // 4
            break;
        case 5:
            RUN(sets_a_constant);
            recip_tile_init<false>();
            recip_tile<false>(0);
            RUN(keeps_a_value);
            RUN(gives_a_value);
            break;
        case 6:
            recip_tile_init<false>();
            RUN(keeps_a_value);
            recip_tile<false>(0);
            RUN(gives_a_value);  // 6
            break;
        case 7:
            RUN(sets_a_constant);
            fill_tile_init();
            fill_tile(0, 3.0f);
            RUN(gives_a_constant);
            break;
        case 8: RUN(gives_a_constant); break;  // 8
        case 9: dropout_tile(0, 0, 0x40000000); break;  // 9
        case 10:
            dropout_kernel_init(1);
            fill_tile_init();
            fill_tile(0, 3.0f);
            dropout_tile(0, 0, 0x40000000);
            break;
        case 11:
            dropout_kernel_init(1);
            recip_tile_init<false>();
            recip_tile<false>(0);
            dropout_tile(0, 0, 0x40000000);  // 11
            break;
        case 12: remainder_tile(0); break;  // 12
        case 13:
            remainder_tile_init(0x40400000, 0x3eaaaaab);
            fill_tile_init();
            fill_tile(0, 8.0f);
            remainder_tile(0);
            break;
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

/// The bf16 number that fills the tile.
fn number(what: u32) -> f32 {
    vectors(what).printed_number()
}

#[test]
fn a_variable_that_was_never_written_is_named_where_it_is_read() {
    for what in 0..2 {
        vectors(what).stops("custom vector code that reads a variable which was never written", &what.to_string());
    }
    assert_eq!(number(2), 5.0);
}

/// The first constant of the reciprocal, of which a 16-bit Dst keeps the upper half.
const OF_RECIPROCAL: f32 = 0.322_265_63;

#[test]
fn custom_code_and_inits_share_the_constant_registers() {
    assert_eq!(number(3), OF_RECIPROCAL);
    let finding = vectors(4).finding();
    assert_eq!(finding.code, Code::WRONG_INIT, "{}", finding.message);
    assert!(finding.message.contains("custom vector code has put a number of its own there"), "{}", finding.message);
    let line = KERNEL.lines().position(|line| line.ends_with("// 4")).unwrap() as u32 + 1;
    assert_eq!(finding.primary.location.map(|at| at.line), Some(line));
    // What needs none leaves them, and what nobody has loaded is not known.
    assert_eq!(number(7), 0.25);
    vectors(8).stops("a constant register of the vector unit that holds what is not known", "8");
}

#[test]
fn a_call_takes_the_registers_that_custom_code_has_kept_values_in() {
    assert_eq!(number(5), 2.0);
    vectors(6).stops("a register of the vector unit that holds what is not known", "6");
}

const SHORT: &str = r#"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"
#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;
inline void one() {
    for (uint32_t v = 0; v < 8; v++) { dst_reg[v] = 1.0f; }
}
#endif

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    tile_regs_acquire();
    if (get_arg_val<uint32_t>(0) == 0) {
        fill_tile_init();
        fill_tile(0, 1.0f);  // 0
    } else {
        MATH((_llk_math_eltwise_unary_sfpu_params_(one, 0, VectorMode::RC)));  // 1
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
fn a_16_bit_dst_of_float16_is_named_by_the_vector_unit() {
    for (what, words) in [(0, "a 16-bit Dst of Float16"), (1, "custom vector code on a 16-bit Dst of Float16")] {
        let case = |config: ComputeConfig, format| Case {
            kernels: vec![("short", SHORT, KernelConfig::Compute(config))],
            arguments: vec![what],
            format: Some(format),
            ..Case::default()
        };
        case(ComputeConfig::default(), DataFormat::Float16).stops(words, &what.to_string());
        let wide = ComputeConfig { fp32_dest_acc_en: true, ..ComputeConfig::default() };
        for right in [case(wide, DataFormat::Float16), case(ComputeConfig::default(), DataFormat::Float16_b)] {
            let outcome = right.run();
            assert!(outcome.findings.is_empty(), "{:#?}", outcome.findings);
        }
    }
}

/// A tile of threes, doubled, of which nothing is dropped.
#[test]
fn numbers_are_drawn_from_a_seed_that_is_known() {
    for what in [9, 11] {
        vectors(what).stops("a random number that was drawn from no known seed", &what.to_string());
    }
    assert_eq!(number(10), 6.0);
}

/// 8 by 3; a call whose init has not put its numbers into the registers has none.
#[test]
fn a_remainder_is_by_what_its_init_has_put_into_the_registers() {
    vectors(12).stops("a constant register of the vector unit that holds what is not known", "12");
    assert_eq!(number(13), 2.0);
}
