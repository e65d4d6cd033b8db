//! Calls on what Dst holds: tiles transposed in place, whose init programs MATH, and what stops because nobody knows it.
//!
//! Expected numbers follow from the definition of what a kernel asks for.

use tileproof_model::finding::Code;
use tileproof_model::program::{ComputeConfig, KernelConfig};

use crate::case::{Case, READER, compute};

const PAGE: &str = r#"
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 512; i++) { words[i] = 0x40404040; }
    cb_push_back(0, 1);
}
"#;

const KERNEL: &str = r#"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/binary_remainder.h"
#include "api/compute/ema.h"
#include "api/compute/eltwise_unary/activations.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/eltwise_unary/hardmish.h"
#include "api/compute/eltwise_unary/rdiv.h"
#include "api/compute/eltwise_unary/rsub.h"
#include "api/compute/eltwise_unary/tanh_derivative.h"
#include "api/compute/eltwise_unary/tanhshrink.h"
#include "api/compute/isclose.h"
#include "api/compute/logsigmoid.h"
#include "api/compute/quantization.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose_dest.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 1);
    tile_regs_acquire();
    copy_tile_to_dst_init_short(0);
    copy_tile(0, 0, 0);
    switch (get_arg_val<uint32_t>(0)) {
        case 0:
            transpose_dest_init(0);
            transpose_dest(0);
            copy_tile_to_dst_init_short(0);
            copy_tile(0, 0, 1);
            break;
        case 1: transpose_dest(0); break;  // 1
        case 2:
            transpose_dest_init(0);
            copy_tile(0, 0, 1);  // 2
            break;
        case 3: transpose_dest_init<true>(0); break;  // 3
        case 4: transpose_dest_init<false, false>(0); break;  // 4
        case 5:
            sfpu_reduce_init<PoolType::SUM, DataFormat::Float16_b>();
            sfpu_reduce<PoolType::SUM, DataFormat::Float16_b, ReduceDim::REDUCE_COL>(0, 2, 1);  // 5
            break;
        case 6:
            binop_with_scalar_tile_init();
            MATH((llk_math_eltwise_unary_sfpu_binop_with_scalar<APPROX, ADD_UNARY>(0, 0x3F800000, (int)VectorMode::C)));
            break;
        case 7: ema_tile(0); break;  // 7
        case 8: quant_tile(0, 0, 0); break;  // 8
        case 9:
            quant_tile_init(0);
            requant_tile(0, 0, 0);  // 9
            break;
        case 10:
            copy_tile(0, 0, 1);
            softshrink_tile_init();
            softshrink_tile(0, 0x3f000000);
            hardshrink_tile_init();
            hardshrink_tile(0, 0x3f000000);
            hardmish_tile_init();
            hardmish_tile(0);
            rdiv_tile_init();
            rdiv_tile(0, 0x40a00000);
            rsub_tile_init();
            rsub_tile(0, 0x40a00000);
            tanhshrink_tile_init();
            tanhshrink_tile(1);
            tanh_derivative_tile_init();
            tanh_derivative_tile(1);
            gelu_derivative_tile_init();
            gelu_derivative_tile(1);
            remainder_binary_tile_init();
            remainder_binary_tile(1, 0, 1);
            logsigmoid_tile_init();
            logsigmoid_tile(1, 1, 1);
            isclose_binary_tile_init();
            isclose_binary_tile(0, 1, 0, 0, 0x42c80000);
            break;
        case 11:
            sfpu_reduce_init<PoolType::SUM, DataFormat::UInt16>();
            sfpu_reduce<PoolType::SUM, DataFormat::UInt16, ReduceDim::REDUCE_ROW>(0);  // 11
            break;
        case 12:
            sfpu_reduce_init<PoolType::SUM, DataFormat::Float16_b>();
            sfpu_reduce<PoolType::SUM, DataFormat::Float16_b, ReduceDim::REDUCE_ROW>(0, 2, 1);  // 12
            break;
        case 13:
            sfpu_reduce_init<PoolType::SUM, DataFormat::UInt32>();
            sfpu_reduce<PoolType::SUM, DataFormat::UInt32, ReduceDim::REDUCE_ROW>(0);  // 13
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
    cb_pop_front(0, 1);
}
"#;

