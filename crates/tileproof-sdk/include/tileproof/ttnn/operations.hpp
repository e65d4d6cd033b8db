// Operations of ttnn that host programs call between operations of their own. They are worked out on the host, each element in
// float64 and rounded once, where ttnn has kernels of its own: the last digits may be others than on a card.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

#include "compute_kernel_config.hpp"
#include "device_operation.hpp"

namespace tileproof {

// Elements as numbers, row by row.
inline std::vector<double> numbers(const tt::tt_metal::Tensor& tensor, const Here& here) {
    using tt::tt_metal::DataType;
    const auto as = [&](auto sample) {
        const auto values = tensor.to_vector<decltype(sample)>(std::nullopt, here);
        return std::vector<double>(values.begin(), values.end());
    };
    switch (tensor.dtype()) {
        case DataType::BFLOAT16:
        case DataType::BFLOAT8_B:
        case DataType::BFLOAT4_B:
        case DataType::FLOAT32: return as(float{});
        case DataType::INT32: return as(std::int32_t{});
        case DataType::UINT32: return as(std::uint32_t{});
        case DataType::UINT16: return as(std::uint16_t{});
        case DataType::UINT8: return as(std::uint8_t{});
        default: refuse(here, "elements of {} are not worked with on the host", tensor.dtype());
    }
}

// A tensor of numbers, where and as `like` is unless it is said otherwise.
inline tt::tt_metal::Tensor tensor_of(
    const std::vector<double>& numbers,
    const tt::tt_metal::Shape& shape,
    const tt::tt_metal::Tensor& like,
    std::optional<tt::tt_metal::DataType> dtype,
    const std::optional<tt::tt_metal::MemoryConfig>& memory_config,
    const Here& here) {
    using namespace tt::tt_metal;
    const MemoryConfig own = like.is_sharded() ? MemoryConfig(TensorMemoryLayout::INTERLEAVED, like.memory_config().buffer_type()) : like.memory_config();
    const TensorSpec spec(shape, TensorLayout(dtype.value_or(like.dtype()), PageConfig(like.layout()), memory_config.value_or(own)));
    const auto as = [&](auto sample) {
        using T = decltype(sample);
        std::vector<T> values(numbers.size());
        std::transform(numbers.begin(), numbers.end(), values.begin(), [](double number) { return static_cast<T>(number); });
        return Tensor::from_vector(values, spec, like.device(), std::nullopt, T{}, here);
    };
    switch (spec.data_type()) {
        case DataType::BFLOAT16:
        case DataType::BFLOAT8_B:
        case DataType::BFLOAT4_B:
        case DataType::FLOAT32: return as(float{});
        case DataType::INT32: return as(std::int32_t{});
        case DataType::UINT32: return as(std::uint32_t{});
        case DataType::UINT16: return as(std::uint16_t{});
        case DataType::UINT8: return as(std::uint8_t{});
        default: refuse(here, "elements of {} are not worked with on the host", spec.data_type());
    }
}

inline void say_by_the_host(const char* operation, const Here& here) {
    note(here, "ttnn::{} is worked out on the host in float64, not by kernels of ttnn: on a card the last digits may differ", operation);
}

}  // namespace tileproof

