// Matrices as rows, as tiles of rows, and as tiles of faces; the shape of a tile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "stl.hpp"
#include "types.hpp"

enum class TensorLayoutType { LIN_ROW_MAJOR = 0, TILED_SWIZZLED = 1, TILED_NFACES = 2 };

using PhysicalSize = std::array<std::uint32_t, 2>;

namespace tileproof {

// Where an element of a matrix of `columns` is, in a layout.
struct Places {
    TensorLayoutType layout;
    std::uint32_t columns;
    PhysicalSize tile{32, 32}, face{16, 16};
    bool transpose_face = false, transpose_faces = false;

    std::size_t of(std::uint32_t row, std::uint32_t column) const {
        if (layout == TensorLayoutType::LIN_ROW_MAJOR) {
            return std::size_t{row} * columns + column;
        }
        const std::size_t tiles = std::size_t{row / tile[0]} * (columns / tile[1]) + column / tile[1];
        const std::uint32_t y = row % tile[0], x = column % tile[1];
        std::size_t within = std::size_t{y} * tile[1] + x;
        if (layout == TensorLayoutType::TILED_NFACES) {
            const std::uint32_t fy = y / face[0], fx = x / face[1], down = tile[0] / face[0], across = tile[1] / face[1];
            const std::uint32_t number = transpose_faces ? fx * down + fy : fy * across + fx;
            const std::uint32_t r = y % face[0], c = x % face[1];
            within = std::size_t{number} * face[0] * face[1] + (transpose_face ? c * face[0] + r : r * face[1] + c);
        }
        return tiles * tile[0] * tile[1] + within;
    }
};

template <typename T>
std::vector<T> relaid(ttsl::Span<const T> values, std::uint32_t rows, std::uint32_t columns, const Places& from, const Places& to) {
    TT_FATAL(rows > 0 && columns > 0 && values.size() % (std::size_t{rows} * columns) == 0, "{} values are no matrices of {} x {}", values.size(), rows, columns);
    TT_FATAL(rows % to.tile[0] == 0 && columns % to.tile[1] == 0, "{} x {} is not divisible into tiles of {} x {}", rows, columns, to.tile[0], to.tile[1]);
    std::vector<T> out(values.size());
    const std::size_t matrix = std::size_t{rows} * columns;
    for (std::size_t first = 0; first < values.size(); first += matrix) {
        for (std::uint32_t row = 0; row < rows; ++row) {
            for (std::uint32_t column = 0; column < columns; ++column) {
                out[first + to.of(row, column)] = values[first + from.of(row, column)];
            }
        }
    }
    return out;
}

}  // namespace tileproof

template <typename T>
std::vector<T> convert_layout(
    ttsl::Span<const T> values,
    const PhysicalSize& shape,
    TensorLayoutType from,
    TensorLayoutType to,
    std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt,
    bool transpose_within_face = false,
    bool transpose_of_faces = false) {
    const PhysicalSize tile = tile_shape.value_or(PhysicalSize{32, 32}), face = face_shape.value_or(PhysicalSize{16, 16});
    const auto places = [&](TensorLayoutType layout) {
        return tileproof::Places{layout, shape[1], tile, face, transpose_within_face, transpose_of_faces};
    };
    return tileproof::relaid(values, shape[0], shape[1], places(from), places(to));
}

template <typename T>
std::vector<T> convert_layout(
    ttsl::Span<const T> values,
    ttsl::Span<const std::uint32_t> shape,
    TensorLayoutType from,
    TensorLayoutType to,
    std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt,
    bool transpose_within_face = false,
    bool transpose_of_faces = false) {
    TT_FATAL(shape.size() >= 2, "convert_layout: a shape of {} dimensions has no matrices", shape.size());
    return convert_layout(values, PhysicalSize{shape[shape.size() - 2], shape.back()}, from, to, tile_shape, face_shape, transpose_within_face, transpose_of_faces);
}

