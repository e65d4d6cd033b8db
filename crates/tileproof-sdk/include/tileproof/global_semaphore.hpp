// Semaphores that outlive programs: a word in the L1 of each of some cores, at one address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "buffer.hpp"

namespace tt::tt_metal {

class GlobalSemaphore {
public:
    GlobalSemaphore(
        IDevice* device,
        const CoreRangeSet& cores,
        std::uint32_t initial_value,
        BufferType buffer_type = BufferType::L1,
        const Here& here = Here::current()) :
        device_(device), cores_(cores) {
        if (buffer_type != BufferType::L1 && buffer_type != BufferType::L1_SMALL) {
            tileproof::refuse(here, "global semaphore: buffer_type {}: expected L1 or L1_SMALL", static_cast<int>(buffer_type));
        }
        if (cores.empty()) {
            tileproof::refuse(here, "global semaphore: its cores are an empty set");
        }
        constexpr std::uint32_t WORD = sizeof(std::uint32_t);
        const std::uint32_t count = cores.num_cores();
        const ShardSpecBuffer shards(cores, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1}, {count, 1});
        buffer_ = Buffer::create(
            device, DeviceAddr{WORD} * count, WORD, buffer_type, {shards, TensorMemoryLayout::HEIGHT_SHARDED}, {}, {}, here);
        reset_semaphore_value(initial_value, here);
    }

    IDevice* device() const { return device_; }
    DeviceAddr address() const { return buffer_->address(); }
    void reset_semaphore_value(std::uint32_t reset_value, const Here& here = Here::current()) const {
        const std::vector<std::uint32_t> values(cores_.num_cores(), reset_value);
        buffer_->write(0, values.data(), values.size() * sizeof(std::uint32_t), here);
    }

private:
    std::shared_ptr<Buffer> buffer_;
    IDevice* device_;
    CoreRangeSet cores_;
};

inline GlobalSemaphore CreateGlobalSemaphore(
    IDevice* device,
    const CoreRangeSet& cores,
    std::uint32_t initial_value,
    BufferType buffer_type = BufferType::L1,
    const Here& here = Here::current()) {
    return GlobalSemaphore(device, cores, initial_value, buffer_type, here);
}

}  // namespace tt::tt_metal
