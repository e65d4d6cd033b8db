//! Small C++ kernels for the corners of the kernel API: what each call changes must show, and what is not modelled must be
//! said by name on the kernel's own line.
//!
//! Expected numbers follow from what the kernels do. Kernels look at their first runtime argument, so that one image serves
//! several tests.

use crate::case::{Case, READER, WRITER, compute};
use tileproof_model::finding::Code;
use tileproof_model::record::Status;

const INTERFACE: &str = r#"
#include "api/compute/cb_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    LocalCBInterface& cb = get_local_cb_interface(0);
    const uint32_t before = cb.fifo_rd_ptr;
    auto saved = cb.fifo_rd_ptr;
    const LocalCBInterface all = cb;
    cb.fifo_rd_ptr += cb.fifo_page_size;
    const uint32_t moved = cb.fifo_rd_ptr - before;
    const uint32_t kept = saved == before && all.fifo_rd_ptr == before;
    cb.fifo_wr_ptr = cb.fifo_rd_ptr;
    cb.fifo_rd_ptr = saved;
    // What the machine has, whatever `cb` stands for by now.
    const uint32_t apart = get_local_cb_interface(0).fifo_wr_ptr - get_local_cb_interface(0).fifo_rd_ptr;
    cb.fifo_num_pages = 1;
    const uint32_t pages = get_local_cb_interface(0).fifo_num_pages;
    get_local_cb_interface(0) = all;
    const LocalCBInterface& now = get_local_cb_interface(0);
    const uint32_t back = now.fifo_wr_ptr == before && now.fifo_num_pages == 2;
    UNPACK((DPRINT << moved << ' ' << kept << ' ' << apart << ' ' << pages << ' ' << back << ENDL()));
}
"#;

#[test]
fn the_fields_of_a_buffer_are_numbers_that_are_copied_and_assigned() {
    // A page of 2048 bytes is 128 units of 16.
    let case = Case { kernels: vec![("interface", INTERFACE, compute())], ..Case::default() };
    assert_eq!(case.prints(), ["UNPACK 128 1 128 1 1"]);
}

const MAIL_READER: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    auto* page = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 512; ++i) {
        page[i] = 70 + i;
    }
    cb_push_back(0, 1);
}
"#;

const MAIL: &str = r#"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"
#include "api/debug/dprint.h"

void kernel_main() {
    const uint32_t what = get_arg_val<uint32_t>(0);
    cb_wait_front(0, 1);
    if (what == 0) {
        const uint32_t value = read_tile_value(0, 0, 7);
        uint32_t* tile = nullptr;
        cb_get_tile(0, 0, &tile);
        const uint32_t again = tile[7];
        cb_release_tile(0);
        DPRINT << value << ' ' << again << ENDL();
        uint32_t got = 0;
        MATH((mailbox_write(ThreadId::PackThreadId, 5)));
        PACK((got = mailbox_read(ThreadId::MathThreadId)));
        PACK((DPRINT << "got " << got << ENDL()));
    } else if (what == 1) {
        MATH((mailbox_read(ThreadId::UnpackThreadId)));  // nobody writes
    } else if (what == 2) {
        UNPACK(for (uint32_t i = 1; i < 8; ++i) { mailbox_write(ThreadId::MathThreadId, i); });
        uint32_t sum = 0;
        MATH(for (uint32_t i = 1; i < 8; ++i) { sum = 10 * sum + mailbox_read(ThreadId::UnpackThreadId); });
        MATH((DPRINT << sum << ENDL()));
    } else if (what == 3) {
        UNPACK(for (uint32_t i = 0; i < 5; ++i) { mailbox_write(ThreadId::MathThreadId, i); });  // nobody reads
    } else {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_wait_front(16, 1);
        if (what == 4) {
            read_tile_value(16, 0, 7);
        }
        cb_pop_front(16, 1);
    }
    cb_pop_front(0, 1);
}
"#;

fn mail(what: u32) -> Case {
    let kernels = vec![("mail", MAIL, compute()), ("mail_reader", MAIL_READER, READER)];
    Case { kernels, arguments: vec![what], ..Case::default() }
}

