// out = a + b of buffers that are cut over four cores, as a ProgramDescriptor describes it.
#include <cstdint>
#include <memory>
#include <vector>

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/program_descriptors.hpp>

using namespace tt::tt_metal;

constexpr uint32_t CORES = 4;
constexpr uint32_t ROWS = 8, COLUMNS = 2;  // tiles
constexpr uint32_t TILE_BYTES = tt::constants::TILE_HW * sizeof(bfloat16);
constexpr uint32_t OF_A_CORE = ROWS / CORES * COLUMNS;

int main() {
    auto device = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = device->mesh_command_queue();
    const CoreRangeSet cores(CoreRange({0, 0}, {CORES - 1, 0}));

    const ShardSpecBuffer shards(
        cores,
        {ROWS / CORES * tt::constants::TILE_HEIGHT, COLUMNS * tt::constants::TILE_WIDTH},
        ShardOrientation::ROW_MAJOR,
        {tt::constants::TILE_HEIGHT, tt::constants::TILE_WIDTH},
        {ROWS, COLUMNS});
    const distributed::DeviceLocalBufferConfig local{
        .page_size = TILE_BYTES,
        .buffer_type = BufferType::L1,
        .sharding_args = BufferShardingArgs(shards, TensorMemoryLayout::HEIGHT_SHARDED)};
    std::vector<std::shared_ptr<distributed::MeshBuffer>> buffers;
    ProgramDescriptor described;
    for (uint8_t index = 0; index < 3; ++index) {
        const distributed::ReplicatedBufferConfig whole{.size = ROWS * COLUMNS * TILE_BYTES};
        buffers.push_back(distributed::MeshBuffer::create(whole, local, device.get()));
        described.cbs.push_back(CBDescriptor{
            .total_size = OF_A_CORE * TILE_BYTES,
            .core_ranges = cores,
            .format_descriptors = {{.buffer_index = index, .data_format = tt::DataFormat::Float16_b, .page_size = TILE_BYTES}},
            .buffer = buffers.back()->get_backing_buffer()});
    }
    KernelDescriptor kernel{
        .kernel_source = "add_shards.cpp", .core_ranges = cores, .config = ComputeConfigDescriptor{.math_fidelity = MathFidelity::HiFi4}};
    for (uint32_t x = 0; x < CORES; ++x) {
        kernel.runtime_args.push_back({CoreCoord(x, 0), {OF_A_CORE}});
    }
    described.kernels.push_back(kernel);

    std::vector<bfloat16> a(ROWS * COLUMNS * tt::constants::TILE_HW), b(a.size(), bfloat16(0.5f)), out;
    for (uint32_t i = 0; i < a.size(); ++i) {
        a[i] = bfloat16(static_cast<float>(i % 64));
    }
    distributed::EnqueueWriteMeshBuffer(queue, buffers[0], a);
    distributed::EnqueueWriteMeshBuffer(queue, buffers[1], b);
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(device->shape()), Program(described));
    distributed::EnqueueMeshWorkload(queue, workload, true);
    distributed::EnqueueReadMeshBuffer(queue, out, buffers[2]);
    for (uint32_t i = 0; i < out.size(); ++i) {
        TT_FATAL(float(out[i]) == float(a[i]) + 0.5f, "out[{}] is {}", i, float(out[i]));
    }
    fmt::print("{} sums on {} cores\n", out.size(), CORES);
    return device->close() ? 0 : 1;
}
