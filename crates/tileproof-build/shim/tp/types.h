// Names, enumerations and macros that kernels share with the host: broadcast and pool types, buffer indices.
// Numbers must be those of tt-llk's `llk_defs.h`; those that the machine uses too come from abi_table.h, as formats do.
// Start anywhere; nothing here calls the machine.
#pragma once

#include <array>
#include <type_traits>
#include <utility>
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

#define tt_l1_ptr
#define tt_reg_ptr
#define NAMESPACE tp_kernel
#define MAIN tp_main()

// The host's names for sizes of a tile (tt-metal `constants.hpp`). A kernel has them when it asks for the namespace.
namespace tt::constants {
constexpr uint32_t TILE_HEIGHT = 32;
constexpr uint32_t TILE_WIDTH = 32;
constexpr uint32_t TILE_HW = TILE_HEIGHT * TILE_WIDTH;
constexpr uint32_t FACE_HEIGHT = 16;
constexpr uint32_t FACE_WIDTH = 16;
constexpr uint32_t FACE_HW = FACE_HEIGHT * FACE_WIDTH;
}  // namespace tt::constants

// Those of compute kernels, for which `ckernel` is open (tt-llk `ckernel_defs.h`, tt-metal `chlkc_list.h`).
namespace ckernel {
constexpr uint32_t FACE_HEIGHT = 16;
constexpr uint32_t FACE_WIDTH = 16;
constexpr uint32_t TILE_HEIGHT = 32;
constexpr uint32_t TILE_WIDTH = 32;
constexpr uint32_t FACE_R_DIM = FACE_HEIGHT;
constexpr uint32_t FACE_C_DIM = FACE_WIDTH;
constexpr uint32_t TILE_R_DIM = TILE_HEIGHT;
constexpr uint32_t TILE_C_DIM = TILE_WIDTH;
constexpr uint32_t TILE_NUM_FACES = 4;
}  // namespace ckernel

// The C library's short name, which kernels use.
typedef unsigned int uint;

// States of a semaphore's word (tt-metal `common_values.hpp`).
constexpr static uint32_t INVALID = 0;
constexpr static uint32_t VALID = 1;

// tt-metal `noc_parameters.h`; what differs between the chips is generated.
#define L1_ALIGNMENT TP_L1_ALIGNMENT
#define NOC_L1_READ_ALIGNMENT_BYTES TP_L1_ALIGNMENT
#define NOC_L1_WRITE_ALIGNMENT_BYTES TP_L1_ALIGNMENT
#define NOC_DRAM_READ_ALIGNMENT_BYTES TP_DRAM_ALIGNMENT
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16

namespace ckernel {

enum BroadcastType : uint8_t {
    NONE = tp::broadcast::none,
    COL = tp::broadcast::col,
    ROW = tp::broadcast::row,
    SCALAR = tp::broadcast::scalar,
};
enum class BroadcastDim : uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum PoolType : uint8_t { SUM = tp::pool::sum, AVG = tp::pool::avg, MAX = tp::pool::max, MIN = 3 };
enum ReduceDim : uint8_t {
    REDUCE_ROW = tp::reduce_dim::row,
    REDUCE_COL = tp::reduce_dim::col,
    REDUCE_SCALAR = tp::reduce_dim::scalar,
};
enum EltwiseBinaryType : uint8_t {
    ELWADD = tp::eltwise::add,
    ELWSUB = tp::eltwise::sub,
    ELWMUL = tp::eltwise::mul,
    ELWDIV = 3,
    ELWLESS = 4,
};
enum class EltwiseBinaryReuseDestType : uint8_t { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum DataCopyType : uint8_t { A2D = 0, B2D = 1 };
enum class SrcOrder : uint8_t { Normal = 0, Regular = 0, Reverse = 1 };
// A number until the summer of 2026, and a type of its own since: kernels of either time take it for theirs.
struct VectorMode {
    enum Value : int { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xff };
    Value value = RC;
    VectorMode() = default;
    constexpr VectorMode(Value mode) : value(mode) {}
    constexpr explicit VectorMode(int mode) : value(Value(mode)) {}
    constexpr operator Value() const { return value; }
};
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };
enum class RoundingMode : uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum DstSync : uint8_t { SyncHalf = 0, SyncFull = 1 };
// Which strides a change of tile dimensions sets; all tiles of this machine have the same dimensions.
enum class p_dim_stride_target : uint8_t { IGNORE, FACE_ROW_MAJOR };
enum class PackMode : uint8_t { Default, Untilize, Tilize, TilizeFast };
enum class DataLayout : uint8_t { TILE = 0, ROW_MAJOR = 1 };
enum class DstMode : uint8_t { Half = 0, Full = 1 };
enum class Transpose : uint8_t { None = 0, Transposed = 1 };
// Where the units round by chance (tt-llk `llk_defs.h`).
enum class StochRndType { None = 0, Fpu = 1, Gasket = 2, All = 0xf };
enum class ReluType : uint8_t { NO_RELU = 0, ZERO_RELU = 1, MIN_THRESHOLD_RELU = 2, MAX_THRESHOLD_RELU = 3 };
enum class DstRoundingMode : uint8_t { None = 0, Default = 0, NearestEven = 1 };

}  // namespace ckernel

