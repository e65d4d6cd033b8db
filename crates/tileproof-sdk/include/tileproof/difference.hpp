// What a program has otherwise than another one: where a host keeps programs and runs them again, something of an earlier call.
#pragma once

#include <filesystem>

#include "create.hpp"

namespace tt::tt_metal {

inline std::optional<Program::Difference> Program::difference(const Program& other) const {
    const All &own = all(Here::current()), &others = other.all(Here::current());
    if (own.kernels.size() != others.kernels.size() || own.cbs.size() != others.cbs.size()) {
        const auto counts = [](const All& of) { return fmt::format("{} and {}", of.kernels.size(), of.cbs.size()); };
        const Here here = own.kernels.empty() ? Here::current() : own.kernels.front().here;
        return Difference{"the number of its kernels and circular buffers", counts(own), counts(others), false, {}, here};
    }
    for (std::size_t i = 0; i < own.kernels.size(); ++i) {
        const Kernel &kernel = own.kernels[i], &made = others.kernels[i];
        const std::string name = std::filesystem::path(kernel.source).filename();
        const CoreCoord first = kernel.cores.empty() ? CoreCoord() : kernel.cores.ranges()[0].start_coord;
        const auto told = [&](const std::string& what, const std::string& is, const std::string& would_be, bool is_argument, const CoreCoord& core) {
            return Difference{fmt::format("{} of {}", what, name), is, would_be, is_argument, core, kernel.here};
        };
        if (kernel.source != made.source) {
            return told("the source", kernel.source, made.source, false, first);
        }
        if (!(kernel.cores == made.cores)) {
            return told("the set of cores", fmt::format("{}", kernel.cores), fmt::format("{}", made.cores), false, first);
        }
        const auto fixed = [](const Kernel& of) {
            return std::visit([](const auto& config) { return std::tie(config.compile_args, config.defines); }, of.config);
        };
        const auto &[words, defines] = fixed(kernel);
        const auto &[made_words, made_defines] = fixed(made);
        for (std::size_t word = 0; word < std::max(words.size(), made_words.size()); ++word) {
            const auto at = [&](const std::vector<std::uint32_t>& of) { return word < of.size() ? fmt::format("{}", of[word]) : "absent"; };
            if (at(words) != at(made_words)) {
                return told(fmt::format("compile-time argument {}", word), at(words), at(made_words), false, first);
            }
        }
        if (defines != made_defines) {
            const auto listed = [](const std::map<std::string, std::string>& of) {
                std::string text;
                for (const auto& [define, value] : of) {
                    text += fmt::format("{}{}={}", text.empty() ? "" : " ", define, value);
                }
                return text.empty() ? std::string("none") : text;
            };
            return told("the defines", listed(defines), listed(made_defines), false, first);
        }
        for (const CoreCoord& core : kernel.cores.all()) {
            const auto &row = kernel.runtime_args[core.x][core.y].words, &made_row = made.runtime_args[core.x][core.y].words;
            for (std::size_t word = 0; word < std::max(row.size(), made_row.size()); ++word) {
                const auto at = [&](const std::vector<std::uint32_t>& of) { return word < of.size() ? fmt::format("{:#x}", of[word]) : "absent"; };
                if (at(row) != at(made_row)) {
                    return told(fmt::format("runtime argument {}", word), at(row), at(made_row), true, core);
                }
            }
        }
        const auto &common = kernel.common_runtime_args.words, &made_common = made.common_runtime_args.words;
        for (std::size_t word = 0; word < std::min(common.size(), made_common.size()); ++word) {
            if (common[word] != made_common[word]) {
                return told(fmt::format("common runtime argument {}", word), fmt::format("{:#x}", common[word]), fmt::format("{:#x}", made_common[word]), true, first);
            }
        }
    }
    auto made = others.cbs.begin();
    for (const Cb& cb : own.cbs) {
        const Cb& other_cb = *made++;
        const auto formats = [](const Cb& of) {
            std::string text = fmt::format("{} B", of.config.total_size());
            for (const CBFormatDescriptor& format : of.config.formats_) {
                text += fmt::format(", c_{} {} in pages of {} B", format.buffer_index, format.data_format, format.page_size);
            }
            return text;
        };
        if (formats(cb) != formats(other_cb)) {
            const CoreCoord core = cb.descriptor.core_ranges.empty() ? CoreCoord() : cb.descriptor.core_ranges.ranges()[0].start_coord;
            return Difference{"a circular buffer", formats(cb), formats(other_cb), false, core, cb.here};
        }
    }
    return std::nullopt;
}

}  // namespace tt::tt_metal