#[test]
fn all_three_threads_learn_a_value_of_a_tile_and_words_arrive_in_order() {
    assert_eq!(mail(0).prints(), ["MATH 77 77", "PACK 77 77", "PACK got 5", "UNPACK 77 77"]);
    // More words than the four that can be under way: UNPACK waits until MATH takes them.
    assert_eq!(mail(2).prints(), ["MATH 1234567"]);
}

#[test]
fn a_page_whose_value_the_threads_learn_counts_as_read() {
    assert!(mail(4).prints().is_empty());
    // Its twin pops the page and has not looked at it.
    assert_eq!(mail(5).finding().code, Code::WORK_LOST);
}

#[test]
fn a_word_that_nobody_sends_and_one_that_nobody_takes_are_deadlocks() {
    let line = |mark: &str| MAIL.lines().position(|l| l.ends_with(mark)).unwrap() as u32 + 1;
    for (what, mark, words) in [
        (1, "// nobody writes", "MATH waits in mailbox_read for a word from UNPACK, and UNPACK has ended"),
        (3, "// nobody reads", "UNPACK waits in mailbox_write: four words are under way, the oldest for MATH"),
    ] {
        let finding = mail(what).finding();
        assert_eq!(finding.code, Code::DEADLOCK);
        assert!(finding.message.contains(words), "{}", finding.message);
        assert_eq!(finding.primary.location.as_ref().map(|l| l.line), Some(line(mark)));
    }
}

const RAW_WRITER: &str = r#"
#include <cstring>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t page = get_write_ptr(0);
    auto* words = (volatile tt_l1_ptr uint32_t*)page;
    for (uint32_t i = 0; i < 8; ++i) {
        words[i] = 100 + i;
    }
    memmove((void*)(page + 8), (const void*)page, 16);
    reinterpret_cast<uint8_t*>(page)[0] = 7;
    *(volatile tt_l1_ptr uint32_t*)get_semaphore(0) = 1;
}
"#;

const RAW_READER: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    auto* ready = (volatile tt_l1_ptr uint32_t*)get_semaphore(0);
    while (*ready != 1) {
    }
    const uint32_t page = get_write_ptr(0);
    auto* words = (volatile tt_l1_ptr uint32_t*)page;
    if (my_x[noc_index] == get_arg_val<uint32_t>(0)) {
        DPRINT << words[0] << ' ' << words[2] << ' ' << words[4] << ' ' << words[6] << ENDL();
        // The same places of the next core, whose addresses are this core's own.
        const uint64_t next = get_noc_addr(my_x[noc_index] + 1, my_y[noc_index], page + 2048);
        noc_async_write(page, next, 32);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(my_x[noc_index] + 1, my_y[noc_index], get_semaphore(1)), 3);
        noc_async_atomic_barrier();
    } else {
        auto* arrived = (volatile tt_l1_ptr uint32_t*)get_semaphore(1);
        while (*arrived < 3) {
        }
        DPRINT << words[512] << ' ' << words[518] << ENDL();
    }
}
"#;

#[test]
fn raw_loads_stores_and_polls_of_l1_work_and_addresses_carry_over_to_other_cores() {
    // memmove puts words 0 to 3 onto words 2 to 5; then byte 0 of word 0, which is 100, becomes 7.
    let kernels = vec![("raw_writer", RAW_WRITER, WRITER), ("raw_reader", RAW_READER, READER)];
    let case = Case { kernels, cores: 2, arguments: vec![18], ..Case::default() };
    assert_eq!(case.prints(), ["NCRISC 7 100 102 106", "NCRISC 7 106"]);
}

