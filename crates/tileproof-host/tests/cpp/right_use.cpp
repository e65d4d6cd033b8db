// Each word of the command line is something that a host program may do; it ends with 0 if it came out right.
#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <ttnn/tensor/tensor.hpp>

using namespace tt::tt_metal;

// A value that counts how often it is put into words.
struct Counted {};
inline int formatted = 0;
template <>
struct fmt::formatter<Counted> : fmt::formatter<std::string_view> {
    auto format(const Counted&, fmt::format_context& context) const {
        ++formatted;
        return fmt::formatter<std::string_view>::format("counted", context);
    }
};

// A line of the log that nobody gets costs nothing.
bool silent_log() {
    setenv("TT_LOGGER_LEVEL", "error", 1);
    log_info(tt::LogTest, "{}", Counted{});
    log_warning("{}", Counted{});
    return formatted == 0 && fmt::format("{}", Counted{}) == "counted" && formatted == 1;
}

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

// Sixteen values share the exponent of the largest; what is left of a mantissa is rounded to nearest, ties to even.
bool block_floats(distributed::MeshDevice& mesh) {
    const auto through = [&](DataType dtype, const std::vector<float>& values) {
        const TensorSpec spec(ttnn::Shape{3, 40}, TensorLayout(dtype, Layout::TILE, MemoryConfig{}));
        return ttnn::Tensor::from_vector(values, spec, &mesh);
    };
    std::vector<float> values(3 * 40), expected;
    values[0] = 1.0f;
    values[1] = 1.5f / 64;
    values[2] = 2.5f / 64;
    values[3] = -0.75f;
    values[16] = 1.5f / 64;
    values[119] = -3.0f;
    expected = values;
    expected[1] = expected[2] = 2.0f / 64;
    const ttnn::Tensor eight = through(DataType::BFLOAT8_B, values);
    const std::vector<std::uint8_t> pages = eight.pages();
    // Two tiles of 64 exponents and 1024 mantissas, each with its sign on top.
    const bool packed = pages.size() == 2 * 1088 && pages[0] == 127 && pages[64] == 64 && pages[67] == (0x80 | 48);
    values = {1.0f, 0.3f, -0.6f};
    values.resize(3 * 40);
    const std::vector<float> four = through(DataType::BFLOAT4_B, values).to_vector<float>();
    return packed && eight.to_vector<float>() == expected && four[0] == 1.0f && four[1] == 0.25f && four[2] == -0.5f;
}

const char* const WRITES_ITS_ARGUMENT = R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0)) = get_arg_val<uint32_t>(1);
    noc_async_write(get_write_ptr(0), get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0)), 64);
    noc_async_write_barrier();
}
)";

// A kernel of a checkout includes headers of ttnn as tt-metal's build finds them.
void header_of_ttnn(distributed::MeshDevice& mesh, distributed::MeshCommandQueue& queue) {
    Program program = CreateProgram();
    CreateKernel(program, "kernels/asks_ttnn.cpp", CoreCoord{0, 0}, DataMovementConfig{});
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh.shape()), std::move(program));
    distributed::EnqueueMeshWorkload(queue, workload, true);
}

// A page in DRAM, and a program that puts its second argument there.
struct OneArgument {
    std::shared_ptr<distributed::MeshBuffer> to;
    Program program = CreateProgram();
    KernelHandle kernel;

    explicit OneArgument(distributed::MeshDevice& mesh, uint32_t argument) {
        const distributed::DeviceLocalBufferConfig dram{.page_size = 64, .buffer_type = BufferType::DRAM};
        to = distributed::MeshBuffer::create(distributed::ReplicatedBufferConfig{64}, dram, &mesh);
        CreateCircularBuffer(program, CoreCoord{0, 0}, CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
        kernel = CreateKernelFromString(program, WRITES_ITS_ARGUMENT, CoreCoord{0, 0}, DataMovementConfig{});
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {(uint32_t)to->address(), argument});
    }
    uint32_t written(distributed::MeshCommandQueue& queue) const {
        std::vector<uint32_t> out;
        distributed::EnqueueReadMeshBuffer(queue, out, to);
        return out[0];
    }
};

distributed::MeshWorkload workload_of(distributed::MeshDevice& mesh, Program&& program) {
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh.shape()), std::move(program));
    return workload;
}

// The arguments of a kernel are written after other kernels have come.
bool kept_reference(distributed::MeshDevice& mesh, distributed::MeshCommandQueue& queue) {
    OneArgument one(mesh, 1);
    RuntimeArgsData& arguments = GetRuntimeArgs(one.program, one.kernel, CoreCoord{0, 0});
    RuntimeArgsData& common = GetCommonRuntimeArgs(one.program, one.kernel);
    for (std::size_t x = 1; x < 8; ++x) {
        CreateKernel(one.program, "cpp/nothing.cpp", CoreCoord{x, 0}, DataMovementConfig{});
    }
    arguments[1] = 22;
    const bool is_none = common.size() == 0;
    auto workload = workload_of(mesh, std::move(one.program));
    distributed::EnqueueMeshWorkload(queue, workload, true);
    return is_none && one.written(queue) == 22;
}

