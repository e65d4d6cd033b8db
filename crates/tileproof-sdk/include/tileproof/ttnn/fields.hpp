// The fields of a struct, and the tensors among them, without a list that its author keeps.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tensor.hpp"

namespace tileproof {

// Stands for any field: by value, as a reference to something that stays or that goes.
struct AnyValue {
    template <typename T>
    operator T() const;
};
struct AnyReference {
    template <typename T>
    operator T&() const&;
    template <typename T>
    operator T&&() const&&;
};
struct AnyLvalue {
    template <typename T>
    operator T&() const;
};

template <typename T, typename Any, std::size_t... I>
constexpr bool is_made_of(std::index_sequence<I...>) {
    return requires { T{((void)I, Any())...}; };
}

// From the most down: a reference has to be given, so that fewer than all make no struct.
template <typename T, std::size_t N = 24>
constexpr std::size_t field_count() {
    using Indices = std::make_index_sequence<N>;
    if constexpr (N == 0) {
        return 0;
    } else if constexpr (is_made_of<T, AnyValue>(Indices()) || is_made_of<T, AnyReference>(Indices()) || is_made_of<T, AnyLvalue>(Indices())) {
        return N;
    } else {
        return field_count<T, N - 1>();
    }
}

// clang-format off
#define TILEPROOF_FIELDS(count, ...)                     \
    else if constexpr (N == count) {                     \
        const auto& [__VA_ARGS__] = value;               \
        return std::tie(__VA_ARGS__);                    \
    }
template <typename T>
auto fields(const T& value) {
    constexpr std::size_t N = field_count<T>();
    if constexpr (N == 0) { return std::tuple<>(); }
    TILEPROOF_FIELDS(1, a)
    TILEPROOF_FIELDS(2, a, b)
    TILEPROOF_FIELDS(3, a, b, c)
    TILEPROOF_FIELDS(4, a, b, c, d)
    TILEPROOF_FIELDS(5, a, b, c, d, e)
    TILEPROOF_FIELDS(6, a, b, c, d, e, f)
    TILEPROOF_FIELDS(7, a, b, c, d, e, f, g)
    TILEPROOF_FIELDS(8, a, b, c, d, e, f, g, h)
    TILEPROOF_FIELDS(9, a, b, c, d, e, f, g, h, i)
    TILEPROOF_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
    TILEPROOF_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
    TILEPROOF_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
    TILEPROOF_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
    TILEPROOF_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
    TILEPROOF_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    TILEPROOF_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
    TILEPROOF_FIELDS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
    TILEPROOF_FIELDS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
    TILEPROOF_FIELDS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
    TILEPROOF_FIELDS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
    TILEPROOF_FIELDS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
    TILEPROOF_FIELDS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
    TILEPROOF_FIELDS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
    TILEPROOF_FIELDS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
}
#undef TILEPROOF_FIELDS
// clang-format on

template <typename T>
inline constexpr bool is_range = fmt::detail::is_range<T>::value;
template <typename T>
concept IsTuple = requires { std::tuple_size<T>::value; };
template <typename T, template <typename...> typename Of>
inline constexpr bool is_a = false;
template <template <typename...> typename Of, typename... Parts>
inline constexpr bool is_a<Of<Parts...>, Of> = true;

// Calls with each tensor in a value: itself, in a container, in a field.
template <typename T, typename Call>
void each_tensor(const T& value, const Call& call) {
    if constexpr (std::is_same_v<T, tt::tt_metal::Tensor>) {
        call(value);
    } else if constexpr (is_a<T, std::optional>) {
        if (value) {
            each_tensor(*value, call);
        }
    } else if constexpr (is_a<T, std::reference_wrapper>) {
        each_tensor(value.get(), call);
    } else if constexpr (is_a<T, std::variant>) {
        std::visit([&](const auto& held) { each_tensor(held, call); }, value);
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, tt::tt_metal::Shape>) {
    } else if constexpr (is_range<T>) {
        for (const auto& part : value) {
            each_tensor(part, call);
        }
    } else if constexpr (IsTuple<T>) {
        std::apply([&](const auto&... parts) { (each_tensor(parts, call), ...); }, value);
    } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
        each_tensor(fields(value), call);
    }
}

}  // namespace tileproof
