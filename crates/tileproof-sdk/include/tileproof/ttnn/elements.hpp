// The elements of a tensor as the bytes of its pages, and back.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "../tiles.hpp"
#include "tensor_spec.hpp"

namespace tileproof {

// What a caller must see to, at its line.
template <typename... Args>
void demand(bool holds, const Here& here, fmt::format_string<Args...> text, const Args&... args) {
    if (!holds) {
        refuse<Args...>(here, text, args...);
    }
}

inline std::size_t element_bytes(tt::tt_metal::DataType dtype, const Here& here) {
    demand(!tt::tt_metal::is_block_float(dtype), here, "the elements of {} have no bytes of their own: sixteen share an exponent", dtype);
    return tt::datum_size(tt::tt_metal::datatype_to_dataformat_converter(dtype));
}

// Calls with the place of each logical element, row by row, and that in the tiles of the padded matrix or in its rows.
template <typename Call>
void each_element(const tt::tt_metal::TensorSpec& spec, bool tiled, Call call) {
    const tt::tt_metal::Shape& padded = spec.padded_shape();
    const tt::tt_metal::Shape logical = spec.logical_shape().to_rank(padded.rank());
    const std::uint64_t volume = logical.volume();
    const tt::tt_metal::Shape2D physical = spec.physical_shape();
    const tt::tt_metal::Tile tile = spec.tile();
    const Places places{
        tiled ? TensorLayoutType::TILED_NFACES : TensorLayoutType::LIN_ROW_MAJOR,
        static_cast<std::uint32_t>(physical.width()),
        tile.get_tile_shape(),
        tile.get_face_shape()};
    std::vector<std::uint32_t> at(padded.rank(), 0);
    for (std::uint64_t index = 0; index < volume; ++index) {
        std::size_t row = 0;
        for (std::size_t i = 0; i + 1 < at.size(); ++i) {
            row = row * padded[static_cast<std::int32_t>(i)] + at[i];
        }
        call(index, places.of(static_cast<std::uint32_t>(row), at.empty() ? 0 : at.back()));
        for (std::size_t i = at.size(); i-- > 0 && ++at[i] == logical[static_cast<std::int32_t>(i)];) {
            at[i] = 0;
        }
    }
}

// Calls with the place of each logical element, row by row, and that in the pages.
template <typename Call>
void each_element(const tt::tt_metal::TensorSpec& spec, Call call) {
    each_element(spec, spec.layout() == tt::tt_metal::Layout::TILE, call);
}

template <typename T>
bool holds(tt::tt_metal::DataType dtype) {
    return dtype == tt::tt_metal::convert_to_data_type<T>() || (std::is_same_v<T, float> && tt::tt_metal::is_floating_point(dtype));
}

// A block float is packed a tile at a time, by the library.
inline std::uint8_t block_format(const tt::tt_metal::TensorSpec& spec, const Here& here) {
    demand(spec.tile().get_tile_shape() == tt::tt_metal::Tile().get_tile_shape(), here, "tiles of {} are packed at 32 x 32", spec.data_type());
    return static_cast<std::uint8_t>(tt::tt_metal::datatype_to_dataformat_converter(spec.data_type()));
}
inline std::vector<std::uint8_t> blocks_as_pages(ttsl::Span<const float> values, const tt::tt_metal::TensorSpec& spec, float pad_value, const Here& here) {
    const tt::tt_metal::Shape2D matrix = spec.physical_shape();
    std::vector<float> rows(matrix.height() * matrix.width(), pad_value);
    each_element(spec, false, [&](std::uint64_t index, std::size_t to) { rows[to] = values[index]; });
    std::vector<std::uint8_t> pages(spec.compute_packed_buffer_size_bytes());
    const door::Where where(here);
    const door::Row<float> row(rows);
    door::done(door::tileproof_encode_tiles(block_format(spec, here), &row, static_cast<std::uint32_t>(matrix.width()), pages.data(), pages.size(), &where));
    return pages;
}
inline std::vector<float> blocks_as_values(const std::vector<std::uint8_t>& pages, const tt::tt_metal::TensorSpec& spec, const Here& here) {
    const tt::tt_metal::Shape2D matrix = spec.physical_shape();
    std::vector<float> rows(matrix.height() * matrix.width()), values(spec.logical_shape().volume());
    const door::Where where(here);
    const door::Row<std::uint8_t> row(pages);
    door::done(door::tileproof_decode_tiles(block_format(spec, here), &row, static_cast<std::uint32_t>(matrix.width()), rows.data(), rows.size(), &where));
    each_element(spec, false, [&](std::uint64_t index, std::size_t from) { values[index] = rows[from]; });
    return values;
}

// The bytes of all pages; padding has `pad_value`.
template <typename T>
std::vector<std::uint8_t> as_pages(ttsl::Span<const T> values, const tt::tt_metal::TensorSpec& spec, T pad_value, const Here& here) {
    using namespace tt::tt_metal;
    demand(holds<T>(spec.data_type()), here, "{} elements are given as {}", spec.data_type(), convert_to_data_type<T>());
    demand(values.size() == spec.logical_shape().volume(), here, "{} elements for {}, which has {}", values.size(), spec.logical_shape(), spec.logical_shape().volume());
    if constexpr (std::is_same_v<T, float>) {
        if (is_block_float(spec.data_type())) {
            return blocks_as_pages(values, spec, pad_value, here);
        }
    }
    const std::size_t bytes = element_bytes(spec.data_type(), here);
    std::vector<std::uint8_t> pages(spec.compute_packed_buffer_size_bytes());
    const auto put = [&](std::size_t to, T value) {
        if constexpr (std::is_same_v<T, float>) {
            if (spec.data_type() == DataType::BFLOAT16) {
                const std::uint16_t bits = bfloat16(value).to_uint16();
                std::memcpy(&pages[to * bytes], &bits, bytes);
                return;
            }
        }
        std::memcpy(&pages[to * bytes], &value, bytes);
    };
    if (spec.logical_shape().volume() * bytes != pages.size()) {
        for (std::size_t i = 0; i < pages.size() / bytes; ++i) {
            put(i, pad_value);
        }
    }
    each_element(spec, [&](std::uint64_t index, std::size_t to) { put(to, values[index]); });
    return pages;
}

template <typename T>
std::vector<T> as_values(const std::vector<std::uint8_t>& pages, const tt::tt_metal::TensorSpec& spec, const Here& here) {
    using namespace tt::tt_metal;
    demand(holds<T>(spec.data_type()), here, "{} elements are asked for as {}", spec.data_type(), convert_to_data_type<T>());
    if constexpr (std::is_same_v<T, float>) {
        if (is_block_float(spec.data_type())) {
            return blocks_as_values(pages, spec, here);
        }
    }
    const std::size_t bytes = element_bytes(spec.data_type(), here);
    std::vector<T> values(spec.logical_shape().volume());
    each_element(spec, [&](std::uint64_t index, std::size_t from) {
        if constexpr (std::is_same_v<T, float>) {
            if (spec.data_type() == DataType::BFLOAT16) {
                std::uint16_t bits;
                std::memcpy(&bits, &pages[from * bytes], bytes);
                values[index] = bfloat16::raw(bits).to_float();
                return;
            }
        }
        std::memcpy(&values[index], &pages[from * bytes], bytes);
    });
    return values;
}

}  // namespace tileproof
