//! Arguments of the kernel API that choose another operation, another size or another order, and those that differ between
//! the generations of the headers: each must have its effect, and one that is not modelled must be said by name.
//!
//! Expected numbers follow from the definition of what a kernel asks for.

use crate::case::{Case, READER, compute};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{ComputeConfig, KernelConfig};

const OLDER: &str = r#"
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/compute_kernel_hw_startup.h"
#include "compute_kernel_api/copy_dest_values.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/fill.h"
#include "compute_kernel_api/pack.h"
#include "compute_kernel_api/reduce.h"
#include "debug/dprint.h"

void kernel_main() {
    const int rc = (int)VectorMode::RC;
    compute_kernel_hw_startup(16, 16);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 1.0f);
    switch (get_arg_val<uint32_t>(0)) {
        case 0:
            exp_tile_init<true, true>();
            exp_tile<true, true>(0);
            break;
        case 1:
            exp_tile_init<true, true, 0x40000000>();
            exp_tile<true, true, false, true>(0, rc);
            break;
        case 2:
            exp_tile_init<false, false>();
            exp_tile<false, false, true>(0, rc, 0x4000);
            break;
        case 3:
            exp_tile_init<true, false>();
            exp_tile<true, false>(0);
            break;
        case 4: exp_tile<true, false>(0); break;  // 4
        case 11:
            exp_tile_init<true, false>();
            exp_tile<true, false, true, true>(0, rc, 0xc248);
            break;
        case 12:
            exp_tile_init<true, false>();
            exp_tile<true, false, true>(0, rc, 0x42c8);
            break;
        case 5:
            fill_tile(1, 3.0f);
            copy_dest_values_init();
            copy_dest_values(0, 1);
            break;
        case 6: reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW, true>(16, 16, 16); break;  // 6
        case 7: MATH((reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW, true>(16, 16, 0, 0, 0))); break;  // 7
        case 8: MATH((llk_math_reduce_init<SUM, REDUCE_ROW, DST_ACCUM_MODE, MATH_FIDELITY, true>())); break;  // 8
        case 9:
            reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW, false>(16, 16, 16);
            reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL, true>(16, 16, 16);
            reduce_uninit<true>();
            break;
        case 10:
            unary_bcast_init<BroadcastType::ROW>(16, 16);
            MATH((unary_bcast<BroadcastType::ROW>(16, 0, 0)));  // 10
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

fn older(what: u32) -> Case {
    Case { kernels: vec![("older", OLDER, compute())], arguments: vec![what], ..Case::default() }
}

/// The bf16 number that fills the tile.
fn older_number(what: u32) -> f32 {
    older(what).printed_number()
}

#[test]
fn the_exponential_of_the_older_headers_takes_their_arguments() {
    use std::f32::consts::E;
    // One, scaled or not. The fast form, Schraudolph's, is off by 4 % at most, the other by a place of bf16.
    for (what, expected, off) in [(0, E, 0.04), (1, E * E, 0.04), (2, E * E, 0.004)] {
        let got = older_number(what);
        assert!((got / expected - 1.0).abs() <= off, "{what}: {got}, expected {expected}");
    }
    // What is approximate and not fast: 1/ln 2 cut into whole powers of two and a line between them; beyond its range, of -50 and 100,
    // constants.
    assert_eq!([3, 11, 12].map(older_number), [2.875, 0.0, f32::INFINITY]);
    older(4).stops("a constant register of the vector unit that holds what is not known", "4");
}

#[test]
fn the_older_headers_copy_to_the_first_tile() {
    assert_eq!(older_number(5), 3.0);
}

#[test]
fn sums_of_rows_that_keep_32_bits_are_named_where_the_older_headers_have_them() {
    for what in 6..9 {
        older(what).stops("a reduction of rows with enforce_fp32_accumulation", &what.to_string());
    }
    // Columns have no other way, with or without it.
    assert_eq!(older_number(9), 1.0);
}

#[test]
fn a_broadcast_of_uint16_into_a_32_bit_dst_is_named_where_the_older_headers_have_it() {
    let config = ComputeConfig { fp32_dest_acc_en: true, ..ComputeConfig::default() };
    let kernels = vec![("older", OLDER, KernelConfig::Compute(config))];
    let format = Some(DataFormat::UInt16);
    let case = Case { kernels, arguments: vec![10], format, ..Case::default() };
    case.stops("unary_bcast of UInt16 into a 32-bit Dst", "10");
}

const MODES: &str = r#"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/reduce.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 0, 16);
    switch (get_arg_val<uint32_t>(0)) {
        case 0:
            reduce_init<SUM, REDUCE_ROW, DST_ACCUM_MODE>(0, 0, 16);
            MATH((llk_math_reduce_init<SUM, REDUCE_ROW, DST_ACCUM_MODE, MATH_FIDELITY>(0, 0)));
            reduce_uninit();
            MATH((llk_math_eltwise_binary_init<ELWSUB, BroadcastType::ROW, MathFidelity::LoFi>(0, 0)));
            MATH((llk_math_eltwise_binary_init<ELWMUL, BroadcastType::ROW, MATH_FIDELITY>(0, 0)));
            break;
        case 1: reduce_init<SUM, REDUCE_COL, !DST_ACCUM_MODE>(0, 0, 16); break;  // 1
        case 2: MATH((reduce_tile<SUM, REDUCE_ROW, !DST_ACCUM_MODE>(0, 0, 0, 0, 0))); break;  // 2
        case 3: MATH((reduce_block<SUM, REDUCE_ROW, !DST_ACCUM_MODE>(0, 0, 0, 0, 0, 1))); break;  // 3
        case 4: MATH((llk_math_reduce_init<SUM, REDUCE_ROW, !DST_ACCUM_MODE, MATH_FIDELITY>(0, 0))); break;  // 4
        case 5: MATH((llk_math_reduce_init<SUM, REDUCE_ROW, DST_ACCUM_MODE, MathFidelity::LoFi>(0, 0))); break;  // 5
        case 6: MATH((llk_math_eltwise_binary_init<ELWMUL, BroadcastType::ROW, MathFidelity::LoFi>(0, 0))); break;  // 6
        default: break;
    }
}
"#;

