// A program is told to the library, and runs there.
#pragma once

#include <deque>

#include "create.hpp"
#include "verdict.hpp"

namespace tileproof {

// Rows of values that stay where they are until the call that needs them is over.
struct Kept {
    std::deque<std::vector<door::Range>> ranges;
    std::deque<std::vector<door::Format>> formats;
    std::deque<std::vector<door::Named>> named;
    std::deque<std::vector<door::Define>> defines;
    std::deque<std::vector<door::OfCore>> of_cores;
    std::deque<std::vector<door::Text>> texts;
    std::deque<std::vector<std::uint8_t>> bytes;

    door::Row<door::Range> cores(const tt::tt_metal::CoreRangeSet& cores) {
        std::vector<door::Range>& kept = ranges.emplace_back();
        for (const tt::tt_metal::CoreRange& range : cores.ranges()) {
            const auto word = [](std::size_t at) { return static_cast<std::uint32_t>(at); };
            kept.push_back({word(range.start_coord.x), word(range.start_coord.y), word(range.end_coord.x), word(range.end_coord.y)});
        }
        return kept;
    }

    template <typename Config>
    void common(door::Kernel& kernel, const Config& config) {
        kernel.compile_args = config.compile_args;
        std::vector<door::Named>& names = named.emplace_back();
        for (const auto& [name, value] : config.named_compile_args) {
            names.push_back({name, value});
        }
        kernel.named_compile_args = names;
        std::vector<door::Define>& pairs = defines.emplace_back();
        for (const auto& [name, value] : config.defines) {
            pairs.push_back({name, value});
        }
        kernel.defines = pairs;
    }

    void configured(door::Kernel& kernel, const tt::tt_metal::DataMovementConfig& config) {
        kernel.processor = static_cast<std::uint8_t>(config.processor);
        kernel.noc = config.noc;
        kernel.is_dynamic = config.noc_mode == tt::tt_metal::NOC_MODE::DM_DYNAMIC_NOC;
        common(kernel, config);
    }

    void configured(door::Kernel& kernel, const tt::tt_metal::ComputeConfig& config) {
        kernel.is_compute = true;
        kernel.math_fidelity = static_cast<std::uint8_t>(config.math_fidelity);
        kernel.fp32_dest_acc_en = config.fp32_dest_acc_en;
        kernel.math_approx_mode = config.math_approx_mode;
        kernel.dst_full_sync_en = config.dst_full_sync_en;
        kernel.bfp8_pack_precise = config.bfp8_pack_precise;
        std::vector<std::uint8_t>& modes = bytes.emplace_back();
        for (std::size_t i = 0; i < config.unpack_to_dest_mode.size(); ++i) {
            if (config.unpack_to_dest_mode[i] == UnpackToDestMode::UnpackToDestFp32) {
                modes.push_back(static_cast<std::uint8_t>(i));
            }
        }
        kernel.unpack_to_dest_fp32 = modes;
        common(kernel, config);
    }
};

}  // namespace tileproof

