// An operation of one's own: out = scale * in, tile by tile, and what may be wrong with how its program is kept.
#include <cstdio>
#include <string>

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <ttnn/decorators.hpp>
#include <ttnn/device_operation.hpp>
#include <ttnn/tensor/tensor.hpp>

using namespace tt::tt_metal;

namespace {

const char* const READS = R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(0));
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(1); ++tile) {
        cb_reserve_back(0, 1);
        noc_async_read_page(tile, in, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
})";

const char* const SCALES = R"(
#include "api/compute/common.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/tile_move_copy.h"
void kernel_main() {
    init_sfpu(0, 16);
    copy_tile_to_dst_init_short(0);
    binop_with_scalar_tile_init();
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(0); ++tile) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        mul_unary_tile(0, get_compile_time_arg_val(0));
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
})";

const char* const WRITES = R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(16));
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(1); ++tile) {
        cb_wait_front(16, 1);
        noc_async_write_page(tile, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
})";

// What is wrong with it.
std::string how;
// Programs that the factory was asked for.
int made = 0;

struct Attributes {
    float scale = 1.0f;
    std::optional<MemoryConfig> memory_config;
};
struct Tensors {
    const ttnn::Tensor& input;
    std::optional<ttnn::Tensor> output;
};

struct Factory {
    struct shared_variables_t {
        KernelHandle reader, compute, writer;
    };
    using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;

    static cached_program_t create(const Attributes& attributes, const Tensors& tensors, ttnn::Tensor& output) {
        ++made;
        Program program = CreateProgram();
        const CoreCoord core(0, 0);
        const std::uint32_t bytes = tt::tile_size(tt::DataFormat::Float16_b);
        for (const std::uint8_t index : {0, 16}) {
            CreateCircularBuffer(program, core, CircularBufferConfig(2 * bytes, {{index, tt::DataFormat::Float16_b}}).set_page_size(index, bytes));
        }
        std::vector<std::uint32_t> reads, writes;
        TensorAccessorArgs(tensors.input.buffer()).append_to(reads);
        TensorAccessorArgs(output.buffer()).append_to(writes);
        const KernelHandle reader = CreateKernelFromString(program, READS, core, ReaderDataMovementConfig(reads));
        const KernelHandle writer = CreateKernelFromString(program, WRITES, core, WriterDataMovementConfig(writes));
        const std::uint32_t scale = std::bit_cast<std::uint32_t>(attributes.scale);
        const KernelHandle compute = CreateKernelFromString(program, SCALES, core, ComputeConfig{.compile_args = {scale}});
        const auto tiles = static_cast<std::uint32_t>(tensors.input.physical_volume() / tt::constants::TILE_HW);
        SetRuntimeArgs(program, reader, core, {tensors.input.buffer()->address(), tiles});
        SetRuntimeArgs(program, compute, core, {tiles});
        SetRuntimeArgs(program, writer, core, {output.buffer()->address(), tiles});
        return {std::move(program), {reader, compute, writer}};
    }

    static void override_runtime_arguments(cached_program_t& cached, const Attributes&, const Tensors& tensors, ttnn::Tensor& output) {
        auto& [program, kernels] = cached;
        const CoreCoord core(0, 0);
        if (how != "forgets_the_input") {
            GetRuntimeArgs(program, kernels.reader, core)[0] = tensors.input.buffer()->address();
        }
        GetRuntimeArgs(program, kernels.writer, core)[0] = output.buffer()->address();
    }
};

// The same by a description.
struct Described {
    static ProgramDescriptor create_descriptor(const Attributes& attributes, const Tensors& tensors, ttnn::Tensor& output) {
        ProgramDescriptor program;
        const CoreCoord core(0, 0);
        const std::uint32_t bytes = tt::tile_size(tt::DataFormat::Float16_b);
        for (const std::uint8_t index : {0, 16}) {
            CBDescriptor cb{.total_size = 2 * bytes, .core_ranges = core};
            cb.format_descriptors.push_back({.buffer_index = index, .data_format = tt::DataFormat::Float16_b, .page_size = bytes});
            program.cbs.push_back(cb);
        }
        const auto tiles = static_cast<std::uint32_t>(tensors.input.physical_volume() / tt::constants::TILE_HW);
        const auto kernel = [&](const char* source, const auto& config, std::vector<std::uint32_t> compile_time, std::vector<std::uint32_t> runtime) {
            KernelDescriptor described{.kernel_source = source, .source_type = KernelDescriptor::SourceType::SOURCE_CODE, .core_ranges = core};
            described.compile_time_args = std::move(compile_time);
            described.runtime_args = {{core, std::move(runtime)}};
            described.config = config;
            program.kernels.push_back(described);
        };
        const auto words = [](const ttnn::Tensor& tensor) { return TensorAccessorArgs(tensor.buffer()).get_compile_time_args(); };
        kernel(READS, ReaderConfigDescriptor{}, words(tensors.input), {tensors.input.buffer()->address(), tiles});
        kernel(WRITES, WriterConfigDescriptor{}, words(output), {output.buffer()->address(), tiles});
        kernel(SCALES, ComputeConfigDescriptor{}, {std::bit_cast<std::uint32_t>(attributes.scale)}, {tiles});
        return program;
    }
};

