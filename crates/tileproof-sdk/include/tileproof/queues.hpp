// Command queues of a device. What is enqueued is done at once, so that nothing is left to wait for.
#pragma once

#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "run.hpp"

namespace tt::tt_metal {

class CommandQueue {
public:
    CommandQueue(IDevice* device, std::uint32_t id) : device_(device), id_(id) {}
    IDevice* device() const { return device_; }
    std::uint32_t id() const { return id_; }

private:
    IDevice* device_;
    std::uint32_t id_;
};

inline IDevice::IDevice(std::uint32_t chip, const Here& here) : open_(chip, here), allocator_(std::make_unique<Allocator>(open_.facts())) {
    for (std::uint32_t id = 0; id < num_hw_cqs(); ++id) {
        queues_.push_back(std::make_unique<CommandQueue>(this, id));
    }
}
inline IDevice::~IDevice() = default;

inline CommandQueue& IDevice::command_queue(std::size_t id, const Here& here) {
    if (id >= queues_.size()) {
        tileproof::refuse(here, "command queue {}: a device has {}", id, queues_.size());
    }
    return *queues_[id];
}

// Devices stay until the process ends, so that one that was closed can be told from one that never was.
namespace detail {
struct Devices {
    std::mutex mutex;
    std::vector<std::unique_ptr<IDevice>> all;
};
inline Devices& devices() {
    static Devices devices;
    return devices;
}
inline IDevice* open_device(ChipId id, const Here& here) {
    if (id < 0) {
        tileproof::refuse(here, "device {}: they are numbered from 0", id);
    }
    auto device = std::make_unique<IDevice>(id, here);
    const std::lock_guard guard(devices().mutex);
    return devices().all.emplace_back(std::move(device)).get();
}
}  // namespace detail

inline IDevice* CreateDevice(
    ChipId device_id,
    std::uint8_t = 1,
    std::size_t = DEFAULT_L1_SMALL_SIZE,
    std::size_t = DEFAULT_TRACE_REGION_SIZE,
    const DispatchCoreConfig& = DispatchCoreConfig{},
    const std::vector<std::uint32_t>& = {},
    std::size_t = DEFAULT_WORKER_L1_SIZE,
    const Here& here = Here::current()) {
    return detail::open_device(device_id, here);
}
inline IDevice* CreateDeviceMinimal(
    ChipId device_id, std::uint8_t = 1, const DispatchCoreConfig& = DispatchCoreConfig{}, const Here& here = Here::current()) {
    return detail::open_device(device_id, here);
}
inline bool CloseDevice(IDevice* device, const Here& here = Here::current()) {
    if (!device) {
        tileproof::refuse(here, "CloseDevice: the device is a null pointer");
    }
    return device->close();
}

using AnyBufferRef = std::variant<std::reference_wrapper<Buffer>, std::shared_ptr<Buffer>>;

namespace detail {
inline Buffer& buffer_of(const AnyBufferRef& buffer, const Here& here) {
    if (const auto* shared = std::get_if<std::shared_ptr<Buffer>>(&buffer)) {
        if (!*shared) {
            tileproof::refuse(here, "the buffer is a null pointer");
        }
        return **shared;
    }
    return std::get<std::reference_wrapper<Buffer>>(buffer).get();
}
inline void write_all(const Buffer& buffer, const void* bytes, std::size_t count, const Here& here) {
    if (count > buffer.size()) {
        tileproof::refuse(here, "{} bytes are written to a buffer that has {} B", count, buffer.size());
    }
    buffer.write(0, bytes, count, here);
}
}  // namespace detail

template <typename T>
void EnqueueWriteBuffer(CommandQueue&, const AnyBufferRef& buffer, const std::vector<T>& src, bool, const Here& here = Here::current()) {
    detail::write_all(detail::buffer_of(buffer, here), src.data(), src.size() * sizeof(T), here);
}
inline void EnqueueWriteBuffer(CommandQueue&, const AnyBufferRef& buffer, const void* src, bool, const Here& here = Here::current()) {
    const Buffer& to = detail::buffer_of(buffer, here);
    to.write(0, src, to.size(), here);
}
template <typename T>
void EnqueueReadBuffer(CommandQueue&, const AnyBufferRef& buffer, std::vector<T>& dst, bool, const Here& here = Here::current()) {
    const Buffer& from = detail::buffer_of(buffer, here);
    dst.resize(from.size() / sizeof(T));
    from.read(0, dst.data(), dst.size() * sizeof(T), here);
}
inline void EnqueueReadBuffer(CommandQueue&, const AnyBufferRef& buffer, void* dst, bool, const Here& here = Here::current()) {
    const Buffer& from = detail::buffer_of(buffer, here);
    from.read(0, dst, from.size(), here);
}

inline void EnqueueProgram(CommandQueue& cq, Program& program, bool, const Here& here = Here::current()) {
    program.run(cq.device()->number(), here);
}
inline void EnqueueProgram(CommandQueue& cq, const std::shared_ptr<Program>& program, bool, const Here& here = Here::current()) {
    program->run(cq.device()->number(), here);
}
inline void Finish(CommandQueue&) {}

struct Event {
    IDevice* device = nullptr;
    std::uint32_t cq_id = 0;
    std::uint32_t event_id = 0;
};
inline void EnqueueRecordEvent(CommandQueue& cq, const std::shared_ptr<Event>& event) {
    event->device = cq.device();
    event->cq_id = cq.id();
}
inline void EnqueueWaitForEvent(CommandQueue&, const std::shared_ptr<Event>&) {}
inline void EventSynchronize(const std::shared_ptr<Event>&) {}
inline bool EventQuery(const std::shared_ptr<Event>&) { return true; }
inline void Synchronize(IDevice*, std::optional<std::uint8_t> = std::nullopt) {}

}  // namespace tt::tt_metal
