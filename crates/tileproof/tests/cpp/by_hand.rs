//! What kernels do below the API: command buffers of a NoC, words of a buffer's interface, units configured one by one.
//!
//! Expected numbers follow from what the kernels do: each would print others, or find something, if the call did nothing.

use crate::case::{Case, READER, compute};
use tileproof_model::program::{ComputeConfig, KernelConfig, MathFidelity};

const COMMANDS: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void send(uint32_t buffer) { NOC_CMD_BUF_WRITE_REG(noc_index, buffer, NOC_CMD_CTRL, NOC_CTRL_SEND_REQ); }

void kernel_main() {
    const uint32_t how = get_arg_val<uint32_t>(0);
    cb_reserve_back(0, 2);
    const uint32_t from = get_write_ptr(0), to = from + 2048;
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from);
    for (uint32_t i = 0; i < 8; ++i) {
        words[i] = 30 + i;
        words[512 + i] = 0;
    }
    while (!noc_cmd_buf_ready(noc_index, NCRISC_RD_CMD_BUF));
    if (how == 0) {
        const uint64_t far = get_noc_addr(from);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_RET_ADDR_LO, to);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_TARG_ADDR_LO, uint32_t(far));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_TARG_ADDR_MID, uint32_t(far >> 32));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_AT_LEN_BE, 32);
        send(NCRISC_RD_CMD_BUF);
        noc_async_read_barrier();
    } else if (how == 3 || how == 4) {
        const uint64_t far = get_noc_addr(from), mine = get_noc_addr(0), other = mine + (uint64_t(1) << NOC_ADDR_COORD_SHIFT);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_RET_ADDR_LO, to);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_RET_ADDR_COORDINATE, uint32_t((how == 3 ? mine : other) >> NOC_ADDR_COORD_SHIFT));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_TARG_ADDR_LO, uint32_t(far));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_TARG_ADDR_MID, uint32_t(far >> 32));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_AT_LEN_BE, 32);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_CMD_CTRL, NOC_CTRL_SEND_REQ);  // elsewhere
        noc_async_read_barrier();
    } else {
        const uint64_t far = get_noc_addr(to);
        if (how == 6) {
            NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_TARG_ADDR_COORDINATE, uint32_t(far >> NOC_ADDR_COORD_SHIFT) + 1);
        }
        const uint32_t inline_write = how == 1 || how == 6 ? 0 : NOC_CMD_WR_INLINE;
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_CTRL,
                              NOC_CMD_CPY | NOC_CMD_WR | NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(1) | NOC_CMD_RESP_MARKED | inline_write);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_TARG_ADDR_LO, from);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_RET_ADDR_LO, uint32_t(far));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_RET_ADDR_COORDINATE, uint32_t(far >> NOC_ADDR_COORD_SHIFT));
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_AT_LEN_BE, 32);
        NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_WR_CMD_BUF, NOC_CMD_CTRL, NOC_CTRL_SEND_REQ);  // inline
        noc_async_write_barrier();
    }
    DPRINT << words[512] << ' ' << words[519] << ENDL();
    cb_push_back(0, 2);
    cb_wait_front(0, 2);
    cb_pop_front(0, 2);
}
"#;

fn commands(how: u32) -> Case {
    Case { kernels: vec![("commands", COMMANDS, READER)], arguments: vec![how], ..Case::default() }
}

#[test]
fn a_command_buffer_sends_the_read_or_the_write_that_its_registers_describe() {
    assert_eq!(commands(0).prints(), ["NCRISC 30 37"]);
    assert_eq!(commands(1).prints(), ["NCRISC 30 37"]);
    assert_eq!(commands(3).prints(), ["NCRISC 30 37"]);
    commands(2).stops("neither a read nor a write of bytes", "inline");
    commands(4).stops("both ends of which are somewhere else", "elsewhere");
    commands(6).stops("both ends of which are somewhere else", "inline");
}

