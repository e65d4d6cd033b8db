// Buffers in DRAM and L1: bytes in pages, in one bank after the other or in shards.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device.hpp"

namespace tt::tt_metal {

struct ShardSpec {
    CoreRangeSet grid;
    std::array<std::uint32_t, 2> shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

    ShardSpec(
        const CoreRangeSet& grid,
        const std::array<std::uint32_t, 2>& shape,
        const ShardOrientation& orientation = ShardOrientation::ROW_MAJOR) :
        grid(grid), shape(shape), orientation(orientation) {}
    std::uint32_t num_cores() const { return grid.num_cores(); }
    std::uint32_t numel() const { return shape[0] * shape[1]; }
    bool operator==(const ShardSpec&) const = default;
};

struct ShardSpecBuffer {
    ShardSpec tensor_shard_spec;
    std::array<std::uint32_t, 2> page_shape{};
    std::array<std::uint32_t, 2> tensor2d_shape_in_pages{};

    ShardSpecBuffer(
        const CoreRangeSet& cores,
        const std::array<std::uint32_t, 2>& shard_shape,
        const ShardOrientation& orientation,
        const std::array<std::uint32_t, 2>& page_shape,
        const std::array<std::uint32_t, 2>& tensor2d_shape_in_pages) :
        ShardSpecBuffer(ShardSpec(cores, shard_shape, orientation), page_shape, tensor2d_shape_in_pages) {}
    // As in 2024, when halos were an argument.
    ShardSpecBuffer(
        const CoreRangeSet& cores,
        const std::array<std::uint32_t, 2>& shard_shape,
        const ShardOrientation& orientation,
        bool,
        const std::array<std::uint32_t, 2>& page_shape,
        const std::array<std::uint32_t, 2>& tensor2d_shape_in_pages) :
        ShardSpecBuffer(ShardSpec(cores, shard_shape, orientation), page_shape, tensor2d_shape_in_pages) {}
    ShardSpecBuffer(
        const ShardSpec& spec,
        const std::array<std::uint32_t, 2>& page_shape,
        const std::array<std::uint32_t, 2>& tensor2d_shape_in_pages) :
        tensor_shard_spec(spec), page_shape(page_shape), tensor2d_shape_in_pages(tensor2d_shape_in_pages) {}

    CoreRangeSet grid() const { return tensor_shard_spec.grid; }
    std::array<std::uint32_t, 2> shape() const { return tensor_shard_spec.shape; }
    ShardOrientation orientation() const { return tensor_shard_spec.orientation; }
    std::array<std::uint32_t, 2> shape_in_pages() const {
        return {shape()[0] / std::max(1u, page_shape[0]), shape()[1] / std::max(1u, page_shape[1])};
    }
    DeviceAddr num_pages() const { return DeviceAddr{shape_in_pages()[0]} * shape_in_pages()[1]; }
    DeviceAddr size() const { return num_pages(); }
};

struct BufferConfig {
    IDevice* device;
    DeviceAddr size;
    DeviceAddr page_size;
    BufferType buffer_type;
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
};
using InterleavedBufferConfig = BufferConfig;

struct ShardedBufferConfig {
    IDevice* device{};
    DeviceAddr size{};
    DeviceAddr page_size{};
    BufferType buffer_type = BufferType::L1;
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED;
    ShardSpecBuffer shard_parameters;
};

class BufferShardingArgs {
public:
    BufferShardingArgs() = default;
    BufferShardingArgs(std::nullopt_t) {}
    BufferShardingArgs(std::optional<ShardSpecBuffer> spec, TensorMemoryLayout layout) : spec_(std::move(spec)), layout_(layout) {}
    const std::optional<ShardSpecBuffer>& shard_spec() const { return spec_; }
    TensorMemoryLayout buffer_layout() const { return layout_; }

private:
    std::optional<ShardSpecBuffer> spec_;
    TensorMemoryLayout layout_ = TensorMemoryLayout::INTERLEAVED;
};

struct BufferRegion {
    DeviceAddr offset = 0;
    DeviceAddr size = 0;
    BufferRegion(DeviceAddr offset, DeviceAddr size) : offset(offset), size(size) {}
};

class Buffer final : public std::enable_shared_from_this<Buffer> {
public:
    // How many there ever were: whether host code has made one.
    static inline std::atomic<std::uint64_t> made = 0;

