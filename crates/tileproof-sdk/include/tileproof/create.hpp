// The program itself, and the functions that put kernels, circular buffers and semaphores into it.
#pragma once

#include <cstdlib>
#include <deque>
#include <filesystem>

#include "program.hpp"

namespace tt::tt_metal {

class Program {
    struct Kernel {
        std::string source;
        std::vector<std::string> include_dirs;
        CoreRangeSet cores;
        std::variant<DataMovementConfig, ComputeConfig> config;
        // By column and row; without words where a core has none.
        std::vector<std::vector<RuntimeArgsData>> runtime_args;
        RuntimeArgsData common_runtime_args{};
        Here here;
    };
    struct Cb {
        CBDescriptor descriptor;
        CircularBufferConfig config;
        Here here;
    };
    struct Semaphore {
        SemaphoreDescriptor descriptor;
        Here here;
    };
    struct All {
        // Arguments are given out by reference: a kernel stays where it is when another comes.
        std::deque<Kernel> kernels;
        std::list<Cb> cbs;
        std::vector<Semaphore> semaphores;
        ProgramId runtime_id = 0;
    };

public:
    Program() : all_(std::make_shared<All>()) {}
    explicit Program(const ProgramDescriptor& descriptor, const Here& here = Here::current()) : Program() {
        for (const CBDescriptor& cb : descriptor.cbs) {
            add_cb(cb.core_ranges, CircularBufferConfig(cb, here), here);
        }
        for (const SemaphoreDescriptor& semaphore : descriptor.semaphores) {
            check_core_type(semaphore.core_type, here);
            all_->semaphores.push_back({semaphore, here});
        }
        for (const KernelDescriptor& kernel : descriptor.kernels) {
            add_described(kernel, here);
        }
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    Program(Program&&) noexcept = default;
    Program& operator=(Program&&) noexcept = default;

    void set_runtime_id(ProgramId id) { all(Here::current()).runtime_id = id; }
    ProgramId get_runtime_id() const { return all(Here::current()).runtime_id; }
    std::size_t num_kernels() const { return all(Here::current()).kernels.size(); }
    std::size_t num_semaphores() const { return all(Here::current()).semaphores.size(); }

    KernelHandle add_kernel(
        const std::string& file, bool is_text, const CoreRangeSet& cores, const std::variant<DataMovementConfig, ComputeConfig>& config, const Here& here);
    CBHandle add_cb(const CoreRangeSet& cores, const CircularBufferConfig& config, const Here& here);
    std::uint32_t add_semaphore(const CoreRangeSet& cores, std::uint32_t initial_value, CoreType core_type, const Here& here);
    void set_args(KernelHandle kernel, const CoreRangeSet& cores, ttsl::Span<const std::uint32_t> args, const Here& here) const;
    RuntimeArgsData& args(KernelHandle kernel, const CoreCoord& core, const Here& here) const;
    std::vector<std::vector<RuntimeArgsData>>& args(KernelHandle handle, const Here& here) const { return kernel(handle, here).runtime_args; }
    void set_common_args(KernelHandle kernel, ttsl::Span<const std::uint32_t> args, const Here& here) const;
    RuntimeArgsData& common_args(KernelHandle handle, const Here& here) const { return kernel(handle, here).common_runtime_args; }
    CircularBufferConfig& cb(CBHandle handle, const Here& here);

    // The program as it is now, whatever becomes of this one.
    Program as_it_is(const Here& here) const {
        Program copy;
        *copy.all_ = all(here);
        return copy;
    }

    // The first thing that it has otherwise than another one, which was made by the same host code.
    struct Difference {
        std::string what, own, others;
        bool is_argument;
        CoreCoord core;
        Here here;
    };
    std::optional<Difference> difference(const Program& other) const;

    // Where its first kernel was put into it, if it has any.
    Here made_at(const Here& otherwise) const { return all(otherwise).kernels.empty() ? otherwise : all(otherwise).kernels.front().here; }

    // Runs it on a device, and says what is wrong with it.
    void run(std::uint64_t device, const Here& here) const;

private:
    std::shared_ptr<All> all_;

    All& all(const Here& here) const {
        if (!all_) {
            tileproof::refuse(here, "the program was moved from: it is empty");
        }
        return *all_;
    }
    Kernel& kernel(KernelHandle handle, const Here& here) const {
        All& of = all(here);
        if (handle >= of.kernels.size()) {
            tileproof::refuse(here, "kernel {}: the program has {} kernels", handle, of.kernels.size());
        }
        return of.kernels[handle];
    }
    void add_described(const KernelDescriptor& kernel, const Here& here);
    static void check_core_type(CoreType core_type, const Here& here) {
        if (core_type != CoreType::WORKER) {
            tileproof::refuse(here, "semaphore: core_type {} is not modelled: expected WORKER, {}", static_cast<int>(core_type), static_cast<int>(CoreType::WORKER));
        }
    }
};

inline KernelHandle Program::add_kernel(
    const std::string& file, bool is_text, const CoreRangeSet& cores, const std::variant<DataMovementConfig, ComputeConfig>& config, const Here& here) {
    namespace door = tileproof::door;
    const door::Where where(here);
    const door::Text given(file);
    door::done(is_text ? door::tileproof_keep_kernel(&given, &where) : door::tileproof_find_kernel(&given, &where));
    const std::string found = door::tileproof_text();
    const std::size_t end = std::min(found.find('\n'), found.size());
    // The second of two groups of cores may be empty: such a kernel runs nowhere, and its program is right.
    const CoreCoord last = cores.empty() ? CoreCoord() : cores.bounding_box().end_coord;
    std::vector<std::vector<RuntimeArgsData>> none(last.x + 1, std::vector<RuntimeArgsData>(last.y + 1));
    Kernel kernel{found.substr(0, end), {}, cores, config, std::move(none), {}, here};
    std::visit([&](const auto& config) { kernel.include_dirs = config.compiler_include_paths; }, config);
    // The folders of a checkout that tt-metal's own build names (build.cpp), but for those of the kernel API.
    const auto include_from = [&](const std::string& root) {
        for (const char* below : {"", "/ttnn", "/ttnn/cpp"}) {
            if (std::filesystem::is_directory(root + below)) {
                kernel.include_dirs.push_back(root + below);
            }
        }
    };
    if (end < found.size()) {
        include_from(found.substr(end + 1));
    }
    if (const char* home = std::getenv("TT_METAL_HOME"); home && *home) {
        include_from(home);
    }
    all(here).kernels.push_back(std::move(kernel));
    return all(here).kernels.size() - 1;
}

inline void Program::add_described(const KernelDescriptor& described, const Here& here) {
    const auto filled = [&](auto config) {
        config.compile_args = described.compile_time_args;
        config.defines = {described.defines.begin(), described.defines.end()};
        config.named_compile_args = {described.named_compile_time_args.begin(), described.named_compile_time_args.end()};
        config.compiler_include_paths = described.compiler_include_paths;
        return config;
    };
    std::variant<DataMovementConfig, ComputeConfig> config;
    if (const auto* compute = std::get_if<ComputeConfigDescriptor>(&described.config)) {
        config = filled(ComputeConfig{
            compute->math_fidelity, compute->fp32_dest_acc_en, compute->dst_full_sync_en, compute->unpack_to_dest_mode, compute->bfp8_pack_precise, compute->math_approx_mode});
    } else if (const auto* own = std::get_if<DataMovementConfigDescriptor>(&described.config)) {
        config = filled(DataMovementConfig{own->processor, own->noc, own->noc_mode});
    } else {
        const bool reads = std::holds_alternative<ReaderConfigDescriptor>(described.config);
        config = filled(reads ? DataMovementConfig(ReaderDataMovementConfig()) : DataMovementConfig(WriterDataMovementConfig()));
    }
    const bool is_text = described.source_type == KernelDescriptor::SourceType::SOURCE_CODE;
    const KernelHandle handle = add_kernel(described.kernel_source, is_text, described.core_ranges, config, here);
    for (const auto& [core, words] : described.runtime_args) {
        set_args(handle, core, words, here);
    }
    set_common_args(handle, described.common_runtime_args, here);
}

inline CBHandle Program::add_cb(const CoreRangeSet& cores, const CircularBufferConfig& config, const Here& here) {
    for (const CBFormatDescriptor& format : config.formats_) {
        if (format.tile && format.tile->transpose) {
            tileproof::refuse(here, "cb {}: transpose of its tile is not modelled: expected false", format.buffer_index);
        }
        for (const Cb& other : all(here).cbs) {
            const auto same = [&](const CBFormatDescriptor& known) { return known.buffer_index == format.buffer_index; };
            const auto& formats = other.config.formats_;
            if (std::any_of(formats.begin(), formats.end(), same) && other.descriptor.core_ranges.intersects(cores)) {
                tileproof::refuse(here, "cb {} is on {} already, since line {}", format.buffer_index, other.descriptor.core_ranges, other.here.line());
            }
        }
    }
    all(here).cbs.push_back({CBDescriptor{.core_ranges = cores}, config, here});
    return reinterpret_cast<CBHandle>(&all(here).cbs.back());
}

inline CircularBufferConfig& Program::cb(CBHandle handle, const Here& here) {
    for (Cb& cb : all(here).cbs) {
        if (reinterpret_cast<CBHandle>(&cb) == handle) {
            return cb.config;
        }
    }
    tileproof::refuse(here, "the program has no circular buffer with the handle {}", handle);
}

inline std::uint32_t Program::add_semaphore(const CoreRangeSet& cores, std::uint32_t initial_value, CoreType core_type, const Here& here) {
    check_core_type(core_type, here);
    std::uint32_t id = 0;
    const auto takes = [&](const Semaphore& other) {
        return other.descriptor.id == id && other.descriptor.core_ranges.intersects(cores);
    };
    const std::vector<Semaphore>& known = all(here).semaphores;
    for (; id < 16 && std::any_of(known.begin(), known.end(), takes); ++id) {
    }
    if (id == 16) {
        tileproof::refuse(here, "CreateSemaphore: a core has 16 semaphores, and {} has all of them", cores);
    }
    all(here).semaphores.push_back({{.id = id, .core_ranges = cores, .initial_value = initial_value}, here});
    return id;
}

inline void Program::set_args(KernelHandle handle, const CoreRangeSet& cores, ttsl::Span<const std::uint32_t> args, const Here& here) const {
    Kernel& of = kernel(handle, here);
    if (args.size() + of.common_runtime_args.size() > max_runtime_args) {
        tileproof::refuse(here, "SetRuntimeArgs: {} runtime args, and a kernel may have {}", args.size(), max_runtime_args);
    }
    for (const CoreCoord& core : cores.all()) {
        if (!of.cores.contains(core)) {
            tileproof::refuse(here, "SetRuntimeArgs: core {} has no kernel {}, which is on {}", core, of.source, of.cores);
        }
        std::vector<std::uint32_t>& words = of.runtime_args[core.x][core.y].words;
        if (!words.empty() && words.size() != args.size()) {
            tileproof::refuse(here, "SetRuntimeArgs: {} args for core {} of kernel {}, which had {}: their number cannot change", args.size(), core, of.source, words.size());
        }
        words.assign(args.begin(), args.end());
    }
}

inline RuntimeArgsData& Program::args(KernelHandle handle, const CoreCoord& core, const Here& here) const {
    Kernel& of = kernel(handle, here);
    if (!of.cores.contains(core)) {
        tileproof::refuse(here, "GetRuntimeArgs: core {} has no kernel {}, which is on {}", core, of.source, of.cores);
    }
    return of.runtime_args[core.x][core.y];
}

inline void Program::set_common_args(KernelHandle handle, ttsl::Span<const std::uint32_t> args, const Here& here) const {
    if (args.size() > max_runtime_args) {
        tileproof::refuse(here, "SetCommonRuntimeArgs: {} args, and a kernel may have {}", args.size(), max_runtime_args);
    }
    kernel(handle, here).common_runtime_args.words.assign(args.begin(), args.end());
}

}  // namespace tt::tt_metal