const NOC: &str = r#"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    const uint32_t what = get_arg_val<uint32_t>(0);
    const uint32_t to = get_write_ptr(0), from = to + 2048;
    auto* words = (volatile tt_l1_ptr uint32_t*)to;
    for (uint32_t i = 0; i < 1024; ++i) {
        words[i] = i;
    }
    Noc noc;
    CircularBuffer cb(0);
    cb_reserve_back(0, 1);
    if (what == 0) {
        // One packet of 16 bytes on NoC 0, of 32 on NoC 1: each keeps its own size.
        noc_async_read_one_packet_set_state(get_noc_addr(from, noc_index), 16, 0, 0);
        noc_async_read_one_packet_set_state(get_noc_addr(from, noc_index), 32, 0, 1);
        noc_async_read_one_packet_with_state(from, to, 0, 0);
        noc_async_read_one_packet_with_state(from, to + 64, 0, 1);
        noc_async_read_barrier(0);
        noc_async_read_barrier(1);
        DPRINT << words[3] << ' ' << words[4] << ' ' << words[23] << ' ' << words[24] << ENDL();
        // A read of its own takes the state with it.
        noc_async_read(get_noc_addr(from), to + 128, 8);
        noc_async_read_one_packet_with_state(from, to + 192, 0, noc_index);
        noc_async_read_barrier();
        DPRINT << words[49] << ' ' << words[50] << ENDL();
    } else if (what < 4) {
        noc_async_read_set_trid(1);
        noc_async_read(get_noc_addr(from), to, 32);  // started
        noc_async_read_set_trid(2);
        noc_async_read(get_noc_addr(from), to + 64, 32);
        noc_async_read_barrier_with_trid(2);
        if (what == 2) {
            noc_async_read_barrier_with_trid(1);
        } else if (what == 3) {
            while (!ncrisc_noc_read_with_transaction_id_flushed(noc_index, 1)) {
            }
        }
    } else if (what < 6) {
        noc.async_write_zeros(cb, 1023, {.offset_bytes = 16});  // zeros
        if (what == 5) {
            noc.write_zeros_l1_barrier();
        }
    } else {
        noc.async_write<NocOptions::TXN_ID>(cb, UnicastEndpoint{}, 32, {},
                                            {.noc_x = my_x[0], .noc_y = my_y[0], .addr = from}, {.trid = 5});  // sent
        noc.async_writes_flushed<NocOptions::TXN_ID>({.trid = what == 6 ? 4u : 5u});
    }
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    if (what == 5) {
        DPRINT << words[3] << ' ' << words[4] << ' ' << words[258] << ' ' << words[259] << ' ' << words[260] << ENDL();
    }
    cb_pop_front(0, 1);
    noc_async_write_barrier();
}
"#;

fn noc(what: u32) -> Case {
    Case { kernels: vec![("noc", NOC, READER)], arguments: vec![what], ..Case::default() }
}

#[test]
fn the_state_of_a_transfer_belongs_to_its_noc_and_any_transfer_changes_it() {
    // Word i of `from` is 512 + i; where nothing landed, word i is i.
    assert_eq!(noc(0).prints(), ["NCRISC 513 50", "NCRISC 515 4 519 24"]);
}

#[test]
fn a_barrier_on_one_transaction_id_leaves_the_others_in_flight() {
    let line = |mark: &str| NOC.lines().position(|l| l.ends_with(mark)).unwrap() as u32 + 1;
    let finding = noc(1).finding();
    assert_eq!(finding.code, Code::READ_IN_FLIGHT);
    assert_eq!(finding.labels[0].place.location.as_ref().map(|l| l.line), Some(line("// started")));
    assert!(finding.labels[1].text.contains("transaction id 2 alone, not for 1"), "{:?}", finding.labels);
    assert!(noc(2).prints().is_empty());
    assert!(noc(3).prints().is_empty());
}

#[test]
fn a_flush_of_one_transaction_id_leaves_other_writes_in_flight() {
    let finding = noc(6).finding();
    assert_eq!(finding.code, Code::WRITE_IN_FLIGHT);
    assert!(finding.labels[1].text.contains("transaction id 4 alone, not for 5"), "{:?}", finding.labels);
    assert!(noc(7).prints().is_empty());
}

#[test]
fn zeros_arrive_to_the_last_byte_once_the_barrier_is_through() {
    // 1023 bytes from word 4 on: the last of them are three bytes of word 259, which was 0x103.
    assert_eq!(noc(5).prints(), ["NCRISC 3 0 0 0 260"]);
    let finding = noc(4).finding();
    assert_eq!(finding.code, Code::READ_IN_FLIGHT);
    let line = NOC.lines().position(|l| l.ends_with("// zeros")).unwrap() as u32 + 1;
    assert_eq!(finding.labels[0].place.location.as_ref().map(|l| l.line), Some(line));
}

const MEMORY: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/core_local_mem.h"
#include "api/scratchpad.h"
#include "api/debug/dprint.h"

