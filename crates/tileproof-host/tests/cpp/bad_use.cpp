// Each word of the command line is a mistake that a host program can make. What is said of it bears the line that ends
// with the word.
#include <cstdio>
#include <string_view>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <ttnn/tensor/tensor.hpp>

using namespace tt::tt_metal;

int main(int, char** arguments) {
    const std::string_view mistake = arguments[1];
    auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = mesh->mesh_command_queue();
    Program program = CreateProgram();
    const CoreCoord core = {0, 0};
    const char* const kernel = "cpp/nothing.cpp";
    const auto reads = ReaderDataMovementConfig();
    const distributed::DeviceLocalBufferConfig dram{.page_size = 64, .buffer_type = BufferType::DRAM};
    const distributed::DeviceLocalBufferConfig l1{.page_size = 4096, .buffer_type = BufferType::L1};
    const distributed::MeshCoordinateRange all(mesh->shape());
    const CircularBufferConfig cb(64, {{0, tt::DataFormat::Float16_b}});
    distributed::MeshWorkload workload;
    // Four pages in a column, one a core.
    const auto in_shards = [&](BufferType type, const CoreRangeSet& cores, uint32_t pages_wide, const Here& here = Here::current()) {
        const ShardSpecBuffer shards(cores, {1, 64}, ShardOrientation::ROW_MAJOR, {1, 64}, {4, pages_wide});
        const BufferShardingArgs sharding(shards, TensorMemoryLayout::HEIGHT_SHARDED);
        return Buffer::create(mesh.get(), 256, 64, type, sharding, {}, {}, here);
    };
    const CoreRangeSet four(CoreRange({0, 0}, {3, 0}));
    try {
        if (mistake == "no_kernel") {
            CreateKernel(program, "cpp/there_is_none.cpp", core, reads);  // HERE no_kernel
        } else if (mistake == "same_index") {
            CreateCircularBuffer(program, CoreRange({0, 0}, {1, 1}), CircularBufferConfig(cb).set_page_size(0, 32));
            CreateCircularBuffer(program, CoreRange({1, 1}, {2, 2}), cb);  // HERE same_index
        } else if (mistake == "uneven_pages") {
            CircularBufferConfig(cb).set_page_size(0, 48);  // HERE uneven_pages
        } else if (mistake == "no_index") {
            CircularBufferConfig(cb).set_page_size(3, 32);  // HERE no_index
        } else if (mistake == "core_range") {
            CoreRange({2, 2}, {1, 1});  // HERE core_range
        } else if (mistake == "off_the_grid") {
            CreateKernel(program, kernel, CoreCoord{63, 0}, reads);
            workload.add_program(all, std::move(program));
            distributed::EnqueueMeshWorkload(queue, workload, true);  // HERE off_the_grid
        } else if (mistake == "too_large") {
            distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{1 << 30}, l1, mesh.get());  // HERE too_large
        } else if (mistake == "uneven_buffer") {
            distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{100}, dram, mesh.get());  // HERE uneven_buffer
        } else if (mistake == "dram_shards") {
            in_shards(BufferType::DRAM, four, 1);  // HERE dram_shards
        } else if (mistake == "no_shard_cores") {
            in_shards(BufferType::L1, CoreRangeSet(), 1);  // HERE no_shard_cores
        } else if (mistake == "wide_shards") {
            in_shards(BufferType::L1, four, 0x40000001);  // HERE wide_shards
        } else if (mistake == "other_core") {
            const auto id = CreateKernel(program, kernel, core, reads);
            SetRuntimeArgs(program, id, CoreCoord{1, 0}, {1, 2});  // HERE other_core
        } else if (mistake == "other_count") {
            const auto id = CreateKernel(program, kernel, core, reads);
            SetRuntimeArgs(program, id, core, {1, 2});
            SetRuntimeArgs(program, id, core, {1, 2, 3});  // HERE other_count
        } else if (mistake == "too_many") {
            const auto id = CreateKernel(program, kernel, core, reads);
            SetRuntimeArgs(program, id, core, std::vector<uint32_t>(342));  // HERE too_many
        } else if (mistake == "no_handle") {
            SetRuntimeArgs(program, 7, core, {1});  // HERE no_handle
        } else if (mistake == "two_on_a_thread") {
            CreateKernel(program, kernel, core, reads);
            CreateKernel(program, kernel, core, reads);
            workload.add_program(all, std::move(program));
            distributed::EnqueueMeshWorkload(queue, workload, true);  // HERE two_on_a_thread
        } else if (mistake == "closed_run") {
            CreateKernel(program, kernel, core, reads);
            workload.add_program(all, std::move(program));
            mesh->close();
            distributed::EnqueueMeshWorkload(queue, workload, true);  // HERE closed_run
        } else if (mistake == "closed_buffer") {
            mesh->close();
            distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());  // HERE closed_buffer
        } else if (mistake == "closed_read") {
            auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());
            mesh->close();
            std::vector<uint8_t> bytes;
            distributed::EnqueueReadMeshBuffer(queue, bytes, buffer);  // HERE closed_read
        } else if (mistake == "freed") {
            auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());
            buffer->deallocate();
            distributed::EnqueueWriteMeshBuffer(queue, buffer, std::vector<uint8_t>(128));  // HERE freed
        } else if (mistake == "dram_cb") {
            auto buffer = Buffer::create(mesh.get(), 64, 64, BufferType::DRAM);
            CircularBufferConfig(cb).set_globally_allocated_address(*buffer);  // HERE dram_cb
        } else if (mistake == "dram_cb_at_once") {
            auto buffer = Buffer::create(mesh.get(), 64, 64, BufferType::DRAM);
            CircularBufferConfig(64, {{0, tt::DataFormat::Float16_b}}, *buffer);  // HERE dram_cb_at_once
        } else if (mistake == "dram_cb_described") {
            auto buffer = Buffer::create(mesh.get(), 64, 64, BufferType::DRAM);
            ProgramDescriptor described;
            described.cbs.push_back(CBDescriptor{.total_size = 64, .core_ranges = four, .buffer = buffer.get()});
            Program of_it(described);  // HERE dram_cb_described
        } else if (mistake == "freed_cb") {
            auto buffer = Buffer::create(mesh.get(), 4096, 4096, BufferType::L1);
            auto config = CircularBufferConfig(cb).set_page_size(0, 32).set_globally_allocated_address(*buffer);
            CreateCircularBuffer(program, core, config);  // HERE freed_cb
            CreateKernel(program, kernel, core, reads);
            buffer.reset();
            workload.add_program(all, std::move(program));
            distributed::EnqueueMeshWorkload(queue, workload, true);
        } else if (mistake == "freed_before_cb") {
            auto buffer = Buffer::create(mesh.get(), 4096, 4096, BufferType::L1);
            DeallocateBuffer(*buffer);
            CircularBufferConfig(cb).set_globally_allocated_address(*buffer);  // HERE freed_before_cb
        } else if (mistake == "more_than_it_has") {
            auto buffer = Buffer::create(mesh.get(), 64, 64, BufferType::DRAM);
            tt::tt_metal::detail::WriteToBuffer(buffer, std::vector<uint8_t>(65));  // HERE more_than_it_has
        } else if (mistake.starts_with("tensor_")) {
            const auto spec = [](DataType dtype) { return TensorSpec(ttnn::Shape{2, 3}, TensorLayout(dtype, Layout::TILE, MemoryConfig{})); };
            const ttnn::Tensor tensor = ttnn::Tensor::from_vector(std::vector<float>(6), spec(DataType::BFLOAT16), mesh.get());
            if (mistake == "tensor_count") {
                ttnn::Tensor::from_vector(std::vector<float>(5), spec(DataType::BFLOAT16), mesh.get());  // HERE tensor_count
            } else if (mistake == "tensor_type") {
                ttnn::Tensor::from_vector(std::vector<float>(6), spec(DataType::UINT32), mesh.get());  // HERE tensor_type
            } else if (mistake == "tensor_block") {
                ttnn::Tensor::from_vector(std::vector<float>(6), spec(DataType::BFLOAT8_B), mesh.get()).element_size();  // HERE tensor_block
            } else if (mistake == "tensor_twice") {
                tensor.to_device(mesh.get());  // HERE tensor_twice
            } else if (mistake == "tensor_reshaped") {
                tensor.reshape(ttnn::Shape{3, 3});  // HERE tensor_reshaped
            } else if (mistake == "tensor_on_host") {
                tensor.cpu().buffer();  // HERE tensor_on_host
            }
        } else if (mistake == "null_write") {
            auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());
            queue.enqueue_write_mesh_buffer(buffer, nullptr, true);  // HERE null_write
        } else if (mistake == "null_read") {
            auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());
            queue.enqueue_read_mesh_buffer(nullptr, buffer, true);  // HERE null_read
        } else if (mistake == "null_shard") {
            auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());
            const distributed::ShardDataTransfer nothing{distributed::MeshCoordinate(0, 0)};
            queue.enqueue_write_shards(buffer, {nothing}, true);  // HERE null_shard
        } else if (mistake == "beyond") {
            auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{128}, dram, mesh.get());
            char bytes[128];
            const auto part = distributed::ShardDataTransfer(distributed::MeshCoordinate(0, 0)).host_data(bytes).region(BufferRegion(64, 128));
            queue.enqueue_read_shards({part}, buffer, true);  // HERE beyond
        } else if (mistake == "open_twice") {
            distributed::MeshDevice::create_unit_mesh(0);  // HERE open_twice
        } else if (mistake == "no_device") {
            distributed::MeshDevice::create_unit_mesh(9);  // HERE no_device
        } else if (mistake == "larger_mesh") {
            distributed::MeshDevice::create(distributed::MeshDeviceConfig(distributed::MeshShape(2, 4)));  // HERE larger_mesh
        } else if (mistake == "remote_cb") {
            ProgramDescriptor described;
            described.cbs.push_back(CBDescriptor{
                .total_size = 64,
                .core_ranges = four,
                .remote_format_descriptors = {{.buffer_index = 1, .data_format = tt::DataFormat::Float16_b, .page_size = 64}}});
            Program of_it(described);  // HERE remote_cb
        } else if (mistake == "transposed_tile") {
            const auto transposed = CircularBufferConfig(cb).set_tile_dims(0, Tile({32, 32}, true));
            CreateCircularBuffer(program, core, transposed);  // HERE transposed_tile
        } else if (mistake == "transposed_described") {
            ProgramDescriptor described;
            described.cbs.push_back(CBDescriptor{
                .total_size = 64,
                .core_ranges = four,
                .format_descriptors = {{.buffer_index = 1, .data_format = tt::DataFormat::Float16_b, .page_size = 64, .tile = TileDescriptor(32, 32, true)}}});
            Program of_it(described);  // HERE transposed_described
        } else if (mistake == "ethernet_semaphore") {
            CreateSemaphore(program, CoreRange(core), 0, CoreType::ETH);  // HERE ethernet_semaphore
        } else if (mistake == "ethernet_described") {
            ProgramDescriptor described;
            described.semaphores.push_back(SemaphoreDescriptor{.core_type = CoreType::ETH, .core_ranges = four});
            Program of_it(described);  // HERE ethernet_described
        } else if (mistake == "ethernet") {
            CreateKernel(program, kernel, core, EthernetConfig{});  // HERE ethernet
        } else if (mistake == "early_release") {
            const auto trace = mesh->begin_mesh_trace(0);
            mesh->release_mesh_trace(trace);  // HERE early_release
        } else if (mistake == "early_replay") {
            const auto trace = mesh->begin_mesh_trace(1);
            mesh->replay_mesh_trace(0, trace, true);  // HERE early_replay
        } else if (mistake == "replay_in_capture") {
            const auto trace = mesh->begin_mesh_trace(0);
            mesh->end_mesh_trace(0, trace);
            mesh->begin_mesh_trace(0);
            mesh->replay_mesh_trace(0, trace, true);  // HERE replay_in_capture
        } else if (mistake == "two_captures") {
            mesh->begin_mesh_trace(0);
            mesh->begin_mesh_trace(0);  // HERE two_captures
        } else if (mistake == "released") {
            const auto trace = mesh->begin_mesh_trace(0);
            mesh->end_mesh_trace(0, trace);
            mesh->release_mesh_trace(trace);
            mesh->replay_mesh_trace(0, trace, true);  // HERE released
        } else if (mistake == "no_queue") {
            mesh->mesh_command_queue(5);  // HERE no_queue
        } else if (mistake == "moved") {
            workload.add_program(all, std::move(program));
            CreateKernel(program, kernel, core, reads);  // HERE moved
        } else if (mistake == "semaphores") {
            for (int i = 0; i < 16; ++i) {
                CreateSemaphore(program, CoreRange(core), 0);
            }
            CreateSemaphore(program, CoreRange(core), 0);  // HERE semaphores
        } else {
            std::puts("there is no such mistake");
            return 3;
        }
    } catch (const std::exception& error) {
        std::puts(error.what());
        return 4;
    }
    std::puts("nobody minded");
    return 0;
}
