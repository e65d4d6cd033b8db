// Cores, rectangles of them and sets of rectangles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "assert.hpp"
#include "stl.hpp"

struct tt_xy_pair {
    std::size_t x = 0;
    std::size_t y = 0;

    constexpr tt_xy_pair() = default;
    constexpr tt_xy_pair(std::size_t x, std::size_t y) : x(x), y(y) {}
    constexpr bool operator==(const tt_xy_pair&) const = default;
    constexpr bool operator<(const tt_xy_pair& other) const { return x < other.x || (x == other.x && y < other.y); }
    std::string str() const { return fmt::format("(x={},y={})", x, y); }
};

template <>
struct std::hash<tt_xy_pair> {
    std::size_t operator()(const tt_xy_pair& core) const { return core.x * 1000003 + core.y; }
};
template <>
struct fmt::formatter<tt_xy_pair> : fmt::formatter<std::string_view> {
    auto format(const tt_xy_pair& core, fmt::format_context& context) const {
        return fmt::formatter<std::string_view>::format(core.str(), context);
    }
};

namespace tt {
using xy_pair = tt_xy_pair;
namespace umd {
using xy_pair = tt_xy_pair;
}
}  // namespace tt

namespace tt::tt_metal {

using CoreCoord = tt_xy_pair;

constexpr bool operator<=(const CoreCoord& a, const CoreCoord& b) { return a < b || a == b; }

class CoreRange {
public:
    CoreCoord start_coord;
    CoreCoord end_coord;

    CoreRange(const CoreCoord& core) : start_coord(core), end_coord(core) {}
    CoreRange(
        const CoreCoord& start, const CoreCoord& end, const std::source_location& here = std::source_location::current()) :
        start_coord(start), end_coord(end) {
        if (end.x < start.x || end.y < start.y) {
            tileproof::refuse(here, "CoreRange: end {} lies before start {}", end, start);
        }
    }

    bool intersects(const CoreRange& other) const { return intersection(other).has_value(); }
    std::optional<CoreRange> intersection(const CoreRange& other) const {
        const std::size_t x0 = std::max(start_coord.x, other.start_coord.x), x1 = std::min(end_coord.x, other.end_coord.x);
        const std::size_t y0 = std::max(start_coord.y, other.start_coord.y), y1 = std::min(end_coord.y, other.end_coord.y);
        return x0 <= x1 && y0 <= y1 ? std::optional<CoreRange>(CoreRange({x0, y0}, {x1, y1})) : std::nullopt;
    }
    bool contains(const CoreCoord& core) const {
        return core.x >= start_coord.x && core.x <= end_coord.x && core.y >= start_coord.y && core.y <= end_coord.y;
    }
    bool contains(const CoreRange& other) const { return contains(other.start_coord) && contains(other.end_coord); }
    bool core_coord_in_core_ranges(const CoreCoord& core) const { return contains(core); }
    std::string str() const { return fmt::format("[{} - {}]", start_coord, end_coord); }
    std::size_t size() const { return grid_size().x * grid_size().y; }
    CoreCoord grid_size() const { return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1}; }

    // Row by row.
    class CoreIterator {
    public:
        CoreIterator(const CoreCoord& current, const CoreRange& range) : current_(current), range_(range) {}
        CoreCoord& operator*() { return current_; }
        CoreIterator& operator++() {
            if (++current_.x > range_.end_coord.x) {
                current_ = {range_.start_coord.x, current_.y + 1};
            }
            return *this;
        }
        bool operator==(const CoreIterator& other) const { return current_ == other.current_; }

    private:
        CoreCoord current_;
        const CoreRange& range_;
    };
    CoreIterator begin() const { return {start_coord, *this}; }
    CoreIterator end() const { return {{start_coord.x, end_coord.y + 1}, *this}; }
};

constexpr bool operator==(const CoreRange& a, const CoreRange& b) {
    return a.start_coord == b.start_coord && a.end_coord == b.end_coord;
}
constexpr bool operator<(const CoreRange& a, const CoreRange& b) {
    return a.start_coord < b.start_coord || (a.start_coord == b.start_coord && a.end_coord < b.end_coord);
}

class CoreRangeSet {
public:
    CoreRangeSet() = default;
    CoreRangeSet(const CoreRange& range) : ranges_{range} {}
    CoreRangeSet(const CoreCoord& core) : ranges_{CoreRange(core)} {}
    CoreRangeSet(ttsl::Span<const CoreRange> ranges) : ranges_(ranges.begin(), ranges.end()) { validate(); }
    CoreRangeSet(const std::set<CoreRange>& ranges) : ranges_(ranges.begin(), ranges.end()) { validate(); }
    CoreRangeSet(std::vector<CoreRange>&& ranges) : ranges_(std::move(ranges)) { validate(); }
    CoreRangeSet(ttsl::Span<const CoreCoord> cores) : ranges_(cores.begin(), cores.end()) { *this = merge_ranges(); }