static_assert(get_named_compile_time_arg_val("odd::name") == 6);

void kernel_main() {
    Scratchpad<uint32_t> room(scratch::room);
    if (get_arg_val<uint32_t>(0) == 1) {
        DPRINT << room.size() << ENDL();  // size
    }
    Semaphore<> flag(sem::flag);
    flag.set(4);
    CoreLocalMem<uint32_t> memory(get_write_ptr(0));
    for (uint32_t i = 0; i < 4; ++i) {
        memory[i] = 10 + i;
    }
    auto at = memory + 2;
    *at += *(memory++);
    DPRINT << *at << ' ' << at - memory << ' ' << *--at << ENDL();
    DPRINT << experimental::get_arg(args::scale) << ' ' << room.get_base_address() << ' ' << get_common_vararg(0) << ' '
           << flag.value() << ' ' << *(volatile tt_l1_ptr uint32_t*)get_semaphore(1) << ENDL();
}
"#;

#[test]
fn names_of_a_program_stand_for_its_arguments_semaphores_and_memory() {
    let case = |what| Case {
        kernels: vec![("memory", MEMORY, READER)],
        arguments: vec![what],
        common: vec![20, 21, 22, 23, 24],
        named: vec![("crta::scale", 1), ("scratch::room", 3), ("sem::flag", 1), ("odd::name", 6)],
        ..Case::default()
    };
    // What a kernel takes by number comes after all that has a name: the scratch memory's address is common argument 3.
    assert_eq!(case(0).prints(), ["NCRISC 21 23 24 4 4", "NCRISC 22 1 11"]);
    case(1).stops("the size of a Scratchpad", "size");
}

const ACCESSORS: &str = r#"
#include "api/dataflow/dataflow_api.h"

// Sharded (1) with two cores: rank, cores, tensor and shard in pages, the cores.
static_assert(TensorAccessorArgs<0>::unmodelled() == nullptr && TensorAccessorArgs<0>::num_compile_time_args() == 8);
// The same in DRAM, of rank 1, with shards that follow each other on a bank, and with shapes given at run time.
static_assert(TensorAccessorArgs<8>::unmodelled() != nullptr);
static_assert(TensorAccessorArgs<16>::unmodelled() != nullptr && TensorAccessorArgs<16>::num_compile_time_args() == 6);
static_assert(TensorAccessorArgs<22>::unmodelled() != nullptr && TensorAccessorArgs<22>::num_compile_time_args() == 8);
static_assert(TensorAccessorArgs<30>::unmodelled() != nullptr && TensorAccessorArgs<30>::num_compile_time_args() == 4);
// Interleaved, with its page size at run time, and as it always is.
static_assert(TensorAccessorArgs<34>::unmodelled() != nullptr && TensorAccessorArgs<34>::num_common_runtime_args() == 1);
static_assert(TensorAccessorArgs<35>::unmodelled() == nullptr && TensorAccessorArgs<35>::num_common_runtime_args() == 0);

void kernel_main() {
    TensorAccessor good(TensorAccessorArgs<35>{}, 0, 2048);
    TensorAccessor bad(TensorAccessorArgs<22>{}, 0, 2048);  // bad
}
"#;

#[test]
fn an_accessor_that_no_tensor_here_can_have_is_named_before_an_address_is_made() {
    const BANKS: u32 = 1 << 31 | 2;
    const SHAPES: u32 = 16 | 32;
    let compile_time = [
        [1, 2, 2, 4, 4, 2, 2, 0].as_slice(),
        &[1 | 2, 2, 2, 4, 4, 2, 2, 0],
        &[1, 1, 2, 4, 2, 0],
        &[1, 2, BANKS, 4, 4, 2, 2, 0],
        &[1 | SHAPES, 2, 2, 0],
        &[2 | 128],
        &[2],
    ]
    .concat();
    let case = Case { kernels: vec![("accessors", ACCESSORS, READER)], compile_time, ..Case::default() };
    case.stops("shards that follow each other on a bank", "bad");
}

const BELOW: &str = r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"

