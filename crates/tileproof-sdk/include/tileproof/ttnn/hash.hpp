// By what a program is kept: a number made of everything that the program depends on.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string_view>

#include "fields.hpp"

namespace tileproof {

// Adds values up; `complete` says whether each was of a kind that it knows.
struct Hasher {
    std::uint64_t hash = 0;
    bool complete = true;

    void add(std::uint64_t word) {
        // The finisher of splitmix64: each bit of the word changes half of those of the sum.
        std::uint64_t x = word + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        hash ^= x ^ x >> 31;
    }

    template <typename T>
    void of(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            add(static_cast<std::uint64_t>(value));
        } else if constexpr (std::is_floating_point_v<T>) {
            add(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
        } else if constexpr (std::is_arithmetic_v<T>) {
            add(static_cast<std::uint64_t>(value));
        } else if constexpr (std::is_pointer_v<T>) {
            add(reinterpret_cast<std::uintptr_t>(value));
        } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            add(std::hash<std::string_view>()(value));
        } else if constexpr (requires { { value.to_hash() } -> std::convertible_to<std::uint64_t>; }) {
            add(value.to_hash());
        } else if constexpr (std::is_same_v<T, std::nullopt_t> || std::is_same_v<T, std::monostate>) {
            add(0);
        } else if constexpr (is_a<T, std::optional>) {
            add(value.has_value());
            if (value) {
                of(*value);
            }
        } else if constexpr (is_a<T, std::reference_wrapper>) {
            of(value.get());
        } else if constexpr (is_a<T, std::variant>) {
            add(value.index());
            std::visit([&](const auto& held) { of(held); }, value);
        } else if constexpr (is_range<T>) {
            std::uint64_t count = 0;
            for (const auto& part : value) {
                of(part);
                ++count;
            }
            add(count);
        } else if constexpr (IsTuple<T>) {
            std::apply([&](const auto&... parts) { (of(parts), ...); }, value);
        } else if constexpr (requires { value.attribute_values(); }) {
            of(value.attribute_values());
        } else {
            of_ours(value);
        }
    }

private:
    template <typename T>
    void of_ours(const T& value) {
        using namespace tt::tt_metal;
        if constexpr (std::is_same_v<T, Tensor>) {
            add(static_cast<std::uint64_t>(value.storage_type()));
            of(value.tensor_spec());
        } else if constexpr (std::is_same_v<T, TensorSpec>) {
            of(value.logical_shape());
            of(value.tensor_layout());
        } else if constexpr (std::is_same_v<T, TensorLayout>) {
            of(std::make_tuple(value.get_data_type(), value.get_layout(), value.get_memory_config(), value.get_alignment(), value.get_tile()));
        } else if constexpr (std::is_same_v<T, MemoryConfig>) {
            of(std::make_tuple(value.memory_layout(), value.buffer_type(), value.shard_spec()));
        } else if constexpr (std::is_same_v<T, ShardSpec>) {
            of(std::make_tuple(value.grid, value.shape, value.orientation));
        } else if constexpr (std::is_same_v<T, Tile>) {
            of(value.get_tile_shape());
        } else if constexpr (std::is_same_v<T, CoreRangeSet>) {
            of(value.ranges());
        } else if constexpr (std::is_same_v<T, CoreCoord>) {
            of(std::make_tuple(value.x, value.y));
        } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
            of(fields(value));
        } else {
            complete = false;
        }
    }
};

template <typename T>
std::string_view type_name() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("T = ") + 4);
    return name.substr(0, name.find_first_of(";]"));
}
template <typename T>
std::uint64_t type_number() {
    return std::hash<std::string_view>()(type_name<T>());
}

}  // namespace tileproof

namespace ttsl::hash {

using hash_t = std::uint64_t;
constexpr hash_t DEFAULT_SEED = 1234;

template <typename T>
inline const hash_t type_hash = tileproof::type_number<T>();

template <typename... Values>
hash_t hash_objects(hash_t seed, const Values&... values) {
    tileproof::Hasher hasher{seed};
    (hasher.of(values), ...);
    return hasher.hash;
}
template <typename... Values>
hash_t hash_objects_with_default_seed(const Values&... values) {
    return hash_objects(DEFAULT_SEED, values...);
}

}  // namespace ttsl::hash

namespace tt::tt_metal::operation {

using Hash = ttsl::hash::hash_t;

template <typename Operation, typename... Values>
Hash hash_operation(const Values&... values) {
    return ttsl::hash::hash_objects_with_default_seed(tileproof::type_number<Operation>(), values...);
}

}  // namespace tt::tt_metal::operation
