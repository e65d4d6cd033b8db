// How precise the compute kernels of an operation are.
#pragma once

#include <optional>
#include <tuple>
#include <variant>

#include "../types.hpp"

namespace ttnn {

enum class ThrottleLevel { NO_THROTTLE, LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4, LEVEL_5 };

struct ComputeKernelConfig {
    MathFidelity math_fidelity = MathFidelity::LoFi;
    bool math_approx_mode = true;
    bool fp32_dest_acc_en = false;
    bool packer_l1_acc = false;
    bool dst_full_sync_en = false;
    ThrottleLevel throttle_level = ThrottleLevel::NO_THROTTLE;
    bool operator==(const ComputeKernelConfig&) const = default;
};
using WormholeComputeKernelConfig = ComputeKernelConfig;
using BlackholeComputeKernelConfig = ComputeKernelConfig;
using DeviceComputeKernelConfig = ComputeKernelConfig;

inline DeviceComputeKernelConfig init_device_compute_kernel_config(
    tt::ARCH,
    const std::optional<DeviceComputeKernelConfig>& config,
    MathFidelity default_fidelity = MathFidelity::LoFi,
    bool default_approx_mode = true,
    bool default_fp32_acc = false,
    bool default_l1_acc = false,
    bool default_dst_full_sync_en = false,
    ThrottleLevel default_throttle_level = ThrottleLevel::NO_THROTTLE) {
    return config.value_or(DeviceComputeKernelConfig{
        default_fidelity, default_approx_mode, default_fp32_acc, default_l1_acc, default_dst_full_sync_en, default_throttle_level});
}
inline std::tuple<MathFidelity, bool, bool, bool, bool> get_compute_kernel_config_args(tt::ARCH, const DeviceComputeKernelConfig& config) {
    return {config.math_fidelity, config.math_approx_mode, config.fp32_dest_acc_en, config.packer_l1_acc, config.dst_full_sync_en};
}
inline MathFidelity get_math_fidelity(const std::optional<DeviceComputeKernelConfig>& config) {
    return config ? config->math_fidelity : MathFidelity::LoFi;
}
inline bool get_fp32_dest_acc_en(const std::optional<DeviceComputeKernelConfig>& config) { return config && config->fp32_dest_acc_en; }
inline bool get_dst_full_sync_en(const std::optional<DeviceComputeKernelConfig>& config) { return config && config->dst_full_sync_en; }
inline std::uint32_t get_dest_reg_count(const DeviceComputeKernelConfig& config, std::optional<std::array<std::uint32_t, 2>> = std::nullopt) {
    return (config.fp32_dest_acc_en ? 4 : 8) * (config.dst_full_sync_en ? 2 : 1);
}

}  // namespace ttnn