void kernel_main() {
    const uint32_t zero = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 16);
    for (uint32_t what = 0; what < 3; ++what) {
        tile_regs_acquire();
        fill_tile_init();
        fill_tile(0, -0.0f);
        unary_lt_tile_init();
        if (what == 0) {
            unary_lt_tile(0, zero);
        } else if (what == 1) {
            unary_lt_tile(0, 0);
        } else {
            exp_tile_init();
            exp_tile(0, VectorMode::RC_custom);
        }
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_wait_front(16, 1);
        const uint32_t first = read_tile_value(16, 0, 0);
        const uint32_t second_face = read_tile_value(16, 0, 128);
        cb_pop_front(16, 1);
        MATH((DPRINT << what << ' ' << first << ' ' << second_face << ENDL()));
    }
}
"#;

/// The device's compiler leaves out the subtraction of a zero that it sees (measured: ttsim 1.10.0), so that -0 is below it.
/// The vector mode RC_custom works on the first face alone, as None does (LLK `llk_math_eltwise_sfpu_common.h`).
#[test]
fn negative_zero_is_below_a_zero_that_the_compiler_sees_and_a_custom_mode_is_one_face() {
    let case = Case { kernels: vec![("below", BELOW, compute())], arguments: vec![0], ..Case::default() };
    assert_eq!(case.prints(), ["MATH 0 0 0", "MATH 1 1065369472 1065369472", "MATH 2 1065369472 0"]);
}

const NEWER: &str = r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/addcdiv.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/log1p.h"
#include "api/compute/eltwise_unary/logical_not.h"
#include "api/compute/pack.h"
#include "api/debug/dprint.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    for (uint32_t what = 0; what < 4; ++what) {
        tile_regs_acquire();
        fill_tile_init();
        fill_tile(0, what == 0 ? 0.0f : what == 1 ? -0.0f : 1.0f);
        fill_tile(1, 6.0f);
        fill_tile(2, 2.0f);
        if (what < 2) {
            logical_not_tile_init();
            logical_not_tile<DataFormat::Float16_b>(0);
        } else if (what == 2) {
            log1p_tile_init<true>();
            log1p_tile<true>(0);
        } else {
            addcdiv_tile_init();
            addcdiv_tile<DataFormat::Float16_b>(0, 1, 2, 0, 0x3f000000);
        }
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_wait_front(16, 1);
        const uint32_t first = read_tile_value(16, 0, 0) & 0xffff;
        cb_pop_front(16, 1);
        MATH((DPRINT << what << ' ' << first << ENDL()));
    }
}
"#;

/// As bf16: 1 and 0, the logarithm of 2 (0x3f31), and 1 + 0.5 * 6 / 2 (0x4020).
#[test]
fn calls_of_newer_headers_reach_their_operations() {
    let case = Case { kernels: vec![("newer", NEWER, compute())], ..Case::default() };
    assert_eq!(case.prints(), ["MATH 0 16256", "MATH 1 0", "MATH 2 16177", "MATH 3 16416"]);
}

const LOWER: &str = r#"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/experimental/sdpa.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/welford.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    // What these leave programmed is what the tile calls below need.
    UNPACK((llk_unpack_A_init<BroadcastType::NONE, false, EltwiseBinaryReuseDestType::NONE, UnpackToDestEn>(0, 0, 0)));
    MATH((llk_math_eltwise_unary_datacopy_init<A2D, DST_ACCUM_MODE, BroadcastType::NONE>(0)));
    PACK((llk_pack_init<PackMode::Default, false>(16)));
    switch (get_arg_val<uint32_t>(0)) {
        case 1: PACK((llk_pack_init<PackMode::Untilize>(0))); break;  // 1
        case 2: PACK((llk_pack_init<false, true>(0))); break;  // 2
        case 3: UNPACK((llk_unpack_A_init<BroadcastType::NONE>(1, 0, 0))); break;  // 3
        case 4: UNPACK((llk_unpack_A_init<BroadcastType::NONE, true>(0, 0, 0))); break;  // 4
        case 5: copy_init(0, 1); break;  // 5
        case 6: PACK((llk_pack_dest_init<DST_ACCUM_MODE, true>(0))); break;  // 6
        case 7: sdpa_tail_finalize<1, false>(0, 1); break;  // 7
        case 8: MATH((llk_math_eltwise_unary_sfpu_rsqrt<APPROX>(0))); break;  // 8
        case 9:
            tile_regs_acquire();
            fill_tile_init();
            fill_tile(0, 1.0f);
            cumsum_tile_init();
            cumsum_tile(0, true);
            fill_tile(1, 2.0f);
            cumsum_tile(0, false);  // 9
            break;
        case 10:
            // In either half of Dst, the last of its tiles and the one after it.
            for (uint32_t half = 0; half < 2; half++) {
                tile_regs_acquire();
                welford_init();
                welford_save_state(7);  // 10
                welford_finalize_to_row<1>(7, 0, std::array<uint32_t, 1>{0x3f800000});
                tile_regs_commit();
                tile_regs_wait();
                tile_regs_release();
            }
            break;
        case 11: sfpu_reduce<PoolType::SUM, DataFormat::Float16_b, ReduceDim::REDUCE_COL>(0, 2); break;  // 11
        default: break;
    }
    if (get_arg_val<uint32_t>(0) == 0) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
