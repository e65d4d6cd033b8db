// Mesh devices of one chip, their buffers, workloads and queues. A larger mesh is refused.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "queues.hpp"

namespace tt::tt_metal {

// Part of the cores of a device, to which programs keep: there is one queue of them here, so that it only says which.
class SubDevice {
public:
    explicit SubDevice(ttsl::Span<const CoreRangeSet> cores) : cores_(cores.empty() ? CoreRangeSet() : cores[0]) {}
    const CoreRangeSet& cores(HalProgrammableCoreType) const { return cores_; }

private:
    CoreRangeSet cores_;
};

}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {

class MeshDevice;

class MeshDeviceConfig {
public:
    explicit MeshDeviceConfig(
        std::optional<MeshShape> mesh_shape = std::nullopt,
        std::optional<MeshCoordinate> = std::nullopt,
        std::vector<int> physical_device_ids = {}) :
        shape_(std::move(mesh_shape)), ids_(std::move(physical_device_ids)) {}
    const std::optional<MeshShape>& mesh_shape() const { return shape_; }
    const std::vector<int>& physical_device_ids() const { return ids_; }

private:
    std::optional<MeshShape> shape_;
    std::vector<int> ids_;
};

class SystemMesh {
public:
    static SystemMesh& instance() {
        static SystemMesh mesh;
        return mesh;
    }
    const MeshShape& shape() const { return shape_; }
    const MeshShape& local_shape() const { return shape_; }

private:
    MeshShape shape_{1, 1};
};

class MeshCommandQueue;
class MeshWorkload;
using MeshTraceId = ttsl::StrongType<std::uint32_t, struct MeshTraceIdTag>;

class MeshDevice : public IDevice, public std::enable_shared_from_this<MeshDevice> {
public:
    MeshDevice(std::uint32_t chip, const Here& here);
    ~MeshDevice() override;

    static std::shared_ptr<MeshDevice> create_unit_mesh(
        int device_id,
        std::size_t = DEFAULT_L1_SMALL_SIZE,
        std::size_t = DEFAULT_TRACE_REGION_SIZE,
        std::size_t = 1,
        const DispatchCoreConfig& = DispatchCoreConfig{},
        ttsl::Span<const std::uint32_t> = {},
        std::size_t = DEFAULT_WORKER_L1_SIZE,
        const Here& here = Here::current()) {
        if (device_id < 0) {
            tileproof::refuse(here, "device {}: they are numbered from 0", device_id);
        }
        return std::make_shared<MeshDevice>(device_id, here);
    }
    static std::map<int, std::shared_ptr<MeshDevice>> create_unit_meshes(
        const std::vector<int>& device_ids,
        std::size_t = DEFAULT_L1_SMALL_SIZE,
        std::size_t = DEFAULT_TRACE_REGION_SIZE,
        std::size_t = 1,
        const DispatchCoreConfig& = DispatchCoreConfig{},
        ttsl::Span<const std::uint32_t> = {},
        std::size_t = DEFAULT_WORKER_L1_SIZE,
        const Here& here = Here::current()) {
        std::map<int, std::shared_ptr<MeshDevice>> meshes;
        for (const int id : device_ids) {
            meshes.emplace(id, create_unit_mesh(id, 0, 0, 1, {}, {}, 0, here));
        }
        return meshes;
    }
    static std::shared_ptr<MeshDevice> create(
        const MeshDeviceConfig& config,
        std::size_t = DEFAULT_L1_SMALL_SIZE,
        std::size_t = DEFAULT_TRACE_REGION_SIZE,
        std::size_t = 1,
        const DispatchCoreConfig& = DispatchCoreConfig{},
        ttsl::Span<const std::uint32_t> = {},
        std::size_t = DEFAULT_WORKER_L1_SIZE,
        const Here& here = Here::current()) {
        if (config.mesh_shape() && config.mesh_shape()->mesh_size() != 1) {
            tileproof::refuse(here, "a mesh of {} devices: one simulated chip a mesh is modelled", config.mesh_shape()->mesh_size());
        }
        const std::vector<int>& ids = config.physical_device_ids();
        return create_unit_mesh(ids.empty() ? 0 : ids[0], 0, 0, 1, {}, {}, 0, here);
    }

    const MeshShape& shape() const { return shape_; }
    std::size_t num_devices() const { return 1; }
    std::size_t num_rows() const { return 1; }
    std::size_t num_cols() const { return 1; }
    std::vector<IDevice*> get_devices() const { return {const_cast<MeshDevice*>(this)}; }
    std::vector<int> get_device_ids() const { return {id()}; }
    IDevice* get_device(ChipId) const { return const_cast<MeshDevice*>(this); }
    IDevice* get_device(const MeshCoordinate&) const { return const_cast<MeshDevice*>(this); }
    IDevice* get_device(std::size_t, std::size_t) const { return const_cast<MeshDevice*>(this); }
    bool is_local(const MeshCoordinate&) const { return true; }
    std::shared_ptr<MeshDevice> get_mesh_device() { return shared_from_this(); }
    void quiesce_devices() {}
    std::string to_string() const { return "MeshDevice(1x1 grid, 1 devices)"; }
    MeshCommandQueue& mesh_command_queue(std::optional<std::uint8_t> cq_id = std::nullopt, const Here& here = Here::current()) const;

    // Sub devices say which cores programs keep to; programs run one after the other whatever they say.
    SubDeviceManagerId create_sub_device_manager(std::initializer_list<SubDevice>, DeviceAddr) { return SubDeviceManagerId{1}; }
    SubDeviceManagerId create_sub_device_manager(ttsl::Span<const SubDevice>, DeviceAddr) { return SubDeviceManagerId{1}; }
    void load_sub_device_manager(SubDeviceManagerId) {}
    void clear_loaded_sub_device_manager() {}
    void remove_sub_device_manager(SubDeviceManagerId) {}
    void set_sub_device_stall_group(ttsl::Span<const SubDeviceId>) {}
    void reset_sub_device_stall_group() {}

    // What is enqueued while a trace is taken runs when it is replayed, as it was then.
    MeshTraceId begin_mesh_trace(std::uint8_t cq_id, const Here& here = Here::current());
    void end_mesh_trace(std::uint8_t cq_id, const MeshTraceId& id, const Here& here = Here::current());
    void replay_mesh_trace(std::uint8_t cq_id, const MeshTraceId& id, bool blocking, const Here& here = Here::current());
    void release_mesh_trace(const MeshTraceId& id, const Here& here = Here::current());
    std::vector<std::shared_ptr<MeshDevice>> create_submeshes(const MeshShape& shape, const Here& here = Here::current()) {
        return {create_submesh(shape, std::nullopt, here)};
    }
    std::shared_ptr<MeshDevice> create_submesh(
        const MeshShape& shape, const std::optional<MeshCoordinate>& = std::nullopt, const Here& here = Here::current()) {
        if (shape.mesh_size() != 1) {
            tileproof::refuse(here, "a submesh of {} devices: the mesh has one", shape.mesh_size());
        }
        return shared_from_this();
    }

private:
    MeshShape shape_{1, 1};
    std::vector<std::unique_ptr<MeshCommandQueue>> mesh_queues_;
    std::map<MeshTraceId, std::vector<Program>> traces_;
    std::uint32_t last_trace_ = 0;

    // A trace that there is, and that no queue is still taking.
    std::vector<Program>& finished_trace(const MeshTraceId& id, const Here& here);
};

struct DeviceLocalBufferConfig {
    DeviceAddr page_size = 0;
    BufferType buffer_type = BufferType::DRAM;
    BufferShardingArgs sharding_args{};
    std::optional<bool> bottom_up{};
    std::optional<SubDeviceId> sub_device_id = std::nullopt;
};

struct ReplicatedBufferConfig {
    DeviceAddr size = 0;
};

class Shape2D {
public:
    Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
    Shape2D(std::pair<std::size_t, std::size_t> shape) : Shape2D(shape.first, shape.second) {}
    std::size_t height() const { return height_; }
    std::size_t width() const { return width_; }
    operator std::pair<std::size_t, std::size_t>() const { return {height_, width_}; }
    bool operator==(const Shape2D&) const = default;

private:
    std::size_t height_, width_;
};

// A buffer that is cut over the devices of a mesh: with one device it lies there whole.
struct ShardedBufferConfig {
    DeviceAddr global_size = 0;
    Shape2D global_buffer_shape = {0, 0};
    Shape2D shard_shape = {0, 0};
    ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;
};

using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;
enum class MeshBufferLayout : std::uint8_t { REPLICATED, SHARDED };

class MeshBuffer {
public:
    static std::shared_ptr<MeshBuffer> create(
        const MeshBufferConfig& config,
        const DeviceLocalBufferConfig& local,
        MeshDevice* mesh_device,
        std::optional<DeviceAddr> address = std::nullopt,
        const Here& here = Here::current()) {
        if (address) {
            tileproof::refuse(here, "MeshBuffer::create: an address of your own is not modelled");
        }
        const auto* replicated = std::get_if<ReplicatedBufferConfig>(&config);
        const DeviceAddr size = replicated ? replicated->size : std::get<ShardedBufferConfig>(config).global_size;
        auto made = std::make_shared<MeshBuffer>();
        made->buffer_ = Buffer::create(mesh_device, size, local.page_size, local.buffer_type, local.sharding_args, {}, {}, here);
        made->device_ = mesh_device;
        made->config_ = config;
        made->local_ = local;
        return made;
    }

    MeshDevice* device() const { return device_; }
    bool is_allocated() const { return buffer_->is_allocated(); }
    void deallocate() { buffer_->deallocate(); }
    DeviceAddr size() const { return buffer_->size(); }
    DeviceAddr device_local_size() const { return buffer_->size(); }
    DeviceAddr address() const { return buffer_->address(); }
    std::uint32_t page_size() const { return buffer_->page_size(); }
    std::uint32_t num_pages() const { return buffer_->num_pages(); }
    MeshBufferLayout global_layout() const {
        return std::holds_alternative<ReplicatedBufferConfig>(config_) ? MeshBufferLayout::REPLICATED : MeshBufferLayout::SHARDED;
    }
    const MeshBufferConfig& global_config() const { return config_; }
    const DeviceLocalBufferConfig& device_local_config() const { return local_; }
    Buffer* get_device_buffer(const MeshCoordinate&) const { return buffer_.get(); }
    Buffer* get_reference_buffer() const { return buffer_.get(); }
    Buffer* get_backing_buffer() const { return buffer_.get(); }

private:
    std::shared_ptr<Buffer> buffer_;
    MeshDevice* device_ = nullptr;
    MeshBufferConfig config_;
    DeviceLocalBufferConfig local_;
};

class MeshWorkload {
public:
    void add_program(const MeshCoordinateRange& device_range, Program&& program, const Here& here = Here::current()) {
        if (programs_.contains(device_range)) {
            tileproof::refuse(here, "the workload has a program for these devices already");
        }
        programs_.emplace(device_range, std::move(program));
    }
    std::unordered_map<MeshCoordinateRange, Program>& get_programs() { return programs_; }
    const std::unordered_map<MeshCoordinateRange, Program>& get_programs() const { return programs_; }

private:
    std::unordered_map<MeshCoordinateRange, Program> programs_;
};

class MeshEvent {
public:
    MeshEvent(std::uint32_t id, MeshDevice* device, std::uint32_t cq_id) : id_(id), device_(device), cq_id_(cq_id) {}
    std::uint32_t id() const { return id_; }
    MeshDevice* device() const { return device_; }
    std::uint32_t mesh_cq_id() const { return cq_id_; }

private:
    std::uint32_t id_;
    MeshDevice* device_;
    std::uint32_t cq_id_;
};

class ShardDataTransfer {
public:
    explicit ShardDataTransfer(const MeshCoordinate& coord) : coord_(coord) {}
    MeshCoordinate shard_coord() const { return coord_; }
    void* host_data() const { return data_; }
    std::optional<BufferRegion> region() const { return region_; }
    ShardDataTransfer& host_data(void* data) {
        data_ = data;
        return *this;
    }
    ShardDataTransfer& region(std::optional<BufferRegion> region) {
        region_ = region;
        return *this;
    }

private:
    MeshCoordinate coord_;
    void* data_ = nullptr;
    std::optional<BufferRegion> region_;
};

class MeshCommandQueue {
public:
    MeshCommandQueue(MeshDevice* device, std::uint32_t id) : device_(device), id_(id) {}
    MeshDevice* device() const { return device_; }
    std::uint32_t id() const { return id_; }

    void enqueue_mesh_workload(MeshWorkload& workload, bool, const Here& here = Here::current()) {
        if (workload.get_programs().empty()) {
            tileproof::refuse(here, "the workload has no program");
        }
        for (const auto& [range, program] : workload.get_programs()) {
            trace_ ? trace_->push_back(program.as_it_is(here)) : program.run(device_->number(), here);
        }
    }
    void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* data, bool, const Here& here = Here::current()) {
        valid(buffer, here).write(0, data, buffer->size(), here);
    }
    void enqueue_read_mesh_buffer(void* data, const std::shared_ptr<MeshBuffer>& buffer, bool, const Here& here = Here::current()) {
        valid(buffer, here).read(0, data, buffer->size(), here);
    }
    void enqueue_write_shards(
        const std::shared_ptr<MeshBuffer>& buffer, const std::vector<ShardDataTransfer>& transfers, bool, const Here& here = Here::current()) {
        for (const ShardDataTransfer& transfer : transfers) {
            const BufferRegion region = transfer.region().value_or(BufferRegion(0, buffer->size()));
            valid(buffer, here).write(region.offset, transfer.host_data(), region.size, here);
        }
    }
    void enqueue_read_shards(
        const std::vector<ShardDataTransfer>& transfers, const std::shared_ptr<MeshBuffer>& buffer, bool, const Here& here = Here::current()) {
        for (const ShardDataTransfer& transfer : transfers) {
            const BufferRegion region = transfer.region().value_or(BufferRegion(0, buffer->size()));
            valid(buffer, here).read(region.offset, transfer.host_data(), region.size, here);
        }
    }
    MeshEvent enqueue_record_event(ttsl::Span<const SubDeviceId> = {}) { return {++events_, device_, id_}; }
    MeshEvent enqueue_record_event_to_host(ttsl::Span<const SubDeviceId> = {}) { return {++events_, device_, id_}; }
    void enqueue_wait_for_event(const MeshEvent&) {}
    void finish(ttsl::Span<const SubDeviceId> = {}) {}

    static const Buffer& valid(const std::shared_ptr<MeshBuffer>& buffer, const Here& here) {
        if (!buffer) {
            tileproof::refuse(here, "the buffer is a null pointer");
        }
        return *buffer->get_backing_buffer();
    }

private:
    friend class MeshDevice;
    MeshDevice* device_;
    std::uint32_t id_;
    std::uint32_t events_ = 0;
    std::vector<Program>* trace_ = nullptr;
};