#[test]
fn a_width_of_dst_and_a_fidelity_that_are_not_the_kernels_are_named() {
    let case = |what| Case { kernels: vec![("modes", MODES, compute())], arguments: vec![what], ..Case::default() };
    assert!(case(0).prints().is_empty());
    for (what, words) in [
        (1, "a reduction with an is_fp32_dest_acc_en that is not the kernel's"),
        (2, "a reduction with an is_fp32_dest_acc_en that is not the kernel's"),
        (3, "a reduction with an is_fp32_dest_acc_en that is not the kernel's"),
        (4, "llk_math_reduce_init with an is_fp32_dest_acc_en that is not the kernel's"),
        (5, "llk_math_reduce_init with a fidelity that is not the kernel's"),
        (6, "a product with a fidelity that is not the kernel's"),
    ] {
        case(what).stops(words, &what.to_string());
    }
}

/// A page of 512 words, each of two bf16 numbers that are alike, from 1 on and all different.
const NUMBERS: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    auto* page = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 512; ++i) {
        page[i] = 0x3f803f80 + i * 0x00010001;
    }
    cb_push_back(0, 1);
}
"#;

const EXP: &str = r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"
#include "api/debug/dprint.h"

void exponential(uint32_t what) {
    switch (what) {
        case 0: exp_tile<true, false, InputClamping::None, 32>(0, VectorMode::None); break;
        case 1: exp_tile<true, false, InputClamping::None>(0, VectorMode::None); break;
        case 2: exp_tile<true, false, InputClamping::None, 16>(0); break;  // 2
        case 3: exp_tile<true, false, InputClamping::None, 32>(0); break;  // 3
        case 4: exp_tile<true, false, InputClamping::ClampToNegative, 32>(0, VectorMode::None); break;  // 4
        default: exp_tile<true, false, InputClamping::None>(0); break;
    }
}

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    exp_tile_init<true, 0x3F800000, InputClamping::None>();
    cb_wait_front(0, 1);
    for (uint32_t i = 0; i < 2; ++i) {
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        exponential(i == 0 ? 5 : get_arg_val<uint32_t>(0));
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
    cb_pop_front(0, 1);
    cb_wait_front(16, 2);
    uint32_t* whole = nullptr;
    uint32_t* other = nullptr;
    cb_get_tile(16, 0, &whole);
    cb_get_tile(16, 1, &other);
    uint32_t differ = 0;
    for (uint32_t i = 0; i < 512; ++i) {
        differ += whole[i] != other[i];
    }
    UNPACK((DPRINT << differ << ENDL()));
    cb_release_tile(16);
    cb_release_tile(16);
    cb_pop_front(16, 2);
}
"#;

