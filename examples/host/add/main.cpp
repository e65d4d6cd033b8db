// out = a + b, as examples/programs/add describes it, from a host program.
#include <cstdint>
#include <vector>

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

using namespace tt::tt_metal;

constexpr uint32_t TILES = 8;
constexpr uint32_t ELEMENTS = tt::constants::TILE_HW;
constexpr uint32_t TILE_BYTES = ELEMENTS * sizeof(bfloat16);

std::shared_ptr<distributed::MeshBuffer> buffer(distributed::MeshDevice* device) {
    const distributed::DeviceLocalBufferConfig pages{.page_size = TILE_BYTES, .buffer_type = BufferType::DRAM};
    return distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = TILES * TILE_BYTES}, pages, device);
}

int main() {
    auto device = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = device->mesh_command_queue();
    auto a = buffer(device.get()), b = buffer(device.get()), out = buffer(device.get());

    Program program = CreateProgram();
    const CoreCoord core = {0, 0};
    for (const tt::CBIndex index : {tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16}) {
        const CircularBufferConfig config(2 * TILE_BYTES, {{index, tt::DataFormat::Float16_b}});
        CreateCircularBuffer(program, core, CircularBufferConfig(config).set_page_size(index, TILE_BYTES));
    }

    std::vector<uint32_t> inputs, output;
    TensorAccessorArgs(*a).append_to(inputs);
    TensorAccessorArgs(*out).append_to(output);
    // Paths are looked for in the folder of this file and in those around it.
    const auto reader = CreateKernel(program, "programs/add/reader.cpp", core, ReaderDataMovementConfig(inputs));
    const auto writer = CreateKernel(program, "programs/add/writer.cpp", core, WriterDataMovementConfig(output));
    CreateKernel(program, "programs/add/add.cpp", core, ComputeConfig{.compile_args = {TILES}});

    std::vector<bfloat16> values(TILES * ELEMENTS), ones(TILES * ELEMENTS, bfloat16(1.0f));
    for (uint32_t i = 0; i < values.size(); ++i) {
        values[i] = bfloat16(static_cast<float>(i % 100));
    }
    distributed::EnqueueWriteMeshBuffer(queue, a, values);
    distributed::EnqueueWriteMeshBuffer(queue, b, ones);

#ifdef BROKEN
    constexpr uint32_t written = TILES + 1;  // A page more than compute packs.
#else
    constexpr uint32_t written = TILES;
#endif
    SetRuntimeArgs(program, reader, core, {(uint32_t)a->address(), (uint32_t)b->address(), TILES});
    SetRuntimeArgs(program, writer, core, {(uint32_t)out->address(), written});

    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(device->shape()), std::move(program));
    distributed::EnqueueMeshWorkload(queue, workload, false);
    distributed::Finish(queue);

    std::vector<bfloat16> result;
    distributed::EnqueueReadMeshBuffer(queue, result, out);
    for (uint32_t i = 0; i < result.size(); ++i) {
        TT_FATAL(float(result[i]) == float(values[i]) + 1, "out[{}] is {}, and {} + 1 was asked for", i, float(result[i]), float(values[i]));
    }
    fmt::print("{} sums are right\n", result.size());
    return device->close() ? 0 : 1;
}