template <typename T>
std::vector<T> tilize_nfaces(const std::vector<T>& input, std::uint32_t m, std::uint32_t n) {
    return convert_layout(ttsl::Span<const T>(input), PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR, TensorLayoutType::TILED_NFACES);
}
template <typename T>
std::vector<T> untilize_nfaces(const std::vector<T>& input, std::uint32_t m, std::uint32_t n) {
    return convert_layout(ttsl::Span<const T>(input), PhysicalSize{m, n}, TensorLayoutType::TILED_NFACES, TensorLayoutType::LIN_ROW_MAJOR);
}
template <typename T>
std::vector<T> tilize_swizzled(const std::vector<T>& input, std::uint32_t m, std::uint32_t n) {
    return convert_layout(ttsl::Span<const T>(input), PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR, TensorLayoutType::TILED_SWIZZLED);
}
template <typename T>
std::vector<T> untilize_swizzled(const std::vector<T>& input, std::uint32_t m, std::uint32_t n) {
    return convert_layout(ttsl::Span<const T>(input), PhysicalSize{m, n}, TensorLayoutType::TILED_SWIZZLED, TensorLayoutType::LIN_ROW_MAJOR);
}

// In place, as in 2024: of bfloat16 into faces, of other values into rows of tiles.
template <typename T>
void tilize(std::vector<T>& input, std::uint32_t m, std::uint32_t n) {
    input = sizeof(T) == 2 ? tilize_nfaces(input, m, n) : tilize_swizzled(input, m, n);
}
template <typename T>
void untilize(std::vector<T>& input, std::uint32_t m, std::uint32_t n) {
    input = sizeof(T) == 2 ? untilize_nfaces(input, m, n) : untilize_swizzled(input, m, n);
}

template <typename T>
std::vector<T> convert_layout_tile_swizzled_to_tile_nfaces(ttsl::Span<const T> values) {
    return convert_layout(values, PhysicalSize{static_cast<std::uint32_t>(values.size() / 32), 32}, TensorLayoutType::TILED_SWIZZLED, TensorLayoutType::TILED_NFACES);
}
template <typename T>
std::vector<T> convert_layout_tile_nfaces_to_tile_swizzled(ttsl::Span<const T> values) {
    return convert_layout(values, PhysicalSize{static_cast<std::uint32_t>(values.size() / 32), 32}, TensorLayoutType::TILED_NFACES, TensorLayoutType::TILED_SWIZZLED);
}

inline std::uint32_t round_up_to_mul16(std::uint32_t value) { return (value + 15) / 16 * 16; }
inline std::uint32_t round_up_to_mul32(std::uint32_t value) { return (value + 31) / 32 * 32; }
inline std::uint32_t round_up_to_tile(int value, int tile) { return (value + tile - 1) / tile * tile; }

namespace tt::tt_metal {

// The shape of a tile.
class Tile {
public:
    Tile(std::array<std::uint32_t, 2> shape = {32, 32}, bool transpose_tile = false) : shape_(shape), transpose_(transpose_tile) {
        const bool known = (shape[0] == 32 || shape[0] == 16 || shape[0] == 8 || shape[0] == 4 || shape[0] == 2 || shape[0] == 1) && (shape[1] == 32 || shape[1] == 16);
        TT_FATAL(known, "a tile of {} x {}: expected 32, 16, 8, 4, 2 or 1 rows, and 32 or 16 columns", shape[0], shape[1]);
    }
    std::uint32_t get_num_faces() const { return std::max(1u, shape_[0] / 16) * (shape_[1] / 16); }
    std::uint32_t get_tile_hw() const { return shape_[0] * shape_[1]; }
    std::uint32_t get_face_hw() const { return get_face_shape()[0] * 16; }
    std::uint32_t get_height() const { return shape_[0]; }
    std::uint32_t get_width() const { return shape_[1]; }
    std::array<std::uint32_t, 2> get_tile_shape() const { return shape_; }
    std::array<std::uint32_t, 2> get_face_shape() const { return {std::min(shape_[0], 16u), 16}; }
    bool get_transpose_within_face() const { return transpose_; }
    bool get_transpose_of_faces() const { return transpose_; }
    std::uint32_t get_tile_size(const DataFormat& format) const {
        switch (format) {
            case DataFormat::Bfp8_b:
            case DataFormat::Bfp8: return get_tile_hw() + std::max(16u, get_tile_hw() / 16);
            case DataFormat::Bfp4_b:
            case DataFormat::Bfp4: return get_tile_hw() / 2 + std::max(16u, get_tile_hw() / 16);
            default: return get_tile_hw() * datum_size(format);
        }
    }
    bool operator==(const Tile&) const = default;

private:
    std::array<std::uint32_t, 2> shape_;
    bool transpose_;
};

}  // namespace tt::tt_metal