const INTERFACE: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    auto& sender = get_remote_sender_cb_interface(0);
    const LocalCBInterface& own = get_local_cb_interface(0);
    const uint32_t start = sender.fifo_start_addr - own.fifo_limit;
    const uint32_t pages = sender.fifo_page_size, at = experimental::get_remote_receiver_cb_interface(0).fifo_rd_ptr - own.fifo_rd_ptr;
    DPRINT << start << ' ' << pages << ' ' << at << ' ' << get_relative_logical_x() << ' ' << get_absolute_logical_y() << ENDL();
}
"#;

#[test]
fn a_local_buffer_read_as_one_between_cores_starts_where_it_ends() {
    let case = Case { kernels: vec![("remote_interface", INTERFACE, READER)], cores: 2, ..Case::default() };
    assert_eq!(case.prints(), ["NCRISC 0 2 0 0 0", "NCRISC 0 2 0 1 0"]);
}

const UNITS: &str = r#"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    UNPACK((llk_unpack_A_hw_configure_disaggregated<DST_ACCUM_MODE>(0)));
    UNPACK((llk_unpack_A_init<BroadcastType::NONE, false, EltwiseBinaryReuseDestType::NONE, UnpackToDestEn>(0, 0, 0)));
    MATH((llk_math_pack_sync_init<DST_ACCUM_MODE>()));
    MATH((llk_math_hw_configure_disaggregated(0, 0)));
    MATH((_llk_math_eltwise_unary_datacopy_init_<A2D, BroadcastType::NONE, DST_ACCUM_MODE>(0, 0)));
    PACK((llk_pack_hw_configure_disaggregated<false, DST_ACCUM_MODE>(16)));
    PACK((llk_pack_init(16)));
    PACK((llk_pack_reduce_config_v2<ReduceDim::REDUCE_ROW, false, false, DST_ACCUM_MODE>(16)));
    PACK((llk_pack_reduce_config_v2<ReduceDim::REDUCE_ROW, false, true, DST_ACCUM_MODE>(16)));
    PACK((llk_pack_dest_init<false, DST_ACCUM_MODE>()));
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}
"#;

const ROW_SUMS: &str = r#"
#define TP_API DAY
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 0, 16);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 0, 16);  // open
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 0, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}
"#;

const ONES: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    auto* page = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 1024; ++i) {
        // The page is its own scaler, by the ones in its first rows. The others have a digit that one phase takes of SrcB alone.
        page[i] = i % 256 < 16 ? 0x3f80 : 0x3f82;
    }
    cb_push_back(0, 1);
    cb_wait_front(16, 1);
    DPRINT << reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_read_ptr(16))[16] << ENDL();
    cb_pop_front(16, 1);
}
"#;

/// Sums of rows by the headers of a day.
fn row_sums(name: &'static str, day: &str) -> Case {
    let text: &'static str = Box::leak(ROW_SUMS.replace("DAY", day).into_boxed_str());
    let one_phase = ComputeConfig { math_fidelity: MathFidelity::LoFi, ..ComputeConfig::default() };
    Case { kernels: vec![(name, text, KernelConfig::Compute(one_phase)), ("ones", ONES, READER)], ..Case::default() }
}

#[test]
fn a_day_says_how_rows_are_summed_and_one_of_which_that_is_not_known_stops() {
    // 32 times 1, and 32 times 1 + 1/64.
    assert_eq!(row_sums("sums_pooled", "20260402").prints(), [format!("NCRISC {}", 0x4200)]);
    assert_eq!(row_sums("sums_multiplied", "20260703").prints(), [format!("NCRISC {}", 0x4202)]);
    row_sums("sums_open", "20260630").stops("a reduction on the day that `api` names", "open");
}

const PAGE: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    auto* page = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 512; ++i) {
        page[i] = 0x3f803f80 + i;
    }
    cb_push_back(0, 1);
    cb_wait_front(16, 1);
    DPRINT << reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(16))[511] << ENDL();
    cb_pop_front(16, 1);
}
"#;

#[test]
fn units_that_are_configured_one_by_one_are_started() {
    let case = Case { kernels: vec![("units", UNITS, compute()), ("units_page", PAGE, READER)], ..Case::default() };
    assert_eq!(case.prints(), [format!("NCRISC {}", 0x3f80_3f80 + 511)]);
}

