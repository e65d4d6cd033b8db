// As much of magic_enum and of enchantum as host programs use: the enumerators of an enum and their names, for numbers from 0 to 63.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fmt.hpp"

namespace magic_enum {

template <typename E>
std::string_view enum_name(E value) {
    return fmt::detail::enumerator(value, std::make_integer_sequence<int, 64>());
}

template <typename E>
std::vector<E> enum_values() {
    std::vector<E> values;
    for (int number = 0; number < 64; ++number) {
        if (!enum_name(static_cast<E>(number)).empty()) {
            values.push_back(static_cast<E>(number));
        }
    }
    return values;
}

template <typename E>
std::optional<E> enum_cast(std::string_view name) {
    for (const E value : enum_values<E>()) {
        if (enum_name(value) == name) {
            return value;
        }
    }
    return std::nullopt;
}

template <typename E>
constexpr auto enum_integer(E value) {
    return static_cast<std::underlying_type_t<E>>(value);
}

}  // namespace magic_enum

namespace enchantum {

template <typename E>
std::string_view to_string(E value) {
    return magic_enum::enum_name(value);
}
template <typename E>
std::optional<E> cast(std::string_view name) {
    return magic_enum::enum_cast<E>(name);
}

}  // namespace enchantum