namespace ttnn {

using tileproof::Here;
using tt::tt_metal::DataType;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;

inline Tensor reshape(const Tensor& tensor, const Shape& shape, const std::optional<MemoryConfig>& memory_config = std::nullopt, const Here& here = Here::current()) {
    if (shape.volume() != tensor.logical_volume()) {
        tileproof::refuse(here, "ttnn::reshape: {} has {} elements, {} has {}", tensor.logical_shape(), tensor.logical_volume(), shape, shape.volume());
    }
    if (!memory_config && !tensor.is_sharded() && tensor.layout() == Layout::TILE && tensor.keeps_tiles(shape)) {
        return tensor.reshape(shape);
    }
    // Elements move and stay what they are: float64 holds each.
    return tileproof::tensor_of(tileproof::numbers(tensor, here), shape, tensor, std::nullopt, memory_config, here);
}

namespace detail {

// Folds the sides that `dims` names.
inline Tensor folded(
    const Tensor& tensor, const ttsl::SmallVector<int>& dims, bool keepdim, bool mean, const std::optional<MemoryConfig>& memory_config, const Here& here) {
    const Shape& shape = tensor.logical_shape();
    std::vector<bool> goes(shape.rank(), dims.empty());
    for (const int dim : dims) {
        goes[shape.get_normalized_index(dim)] = true;
    }
    ttsl::SmallVector<std::uint32_t> sides, kept;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        const std::uint32_t side = shape[static_cast<std::int32_t>(i)];
        sides.push_back(goes[i] ? 1 : side);
        if (keepdim || !goes[i]) {
            kept.push_back(sides.back());
        }
    }
    const Shape small{ttsl::Span<const std::uint32_t>(sides.data(), sides.size())};
    const std::vector<double> numbers = tileproof::numbers(tensor, here);
    std::vector<double> sums(small.volume());
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        std::size_t rest = index, to = 0, stride = 1;
        for (std::size_t i = shape.rank(); i-- > 0;) {
            const std::uint32_t side = shape[static_cast<std::int32_t>(i)];
            to += goes[i] ? 0 : rest % side * stride;
            stride *= sides[i];
            rest /= side;
        }
        sums[to] += numbers[index];
    }
    if (mean) {
        const double count = static_cast<double>(numbers.size()) / static_cast<double>(sums.size());
        std::for_each(sums.begin(), sums.end(), [&](double& sum) { sum /= count; });
    }
    return tileproof::tensor_of(sums, Shape(ttsl::Span<const std::uint32_t>(kept.data(), kept.size())), tensor, std::nullopt, memory_config, here);
}

inline ttsl::SmallVector<int> as_dims(const std::optional<std::variant<int, ttsl::SmallVector<int>>>& dims) {
    if (!dims) {
        return {};
    }
    const int* one = std::get_if<int>(&*dims);
    return one ? ttsl::SmallVector<int>{*one} : std::get<ttsl::SmallVector<int>>(*dims);
}

// Element by element; a side of 1 stretches to the other's.
template <typename Of>
Tensor combined(const Tensor& a, const Tensor& b, std::optional<DataType> dtype, const std::optional<MemoryConfig>& memory_config, Of of, const Here& here) {
    const std::size_t rank = std::max(a.logical_shape().rank(), b.logical_shape().rank());
    const Shape left = a.logical_shape().to_rank(rank), right = b.logical_shape().to_rank(rank);
    Shape shape = left;
    for (std::size_t i = 0; i < rank; ++i) {
        const auto at = static_cast<std::int32_t>(i);
        if (left[at] != right[at] && left[at] != 1 && right[at] != 1) {
            tileproof::refuse(here, "shapes {} and {} do not go together: side {} is {} and {}", a.logical_shape(), b.logical_shape(), i, left[at], right[at]);
        }
        shape[at] = std::max(left[at], right[at]);
    }
    const std::vector<double> x = tileproof::numbers(a, here), y = tileproof::numbers(b, here);
    std::vector<double> out(shape.volume());
    for (std::size_t index = 0; index < out.size(); ++index) {
        std::size_t rest = index, from_x = 0, from_y = 0, stride_x = 1, stride_y = 1;
        for (std::size_t i = rank; i-- > 0;) {
            const auto at = static_cast<std::int32_t>(i);
            const std::size_t place = rest % shape[at];
            from_x += left[at] == 1 ? 0 : place * stride_x;
            from_y += right[at] == 1 ? 0 : place * stride_y;
            stride_x *= left[at];
            stride_y *= right[at];
            rest /= shape[at];
        }
        out[index] = of(x[from_x], y[from_y]);
    }
    return tileproof::tensor_of(out, shape, a, dtype, memory_config, here);
}

}  // namespace detail

