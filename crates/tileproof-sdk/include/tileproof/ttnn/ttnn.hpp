// The operation layer: each header of ttnn brings this one.
#pragma once

#include "../enums.hpp"
#include "../host.hpp"
#include "operations.hpp"
#include "register_operation.hpp"
#include "several_chips.hpp"

namespace ttnn {

// namespace types in tt-metal, and everything of it in ttnn.
namespace types {
using tt::tt_metal::Buffer;
using tt::tt_metal::BufferType;
using tt::tt_metal::CoreCoord;
using tt::tt_metal::CoreRange;
using tt::tt_metal::CoreRangeSet;
using tt::tt_metal::DataType;
using tt::tt_metal::GlobalSemaphore;
using tt::tt_metal::IDevice;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;
using tt::tt_metal::Program;
using tt::tt_metal::ShardOrientation;
using tt::tt_metal::StorageType;
using tt::tt_metal::SubDevice;
using tt::tt_metal::SubDeviceManagerId;
using tt::tt_metal::TensorMemoryLayout;

constexpr auto TILE_SIZE = 32;
constexpr auto ROW_MAJOR_LAYOUT = Layout::ROW_MAJOR;
constexpr auto TILE_LAYOUT = Layout::TILE;
constexpr auto DEVICE_STORAGE_TYPE = StorageType::DEVICE;
constexpr auto HOST_STORAGE_TYPE = StorageType::HOST;
inline const MemoryConfig DRAM_MEMORY_CONFIG{TensorMemoryLayout::INTERLEAVED, BufferType::DRAM};
inline const MemoryConfig L1_MEMORY_CONFIG{TensorMemoryLayout::INTERLEAVED, BufferType::L1};
inline const MemoryConfig L1_BLOCK_SHARDED_MEMORY_CONFIG{TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1};
inline const MemoryConfig L1_HEIGHT_SHARDED_MEMORY_CONFIG{TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1};
inline const MemoryConfig L1_WIDTH_SHARDED_MEMORY_CONFIG{TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1};

struct CoreGrid {
    std::size_t x, y;
    CoreGrid(std::size_t x, std::size_t y) : x(x), y(y) {}
    CoreCoord to_CoreCoord() const { return {x, y}; }
};
}  // namespace types
using namespace types;

namespace distributed {
using namespace tt::tt_metal::distributed;
}

inline constexpr QueueId DefaultQueueId{0};

}  // namespace ttnn
