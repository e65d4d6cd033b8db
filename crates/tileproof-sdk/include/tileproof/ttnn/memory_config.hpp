// What a tensor is made of and where it lies: data type, layout, memory configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "../buffer.hpp"
#include "../numbers.hpp"
#include "shape.hpp"

namespace tt::tt_metal {

enum class DataType { BFLOAT16 = 0, FLOAT32 = 1, UINT32 = 2, BFLOAT8_B = 3, BFLOAT4_B = 4, UINT8 = 5, UINT16 = 6, INT32 = 7, INVALID = 8 };
enum class Layout { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };
enum class StorageType { HOST = 0, DEVICE = 1 };

template <typename T>
consteval DataType convert_to_data_type() {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        return DataType::UINT8;
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
        return DataType::UINT16;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return DataType::INT32;
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
        return DataType::UINT32;
    } else if constexpr (std::is_same_v<T, float>) {
        return DataType::FLOAT32;
    } else {
        static_assert(std::is_same_v<T, ::bfloat16>, "no tensor has elements of this type");
        return DataType::BFLOAT16;
    }
}

inline bool is_block_float(DataType dtype) { return dtype == DataType::BFLOAT8_B || dtype == DataType::BFLOAT4_B; }
inline bool is_floating_point(DataType dtype) { return dtype == DataType::BFLOAT16 || dtype == DataType::FLOAT32 || is_block_float(dtype); }

inline DataFormat datatype_to_dataformat_converter(DataType dtype) {
    switch (dtype) {
        case DataType::BFLOAT16: return DataFormat::Float16_b;
        case DataType::FLOAT32: return DataFormat::Float32;
        case DataType::UINT32: return DataFormat::UInt32;
        case DataType::BFLOAT8_B: return DataFormat::Bfp8_b;
        case DataType::BFLOAT4_B: return DataFormat::Bfp4_b;
        case DataType::UINT8: return DataFormat::UInt8;
        case DataType::UINT16: return DataFormat::UInt16;
        case DataType::INT32: return DataFormat::Int32;
        default: TT_THROW("data type {} has no data format", static_cast<int>(dtype));
    }
}

class MemoryConfig {
public:
    MemoryConfig() = default;
    explicit MemoryConfig(TensorMemoryLayout layout, BufferType type = BufferType::DRAM, std::optional<ShardSpec> shards = std::nullopt) :
        layout_(layout), type_(type), shards_(std::move(shards)) {}

    TensorMemoryLayout memory_layout() const { return layout_; }
    BufferType buffer_type() const { return type_; }
    const std::optional<ShardSpec>& shard_spec() const { return shards_; }
    MemoryConfig with_shard_spec(std::optional<ShardSpec> shards) const { return MemoryConfig(layout_, type_, std::move(shards)); }
    bool is_sharded() const { return tt::tt_metal::is_sharded(layout_); }
    bool is_l1() const { return type_ == BufferType::L1 || type_ == BufferType::L1_SMALL; }
    bool is_dram() const { return type_ == BufferType::DRAM; }
    bool operator==(const MemoryConfig&) const = default;

private:
    TensorMemoryLayout layout_ = TensorMemoryLayout::INTERLEAVED;
    BufferType type_ = BufferType::DRAM;
    std::optional<ShardSpec> shards_;
};

inline std::ostream& operator<<(std::ostream& out, const MemoryConfig& config) {
    return out << fmt::format("MemoryConfig(memory_layout={}, buffer_type={}, sharded={})", config.memory_layout(), config.buffer_type(), config.is_sharded());
}

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::MemoryConfig> : fmt::formatter<std::string_view> {
    auto format(const tt::tt_metal::MemoryConfig& config, fmt::format_context& context) const {
        const std::string text = fmt::format("MemoryConfig(memory_layout={}, buffer_type={}, sharded={})", config.memory_layout(), config.buffer_type(), config.is_sharded());
        return fmt::formatter<std::string_view>::format(text, context);
    }
};