    static std::shared_ptr<Buffer> create(
        IDevice* device,
        DeviceAddr size,
        DeviceAddr page_size,
        BufferType buffer_type,
        const BufferShardingArgs& sharding_args = std::nullopt,
        std::optional<bool> = std::nullopt,
        std::optional<SubDeviceId> = std::nullopt,
        const Here& here = Here::current()) {
        return std::make_shared<Buffer>(Private{}, device, size, page_size, buffer_type, sharding_args, here);
    }

    struct Private {
        explicit Private() = default;
    };
    Buffer(
        Private,
        IDevice* device,
        DeviceAddr size,
        DeviceAddr page_size,
        BufferType buffer_type,
        const BufferShardingArgs& sharding,
        const Here& here) :
        device_(device), size_(size), page_size_(page_size), buffer_type_(buffer_type), sharding_(sharding) {
        allocate(here);
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() { deallocate(); }

    IDevice* device() const { return device_; }
    DeviceAddr size() const { return size_; }
    bool is_allocated() const { return allocated_; }
    std::uint32_t address() const { return address_; }
    DeviceAddr page_size() const { return page_size_; }
    std::uint32_t num_pages() const { return page_size_ ? size_ / page_size_ : 0; }
    std::uint32_t num_dev_pages() const { return num_pages(); }
    BufferType buffer_type() const { return buffer_type_; }
    CoreType core_type() const { return is_dram() ? CoreType::DRAM : CoreType::WORKER; }
    bool is_l1() const { return buffer_type_ == BufferType::L1 || buffer_type_ == BufferType::L1_SMALL; }
    bool is_dram() const { return !is_l1(); }
    TensorMemoryLayout buffer_layout() const { return sharding_.buffer_layout(); }
    bool has_shard_spec() const { return sharding_.shard_spec().has_value(); }
    ShardSpecBuffer shard_spec() const {
        TT_FATAL(has_shard_spec(), "the buffer is not sharded");
        return *sharding_.shard_spec();
    }
    std::optional<std::uint32_t> num_cores() const {
        return has_shard_spec() ? std::optional(shard_spec().grid().num_cores()) : std::nullopt;
    }
    std::uint32_t alignment() const { return alignment_; }
    DeviceAddr aligned_page_size() const { return tt::align(page_size_, DeviceAddr{alignment_}); }
    DeviceAddr aligned_size() const { return aligned_page_size() * num_pages(); }
    // Of a bank: a buffer of one page lies in the first.
    CoreCoord noc_coordinates(std::uint32_t bank_id = 0, const Here& here = Here::current()) const {
        if (is_l1()) {
            return device_->worker_core_from_logical_core(device_->allocator()->get_logical_core_from_bank_id(bank_id), here);
        }
        const tileproof::door::Where where(here);
        std::uint32_t at[2] = {};
        tileproof::door::done(tileproof::door::tileproof_dram_node(number_, bank_id, &at, &where));
        return {at[0], at[1]};
    }

    void deallocate() {
        if (allocated_) {
            tileproof::door::tileproof_free(number_, id_);
            allocated_ = false;
        }
    }

    // Bytes from one on, whatever the host keeps them in.
    void write(DeviceAddr from, const void* bytes, std::size_t count, const Here& here) const {
        if (!bytes && count > 0) {
            tileproof::refuse(here, "{} bytes are to be written, and where they are is a null pointer", count);
        }
        const tileproof::door::Where where(here);
        const tileproof::door::Row<std::uint8_t> row(static_cast<const std::uint8_t*>(bytes), count);
        tileproof::door::done(tileproof::door::tileproof_write(number_, usable(here), from, &row, &where));
    }
    void read(DeviceAddr from, void* bytes, std::size_t count, const Here& here) const {
        if (!bytes && count > 0) {
            tileproof::refuse(here, "{} bytes are to be read, and where they go is a null pointer", count);
        }
        const tileproof::door::Where where(here);
        tileproof::door::done(tileproof::door::tileproof_read(
            number_, usable(here), from, static_cast<std::uint8_t*>(bytes), count, &where));
    }
    std::vector<std::uint32_t> accessor_words(const Here& here) const {
        const tileproof::door::Where where(here);
        std::vector<std::uint32_t> words(1024);
        std::uint64_t count = words.size();
        tileproof::door::done(
            tileproof::door::tileproof_accessor_words(number_, usable(here), words.data(), &count, &where));
        words.resize(count);
        return words;
    }
    // Its number in the library, while it is allocated.
    std::uint64_t usable(const Here& here) const {
        if (!allocated_) {
            tileproof::refuse(here, "the buffer of {} B was deallocated", size_);
        }
        return id_;
    }

private:
    IDevice* device_;
    DeviceAddr size_;
    DeviceAddr page_size_;
    BufferType buffer_type_;
    BufferShardingArgs sharding_;
    std::uint64_t number_ = 0;
    std::uint64_t id_ = 0;
    std::uint32_t address_ = 0;
    std::uint32_t alignment_ = 1;
    bool allocated_ = false;

    void allocate(const Here& here) {
        if (!device_) {
            tileproof::refuse(here, "a buffer needs a device, which is a null pointer here");
        }
        if (size_ == 0 || page_size_ == 0 || size_ % page_size_ != 0) {
            tileproof::refuse(here, "buffer: size {} must be a multiple of page_size {}, and neither 0", size_, page_size_);
        }
        if (buffer_type_ == BufferType::SYSTEM_MEMORY || buffer_type_ == BufferType::TRACE) {
            tileproof::refuse(here, "buffer_type {}: only DRAM and L1 are modelled", static_cast<int>(buffer_type_));
        }
        if (size_ / page_size_ > UINT32_MAX || page_size_ > UINT32_MAX) {
            tileproof::refuse(here, "buffer: {} B in pages of {} B are more than a device has", size_, page_size_);
        }
        number_ = device_->number();
        alignment_ = device_->get_allocator_alignment(is_l1() ? BufferType::L1 : BufferType::DRAM);
        tileproof::door::Buffer spec{
            static_cast<std::uint32_t>(page_size_), static_cast<std::uint32_t>(size_ / page_size_), is_l1(), has_shard_spec(), {}, {}, {}};
        std::vector<tileproof::door::Core> cores;
        if (has_shard_spec()) {
            const ShardSpecBuffer shards = *sharding_.shard_spec();
            for (const CoreCoord& core : shards.grid().all(shards.orientation() == ShardOrientation::ROW_MAJOR)) {
                cores.push_back({static_cast<std::uint32_t>(core.x), static_cast<std::uint32_t>(core.y)});
            }
            for (int i = 0; i < 2; ++i) {
                spec.buffer_in_pages[i] = shards.tensor2d_shape_in_pages[i];
                spec.shard_in_pages[i] = shards.shape_in_pages()[i];
            }
            spec.cores = cores;
        }
        const tileproof::door::Where where(here);
        tileproof::door::done(tileproof::door::tileproof_allocate(number_, &spec, &id_, &address_, &where));
        allocated_ = true;
        ++made;
    }
};

inline std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config, const Here& here = Here::current()) {
    return Buffer::create(config.device, config.size, config.page_size, config.buffer_type, std::nullopt, {}, {}, here);
}
inline std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config, const Here& here = Here::current()) {
    const BufferShardingArgs sharding(config.shard_parameters, config.buffer_layout);
    return Buffer::create(config.device, config.size, config.page_size, config.buffer_type, sharding, {}, {}, here);
}
inline void DeallocateBuffer(Buffer& buffer) { buffer.deallocate(); }

}  // namespace tt::tt_metal
