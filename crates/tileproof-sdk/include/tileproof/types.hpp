// Names with numbers: data formats, buffers, processors, NoCs. The numbers are tt-metal's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "stl.hpp"

enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4, Invalid = 0xff };

enum class UnpackToDestMode : std::uint8_t { UnpackToDestFp32, Default };

enum class CoreType { WORKER, ETH, DRAM, TENSIX = WORKER, ACTIVE_ETH = ETH, IDLE_ETH, PCIE, ARC, ROUTER_ONLY, HARVESTED };

#define NUM_CIRCULAR_BUFFERS 32

namespace tt {

using ChipId = int;
using chip_id_t = int;

enum class ARCH { Invalid = 0, GRAYSKULL = 1, WORMHOLE_B0 = 2, BLACKHOLE = 3, QUASAR = 4 };

namespace umd {
using tt::ARCH;
}

enum class TargetDevice : std::uint8_t { Silicon = 0, Simulator = 1, Invalid = 0xff };

// clang-format off
enum CBIndex : std::uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31, SIZE,
};

// What they were called until 2024.
enum CB : std::uint8_t {
    c_in0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7, dataflow0, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5,
    dataflow6, dataflow7, c_out0, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7, c_intermed0, c_intermed1, c_intermed2,
    c_intermed3, c_intermed4, c_intermed5, c_intermed6, c_intermed7,
};
// clang-format on

enum class DataFormat : std::uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    Fp8_e4m3 = 26,
    UInt8 = 30,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
    Invalid = 0xff,
};

constexpr std::uint32_t datum_size(const DataFormat& format) {
    switch (format) {
        case DataFormat::Int8:
        case DataFormat::Lf8:
        case DataFormat::UInt8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::RawUInt8: return 1;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::RawUInt16: return 2;
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: return 4;
        default: throw std::invalid_argument("datum_size: a datum of this format has no bytes of its own");
    }
}

constexpr std::uint32_t tile_size(const DataFormat& format) {
    switch (format) {
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return 256 + 64;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return 512 + 64;
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return 1024 + 64;
        default: return 1024 * datum_size(format);
    }
}

inline bool is_integer_format(DataFormat format) {
    switch (format) {
        case DataFormat::Int8:
        case DataFormat::UInt8:
        case DataFormat::UInt16:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt8:
        case DataFormat::RawUInt16:
        case DataFormat::RawUInt32: return true;
        default: return false;
    }
}

namespace constants {
using std::uint32_t;
constexpr uint32_t TILE_HEIGHT = 32;
constexpr uint32_t TILE_WIDTH = 32;
constexpr uint32_t TILE_HW = TILE_WIDTH * TILE_HEIGHT;
constexpr uint32_t FACE_HEIGHT = 16;
constexpr uint32_t FACE_WIDTH = 16;
constexpr uint32_t FACE_HW = FACE_WIDTH * FACE_HEIGHT;
constexpr uint32_t BFLOAT8_B_TILE_HW = TILE_HW + 64;
constexpr uint32_t BFLOAT4_B_TILE_HW = TILE_HW / 2 + 64;
}  // namespace constants