inline MeshDevice::MeshDevice(std::uint32_t chip, const Here& here) : IDevice(chip, here) {
    for (std::uint32_t id = 0; id < num_hw_cqs(); ++id) {
        mesh_queues_.push_back(std::make_unique<MeshCommandQueue>(this, id));
    }
}
inline MeshDevice::~MeshDevice() = default;

inline MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<std::uint8_t> cq_id, const Here& here) const {
    const std::size_t id = cq_id.value_or(0);
    if (id >= mesh_queues_.size()) {
        tileproof::refuse(here, "command queue {}: a device has {}", id, mesh_queues_.size());
    }
    return *mesh_queues_[id];
}

inline MeshTraceId MeshDevice::begin_mesh_trace(std::uint8_t cq_id, const Here& here) {
    MeshCommandQueue& queue = mesh_command_queue(cq_id, here);
    if (queue.trace_) {
        tileproof::refuse(here, "command queue {} takes a trace already, which end_mesh_trace ends", cq_id);
    }
    const MeshTraceId id{++last_trace_};
    queue.trace_ = &traces_[id];
    return id;
}
inline void MeshDevice::end_mesh_trace(std::uint8_t cq_id, const MeshTraceId& id, const Here& here) {
    MeshCommandQueue& queue = mesh_command_queue(cq_id, here);
    if (!traces_.contains(id) || queue.trace_ != &traces_[id]) {
        tileproof::refuse(here, "trace {} is not the one that command queue {} takes", *id, cq_id);
    }
    queue.trace_ = nullptr;
}
inline void MeshDevice::replay_mesh_trace(std::uint8_t cq_id, const MeshTraceId& id, bool, const Here& here) {
    if (mesh_command_queue(cq_id, here).trace_) {
        tileproof::refuse(here, "trace {} cannot be replayed on command queue {}, which is taking a trace", *id, cq_id);
    }
    for (const Program& program : finished_trace(id, here)) {
        program.run(number(), here);
    }
}
inline void MeshDevice::release_mesh_trace(const MeshTraceId& id, const Here& here) {
    finished_trace(id, here);
    traces_.erase(id);
}
inline std::vector<Program>& MeshDevice::finished_trace(const MeshTraceId& id, const Here& here) {
    const auto found = traces_.find(id);
    if (found == traces_.end()) {
        tileproof::refuse(here, "there is no trace {}, or it was released", *id);
    }
    for (const auto& queue : mesh_queues_) {
        if (queue->trace_ == &found->second) {
            tileproof::refuse(here, "trace {} is still being taken by command queue {}: end_mesh_trace comes first", *id, queue->id());
        }
    }
    return found->second;
}
inline MeshTraceId BeginTraceCapture(MeshDevice* device, std::uint8_t cq_id, const Here& here = Here::current()) {
    return device->begin_mesh_trace(cq_id, here);
}

