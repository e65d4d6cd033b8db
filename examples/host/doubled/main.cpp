// x, 2 x, 4 x, 8 x: one program that is kept and runs again and again, with other addresses each time. The host API is that of
// 2024: CreateDevice, CommandQueue, EnqueueProgram.
#include <cstdint>
#include <memory>
#include <vector>

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

using namespace tt::tt_metal;

constexpr uint32_t TILES = 2;
constexpr uint32_t ELEMENTS = TILES * tt::constants::TILE_HW;
constexpr uint32_t TILE_BYTES = tt::constants::TILE_HW * sizeof(bfloat16);

int main() {
    IDevice* device = CreateDevice(0);
    CommandQueue& queue = device->command_queue();
    const InterleavedBufferConfig dram{
        .device = device, .size = TILES * TILE_BYTES, .page_size = TILE_BYTES, .buffer_type = BufferType::DRAM};
    std::shared_ptr<Buffer> now = CreateBuffer(dram), next = CreateBuffer(dram);

    Program program = CreateProgram();
    const CoreCoord core = {0, 0};
    for (const uint8_t index : {0, 1, 16}) {
        CreateCircularBuffer(
            program, core, CircularBufferConfig(2 * TILE_BYTES, {{index, tt::DataFormat::Float16_b}}).set_page_size(index, TILE_BYTES));
    }
    std::vector<uint32_t> inputs, output;
    TensorAccessorArgs(*now).append_to(inputs);
    TensorAccessorArgs(*now).append_to(inputs);
    TensorAccessorArgs(*next).append_to(output);
    const auto reader = CreateKernel(program, "programs/add/reader.cpp", core, ReaderDataMovementConfig(inputs));
    const auto writer = CreateKernel(program, "programs/add/writer.cpp", core, WriterDataMovementConfig(output));
    CreateKernel(program, "programs/add/add.cpp", core, ComputeConfig{.compile_args = {TILES}});
    SetRuntimeArgs(program, reader, core, {now->address(), now->address(), TILES});
    SetRuntimeArgs(program, writer, core, {next->address(), TILES});

    std::vector<bfloat16> values(ELEMENTS);
    for (uint32_t i = 0; i < ELEMENTS; ++i) {
        values[i] = bfloat16(static_cast<float>(i % 8));
    }
    EnqueueWriteBuffer(queue, now, values, false);
    constexpr uint32_t rounds = 3;
    for (uint32_t round = 0; round < rounds; ++round) {
        EnqueueProgram(queue, program, false);
        std::swap(now, next);
        RuntimeArgsData& read = GetRuntimeArgs(program, reader, core);
        read[0] = read[1] = now->address();
        GetRuntimeArgs(program, writer, core)[0] = next->address();
    }
    Finish(queue);

    std::vector<bfloat16> result;
    EnqueueReadBuffer(queue, now, result, true);
    for (uint32_t i = 0; i < ELEMENTS; ++i) {
        TT_FATAL(float(result[i]) == 8 * float(values[i]), "{} came of {}", float(result[i]), float(values[i]));
    }
    fmt::print("{} values, {} times doubled\n", ELEMENTS, rounds);
    return CloseDevice(device) ? 0 : 1;
}