template <typename A, typename B>
constexpr std::common_type_t<A, B> div_up(A a, B b) {
    return static_cast<std::common_type_t<A, B>>((a + b - 1) / b);
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> round_up(A a, B b) {
    return b * div_up(a, b);
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> round_down(A a, B b) {
    return a / b * b;
}
// Up to a multiple of an alignment that is a power of two.
template <typename A, typename B>
constexpr std::common_type_t<A, B> align(A address, B alignment) {
    using T = std::common_type_t<A, B>;
    return ((static_cast<T>(address) - 1) | (static_cast<T>(alignment) - 1)) + 1;
}

namespace tt_metal {

using tt::ChipId;
using chip_id_t = int;
using DeviceAddr = std::uint64_t;
using MathFidelity = ::MathFidelity;
using UnpackToDestMode = ::UnpackToDestMode;
using CoreType = ::CoreType;

enum class DataMovementProcessor { RISCV_0, RISCV_1, RISCV_2, RISCV_3, RISCV_4, RISCV_5, RISCV_6, RISCV_7 };

enum NOC : std::uint8_t { RISCV_0_default = 0, RISCV_1_default = 1, NOC_0 = 0, NOC_1 = 1 };

// What tt-metal says of both chips alike (kernel_types.hpp; wh_hal.cpp and bh_hal.cpp).
namespace detail {
constexpr NOC preferred_noc_for_dram_read(ARCH) { return NOC::NOC_0; }
constexpr NOC preferred_noc_for_dram_write(ARCH) { return NOC::NOC_1; }
}  // namespace detail
namespace hal {
constexpr float get_eps() { return 1.19209e-7f; }
constexpr float get_nan() { return 7.0040e+19f; }
constexpr float get_inf() { return 1.7014e+38f; }
}  // namespace hal

enum NOC_MODE : std::uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1 };

enum class KernelBuildOptLevel : std::uint8_t { O1, O2, O3, O0, Os, Ofast, Oz };

enum class TensorMemoryLayout { INTERLEAVED = 0, SINGLE_BANK = 1, HEIGHT_SHARDED = 2, WIDTH_SHARDED = 3, BLOCK_SHARDED = 4, ND_SHARDED = 5 };

enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR };

enum class ShardDistributionStrategy { ROUND_ROBIN_1D = 0, GRID_2D = 1 };

enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };

enum class HalProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, COUNT = 3 };
enum class HalMemType : std::uint8_t { L1 = 0, DRAM = 1, HOST = 2, COUNT = 3 };

enum class DispatchCoreType : std::uint32_t { WORKER, ETH, COUNT };
enum class DispatchCoreAxis { ROW, COL, COUNT };

// Which cores dispatch on a card; here nothing is dispatched.
class DispatchCoreConfig {
public:
    DispatchCoreConfig() = default;
    DispatchCoreConfig(DispatchCoreType type, DispatchCoreAxis axis = DispatchCoreAxis::ROW) : type_(type), axis_(axis) {}
    DispatchCoreType get_dispatch_core_type() const { return type_; }
    void set_dispatch_core_type(DispatchCoreType type) { type_ = type; }
    DispatchCoreAxis get_dispatch_core_axis() const { return axis_; }
    void set_dispatch_core_axis(DispatchCoreAxis axis) { axis_ = axis; }
    bool operator==(const DispatchCoreConfig&) const = default;

private:
    DispatchCoreType type_ = DispatchCoreType::WORKER;
    DispatchCoreAxis axis_ = DispatchCoreAxis::ROW;
};

// Words of runtime arguments that a kernel may have.
constexpr std::uint32_t max_runtime_args = 341;

inline bool is_sharded(const TensorMemoryLayout& layout) {
    return layout != TensorMemoryLayout::INTERLEAVED && layout != TensorMemoryLayout::SINGLE_BANK;
}

namespace detail {
inline std::uint32_t TileSize(const DataFormat& format) { return tile_size(format); }
}  // namespace detail

using KernelHandle = std::uint32_t;
using CBHandle = std::uintptr_t;
using ProgramId = std::uint64_t;
using SubDeviceId = ttsl::StrongType<std::uint8_t, struct SubDeviceIdTag>;
using SubDeviceManagerId = ttsl::StrongType<std::uint64_t, struct SubDeviceManagerIdTag>;

}  // namespace tt_metal

inline std::ostream& operator<<(std::ostream& out, const DataFormat& format) { return out << fmt::format("{}", format); }

}  // namespace tt

// hostdevcommon/common_values.hpp
constexpr std::uint32_t INVALID = 0;
constexpr std::uint32_t VALID = 1;
constexpr std::size_t DEFAULT_L1_SMALL_SIZE = 0;
constexpr std::size_t DEFAULT_TRACE_REGION_SIZE = 0;
constexpr std::size_t DEFAULT_WORKER_L1_SIZE = 0;