#define TILEPROOF_FOLD(name, is_mean)                                                                                            \
    inline Tensor name(                                                                                                          \
        const Tensor& tensor, const std::optional<std::variant<int, ttsl::SmallVector<int>>>& dim = std::nullopt,                \
        bool keepdim = false, const std::optional<MemoryConfig>& memory_config = std::nullopt,                                   \
        const std::optional<DeviceComputeKernelConfig>& = std::nullopt, const Here& here = Here::current()) {                    \
        tileproof::say_by_the_host(#name, here);                                                                                 \
        return detail::folded(tensor, detail::as_dims(dim), keepdim, is_mean, memory_config, here);                              \
    }
TILEPROOF_FOLD(sum, false)
TILEPROOF_FOLD(mean, true)
#undef TILEPROOF_FOLD

#define TILEPROOF_ELEMENTWISE(name, expression)                                                                                  \
    inline Tensor name(                                                                                                          \
        const Tensor& a, const Tensor& b, const std::optional<const DataType>& dtype = std::nullopt,                             \
        const std::optional<MemoryConfig>& memory_config = std::nullopt, const Here& here = Here::current()) {                   \
        tileproof::say_by_the_host(#name, here);                                                                                 \
        return detail::combined(a, b, dtype, memory_config, [](double x, double y) { return expression; }, here);                \
    }                                                                                                                            \
    inline Tensor name(                                                                                                          \
        const Tensor& a, float scalar, const std::optional<const DataType>& dtype = std::nullopt,                                \
        const std::optional<MemoryConfig>& memory_config = std::nullopt, const Here& here = Here::current()) {                   \
        tileproof::say_by_the_host(#name, here);                                                                                 \
        std::vector<double> numbers = tileproof::numbers(a, here);                                                               \
        std::for_each(numbers.begin(), numbers.end(), [&, y = double{scalar}](double& x) { x = expression; });                   \
        return tileproof::tensor_of(numbers, a.logical_shape(), a, dtype, memory_config, here);                                  \
    }
TILEPROOF_ELEMENTWISE(add, x + y)
TILEPROOF_ELEMENTWISE(subtract, x - y)
TILEPROOF_ELEMENTWISE(multiply, x * y)
TILEPROOF_ELEMENTWISE(divide, x / y)
#undef TILEPROOF_ELEMENTWISE

inline Tensor typecast(const Tensor& tensor, DataType dtype, const std::optional<MemoryConfig>& memory_config = std::nullopt, const Here& here = Here::current()) {
    return tileproof::tensor_of(tileproof::numbers(tensor, here), tensor.logical_shape(), tensor, dtype, memory_config, here);
}
inline Tensor to_layout(const Tensor& tensor, Layout layout, const Here& here = Here::current()) { return tensor.to_layout(layout, here); }
inline Tensor to_device(
    const Tensor& tensor, MeshDevice* device, const std::optional<MemoryConfig>& memory_config = std::nullopt, const Here& here = Here::current()) {
    return tensor.to_device(device, memory_config, std::nullopt, here);
}
inline Tensor from_device(const Tensor& tensor, bool blocking = true, const Here& here = Here::current()) {
    return tensor.cpu(blocking, std::nullopt, here);
}

inline Tensor full(
    const Shape& shape,
    float value,
    const std::optional<DataType>& dtype = std::nullopt,
    const std::optional<Layout>& layout = std::nullopt,
    std::optional<std::reference_wrapper<MeshDevice>> device = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const Here& here = Here::current()) {
    const tt::tt_metal::TensorSpec spec(
        shape, tt::tt_metal::TensorLayout(dtype.value_or(DataType::BFLOAT16), layout.value_or(Layout::ROW_MAJOR), memory_config.value_or(MemoryConfig{})));
    const std::vector<float> one{0.0f};
    const Tensor host = Tensor::from_vector(one, tt::tt_metal::TensorSpec(Shape{1, 1}, tt::tt_metal::TensorLayout(DataType::FLOAT32, Layout::ROW_MAJOR, MemoryConfig{})));
    const Tensor made = tileproof::tensor_of(std::vector<double>(shape.volume(), value), shape, host, spec.data_type(), spec.memory_config(), here).to_layout(spec.layout(), here);
    return device ? made.to_device(&device->get(), spec.memory_config(), std::nullopt, here) : made;
}
#define TILEPROOF_FULL_OF(name, value)                                                                                           \
    inline Tensor name(                                                                                                          \
        const Shape& shape, const std::optional<DataType>& dtype = std::nullopt, const std::optional<Layout>& layout = std::nullopt, \
        std::optional<std::reference_wrapper<MeshDevice>> device = std::nullopt,                                                 \
        const std::optional<MemoryConfig>& memory_config = std::nullopt, const Here& here = Here::current()) {                   \
        return full(shape, value, dtype, layout, device, memory_config, here);                                                   \
    }
TILEPROOF_FULL_OF(zeros, 0.0f)
TILEPROOF_FULL_OF(ones, 1.0f)
#undef TILEPROOF_FULL_OF

}  // namespace ttnn