"#;

const THREE_THREADS: &str = r#"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/debug/dprint.h"

void kernel_main() {
    UNPACK((llk_unpack_hw_configure<DST_ACCUM_MODE>(0)));
    const bool adds = get_arg_val<uint32_t>(0) == 1;
    UNPACK((llk_wait_tiles(0, 1)));
    UNPACK(DPRINT << *reinterpret_cast<volatile uint32_t*>(CB_RD_PTR(0)) << ENDL(););
    if (adds) {
        UNPACK((llk_unpack_AB_init<BroadcastType::NONE>(0, 0)));
        UNPACK((llk_unpack_AB<BroadcastType::NONE>(0, 0, 0, 0)));
        MATH((llk_math_eltwise_binary_init<ELWADD, NONE, MATH_FIDELITY>(0)));
    } else {
        UNPACK((llk_unpack_A_init<BroadcastType::NONE, false, EltwiseBinaryReuseDestType::NONE>()));
        UNPACK((llk_unpack_A(0, 0)));
        MATH((llk_math_eltwise_unary_datacopy_init<A2D, DST_ACCUM_MODE, BroadcastType::NONE>(0)));
    }
    UNPACK((llk_pop_tiles(0, 1)));
    MATH((llk_math_pack_sync_init<DST_ACCUM_MODE>()));
    MATH((llk_math_hw_configure<DST_ACCUM_MODE>(0, 0)));
    MATH((llk_math_wait_for_dest_available()));
    if (adds) {
        MATH((llk_math_eltwise_binary<ELWADD, NONE, DST_ACCUM_MODE, MATH_FIDELITY, EltwiseBinaryReuseDestType::NONE>(0, 0, 0, true)));
    } else {
        MATH((llk_math_eltwise_unary_datacopy<A2D, DST_ACCUM_MODE, BroadcastType::NONE>(0)));
    }
    MATH((llk_math_dest_section_done<DST_ACCUM_MODE>()));
    PACK((llk_pack_init()));
    PACK((llk_pack_hw_configure<DST_ACCUM_MODE>(16)));
    PACK((llk_pack_dest_init<DST_ACCUM_MODE, false>()));
    PACK((llk_packer_wait_for_math_done()));
    PACK((llk_wait_for_free_tiles<false, false, false>(16, 1)));
    PACK((llk_pack<DST_ACCUM_MODE, false, false>(0, 16)));
    PACK((llk_push_tiles<false, false>(16, 1)));
    PACK((llk_pack_dest_section_done<DST_ACCUM_MODE>()));
}
"#;

const FILLS_A_PAGE: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t page = get_write_ptr(0);
    for (uint32_t at = 0; at < 512; at++) {
        reinterpret_cast<volatile uint32_t*>(page)[at] = 0x40003f80 + at;
    }
    cb_push_back(0, 1);
}
"#;

const PRINTS_A_PAGE: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    cb_wait_front(16, 1);
    const volatile uint32_t* page = reinterpret_cast<const volatile uint32_t*>(CB_RD_PTR(16));
    DPRINT << page[0] << " " << page[511] << ENDL();
    cb_pop_front(16, 1);
}
"#;

