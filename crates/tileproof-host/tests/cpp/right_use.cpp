// Each word of the command line is something that a host program may do; it ends with 0 if it came out right.
#include <cstdio>
#include <string_view>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

using namespace tt::tt_metal;

// A page of 8 MiB in DRAM is written and read back.
bool large_page(distributed::MeshDevice& mesh, distributed::MeshCommandQueue& queue) {
    constexpr uint32_t BYTES = 8 << 20;
    const distributed::DeviceLocalBufferConfig dram{.page_size = BYTES, .buffer_type = BufferType::DRAM};
    auto buffer = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{BYTES}, dram, &mesh);
    std::vector<uint32_t> in(BYTES / sizeof(uint32_t)), out;
    for (uint32_t i = 0; i < in.size(); ++i) {
        in[i] = i * 2654435761u;
    }
    distributed::EnqueueWriteMeshBuffer(queue, buffer, in);
    distributed::EnqueueReadMeshBuffer(queue, out, buffer);
    return out == in;
}

int main(int, char** arguments) {
    const std::string_view use = arguments[1];
    auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = mesh->mesh_command_queue();
    try {
        if (use == "large_page") {
            return large_page(*mesh, queue) ? 0 : 5;
        }
    } catch (const std::exception& error) {
        std::puts(error.what());
        return 4;
    }
    std::puts("there is no such use");
    return 3;
}
