// Work divided over cores, and cores in an order.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "cores.hpp"

namespace tt::tt_metal {

inline std::vector<CoreCoord> grid_to_cores(
    std::uint32_t num_cores, std::uint32_t grid_size_x, std::uint32_t grid_size_y, bool row_wise = false) {
    TT_FATAL(num_cores <= grid_size_x * grid_size_y, "{} cores of a grid of {} x {}", num_cores, grid_size_x, grid_size_y);
    std::vector<CoreCoord> cores;
    for (std::uint32_t i = 0; i < num_cores; ++i) {
        cores.push_back(row_wise ? CoreCoord(i % grid_size_x, i / grid_size_x) : CoreCoord(i / grid_size_y, i % grid_size_y));
    }
    return cores;
}

inline std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise = false) {
    return CoreRangeSet(CoreRange(start, end)).all(row_wise);
}

inline std::vector<CoreCoord> corerange_to_cores(
    const CoreRangeSet& crs, std::optional<std::uint32_t> max_cores = std::nullopt, bool row_wise = false) {
    std::vector<CoreCoord> cores = crs.all(row_wise);
    if (max_cores && *max_cores < cores.size()) {
        cores.resize(*max_cores);
    }
    return cores;
}

// The first cores of a grid from one on, as whole lines and a rest.
inline CoreRangeSet num_cores_to_corerangeset(
    CoreCoord start, std::uint32_t target_num_cores, CoreCoord grid_size, bool row_wise = false) {
    const std::size_t line = row_wise ? grid_size.x : grid_size.y;
    const std::size_t first = row_wise ? start.y * line + start.x : start.x * line + start.y;
    TT_FATAL(first + target_num_cores <= grid_size.x * grid_size.y, "{} cores from {} on, of a grid of {}", target_num_cores, start, grid_size);
    std::vector<CoreCoord> cores;
    for (std::size_t i = first; i < first + target_num_cores; ++i) {
        cores.push_back(row_wise ? CoreCoord(i % line, i / line) : CoreCoord(i / line, i % line));
    }
    return CoreRangeSet(ttsl::Span<const CoreCoord>(cores));
}

inline CoreRangeSet num_cores_to_corerangeset(std::uint32_t target_num_cores, CoreCoord grid_size, bool row_wise = false) {
    return num_cores_to_corerangeset({0, 0}, target_num_cores, grid_size, row_wise);
}

inline std::set<CoreRange> num_cores_to_corerange_set(std::uint32_t target_num_cores, CoreCoord grid_size, bool row_wise = false) {
    const CoreRangeSet cores = num_cores_to_corerangeset(target_num_cores, grid_size, row_wise);
    return {cores.ranges().begin(), cores.ranges().end()};
}

inline CoreRangeSet num_cores_to_corerangeset_in_subcoregrids(
    CoreCoord, std::uint32_t target_num_cores, const CoreRangeSet& sub_core_grids, bool row_wise = false) {
    const std::vector<CoreCoord> cores = corerange_to_cores(sub_core_grids, target_num_cores, row_wise);
    TT_FATAL(cores.size() == target_num_cores, "{} cores of {}", target_num_cores, sub_core_grids.num_cores());
    return CoreRangeSet(ttsl::Span<const CoreCoord>(cores));
}

// How many cores work; all of them, those with one unit more and those without; and how many units each of the two kinds has.
using WorkSplit = std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t, std::uint32_t>;

inline WorkSplit split_work_to_cores(const std::vector<CoreCoord>& available, std::uint32_t units_to_divide) {
    if (units_to_divide == 0 || available.empty()) {
        return {0, {}, {}, {}, 0, 0};
    }
    const auto cores = std::min<std::uint32_t>(available.size(), units_to_divide);
    const std::uint32_t units = units_to_divide / cores, more = units_to_divide % cores;
    const auto part = [&](std::uint32_t from, std::uint32_t to) {
        return from == to ? CoreRangeSet() : CoreRangeSet(ttsl::Span<const CoreCoord>(available.data() + from, to - from));
    };
    const CoreRangeSet all = part(0, cores);
    return more == 0 ? WorkSplit{cores, all, all, {}, units, 0}
                     : WorkSplit{cores, all, part(0, more), part(more, cores), units + 1, units};
}

inline WorkSplit split_work_to_cores(CoreCoord grid_size, std::uint32_t units_to_divide, bool row_wise = false) {
    return split_work_to_cores(grid_to_cores({0, 0}, {grid_size.x - 1, grid_size.y - 1}, row_wise), units_to_divide);
}

inline WorkSplit split_work_to_cores(const CoreRangeSet& core_grid, std::uint32_t units_to_divide, bool row_wise = false) {
    return split_work_to_cores(core_grid.all(row_wise), units_to_divide);
}

}  // namespace tt::tt_metal

using tt::tt_metal::corerange_to_cores;
using tt::tt_metal::grid_to_cores;
namespace tt {
using tt_metal::num_cores_to_corerange_set;
using tt_metal::num_cores_to_corerangeset;
using tt_metal::split_work_to_cores;
}  // namespace tt