namespace tt::tt_metal {

inline void Program::run(std::uint64_t device, const Here& here) const {
    namespace door = tileproof::door;
    tileproof::Kept kept;
    std::vector<door::Cb> cbs;
    for (const Cb& cb : all(here).cbs) {
        if (cb.descriptor.core_ranges.empty()) {
            continue;
        }
        std::vector<door::Format>& formats = kept.formats.emplace_back();
        for (const CBFormatDescriptor& format : cb.config.formats_) {
            const TileDescriptor tile = format.tile.value_or(TileDescriptor());
            formats.push_back({format.buffer_index, static_cast<std::uint8_t>(format.data_format), format.page_size, {tile.height, tile.width}});
        }
        if (cb.config.buffer_ && cb.config.buffer_->device != device) {
            tileproof::refuse(cb.here, "the buffer for a circular buffer's memory lies on another device than the program runs on, or on one that was closed");
        }
        const std::uint64_t buffer = cb.config.buffer_ ? cb.config.buffer_->id + 1 : 0;
        cbs.push_back({cb.config.total_size_, cb.config.address_offset_, buffer, kept.cores(cb.descriptor.core_ranges), formats, cb.here});
    }
    std::vector<door::Semaphore> semaphores;
    for (const Semaphore& semaphore : all(here).semaphores) {
        const SemaphoreDescriptor& of = semaphore.descriptor;
        semaphores.push_back({of.id, of.initial_value, kept.cores(of.core_ranges), semaphore.here});
    }
    std::vector<door::Kernel> kernels;
    for (const Kernel& kernel : all(here).kernels) {
        if (kernel.cores.empty()) {
            continue;
        }
        std::vector<door::OfCore>& of_cores = kept.of_cores.emplace_back();
        for (std::uint32_t x = 0; x < kernel.runtime_args.size(); ++x) {
            for (std::uint32_t y = 0; y < kernel.runtime_args[x].size(); ++y) {
                if (const std::vector<std::uint32_t>& words = kernel.runtime_args[x][y].words; !words.empty()) {
                    of_cores.push_back({x, y, words});
                }
            }
        }
        std::vector<door::Text>& dirs = kept.texts.emplace_back(kernel.include_dirs.begin(), kernel.include_dirs.end());
        door::Kernel told{
            .source = kernel.source,
            .include_dirs = dirs,
            .cores = kept.cores(kernel.cores),
            .runtime_args = of_cores,
            .common_runtime_args = kernel.common_runtime_args.words,
            .place = kernel.here};
        std::visit([&](const auto& config) { kept.configured(told, config); }, kernel.config);
        kernels.push_back(told);
    }
    const door::Where where(here);
    const door::Program program{cbs, semaphores, kernels};
    tileproof::judge(door::tileproof_run(device, &program, &where));
}

inline Program CreateProgram() { return Program(); }

using KernelConfig = std::variant<DataMovementConfig, ComputeConfig, EthernetConfig>;

namespace detail {
inline KernelHandle create_kernel(
    Program& program, const std::string& source, bool is_text, const tileproof::Cores& cores, const KernelConfig& config, const Here& here) {
    if (const auto* movement = std::get_if<DataMovementConfig>(&config)) {
        if (movement->processor > DataMovementProcessor::RISCV_1) {
            tileproof::refuse(here, "processor RISCV_{}: a core has RISCV_0 and RISCV_1", static_cast<int>(movement->processor));
        }
        return program.add_kernel(source, is_text, tileproof::as_set(cores), *movement, here);
    }
    if (const auto* compute = std::get_if<ComputeConfig>(&config)) {
        return program.add_kernel(source, is_text, tileproof::as_set(cores), *compute, here);
    }
    tileproof::refuse(here, "EthernetConfig: ethernet cores are not modelled");
}
}  // namespace detail

inline KernelHandle CreateKernel(
    Program& program, const std::string& file_name, const tileproof::Cores& core_spec, const KernelConfig& config, const Here& here = Here::current()) {
    return detail::create_kernel(program, file_name, false, core_spec, config, here);
}
inline KernelHandle CreateKernelFromString(
    Program& program, const std::string& kernel_src_code, const tileproof::Cores& core_spec, const KernelConfig& config, const Here& here = Here::current()) {
    return detail::create_kernel(program, kernel_src_code, true, core_spec, config, here);
}

inline CBHandle CreateCircularBuffer(
    Program& program, const tileproof::Cores& core_spec, const CircularBufferConfig& config, const Here& here = Here::current()) {
    return program.add_cb(tileproof::as_set(core_spec), config, here);
}
inline const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle cb_handle, const Here& here = Here::current()) {
    return program.cb(cb_handle, here);
}
inline void UpdateCircularBufferTotalSize(Program& program, CBHandle cb_handle, std::uint32_t total_size, const Here& here = Here::current()) {
    program.cb(cb_handle, here).set_total_size(total_size);
}
inline void UpdateCircularBufferPageSize(Program& program, CBHandle cb_handle, std::uint8_t buffer_index, std::uint32_t page_size, const Here& here = Here::current()) {
    program.cb(cb_handle, here).set_page_size(buffer_index, page_size, here);
}
inline void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle, const Buffer& buffer, const Here& here = Here::current()) {
    program.cb(cb_handle, here).set_globally_allocated_address(buffer, here);
}
inline void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle cb_handle, const Buffer& buffer, std::uint32_t total_size, const Here& here = Here::current()) {
    program.cb(cb_handle, here).set_globally_allocated_address_and_total_size(buffer, total_size, here);
}

inline std::uint32_t CreateSemaphore(
    Program& program, const std::variant<CoreRange, CoreRangeSet>& core_spec, std::uint32_t initial_value, CoreType core_type = CoreType::WORKER, const Here& here = Here::current()) {
    return program.add_semaphore(tileproof::as_set(core_spec), initial_value, core_type, here);
}

inline void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const tileproof::Cores& core_spec, ttsl::Span<const std::uint32_t> runtime_args, const Here& here = Here::current()) {
    program.set_args(kernel, tileproof::as_set(core_spec), runtime_args, here);
}
inline void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const tileproof::Cores& core_spec, std::initializer_list<std::uint32_t> runtime_args, const Here& here = Here::current()) {
    program.set_args(kernel, tileproof::as_set(core_spec), ttsl::Span<const std::uint32_t>(runtime_args.begin(), runtime_args.size()), here);
}
inline void SetRuntimeArgs(
    const Program& program, KernelHandle kernel, const std::vector<CoreCoord>& core_spec, const std::vector<std::vector<std::uint32_t>>& runtime_args, const Here& here = Here::current()) {
    if (core_spec.size() != runtime_args.size()) {
        tileproof::refuse(here, "SetRuntimeArgs: {} cores and {} lists of args", core_spec.size(), runtime_args.size());
    }
    for (std::size_t i = 0; i < core_spec.size(); ++i) {
        program.set_args(kernel, core_spec[i], runtime_args[i], here);
    }
}
inline void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, ttsl::Span<const std::uint32_t> runtime_args, const Here& here = Here::current()) {
    program.set_common_args(kernel, runtime_args, here);
}
inline void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, std::initializer_list<std::uint32_t> runtime_args, const Here& here = Here::current()) {
    program.set_common_args(kernel, ttsl::Span<const std::uint32_t>(runtime_args.begin(), runtime_args.size()), here);
}
inline RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreCoord& core, const Here& here = Here::current()) {
    return program.args(kernel, core, here);
}
inline std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program, KernelHandle kernel, const Here& here = Here::current()) {
    return program.args(kernel, here);
}
inline RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel, const Here& here = Here::current()) {
    return program.common_args(kernel, here);
}

inline void AssignGlobalBufferToProgram(const std::shared_ptr<Buffer>&, Program&) {}

}  // namespace tt::tt_metal