/// One thread's calls at a time, as the tests of the vendor's have them: what was filled in comes out, or twice that, whose
/// exponents are one larger.
#[test]
fn three_threads_compute_by_calls_of_the_lower_level() {
    let kernels = vec![
        ("three_threads", THREE_THREADS, compute()),
        ("fills_a_page", FILLS_A_PAGE, READER),
        ("prints_a_page", PRINTS_A_PAGE, WRITER),
    ];
    let (first, last) = (0x4000_3f80_u32, 0x4000_3f80_u32 + 511);
    for (adds, more) in [(0, 0), (1, 0x0080_0080)] {
        let case = Case { kernels: kernels.clone(), arguments: vec![adds], ..Case::default() };
        assert_eq!(case.prints(), [format!("BRISC {} {}", first + more, last + more), format!("UNPACK {first}")]);
    }
}

const BLOCK_OF_MAXIMA: &str = r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reduce_custom.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 0, 16);
    cb_wait_front(0, 1);
    const bool is_mixed = get_arg_val<uint32_t>(0) == 1;
    if (is_mixed) {
        reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 0, 16);
    } else {
        reduce_block_max_row_init<1>(16);
    }
    tile_regs_acquire();
    reduce_block_max_row<1>(0, 0, 0, 0);
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    reduce_block_max_row_uninit(0);
    cb_pop_front(0, 1);
}
"#;

const ONES: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t page = get_write_ptr(0);
    for (uint32_t at = 0; at < 512; at++) {
        reinterpret_cast<volatile uint32_t*>(page)[at] = 0x3f803f80;
    }
    cb_push_back(0, 1);
}
"#;

/// Both take the largest of rows, by programs of their own.
#[test]
fn a_block_of_maxima_needs_its_own_init() {
    let case = |is_mixed| Case {
        kernels: vec![
            ("block_of_maxima", BLOCK_OF_MAXIMA, compute()),
            ("ones", ONES, READER),
            ("drain", DRAIN, WRITER),
        ],
        arguments: vec![is_mixed],
        ..Case::default()
    };
    assert!(case(0).prints().is_empty());
    let found = case(1).run().findings;
    let wrong =
        found.iter().filter(|finding| finding.code == Code::WRONG_INIT && finding.message.contains("of a block"));
    assert_eq!(wrong.count(), 1, "{found:#?}");
}

const DRAIN: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_wait_front(16, 1);
    // A page that nobody looks at is work lost.
    [[maybe_unused]] const uint32_t first = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(16));
    cb_pop_front(16, 1);
}
"#;

#[test]
fn what_would_program_something_else_or_goes_on_from_nothing_is_named() {
    let case = |what| Case {
        kernels: vec![("lower", LOWER, compute()), ("mail_reader", MAIL_READER, READER), ("drain", DRAIN, WRITER)],
        arguments: vec![what],
        ..Case::default()
    };
    assert!(case(0).prints().is_empty());
    for (what, words) in [
        (1, "llk_pack_init"),
        (2, "llk_pack_init"),
        (3, "llk_unpack_A_init"),
        (4, "acc_to_dest"),
        (5, "copy_init"),
        (6, "llk_pack_dest_init"),
        (7, "sdpa_tail_finalize"),
        (8, "llk_math_eltwise_unary_sfpu_rsqrt"),
        // The fill may have taken the register that the sum was in.
        (9, "cumsum_tile that goes on although another vector operation came since"),
        (11, "sfpu_reduce down columns of several tiles"),
    ] {
        case(what).stops(words, &what.to_string());
    }
}

#[test]
fn a_second_tile_that_the_section_does_not_have_is_a_finding_and_wraps() {
    let case = Case { kernels: vec![("lower", LOWER, compute())], arguments: vec![10], ..Case::default() };
    let outcome = case.run();
    assert_eq!(outcome.status, Status::Completed, "{:#?}", outcome.findings);
    let beyond: Vec<_> = outcome.findings.iter().filter(|f| f.code == Code::DST_INDEX).collect();
    let lines: Vec<_> = beyond.iter().filter_map(|f| Some(f.primary.location.as_ref()?.line)).collect();
    let first = LOWER.lines().position(|l| l.ends_with("// 10")).expect("mark") as u32 + 1;
    assert_eq!(lines, [first, first + 1], "{:#?}", outcome.findings);
    assert!(beyond.iter().all(|f| f.facts["dst"] == "8"), "{beyond:#?}");
}