#[test]
fn an_exponential_in_32_iterations_is_one_of_the_four_faces() {
    let case = |what| Case {
        kernels: vec![("exp", EXP, compute()), ("numbers", NUMBERS, READER)],
        arguments: vec![what],
        ..Case::default()
    };
    assert_eq!(case(0).prints(), ["UNPACK 0"]);
    // Eight iterations without a mode are the first face: no number of the other three, 128 words each, is its own
    // exponential.
    assert_eq!(case(1).prints(), ["UNPACK 384"]);
    for what in 2..5 {
        case(what).stops("exp_tile that iterates neither eight times a face nor 32 times in one go", &what.to_string());
    }
}

const PAGES: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

template <typename Pages>
uint32_t count(const Pages& pages) {
    uint32_t pages_seen = 0;
    for (const auto& page : pages) {
        pages_seen += page.noc_addr() != 0;
    }
    return pages_seen;
}

void kernel_main() {
    const TensorAccessor narrow(TensorAccessorArgs<0>{}, 65536, 40), aligned(TensorAccessorArgs<0>{}, 65536, 48);
    const TensorAccessor interleaved(TensorAccessorArgs<8>{}, 65536, 40);
    DPRINT << "40: " << uint32_t(narrow.get_noc_addr(5)) - 65536 << ' ' << uint32_t(narrow.get_noc_addr(8)) - 65536 << ' '
           << narrow.get_aligned_page_size() << ENDL();
    DPRINT << "48: " << uint32_t(aligned.get_noc_addr(5)) - 65536 << ' ' << aligned.get_aligned_page_size() << ENDL();
    DPRINT << "interleaved: " << uint32_t(interleaved.get_noc_addr(NUM_DRAM_BANKS) - interleaved.get_noc_addr(0)) << ' '
           << interleaved.get_aligned_page_size() << ENDL();
    DPRINT << "pages: " << count(narrow.pages()) << ' ' << count(narrow.pages(3, 0)) << ' ' << count(narrow.pages(3, 5)) << ' '
           << count(narrow.strided_pages(noc_index)) << ' ' << count(interleaved.pages(0, 0)) << ' '
           << count(interleaved.strided_pages(5, noc_index)) << ENDL();
}
"#;

#[test]
fn a_page_of_a_shard_follows_the_last_as_given_and_an_end_of_0_is_all_pages_of_a_sharded_tensor() {
    // Sharded (1), rank 2, two cores: 4 by 4 pages in shards of 2 by 2; then interleaved in DRAM (2).
    let cores = (18 << 8 | 18) | (19 << 8 | 18) << 16;
    let compile_time = vec![1, 2, 2, 4, 4, 2, 2, cores, 2];
    let case = Case { kernels: vec![("pages", PAGES, READER)], compile_time, ..Case::default() };
    // Page 5 is the fourth of the first shard, page 8 the first of the third shard, before which its core has one of four
    // pages. Pages of DRAM are aligned to 32 bytes by the accessor itself.
    let expected = ["40: 120 160 40", "48: 144 48", "interleaved: 64 40", "pages: 16 13 2 16 0 5"];
    assert_eq!(case.prints(), expected.map(|line| format!("NCRISC {line}")));
}

const WORDS: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/debug/dprint.h"

