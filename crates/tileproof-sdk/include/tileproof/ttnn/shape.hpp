// The shape of a tensor.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <utility>

#include "../assert.hpp"
#include "../stl.hpp"

namespace tt::tt_metal {

// Sides from the outermost to the innermost; a negative index counts from the innermost, as in Python.
class Shape {
public:
    using Container = ttsl::SmallVector<std::uint32_t>;

    Shape() = default;
    Shape(std::initializer_list<std::uint32_t> sides) : sides_(sides) {}
    template <std::size_t N>
    Shape(const std::array<std::uint32_t, N>& sides) : sides_(sides.begin(), sides.end()) {}
    explicit Shape(const Container& sides) : sides_(sides) {}
    explicit Shape(ttsl::Span<const std::uint32_t> sides) : sides_(sides.begin(), sides.end()) {}

    std::size_t rank() const { return sides_.size(); }
    std::size_t size() const { return sides_.size(); }
    bool empty() const { return sides_.empty(); }
    std::uint64_t volume() const {
        std::uint64_t volume = 1;
        for (const std::uint32_t side : sides_) {
            volume *= side;
        }
        return volume;
    }
    std::uint32_t operator[](std::int32_t index) const { return sides_[get_normalized_index(index)]; }
    std::uint32_t& operator[](std::int32_t index) { return sides_[get_normalized_index(index)]; }
    std::uint32_t get_normalized_index(std::int64_t index) const {
        const std::int64_t rank = static_cast<std::int64_t>(sides_.size());
        TT_FATAL(-rank <= index && index < rank, "Shape: index {} is out of a shape of {} dimensions", index, rank);
        return static_cast<std::uint32_t>(index < 0 ? index + rank : index);
    }
    // With sides of 1 before it, or without those that it has there.
    Shape to_rank(std::size_t rank) const {
        Container sides(rank, 1);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const std::uint32_t side = sides_[sides_.size() - 1 - i];
            TT_FATAL(i < rank || side == 1, "Shape: {} dimensions cannot become {}: side {} is not 1", sides_.size(), rank, side);
            if (i < rank) {
                sides[rank - 1 - i] = side;
            }
        }
        return Shape(sides);
    }
    std::array<std::uint32_t, 4> to_array_4D() const {
        const Shape four = to_rank(4);
        return {four[0], four[1], four[2], four[3]};
    }

    ttsl::Span<const std::uint32_t> view() const { return {sides_.data(), sides_.size()}; }
    auto begin() const { return sides_.begin(); }
    auto end() const { return sides_.end(); }
    auto cbegin() const { return sides_.cbegin(); }
    auto cend() const { return sides_.cend(); }
    bool operator==(const Shape&) const = default;

private:
    Container sides_;
};

inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << fmt::format("Shape([{}])", fmt::join(shape.view(), ", "));
}

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::Shape> : fmt::formatter<std::string_view> {
    auto format(const tt::tt_metal::Shape& shape, fmt::format_context& context) const {
        return fmt::formatter<std::string_view>::format(fmt::format("Shape([{}])", fmt::join(shape.view(), ", ")), context);
    }
};

namespace ttnn {
using tt::tt_metal::Shape;
template <typename T, std::size_t Preferred = 8>
using SmallVector = ttsl::SmallVector<T, Preferred>;
}  // namespace ttnn