// A trace runs as it was taken, also when its workload is changed and gone.
bool replayed_trace(distributed::MeshDevice& mesh, distributed::MeshCommandQueue& queue) {
    OneArgument one(mesh, 11);
    const auto trace = mesh.begin_mesh_trace(0);
    {
        auto workload = workload_of(mesh, std::move(one.program));
        distributed::EnqueueMeshWorkload(queue, workload, false);
        Program& program = workload.get_programs().begin()->second;
        GetRuntimeArgs(program, one.kernel, CoreCoord{0, 0})[1] = 12;
    }
    mesh.end_mesh_trace(0, trace);
    distributed::EnqueueWriteMeshBuffer(queue, one.to, std::vector<uint32_t>(16, 7));
    const bool ran_early = one.written(queue) != 7;
    mesh.replay_mesh_trace(0, trace, true);
    const uint32_t written = one.written(queue);
    mesh.release_mesh_trace(trace);
    return !ran_early && written == 11;
}

// One core counts up a word of another, at an address that both programs know; the second waits for what both have added.
bool global_semaphore(distributed::MeshDevice& mesh, distributed::MeshCommandQueue& queue) {
    const CoreRangeSet cores(CoreRange({0, 0}, {1, 0}));
    const GlobalSemaphore semaphore = CreateGlobalSemaphore(&mesh, cores, 5);
    const CoreCoord there = mesh.worker_core_from_logical_core({1, 0});
    for (uint32_t round = 1; round <= 2; ++round) {
        Program program = CreateProgram();
        const auto adds = CreateKernelFromString(program, R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(0)), 1);
    noc_async_atomic_barrier();
}
)", CoreCoord{0, 0}, DataMovementConfig{});
        const auto waits = CreateKernelFromString(program, R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0)), get_arg_val<uint32_t>(1));
}
)", CoreCoord{1, 0}, DataMovementConfig{});
        const auto address = (uint32_t)semaphore.address();
        SetRuntimeArgs(program, adds, CoreCoord{0, 0}, {address, (uint32_t)there.x, (uint32_t)there.y});
        SetRuntimeArgs(program, waits, CoreCoord{1, 0}, {address, 5 + round});
        auto workload = workload_of(mesh, std::move(program));
        distributed::EnqueueMeshWorkload(queue, workload, true);
    }
    semaphore.reset_semaphore_value(0);
    return semaphore.device() == &mesh;
}

// What was said on std::cout is not lost when findings end the process, at once or at its end.
void says_and_runs(distributed::MeshDevice& mesh, distributed::MeshCommandQueue& queue, const char* text) {
    std::ios::sync_with_stdio(false);
    std::cout << "said before";
    Program program = CreateProgram();
    CreateCircularBuffer(program, CoreCoord{0, 0}, CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
    CreateKernelFromString(program, text, CoreCoord{0, 0}, DataMovementConfig{});
    auto workload = workload_of(mesh, std::move(program));
    distributed::EnqueueMeshWorkload(queue, workload, true);
    std::cout << ", said behind";
}

int main(int, char** arguments) {
    const std::string_view use = arguments[1];
    auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    auto& queue = mesh->mesh_command_queue();
    try {
        if (use == "large_page") {
            return large_page(*mesh, queue) ? 0 : 5;
        }
        if (use == "block_floats") {
            return block_floats(*mesh) ? 0 : 5;
        }
        if (use == "header_of_ttnn") {
            header_of_ttnn(*mesh, queue);
            return 0;
        }
        if (use == "kept_reference") {
            return kept_reference(*mesh, queue) ? 0 : 5;
        }
        if (use == "replayed_trace") {
            return replayed_trace(*mesh, queue) ? 0 : 5;
        }
        if (use == "silent_log") {
            return silent_log() ? 0 : 5;
        }
        if (use == "global_semaphore") {
            return global_semaphore(*mesh, queue) ? 0 : 5;
        }
        if (use == "hangs") {
            says_and_runs(*mesh, queue, R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() { cb_wait_front(0, 1); }
)");
        }
        if (use == "ends") {
            says_and_runs(*mesh, queue, R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() { cb_push_back(0, 1); }
)");
            return 0;
        }
    } catch (const std::exception& error) {
        std::puts(error.what());
        return 4;
    }
    std::puts("there is no such use");
    return 3;
}