inline void EnqueueMeshWorkload(MeshCommandQueue& cq, MeshWorkload& workload, bool blocking, const Here& here = Here::current()) {
    cq.enqueue_mesh_workload(workload, blocking, here);
}

template <typename T>
void EnqueueWriteMeshBuffer(
    MeshCommandQueue&, const std::shared_ptr<MeshBuffer>& buffer, const std::vector<T>& src, bool = false, const Here& here = Here::current()) {
    const Buffer& to = MeshCommandQueue::valid(buffer, here);
    const DeviceAddr bytes = src.size() * sizeof(T);
    if (bytes < to.size()) {
        tileproof::note(here, "EnqueueWriteMeshBuffer: {} bytes for a buffer of {}: tt-metal reads on behind the vector; here the rest stays as it is", bytes, to.size());
    }
    to.write(0, src.data(), std::min(bytes, to.size()), here);
}
template <typename T>
void EnqueueReadMeshBuffer(
    MeshCommandQueue&, std::vector<T>& dst, const std::shared_ptr<MeshBuffer>& buffer, bool = true, const Here& here = Here::current()) {
    const Buffer& from = MeshCommandQueue::valid(buffer, here);
    dst.resize(from.size() / sizeof(T));
    from.read(0, dst.data(), dst.size() * sizeof(T), here);
}
template <typename T>
void WriteShard(
    MeshCommandQueue& cq, const std::shared_ptr<MeshBuffer>& buffer, std::vector<T>& src, const MeshCoordinate&, bool blocking = false, const Here& here = Here::current()) {
    EnqueueWriteMeshBuffer(cq, buffer, src, blocking, here);
}
template <typename T>
void ReadShard(
    MeshCommandQueue& cq, std::vector<T>& dst, const std::shared_ptr<MeshBuffer>& buffer, const MeshCoordinate&, bool blocking = true, const Here& here = Here::current()) {
    EnqueueReadMeshBuffer(cq, dst, buffer, blocking, here);
}

inline void Finish(MeshCommandQueue&, ttsl::Span<const SubDeviceId> = {}) {}
inline void Synchronize(MeshDevice*, std::optional<std::uint8_t>, ttsl::Span<const SubDeviceId> = {}) {}
inline void EventSynchronize(const MeshEvent&) {}
inline bool EventQuery(const MeshEvent&) { return true; }
inline bool UsingDistributedEnvironment() { return false; }

}  // namespace tt::tt_metal::distributed
