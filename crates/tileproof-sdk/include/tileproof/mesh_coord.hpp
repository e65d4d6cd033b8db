// Shapes of meshes and places in them. There is one simulated chip, so that a mesh has one place.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "assert.hpp"
#include "stl.hpp"

namespace tt::tt_metal::distributed {

class MeshShape {
public:
    explicit MeshShape(std::uint32_t s) : value_{s} {}
    MeshShape(std::uint32_t s0, std::uint32_t s1) : value_{s0, s1} {}
    MeshShape(std::uint32_t s0, std::uint32_t s1, std::uint32_t s2) : value_{s0, s1, s2} {}
    explicit MeshShape(ttsl::Span<const std::uint32_t> shape) : value_(shape.begin(), shape.end()) {}
    std::size_t dims() const { return value_.size(); }
    std::size_t mesh_size() const { return std::accumulate(value_.begin(), value_.end(), std::size_t{1}, std::multiplies<>()); }
    std::uint32_t operator[](std::int32_t dim) const { return value_.at(dim < 0 ? dim + value_.size() : dim); }
    bool is_line_topology() const {
        return std::count_if(value_.begin(), value_.end(), [](std::uint32_t size) { return size != 1; }) <= 1;
    }
    ttsl::Span<const std::uint32_t> view() const { return ttsl::Span<const std::uint32_t>(value_); }
    bool operator==(const MeshShape&) const = default;

private:
    std::vector<std::uint32_t> value_;
};

class MeshCoordinate {
public:
    explicit MeshCoordinate(std::uint32_t c) : value_{c} {}
    MeshCoordinate(std::uint32_t c0, std::uint32_t c1) : value_{c0, c1} {}
    MeshCoordinate(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2) : value_{c0, c1, c2} {}
    explicit MeshCoordinate(ttsl::Span<const std::uint32_t> coords) : value_(coords.begin(), coords.end()) {}
    static MeshCoordinate zero_coordinate(std::size_t dimensions) {
        const std::vector<std::uint32_t> zeros(dimensions);
        return MeshCoordinate(ttsl::Span<const std::uint32_t>(zeros));
    }
    std::size_t dims() const { return value_.size(); }
    ttsl::Span<const std::uint32_t> coords() const { return ttsl::Span<const std::uint32_t>(value_); }
    std::uint32_t operator[](std::int32_t dim) const { return value_.at(dim < 0 ? dim + value_.size() : dim); }
    auto operator<=>(const MeshCoordinate&) const = default;

private:
    std::vector<std::uint32_t> value_;
};

class MeshCoordinateRange {
public:
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end) : start_(start), end_(end) {}
    explicit MeshCoordinateRange(const MeshShape& shape) :
        start_(MeshCoordinate::zero_coordinate(shape.dims())), end_(start_) {
        std::vector<std::uint32_t> last;
        for (const std::uint32_t size : shape.view()) {
            last.push_back(size - 1);
        }
        end_ = MeshCoordinate(ttsl::Span<const std::uint32_t>(last));
    }
    explicit MeshCoordinateRange(const MeshCoordinate& coord) : start_(coord), end_(coord) {}
    const MeshCoordinate& start_coord() const { return start_; }
    const MeshCoordinate& end_coord() const { return end_; }
    std::size_t dims() const { return start_.dims(); }
    bool contains(const MeshCoordinate& coord) const { return start_ <= coord && coord <= end_; }
    bool operator==(const MeshCoordinateRange&) const = default;

    // The only place that there is.
    const MeshCoordinate* begin() const { return &start_; }
    const MeshCoordinate* end() const { return &start_ + 1; }

private:
    MeshCoordinate start_;
    MeshCoordinate end_;
};

inline std::string to_string(const MeshCoordinate& coord) {
    return fmt::format("({})", fmt::join(coord.coords(), ", "));
}
inline std::ostream& operator<<(std::ostream& out, const MeshCoordinate& coord) { return out << to_string(coord); }
inline std::ostream& operator<<(std::ostream& out, const MeshShape& shape) {
    return out << fmt::format("MeshShape([{}])", fmt::join(shape.view(), ", "));
}

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinate> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinate& coord) const {
        std::size_t hash = 0;
        for (const std::uint32_t c : coord.coords()) {
            hash = hash * 31 + c;
        }
        return hash;
    }
};
template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const {
        const std::hash<tt::tt_metal::distributed::MeshCoordinate> hash;
        return hash(range.start_coord()) * 31 + hash(range.end_coord());
    }
};
