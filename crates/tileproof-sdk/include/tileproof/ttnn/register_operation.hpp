// Operations with a name, as ttnn registered them until 2026.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "device_operation.hpp"

namespace tileproof {

// A text among the arguments of a template.
template <std::size_t N>
struct Name {
    char text[N]{};
    consteval Name(const char (&from)[N]) {
        for (std::size_t i = 0; i < N; ++i) {
            text[i] = from[i];
        }
    }
    constexpr std::string_view view() const { return {text, N - 1}; }
};

}  // namespace tileproof

namespace ttnn::decorators {

template <tileproof::Name name, typename Operation>
struct registered_operation_t {
    static constexpr bool is_primitive = device_operation::DeviceOperationConcept<Operation>;

    std::string base_name() const {
        const std::string_view all = name.view();
        return std::string(all.substr(all.rfind(':') + 1));
    }

    template <typename... Args>
        requires requires(Args&&... args) { Operation::invoke(std::forward<Args>(args)...); }
    auto operator()(Args&&... args) const {
        if constexpr (is_primitive) {
            const auto [attributes, tensors] = Operation::invoke(std::forward<Args>(args)...);
            return device_operation::launch<Operation>(attributes, tensors);
        } else {
            return Operation::invoke(std::forward<Args>(args)...);
        }
    }
};

template <tileproof::Name name, typename Operation>
constexpr auto register_operation() {
    constexpr bool in_prim = name.view().starts_with("ttnn::prim::");
    static_assert(in_prim || !device_operation::DeviceOperationConcept<Operation>, "a device operation is registered in ttnn::prim");
    static_assert(!in_prim || device_operation::DeviceOperationConcept<Operation>, "an operation of ttnn::prim has operation_attributes_t, tensor_args_t, tensor_return_value_t and create_output_tensors");
    return registered_operation_t<name, Operation>{};
}

}  // namespace ttnn::decorators

namespace ttnn {
using decorators::register_operation;
}
