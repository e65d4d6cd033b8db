// Tensors on the host and on the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "elements.hpp"

namespace tt::tt_metal {

using QueueId = ttsl::StrongType<std::uint8_t, struct QueueIdTag>;

class Tensor {
public:
    Tensor() = default;

    template <typename T>
    static Tensor from_span(
        ttsl::Span<const T> buffer,
        const TensorSpec& spec,
        distributed::MeshDevice* device = nullptr,
        std::optional<QueueId> = std::nullopt,
        T pad_value = 0,
        const Here& here = Here::current()) {
        Tensor made(spec);
        made.held_->pages = tileproof::as_pages(buffer, spec, pad_value, here);
        return device ? made.to_device(device, spec.memory_config(), std::nullopt, here) : made;
    }
    template <typename T>
    static Tensor from_vector(
        const std::vector<T>& buffer,
        const TensorSpec& spec,
        distributed::MeshDevice* device = nullptr,
        std::optional<QueueId> = std::nullopt,
        T pad_value = 0,
        const Here& here = Here::current()) {
        return from_span(ttsl::Span<const T>(buffer), spec, device, std::nullopt, pad_value, here);
    }
    // On the device, its memory as it was: nothing is known of what it holds.
    static Tensor allocated(const TensorSpec& spec, IDevice* device, const Here& here) {
        auto* mesh = dynamic_cast<distributed::MeshDevice*>(device);
        if (!mesh) {
            tileproof::refuse(here, "a tensor lies on a MeshDevice, and this device is {}", device ? "none" : "a null pointer");
        }
        Tensor made(spec);
        const distributed::DeviceLocalBufferConfig local{
            .page_size = spec.compute_page_size_bytes(),
            .buffer_type = spec.memory_config().buffer_type(),
            .sharding_args = spec.compute_buffer_sharding_args()};
        const distributed::ReplicatedBufferConfig whole{spec.compute_packed_buffer_size_bytes()};
        made.held_->buffer = distributed::MeshBuffer::create(whole, local, mesh, std::nullopt, here);
        return made;
    }

    // The elements row by row, without padding.
    template <typename T>
    std::vector<T> to_vector(std::optional<QueueId> = std::nullopt, const Here& here = Here::current()) const {
        return tileproof::as_values<T>(pages(here), tensor_spec(), here);
    }
    template <typename T>
    T item(std::optional<QueueId> = std::nullopt, const Here& here = Here::current()) const {
        tileproof::demand(logical_volume() == 1, here, "item() of {}, which has {} elements", logical_shape(), logical_volume());
        return to_vector<T>(std::nullopt, here)[0];
    }
    // The bytes of its pages, wherever they are.
    std::vector<std::uint8_t> pages(const Here& here = Here::current()) const {
        if (storage_type() == StorageType::HOST) {
            return held().pages;
        }
        std::vector<std::uint8_t> pages(tensor_spec().compute_packed_buffer_size_bytes());
        buffer(here)->read(0, pages.data(), pages.size(), here);
        return pages;
    }

    Tensor to_device(
        distributed::MeshDevice* device,
        const std::optional<MemoryConfig>& memory_config = std::nullopt,
        std::optional<QueueId> = std::nullopt,
        const Here& here = Here::current()) const {
        tileproof::demand(storage_type() == StorageType::HOST, here, "to_device: the tensor is on the device already");
        Tensor made = allocated(tensor_spec().with_memory_config(memory_config.value_or(this->memory_config())), device, here);
        made.buffer(here)->write(0, held().pages.data(), held().pages.size(), here);
        return made;
    }
    Tensor cpu(bool = true, std::optional<QueueId> = std::nullopt, const Here& here = Here::current()) const {
        Tensor made(tensor_spec());
        made.held_->pages = pages(here);
        return made;
    }
    // On the host, its elements in another layout.
    Tensor to_layout(Layout layout, const Here& here = Here::current()) const;
    // The same pages under another shape that cuts them alike.
    Tensor reshape(const Shape& shape, const Here& here = Here::current()) const {
        const TensorSpec spec(shape, tensor_spec().tensor_layout());
        tileproof::demand(shape.volume() == logical_volume(), here, "reshape: {} has {} elements, {} has {}", shape, shape.volume(), logical_shape(), logical_volume());
        tileproof::demand(spec.physical_shape() == tensor_spec().physical_shape() && (layout() == Layout::ROW_MAJOR || keeps_tiles(shape)), here, "reshape: the pages of {} are not those of {}; ttnn::reshape moves elements", shape, logical_shape());
        Tensor made(spec);
        *made.held_ = Held{spec, held().pages, held().buffer};
        return made;
    }
    // True if a shape's elements lie in tiles as they do now.
    bool keeps_tiles(const Shape& shape) const {
        const Shape &now = logical_shape(), &padded = padded_shape();
        const bool outer_is_whole = now.rank() < 2 || now[-2] == padded[-2];
        const bool other_is_whole = shape.rank() < 2 || shape[-2] % tensor_spec().tile().get_height() == 0;
        const bool same_rows = shape.rank() > 1 && now.rank() > 1 && shape[-2] == now[-2];
        return shape.rank() > 0 && now.rank() > 0 && shape[-1] == now[-1] && (same_rows || (outer_is_whole && other_is_whole));
    }
    void deallocate(bool = false) {
        if (held_ && held_->buffer) {
            held_->buffer->deallocate();
        }
    }

