// How the elements of a tensor lie in pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "../mesh.hpp"
#include "memory_config.hpp"

namespace tt::tt_metal {

using Shape2D = distributed::Shape2D;
using Strides = std::vector<std::size_t>;
using Alignment = ttsl::SmallVector<std::uint32_t>;

// Rows as they are, or tiles.
class PageConfig {
public:
    PageConfig(Layout layout) : PageConfig(layout, std::nullopt) {}
    PageConfig(Layout layout, const std::optional<Tile>& tile) : layout_(layout), tile_(tile.value_or(Tile())) {}
    Layout get_layout() const { return layout_; }
    Tile get_tile() const { return tile_; }
    bool operator==(const PageConfig&) const = default;

private:
    Layout layout_;
    Tile tile_;
};

class TensorLayout {
public:
    TensorLayout(DataType dtype, const PageConfig& page_config, const MemoryConfig& memory_config, const Alignment& alignment = {}) :
        dtype_(dtype), page_config_(page_config), memory_config_(memory_config), alignment_(alignment) {
        TT_FATAL(page_config.get_layout() == Layout::TILE || !is_block_float(dtype), "block floats have Layout::TILE, and a row of them has no bytes of its own");
    }

    DataType get_data_type() const { return dtype_; }
    Layout get_layout() const { return page_config_.get_layout(); }
    Tile get_tile() const { return page_config_.get_tile(); }
    PageConfig get_page_config() const { return page_config_; }
    const MemoryConfig& get_memory_config() const { return memory_config_; }
    const Alignment& get_alignment() const { return alignment_; }
    TensorLayout with_memory_config(MemoryConfig memory_config) const { return {dtype_, page_config_, memory_config, alignment_}; }
    bool operator==(const TensorLayout&) const = default;

    // With both inner sides up to whole tiles, and what an alignment asks for.
    Shape compute_padded_shape(const Shape& shape) const {
        Alignment align = alignment_;
        if (get_layout() == Layout::TILE) {
            align.resize(std::max<std::size_t>(2, align.size()), 1);
            std::uint32_t& rows = align[align.size() - 2];
            std::uint32_t& columns = align.back();
            rows = tt::round_up(rows, get_tile().get_height());
            columns = tt::round_up(columns, get_tile().get_width());
        }
        Shape padded = shape.to_rank(std::max(shape.rank(), align.size()));
        for (std::size_t i = 1; i <= align.size(); ++i) {
            std::uint32_t& side = padded[-static_cast<std::int32_t>(i)];
            side = tt::round_up(side, align[align.size() - i]);
        }
        return padded;
    }
    Shape2D compute_physical_shape(const Shape& shape) const { return flat(compute_padded_shape(shape)); }
    Shape2D compute_logical_2d_shape(const Shape& shape) const { return flat(shape); }
    Strides compute_strides(const Shape& shape) const {
        const Shape padded = compute_padded_shape(shape);
        Strides strides(padded.rank(), 1);
        for (std::size_t i = padded.rank(); i-- > 1;) {
            strides[i - 1] = strides[i] * padded[static_cast<std::int32_t>(i)];
        }
        return strides;
    }
    // Of a page, in elements.
    Shape2D compute_page_shape(const Shape2D& physical) const {
        if (get_layout() == Layout::TILE) {
            return {get_tile().get_height(), get_tile().get_width()};
        }
        return {1, memory_config_.shard_spec() ? memory_config_.shard_spec()->shape[1] : physical.width()};
    }
    std::size_t compute_page_size_bytes(const Shape& shape) const {
        const DataFormat format = datatype_to_dataformat_converter(dtype_);
        if (get_layout() == Layout::TILE) {
            return get_tile().get_tile_size(format);
        }
        return compute_page_shape(compute_physical_shape(shape)).width() * datum_size(format);
    }
    std::size_t compute_packed_buffer_size_bytes(const Shape& shape) const {
        const Shape2D physical = compute_physical_shape(shape), page = compute_page_shape(physical);
        return physical.height() / page.height() * tt::div_up(physical.width(), std::max<std::size_t>(1, page.width())) * compute_page_size_bytes(shape);
    }
    BufferShardingArgs compute_buffer_sharding_args(const Shape& shape) const {
        if (!memory_config_.is_sharded()) {
            return std::nullopt;
        }
        TT_FATAL(memory_config_.shard_spec().has_value(), "a sharded memory config needs a shard_spec");
        const Shape2D physical = compute_physical_shape(shape), page = compute_page_shape(physical);
        const auto word = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
        const ShardSpecBuffer shards(
            *memory_config_.shard_spec(),
            {word(page.height()), word(page.width())},
            {word(tt::div_up(physical.height(), page.height())), word(tt::div_up(physical.width(), page.width()))});
        return BufferShardingArgs(shards, memory_config_.memory_layout());
    }

private:
    DataType dtype_;
    PageConfig page_config_;
    MemoryConfig memory_config_;
    Alignment alignment_;

    static Shape2D flat(const Shape& shape) {
        const std::size_t width = shape.rank() == 0 ? 1 : shape[-1];
        return {width == 0 ? 0 : shape.volume() / width, width};
    }
};

class TensorSpec {
public:
    TensorSpec(Shape logical_shape, TensorLayout tensor_layout) : shape_(std::move(logical_shape)), layout_(std::move(tensor_layout)), padded_(layout_.compute_padded_shape(shape_)) {}

    const Shape& logical_shape() const { return shape_; }
    const Shape& padded_shape() const { return padded_; }
    const TensorLayout& tensor_layout() const { return layout_; }
    DataType data_type() const { return layout_.get_data_type(); }
    Layout layout() const { return layout_.get_layout(); }
    PageConfig page_config() const { return layout_.get_page_config(); }
    const MemoryConfig& memory_config() const { return layout_.get_memory_config(); }
    Tile tile() const { return layout_.get_tile(); }
    Shape2D logical_2d_shape() const { return layout_.compute_logical_2d_shape(shape_); }
    Shape2D physical_shape() const { return layout_.compute_physical_shape(shape_); }
    Strides compute_strides() const { return layout_.compute_strides(shape_); }
    std::size_t compute_page_size_bytes() const { return layout_.compute_page_size_bytes(shape_); }
    std::size_t compute_packed_buffer_size_bytes() const { return layout_.compute_packed_buffer_size_bytes(shape_); }
    BufferShardingArgs compute_buffer_sharding_args() const { return layout_.compute_buffer_sharding_args(shape_); }
    TensorSpec with_memory_config(MemoryConfig config) const { return {shape_, layout_.with_memory_config(std::move(config))}; }
    bool operator==(const TensorSpec&) const = default;

private:
    Shape shape_;
    TensorLayout layout_;
    Shape padded_;
};

}  // namespace tt::tt_metal