namespace tt {
enum CBIndex : uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31,
    c_32, c_33, c_34, c_35, c_36, c_37, c_38, c_39, c_40, c_41, c_42, c_43, c_44, c_45, c_46, c_47,
    c_48, c_49, c_50, c_51, c_52, c_53, c_54, c_55, c_56, c_57, c_58, c_59, c_60, c_61, c_62, c_63,
    SIZE,
};
enum CB : uint8_t {
    c_in0 = 0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7,
    dataflow0 = 8, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5, dataflow6, dataflow7,
    c_out0 = 16, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7,
    c_intermed0 = 24, c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5, c_intermed6, c_intermed7,
};
using DataFormat = ::DataFormat;
// Operands by their place, as kernels of 2024 name them (tt-metal `kernel_structs.h`).
struct HlkOperand {
    enum : uint8_t {
        in0 = 0, in1, in2, in3, in4, in5, in6, in7,
        param0 = 8, param1, param2, param3, param4, param5, param6, param7,
        out0 = 16, out1, out2, out3, out4, out5, out6, out7,
        intermed0 = 24, intermed1, intermed2, intermed3, intermed4, intermed5, intermed6, intermed7,
    };
};
// How much of Dst a window takes, which calls of 2024 name.
enum class DstMode : uint8_t { Full = 0, Half = 1, Tile = 2 };
}  // namespace tt

// Where a tensor lies, as the host says it in compile-time arguments (tt-metal `buffer_types.hpp`).
namespace tt::tt_metal {
enum class TensorMemoryLayout { INTERLEAVED = 0, HEIGHT_SHARDED = 2, WIDTH_SHARDED = 3, BLOCK_SHARDED = 4, ND_SHARDED = 5 };
enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
}  // namespace tt::tt_metal

// Products and quotients by the device's library (tt-metal `mod_div_lib.h`).
constexpr uint32_t mulsi3(uint32_t a, uint32_t b) { return a * b; }
template <uint32_t divisor>
constexpr uint32_t udivsi3_const_divisor(uint32_t n) {
    return n / divisor;
}
template <uint32_t divisor>
constexpr uint32_t umodsi3_const_divisor(uint32_t n) {
    return n % divisor;
}

