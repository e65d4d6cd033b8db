// A program is kept and launched again; the word of the command line says which tensor it works on then.
#include <cstdio>
#include <string_view>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

using namespace tt::tt_metal;

constexpr uint32_t BYTES = 64;

const char* const COPIES = R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0)), get_write_ptr(0), 64);
    noc_async_read_barrier();
    noc_async_write(get_write_ptr(0), get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(1)), 64);
    noc_async_write_barrier();
}
)";

std::shared_ptr<distributed::MeshBuffer> buffer(distributed::MeshDevice& mesh) {
    const distributed::DeviceLocalBufferConfig dram{.page_size = BYTES, .buffer_type = BufferType::DRAM};
    return distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{BYTES}, dram, &mesh);
}

int main(int, char** arguments) {
    const std::string_view how = arguments[1];
    auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = mesh->mesh_command_queue();
    auto first = buffer(*mesh), to = buffer(*mesh), second = buffer(*mesh);
    const auto fill = [&](const std::shared_ptr<distributed::MeshBuffer>& into, uint32_t value) {
        std::vector<uint32_t> values(BYTES / sizeof(uint32_t), value);
        distributed::EnqueueWriteMeshBuffer(queue, into, values);
    };
    fill(first, 1);

    Program program = CreateProgram();
    CreateCircularBuffer(program, CoreCoord{0, 0}, CircularBufferConfig(BYTES, {{0, tt::DataFormat::UInt32}}).set_page_size(0, BYTES));
    const auto kernel = CreateKernelFromString(program, COPIES, CoreCoord{0, 0}, DataMovementConfig{});
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {(uint32_t)first->address(), (uint32_t)to->address()});
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), std::move(program));
    distributed::EnqueueMeshWorkload(queue, workload, true);

    const auto launch_on = [&](const std::shared_ptr<distributed::MeshBuffer>& from) {
        GetRuntimeArgs(workload.get_programs().begin()->second, kernel, CoreCoord{0, 0})[0] = from->address();
        distributed::EnqueueMeshWorkload(queue, workload, true);
    };
    fill(second, 2);
    if (how == "left") {
        launch_on(first);
    } else if (how == "given") {
        launch_on(second);
    } else if (how == "filled_again") {
        fill(first, 3);
        launch_on(first);
    } else if (how == "used_later") {
        launch_on(first);
        launch_on(second);
    } else {
        return 3;
    }
    std::vector<uint32_t> values;
    distributed::EnqueueReadMeshBuffer(queue, values, to);
    std::printf("%u\n", values[0]);
    return mesh->close() ? 0 : 4;
}