    DataType dtype() const { return tensor_spec().data_type(); }
    Layout layout() const { return tensor_spec().layout(); }
    const Shape& logical_shape() const { return tensor_spec().logical_shape(); }
    const Shape& padded_shape() const { return tensor_spec().padded_shape(); }
    const TensorSpec& tensor_spec() const { return held().spec; }
    const MemoryConfig& memory_config() const { return tensor_spec().memory_config(); }
    const std::optional<ShardSpec>& shard_spec() const { return memory_config().shard_spec(); }
    std::uint64_t logical_volume() const { return logical_shape().volume(); }
    std::uint64_t physical_volume() const { return padded_shape().volume(); }
    std::uint64_t volume() const { return physical_volume(); }
    Strides strides() const { return tensor_spec().compute_strides(); }
    std::uint32_t element_size(const Here& here = Here::current()) const { return static_cast<std::uint32_t>(tileproof::element_bytes(dtype(), here)); }
    bool is_scalar() const { return logical_shape().rank() == 0 || logical_volume() == 1; }
    bool is_sharded() const { return memory_config().is_sharded(); }
    StorageType storage_type() const { return held().buffer ? StorageType::DEVICE : StorageType::HOST; }
    bool is_allocated() const { return held_ && (!held_->buffer || held_->buffer->is_allocated()); }
    Buffer* buffer(const Here& here = Here::current()) const { return mesh_buffer(here)->get_reference_buffer(); }
    std::shared_ptr<distributed::MeshBuffer> mesh_buffer(const Here& here = Here::current()) const {
        if (!held().buffer) {
            tileproof::refuse(here, "the tensor is on the host: it has no buffer");
        }
        return held().buffer;
    }
    distributed::MeshDevice* device() const { return held().buffer ? held().buffer->device() : nullptr; }
    distributed::MeshDevice* mesh_device() const { return device(); }

private:
    struct Held {
        TensorSpec spec;
        std::vector<std::uint8_t> pages;
        std::shared_ptr<distributed::MeshBuffer> buffer;
    };
    std::shared_ptr<Held> held_;

    explicit Tensor(const TensorSpec& spec) : held_(std::make_shared<Held>(Held{spec, {}, nullptr})) {}
    const Held& held() const {
        TT_FATAL(held_ != nullptr, "the tensor is empty: it was never made");
        return *held_;
    }
};

inline Tensor Tensor::to_layout(Layout layout, const Here& here) const {
    if (layout == this->layout()) {
        return *this;
    }
    const TensorLayout as(dtype(), layout, MemoryConfig(memory_config().memory_layout(), memory_config().buffer_type()));
    const TensorSpec spec(logical_shape(), as);
    const std::vector<std::uint8_t> from = pages(here);
    const std::size_t bytes = tileproof::element_bytes(dtype(), here);
    // By way of rows: where an element was, then where it goes.
    std::vector<std::size_t> places(logical_volume());
    tileproof::each_element(tensor_spec(), [&](std::uint64_t index, std::size_t place) { places[index] = place; });
    Tensor made(spec);
    made.held_->pages.assign(spec.compute_packed_buffer_size_bytes(), 0);
    tileproof::each_element(spec, [&](std::uint64_t index, std::size_t to) {
        std::memcpy(&made.held_->pages[to * bytes], &from[places[index] * bytes], bytes);
    });
    return device() ? made.to_device(device(), std::nullopt, std::nullopt, here) : made;
}

inline Tensor create_device_tensor(const TensorSpec& spec, IDevice* device, const Here& here = Here::current()) {
    return Tensor::allocated(spec, device, here);
}
inline Tensor create_device_tensor(
    const Shape& shape,
    DataType dtype,
    Layout layout,
    IDevice* device,
    const MemoryConfig& memory_config = MemoryConfig{},
    const std::optional<Tile>& tile = std::nullopt,
    const Here& here = Here::current()) {
    return Tensor::allocated(TensorSpec(shape, TensorLayout(dtype, PageConfig(layout, tile), memory_config)), device, here);
}
inline Tensor allocate_tensor_on_device(const TensorSpec& spec, distributed::MeshDevice* device, const Here& here = Here::current()) {
    return Tensor::allocated(spec, device, here);
}

}  // namespace tt::tt_metal

namespace ttnn {
using tt::tt_metal::QueueId;
using tt::tt_metal::Tensor;
using tt::tt_metal::TensorSpec;
}  // namespace ttnn