// One factory needs no choice.
struct ScaleAlone {
    using operation_attributes_t = Attributes;
    using tensor_args_t = Tensors;
    using spec_return_value_t = ttnn::TensorSpec;
    using tensor_return_value_t = ttnn::Tensor;
    using program_factory_t = std::variant<Factory>;

    static void validate_on_program_cache_miss(const Attributes&, const Tensors& tensors) {
        TT_FATAL(tensors.input.layout() == Layout::TILE, "Scale: layout {}, expected TILE", tensors.input.layout());
    }
    static ttnn::TensorSpec compute_output_specs(const Attributes& attributes, const Tensors& tensors) {
        return {tensors.input.logical_shape(), TensorLayout(tensors.input.dtype(), Layout::TILE, attributes.memory_config.value_or(tensors.input.memory_config()))};
    }
    static ttnn::Tensor create_output_tensors(const Attributes& attributes, const Tensors& tensors) {
        return tensors.output ? *tensors.output : create_device_tensor(compute_output_specs(attributes, tensors), tensors.input.device());
    }
    static std::tuple<Attributes, Tensors> invoke(const ttnn::Tensor& input, float scale) {
        return {Attributes{.scale = scale, .memory_config = std::nullopt}, Tensors{input, std::nullopt}};
    }
};

struct Scale : ScaleAlone {
    using program_factory_t = std::variant<Factory, Described>;

    static program_factory_t select_program_factory(const Attributes&, const Tensors&) {
        return how == "described" ? program_factory_t(Described{}) : program_factory_t(Factory{});
    }
};

// With a hash of its own, which may leave something out.
struct ScaleByHash : Scale {
    static ttsl::hash::hash_t compute_program_hash(const Attributes& attributes, const Tensors& tensors) {
        const auto& shape = tensors.input.logical_shape();
        if (how == "leaves_out_the_scale") {
            return operation::hash_operation<ScaleByHash>(shape, tensors.input.dtype());
        }
        if (how == "leaves_out_the_shape") {
            return operation::hash_operation<ScaleByHash>(attributes.scale, tensors.input.dtype());
        }
        return operation::hash_operation<ScaleByHash>(attributes.scale, shape, tensors.input.dtype());
    }
};

}  // namespace

namespace ttnn::prim {
constexpr auto scale_alone = ttnn::register_operation<"ttnn::prim::scale_alone", ScaleAlone>();
constexpr auto scale = ttnn::register_operation<"ttnn::prim::scale", Scale>();
constexpr auto scale_by_hash = ttnn::register_operation<"ttnn::prim::scale_by_hash", ScaleByHash>();
}  // namespace ttnn::prim

int main(int, char** argv) {
    how = argv[1];
    const auto device = distributed::MeshDevice::create_unit_mesh(0);
    const auto tensor = [&](std::uint32_t rows, float first, Layout layout = Layout::TILE) {
        const TensorSpec spec(ttnn::Shape{1, rows, 40}, TensorLayout(DataType::BFLOAT16, layout, MemoryConfig{}));
        std::vector<float> values(spec.logical_shape().volume());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = first + static_cast<float>(i % 64);
        }
        return ttnn::Tensor::from_vector(values, spec, device.get());
    };
    const bool by_hash = how.starts_with("leaves_out") || how == "hash";
    const auto scaled = [&](const ttnn::Tensor& input, float by) {
        if (how == "alone") {
            return ttnn::prim::scale_alone(input, by);
        }
        return by_hash ? ttnn::prim::scale_by_hash(input, by) : ttnn::prim::scale(input, by);
    };
    try {
        const ttnn::Tensor rows = how == "refused" ? tensor(3, 0, Layout::ROW_MAJOR) : tensor(33, 0);
        const ttnn::Tensor first = scaled(rows, 2);
        const ttnn::Tensor second = scaled(tensor(how == "leaves_out_the_shape" ? 65 : 33, 1), how == "leaves_out_the_scale" ? 4 : 2);
        const auto a = first.to_vector<float>(), b = second.to_vector<float>();
        std::printf("%g %g %g %g, %zu kept of %d\n", a[1], a.back(), b[1], b.back(), device->num_program_cache_entries(), made);
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
    }
    device->close();
}
