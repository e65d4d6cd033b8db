// As a suite of GoogleTest runs: tests one after the other in one process, devices opened and closed, threads with a device each.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/kernel_types.hpp>

// The one function of GoogleTest that tells a suite from other programs.
namespace testing {
class UnitTest {
public:
    static UnitTest* GetInstance() { return nullptr; }
};
UnitTest* (*const kept)() = &UnitTest::GetInstance;
}  // namespace testing

using namespace tt::tt_metal;

constexpr const char* COPY = R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const uint32_t from = get_arg_val<uint32_t>(0), to = get_arg_val<uint32_t>(1);
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr_from_bank_id<true>(0, from), get_write_ptr(0), 64);
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    noc_async_write(get_read_ptr(0), get_noc_addr_from_bank_id<true>(0, to), 64);
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
)";
constexpr const char* HANGS = R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_wait_front(0, 1);
}
)";

constexpr const char* PRINTS = R"(
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"
void kernel_main() {
    DPRINT << "here" << ENDL();
}
)";

std::vector<uint32_t> run(int id, const char* text, uint32_t seed) {
    auto device = distributed::MeshDevice::create_unit_mesh(id);
    auto& queue = device->mesh_command_queue(1);
    const distributed::DeviceLocalBufferConfig local{.page_size = 64, .buffer_type = BufferType::DRAM};
    auto from = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{64}, local, device.get());
    auto to = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{64}, local, device.get());
    Program program = CreateProgram();
    const CoreCoord core = {0, 0};
    CreateCircularBuffer(program, core, CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
    const auto kernel = CreateKernelFromString(program, text, core, DataMovementConfig{});
    SetRuntimeArgs(program, kernel, core, {(uint32_t)from->address(), (uint32_t)to->address()});
    distributed::EnqueueWriteMeshBuffer(queue, from, std::vector<uint32_t>(16, seed));
    from.reset();  // The next buffer lies where it lay.
    auto other = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{64}, local, device.get());
    distributed::EnqueueWriteMeshBuffer(queue, other, std::vector<uint32_t>(16, seed));
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(device->shape()), std::move(program));
    distributed::EnqueueMeshWorkload(queue, workload, false);
    const auto event = queue.enqueue_record_event();
    device->mesh_command_queue(0).enqueue_wait_for_event(event);
    distributed::EventSynchronize(event);
    std::vector<uint32_t> result;
    distributed::EnqueueReadMeshBuffer(queue, result, to);
    device->close();
    return result;  // The buffers go after their device.
}

int main() {
    std::vector<std::thread> threads;
    std::vector<int> right(3);
    for (int id = 0; id < 3; ++id) {
        threads.emplace_back([&, id] {
            for (uint32_t round = 0; round < 3; ++round) {
                const uint32_t seed = 100 * id + round;
                right[id] += run(id, COPY, seed) == std::vector<uint32_t>(16, seed);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    std::printf("%d of 9 copies\n", right[0] + right[1] + right[2]);
    try {
        run(0, HANGS, 1);
        std::puts("nobody minded");
    } catch (const std::runtime_error&) {
        std::puts("the test failed");
    }
    std::puts(run(0, COPY, 7)[0] == 7 ? "the next one passed" : "the next one failed");
    run(2, PRINTS, 0);
    return 0;
}