// Mailboxes between a core's processors, which these numbers name (tt-llk `ckernel.h`).
namespace ckernel {
enum ThreadId { UnpackThreadId = 0, MathThreadId = 1, PackThreadId = 2, BriscThreadId = 3 };
}  // namespace ckernel
namespace tp {
constexpr uint32_t partner(uint8_t thread) {
    return thread == ckernel::BriscThreadId ? thread::brisc : thread::unpack + thread;
}
}  // namespace tp
namespace ckernel {
ALWI void mailbox_write(uint8_t to, uint32_t value) { TP_CALL(mailbox_write, tp::partner(to), value); }
ALWI uint32_t mailbox_read(uint8_t from) { return TP_CALL(mailbox_read, tp::partner(from)); }
ALWI bool mailbox_not_empty(uint8_t from) { return TP_CALL(mailbox_poll, tp::partner(from)) != 0; }
ALWI void wait(uint32_t cycles) { TP_CALL(spend, cycles); }
}  // namespace ckernel

// Registers that a kernel reads by their address do not exist here.
namespace tp {
[[noreturn]] ALWI uintptr_t no_register(Site site, const char* name) { unsupported(site, name); }
}  // namespace tp
#define RISCV_DEBUG_REG_WALL_CLOCK_L (::tp::no_register(TP_SITE(), "the wall clock register"))
#define RISCV_DEBUG_REG_WALL_CLOCK_H (::tp::no_register(TP_SITE(), "the wall clock register"))
struct c_tensix_core {
    ALWI static uint64_t read_wall_clock() { tp::unsupported(TP_SITE(), "c_tensix_core::read_wall_clock"); }
};

// The cache is off unless the host turns it on; what it would hide is told by the checks (tt-metal `risc_common.h`).
ALWI void invalidate_l1_cache() { TP_CALL(l1_invalidate); }
// Does nothing for so many cycles.
ALWI void riscv_wait(uint32_t cycles) { TP_CALL(spend, cycles); }

// A load that has arrived when it returns: every load here has.
namespace ckernel {
template <typename T>
ALWI T load_blocking(volatile T* pointer) {
    return *pointer;
}
}  // namespace ckernel

// uint32_t is `unsigned long` for the device's compiler, so kernels mix it with `ul` literals freely.
namespace std {
template <typename A, typename B, enable_if_t<is_integral_v<A> && is_integral_v<B> && !is_same_v<A, B>, int> = 0>
constexpr common_type_t<A, B> min(A a, B b) {
    return static_cast<common_type_t<A, B>>(b) < static_cast<common_type_t<A, B>>(a) ? b : a;
}
template <typename A, typename B, enable_if_t<is_integral_v<A> && is_integral_v<B> && !is_same_v<A, B>, int> = 0>
constexpr common_type_t<A, B> max(A a, B b) {
    return static_cast<common_type_t<A, B>>(a) < static_cast<common_type_t<A, B>>(b) ? b : a;
}
}  // namespace std

// The entry points; `used` makes the compiler keep one that the kernel declares inline.
[[gnu::used]] void kernel_main();
namespace NAMESPACE {
[[gnu::used]] void MAIN;
}

#define ASSERT(condition, ...)                                                          \
    do {                                                                                \
        if (!(condition)) {                                                             \
            ::tp::fail(TP_SITE(), "assertion failed: " #condition);                     \
        }                                                                               \
    } while (0)
#define LLK_ASSERT(condition, message) ASSERT(condition)
#define WAYPOINT(...) ((void)0)
#define DeviceZoneScopedN(...) ((void)0)
#define DeviceZoneScopedMainN(...) ((void)0)
#define DeviceZoneScopedMainChildN(...) ((void)0)
#define DeviceZoneScopedSumN1(...) ((void)0)
#define DeviceZoneScopedSumN2(...) ((void)0)
#define DeviceTimestampedData(...) ((void)0)
#define DeviceRecordEvent(...) ((void)0)
#define DeviceValidateProfiler(...) ((void)0)
#define PAUSE() ((void)0)
#define WATCHER_RING_BUFFER_PUSH(...) ((void)0)
#define WATCHER_CHECK_ETH_LINK_STATUS(...) ((void)0)
// Of tracy, which names zones for a profiler on the host.
#define ZoneScoped ((void)0)
#define ZoneScopedN(...) ((void)0)
#define ZoneScopedC(...) ((void)0)
#define FrameMark ((void)0)