    bool empty() const { return ranges_.empty(); }
    std::size_t size() const { return ranges_.size(); }
    const std::vector<CoreRange>& ranges() const { return ranges_; }
    std::uint32_t num_cores() const {
        std::uint32_t cores = 0;
        for (const CoreRange& range : ranges_) {
            cores += range.size();
        }
        return cores;
    }
    template <typename T>
    CoreRangeSet merge(const T& other) const {
        std::vector<CoreCoord> cores = all();
        const CoreRangeSet added{other};
        for (const CoreCoord& core : added.all()) {
            if (!contains(core)) {
                cores.push_back(core);
            }
        }
        return of(std::move(cores));
    }
    CoreRangeSet merge_ranges() const {
        std::vector<CoreCoord> cores = all();
        return of(std::move(cores));
    }
    CoreRangeSet subtract(const CoreRangeSet& other) const {
        std::vector<CoreCoord> left;
        for (const CoreCoord& core : all()) {
            if (!other.contains(core)) {
                left.push_back(core);
            }
        }
        return of(std::move(left));
    }
    CoreRangeSet intersection(const CoreRangeSet& other) const {
        std::vector<CoreRange> shared;
        for (const CoreRange& a : ranges_) {
            for (const CoreRange& b : other.ranges_) {
                if (const auto both = a.intersection(b)) {
                    shared.push_back(*both);
                }
            }
        }
        return CoreRangeSet(std::move(shared));
    }
    bool intersects(const CoreRangeSet& other) const { return !intersection(other).empty(); }
    bool contains(const CoreCoord& core) const {
        return std::any_of(ranges_.begin(), ranges_.end(), [&](const CoreRange& range) { return range.contains(core); });
    }
    bool contains(const CoreRangeSet& other) const { return other.subtract(*this).empty(); }
    bool core_coord_in_core_ranges(const CoreCoord& core) const { return contains(core); }
    CoreRange bounding_box() const {
        TT_FATAL(!empty(), "an empty CoreRangeSet has no bounding box");
        CoreCoord start = ranges_[0].start_coord, end = ranges_[0].end_coord;
        for (const CoreRange& range : ranges_) {
            start = {std::min(start.x, range.start_coord.x), std::min(start.y, range.start_coord.y)};
            end = {std::max(end.x, range.end_coord.x), std::max(end.y, range.end_coord.y)};
        }
        return CoreRange(start, end);
    }
    std::string str() const {
        std::string text;
        for (const CoreRange& range : ranges_) {
            text += (text.empty() ? "" : ", ") + range.str();
        }
        return "{" + text + "}";
    }
    bool operator==(const CoreRangeSet& other) const { return contains(other) && other.contains(*this); }

    // All cores, range by range and row by row, or column by column.
    std::vector<CoreCoord> all(bool row_wise = true) const {
        std::vector<CoreCoord> cores;
        for (const CoreRange& range : ranges_) {
            const CoreCoord size = range.grid_size();
            for (std::size_t i = 0; i < range.size(); ++i) {
                const std::size_t x = row_wise ? i % size.x : i / size.y, y = row_wise ? i / size.x : i % size.y;
                cores.push_back({range.start_coord.x + x, range.start_coord.y + y});
            }
        }
        return cores;
    }

private:
    std::vector<CoreRange> ranges_;

    void validate() const {
        for (std::size_t i = 0; i < ranges_.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                TT_FATAL(!ranges_[i].intersects(ranges_[j]), "CoreRangeSet: {} and {} have cores in common, and a set has each core once", ranges_[j].str(), ranges_[i].str());
            }
        }
    }

    // Few rectangles for cores: runs in a row, put together where rows repeat.
    static CoreRangeSet of(std::vector<CoreCoord> cores) {
        std::sort(cores.begin(), cores.end(), [](auto a, auto b) { return std::tie(a.y, a.x) < std::tie(b.y, b.x); });
        std::vector<CoreRange> rectangles;
        for (std::size_t i = 0; i < cores.size();) {
            std::size_t end = i + 1;
            for (; end < cores.size() && cores[end].y == cores[i].y && cores[end].x == cores[end - 1].x + 1; ++end) {
            }
            const CoreRange run(cores[i], cores[end - 1]);
            const auto above = std::find_if(rectangles.begin(), rectangles.end(), [&](const CoreRange& range) {
                return range.end_coord.y + 1 == run.start_coord.y && range.start_coord.x == run.start_coord.x && range.end_coord.x == run.end_coord.x;
            });
            above != rectangles.end() ? void(above->end_coord.y = run.end_coord.y) : rectangles.push_back(run);
            i = end;
        }
        return CoreRangeSet(std::move(rectangles));
    }
};


}  // namespace tt::tt_metal

namespace tileproof {
using Cores = std::variant<tt::tt_metal::CoreCoord, tt::tt_metal::CoreRange, tt::tt_metal::CoreRangeSet>;
// Cores as a set, however they are given.
template <typename... T>
tt::tt_metal::CoreRangeSet as_set(const std::variant<T...>& cores) {
    return std::visit([](const auto& some) { return tt::tt_metal::CoreRangeSet(some); }, cores);
}
}  // namespace tileproof

template <>
struct std::hash<tt::tt_metal::CoreRange> {
    std::size_t operator()(const tt::tt_metal::CoreRange& range) const {
        return std::hash<tt_xy_pair>()(range.start_coord) * 31 + std::hash<tt_xy_pair>()(range.end_coord);
    }
};
template <>
struct fmt::formatter<tt::tt_metal::CoreRange> : fmt::formatter<std::string_view> {
    auto format(const tt::tt_metal::CoreRange& range, fmt::format_context& context) const {
        return fmt::formatter<std::string_view>::format(range.str(), context);
    }
};
template <>
struct fmt::formatter<tt::tt_metal::CoreRangeSet> : fmt::formatter<std::string_view> {
    auto format(const tt::tt_metal::CoreRangeSet& set, fmt::format_context& context) const {
        return fmt::formatter<std::string_view>::format(set.str(), context);
    }
};

using CoreCoord = tt::tt_metal::CoreCoord;
using CoreRange = tt::tt_metal::CoreRange;
using CoreRangeSet = tt::tt_metal::CoreRangeSet;
namespace tt {
using tt_metal::CoreCoord;
using tt_metal::CoreRange;
using tt_metal::CoreRangeSet;
}  // namespace tt