fn in_dst(what: u32) -> Case {
    let kernels = vec![("in_dst", KERNEL, compute()), ("page", PAGE, READER)];
    Case { kernels, arguments: vec![what], ..Case::default() }
}

/// The line of a case, which a comment at its end names.
fn line(what: u32) -> Option<u32> {
    let end = format!("// {what}");
    KERNEL.lines().position(|line| line.ends_with(&end)).map(|line| line as u32 + 1)
}

#[test]
fn a_transposition_needs_its_init_and_what_comes_behind_it_another() {
    assert_eq!(in_dst(0).printed_number(), 3.0);
    for (what, words) in [(1, "needs \"transpose Dst\""), (2, "runs \"transpose Dst\" here")] {
        let finding = in_dst(what).finding();
        assert_eq!(finding.code, Code::WRONG_INIT, "{}", finding.message);
        assert!(finding.message.contains(words), "{}", finding.message);
        assert_eq!(finding.primary.location.map(|at| at.line), line(what));
    }
}

#[test]
fn what_nobody_has_asked_the_device_for_stops_by_its_name() {
    for (what, words) in [
        (3, "transpose_dest of words of another width than Dst"),
        (4, "transpose_dest of 16-bit words within faces"),
        (5, "sfpu_reduce down columns of several tiles"),
        (7, "a register of the vector unit that holds what is not known"),
        (8, "quantization on a 16-bit Dst"),
    ] {
        in_dst(what).stops(words, &what.to_string());
    }
}

/// What the kernels did before they did what they do now is not known.
#[test]
fn reductions_of_an_earlier_day_stop_by_their_name() {
    for (what, words) in [(12, "sfpu_reduce of several tiles"), (13, "sfpu_reduce of integers without a sign")] {
        Case { defines: vec![("TP_API", "20260401")], ..in_dst(what) }.stops(words, &what.to_string());
    }
}

/// Any: Blackhole's simulator packs zeros where the largest are taken along rows of several tiles, and what leaves them nobody has followed.
#[test]
fn a_reduction_of_uint16_on_a_32_bit_dst_stops_by_its_name() {
    let wide = ComputeConfig { fp32_dest_acc_en: true, ..ComputeConfig::default() };
    let kernels = vec![("in_dst", KERNEL, KernelConfig::Compute(wide)), ("page", PAGE, READER)];
    Case { kernels, arguments: vec![11], ..Case::default() }.stops("sfpu_reduce of UInt16 on a 32-bit Dst", "11");
}

/// 3 less 0.5, and above that; by it 5 is 2, and 5 less that 3: less than 100 from what another chain makes of 3.
#[test]
fn chains_of_shrinks_and_divisions_end_close_to_each_other() {
    assert_eq!(in_dst(10).printed_number(), 1.0);
}

/// What is rounded, and how, is what the last init has recorded.
#[test]
fn a_quantization_needs_the_init_of_its_kind() {
    let wide = ComputeConfig { fp32_dest_acc_en: true, ..ComputeConfig::default() };
    let kernels = vec![("in_dst", KERNEL, KernelConfig::Compute(wide)), ("page", PAGE, READER)];
    let what = "quantization behind the init of another, or of none";
    for call in [8, 9] {
        Case { kernels: kernels.clone(), arguments: vec![call], ..Case::default() }.stops(what, &call.to_string());
    }
}

/// 3 and 1, in the left faces.
#[test]
fn a_sum_with_a_number_by_the_call_below_has_a_choice_of_faces() {
    assert_eq!(in_dst(6).printed_number(), 4.0);
}