#[test]
fn a_mask_of_the_packer_stays_until_it_is_told_to_go_back() {
    let masked = leaked(UNITS.replace("ReduceDim::REDUCE_ROW, false, true,", "ReduceDim::REDUCE_ROW, false, false,"));
    let case =
        Case { kernels: vec![("units_masked", masked, compute()), ("units_page", PAGE, READER)], ..Case::default() };
    let help = case.finding().help.unwrap_or_default();
    assert!(help.contains("reduce_uninit"), "{help}");
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

#[test]
fn a_configuration_of_the_packer_has_its_relu_in_it() {
    let page = leaked(PAGE.replace("0x3f803f80", "0xbf80bf80"));
    let with = |name, relu: &str| {
        let of = format!("llk_pack_hw_configure_disaggregated<false, DST_ACCUM_MODE{relu}>");
        let units = leaked(UNITS.replace("llk_pack_hw_configure_disaggregated<false, DST_ACCUM_MODE>", &of));
        Case { kernels: vec![(name, units, compute()), ("units_page_below", page, READER)], ..Case::default() }.prints()
    };
    assert_eq!(with("units_none", ""), [format!("NCRISC {}", 0xbf80_bf80u32 + 511)]);
    assert_eq!(with("units_relu", ", ReluType::ZERO_RELU"), ["NCRISC 0"]);
    // -1 and more is kept of what is at least the threshold of 0.5: none.
    assert_eq!(with("units_least", ", ReluType::MIN_THRESHOLD_RELU, 0x3f00"), ["NCRISC 0"]);
}

#[test]
fn configurations_that_would_program_something_else_stop() {
    for (name, from, to, words) in [
        (
            "units_chance",
            "llk_unpack_A_hw_configure_disaggregated<DST_ACCUM_MODE>(0)));",
            "llk_unpack_A_hw_configure_disaggregated<DST_ACCUM_MODE, StochRndType::All>(0)));  // other",
            "llk_unpack_A_hw_configure_disaggregated that rounds by chance",
        ),
        (
            "units_integers",
            "<A2D, BroadcastType::NONE, DST_ACCUM_MODE>(0, 0)));",
            "<A2D, BroadcastType::NONE, DST_ACCUM_MODE, true>(0, 0)));  // other",
            "with is_int_fpu_en",
        ),
    ] {
        let units = leaked(UNITS.replace(from, to));
        assert_ne!(units, UNITS);
        let kernels = vec![(name, units, compute()), ("units_page", PAGE, READER)];
        Case { kernels, ..Case::default() }.stops(words, "other");
    }
}

const ACCESSOR: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, 0, 2048);  // open
}
"#;

#[test]
fn an_accessor_stops_on_days_on_which_its_words_are_not_known() {
    let defines = vec![("TP_API", "20260401")];
    let kernels = vec![("open_accessor", ACCESSOR, READER)];
    let case = Case { kernels, compile_time: vec![2, 0], defines, ..Case::default() };
    case.stops("a TensorAccessor on the day that `api` names", "open");
}

const OPEN: &str = r#"
#define TP_API DAY
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/binary_shift.h"
#include "api/compute/eltwise_unary/relu.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    tile_regs_acquire();
    CALL;  // open
}
"#;

#[test]
fn calls_stop_on_days_on_which_their_form_is_not_known() {
    for (name, call, day, words) in [
        ("open_exp", "exp_tile_init<true>(); exp_tile<true, true>(0)", "20260601", "exp_tile with a second"),
        ("open_exp_slow", "exp_tile_init<true>(); exp_tile<true, false>(0)", "20260403", "exp_tile with a second"),
        ("open_exp_exact", "exp_tile_init(); exp_tile<false, true>(0)", "20260917", "exp_tile with a second"),
        (
            "open_shift",
            "binary_shift_tile_init(); binary_right_shift_tile<DataFormat::UInt32>(0, 1, 0)",
            "20260412",
            "binary_right_shift_tile of UInt32",
        ),
        ("open_scalar", "relu_max_tile_init(); relu_max_tile(0, 0x3f800000)", "20260123", "a scalar that the compiler"),
    ] {
        let text = leaked(OPEN.replace("DAY", day).replace("CALL", call));
        Case { kernels: vec![(name, text, compute())], ..Case::default() }.stops(words, "open");
    }
}