void kernel_main() {
    const uint32_t address = get_semaphore(0);
    auto* word = (volatile tt_l1_ptr uint32_t*)address;
    const uint64_t to = get_noc_addr(address);
    const UnicastEndpoint here;
    const noc_traits_t<UnicastEndpoint>::dst_args_type at{.noc_x = my_x[0], .noc_y = my_y[0], .addr = address};
    Noc noc;
    switch (get_arg_val<uint32_t>(0)) {
        case 0:
            noc_inline_dw_write(to, 0x01020304);
            noc_async_write_barrier();
            DPRINT << *word << ENDL();
            noc.inline_dw_write<NocOptions::INLINE_L1>(here, 5, at, 0xf);
            noc_async_write_barrier();
            DPRINT << *word << ENDL();
            break;
        case 1: noc_inline_dw_write(to, 5, 0x3); break;  // 1
        case 2: noc.inline_dw_write(here, 5, at, 0x1); break;  // 2
        case 3: noc.inline_dw_write<NocOptions::POSTED>(here, 5, at); break;  // 3
        case 4: noc.inline_dw_write<NocOptions::INLINE_REG>(here, 5, at); break;  // 4
        case 5:
            noc_semaphore_inc(to, 7);
            noc_async_atomic_barrier();
            DPRINT << *word << ENDL();
            break;
        case 6:
            noc_semaphore_inc<true>(to, 7);
            noc_async_atomic_barrier();
            DPRINT << *word << ENDL();
            break;
        default: break;
    }
}
"#;

fn words(what: u32) -> Case {
    Case { kernels: vec![("words", WORDS, READER)], arguments: vec![what], ..Case::default() }
}

#[test]
fn an_inline_write_is_a_word_that_is_acknowledged() {
    assert_eq!(words(0).prints(), ["NCRISC 16909060", "NCRISC 5"]);
    words(1).stops("noc_inline_dw_write of some bytes of a word", "1");
    words(2).stops("Noc::inline_dw_write of some bytes of a word", "2");
    words(3).stops("Noc::inline_dw_write that is posted", "3");
    words(4).stops("goes to a register", "4");
}

const WORDS_WITH_A_STATE: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    const uint32_t addresses[2] = {get_semaphore(0), get_semaphore(1)};
    const uint64_t to = get_noc_addr(addresses[0]);
    switch (get_arg_val<uint32_t>(0)) {
        case 0:
            noc_inline_dw_write_set_state<false, true>(to, 3);
            noc_inline_dw_write_with_state(4);
            noc_inline_dw_write_with_state<true, true, false, false, true>(5, addresses[1]);
            noc_async_write_barrier();
            for (uint32_t address : addresses) {
                DPRINT << *(volatile tt_l1_ptr uint32_t*)address << ENDL();
            }
            break;
        case 1: noc_inline_dw_write_with_state<false, true, false, false, true>(5); break;  // 1
        case 2:
            noc_inline_dw_write_set_state(to);
            noc_inline_dw_write_with_state(5);  // 2
            break;
        case 3:
            noc_inline_dw_write_set_state<false, true>(to, 3);
            noc_semaphore_inc(to, 1);
            noc_inline_dw_write_with_state(5);  // 3
            break;
        case 4: noc_inline_dw_write_set_state<true>(to); break;  // 4
        default: break;
    }
}
"#;

#[test]
fn an_inline_write_with_a_state_takes_from_it_what_the_call_does_not_bring() {
    let words = |what| Case {
        kernels: vec![("words_with_a_state", WORDS_WITH_A_STATE, READER)],
        arguments: vec![what],
        ..Case::default()
    };
    assert_eq!(words(0).prints(), ["NCRISC 3", "NCRISC 5"]);
    for what in 1..=3 {
        words(what).stops("without a state that has a word", &what.to_string());
    }
    words(4).stops("that is posted", "4");
}

#[test]
fn no_barrier_waits_for_a_posted_increment() {
    let (acknowledged, posted) = (words(5), words(6));
    assert_eq!((acknowledged.prints(), posted.prints()), (vec!["NCRISC 7".into()], vec!["NCRISC 7".into()]));
    assert!(posted.run().cycles < acknowledged.run().cycles);
}
