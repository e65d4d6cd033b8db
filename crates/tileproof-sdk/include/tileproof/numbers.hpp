// bfloat16 and vectors of it.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "assert.hpp"

// A number made of a float is rounded to nearest, ties to even; headers of 2024 cut it off, and took integers for bits.
class bfloat16 {
public:
    static const std::size_t SIZEOF = 2;

    constexpr bfloat16() = default;
    template <class T>
        requires std::is_arithmetic_v<T>
    constexpr bfloat16(T value) noexcept : bits_(from(value)) {}
    static constexpr bfloat16 truncate(float value) { return raw(std::bit_cast<std::uint32_t>(value) >> 16); }
    static constexpr bfloat16 raw(std::uint16_t bits) {
        bfloat16 made;
        made.bits_ = bits;
        return made;
    }

    constexpr operator float() const { return to_float(); }
    constexpr float to_float() const { return std::bit_cast<float>(std::uint32_t{bits_} << 16); }
    constexpr std::uint16_t to_packed() const { return bits_; }
    constexpr std::uint16_t to_uint16() const { return bits_; }

    constexpr bool operator==(bfloat16 other) const { return to_float() == other.to_float(); }
    constexpr std::partial_ordering operator<=>(bfloat16 other) const noexcept { return to_float() <=> other.to_float(); }
    bfloat16& operator+=(bfloat16 other) noexcept { return *this = bfloat16(to_float() + other.to_float()); }
    bfloat16& operator-=(bfloat16 other) noexcept { return *this = bfloat16(to_float() - other.to_float()); }
    bfloat16& operator*=(bfloat16 other) noexcept { return *this = bfloat16(to_float() * other.to_float()); }
    bfloat16& operator/=(bfloat16 other) noexcept { return *this = bfloat16(to_float() / other.to_float()); }
    bfloat16 operator+(bfloat16 other) const { return bfloat16(to_float() + other.to_float()); }
    bfloat16 operator-(bfloat16 other) const { return bfloat16(to_float() - other.to_float()); }
    bfloat16 operator*(bfloat16 other) const { return bfloat16(to_float() * other.to_float()); }
    bfloat16 operator/(bfloat16 other) const { return bfloat16(to_float() / other.to_float()); }

private:
    std::uint16_t bits_;

    template <class T>
    static constexpr std::uint16_t from(T value) {
#ifdef TP_HOST_2024
        if constexpr (std::is_integral_v<T>) {
            return static_cast<std::uint16_t>(value);
        } else {
            return truncate(static_cast<float>(value)).bits_;
        }
#else
        const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        if ((word & 0x7fffffff) > 0x7f800000) {
            return static_cast<std::uint16_t>(word >> 16 | 0x40);
        }
        return static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
#endif
    }
};

template <>
struct fmt::formatter<bfloat16> : fmt::formatter<std::string_view> {
    auto format(const bfloat16& value, fmt::format_context& context) const {
        fmt::detail::value(context.text(), value.to_float(), this->spec);
        return context.out();
    }
};

inline std::ostream& operator<<(std::ostream& out, const bfloat16& value) { return out << value.to_float(); }

inline std::uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two) {
    return two.first.to_uint16() | std::uint32_t{two.second.to_uint16()} << 16;
}

inline std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(std::uint32_t word) {
    return {bfloat16::raw(word & 0xffff), bfloat16::raw(word >> 16)};
}

inline std::vector<std::uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& data) {
    std::vector<std::uint32_t> words(data.size() / 2);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = pack_two_bfloat16_into_uint32({data[2 * i], data[2 * i + 1]});
    }
    return words;
}

inline bfloat16 bfloat16_identity_transform(const bfloat16& input) { return input; }

inline std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<std::uint32_t>& data,
    const std::function<bfloat16(const bfloat16&)>& transform = bfloat16_identity_transform) {
    std::vector<bfloat16> values;
    values.reserve(2 * data.size());
    for (const std::uint32_t word : data) {
        const auto [low, high] = unpack_two_bfloat16_from_uint32(word);
        values.push_back(transform(low));
        values.push_back(transform(high));
    }
    return values;
}

inline std::vector<bfloat16> create_random_vector_of_bfloat16_native(
    std::size_t num_bytes, float rand_max_float, int seed, float offset = 0.0f) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(0, rand_max_float);
    std::vector<bfloat16> values(num_bytes / sizeof(bfloat16));
    for (bfloat16& value : values) {
        value = bfloat16(distribution(generator) + offset);
    }
    return values;
}

inline std::vector<std::uint32_t> create_random_vector_of_bfloat16(
    std::size_t num_bytes, int rand_max_float, int seed, float offset = 0.0f) {
    return pack_bfloat16_vec_into_uint32_vec(
        create_random_vector_of_bfloat16_native(num_bytes, static_cast<float>(rand_max_float), seed, offset));
}

inline std::vector<std::uint32_t> create_random_vector_of_bfloat16_1_1(std::size_t num_bytes, int seed) {
    return create_random_vector_of_bfloat16(num_bytes, 2, seed, -1.0f);
}
inline std::vector<std::uint32_t> create_random_vector_of_bfloat16_0_2(std::size_t num_bytes, int seed) {
    return create_random_vector_of_bfloat16(num_bytes, 2, seed);
}

inline std::vector<std::uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes, float value) {
    const std::size_t words = num_bytes / sizeof(std::uint32_t);
    // Of a single word the upper half is zero.
    const bfloat16 upper(words == 1 ? 0.0f : value);
    return std::vector<std::uint32_t>(words, pack_two_bfloat16_into_uint32({bfloat16(value), upper}));
}

inline std::vector<std::uint32_t> create_arange_vector_of_bfloat16(std::size_t num_bytes, bool = true) {
    std::vector<std::uint32_t> words(num_bytes / sizeof(std::uint32_t));
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = pack_two_bfloat16_into_uint32({bfloat16(static_cast<float>(2 * i)), bfloat16(static_cast<float>(2 * i + 1))});
    }
    return words;
}

inline std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones) {
    std::vector<bfloat16> matrix(static_cast<std::size_t>(rows) * cols, bfloat16(0.0f));
    for (int i = 0; i < num_ones; ++i) {
        matrix[static_cast<std::size_t>(i) * cols + i] = bfloat16(1.0f);
    }
    return matrix;
}

inline bool equal_within_absolute_tolerance(float a, float b, float tolerance) { return std::abs(a - b) < tolerance; }

inline bool equal_within_n_sig_figs(float a, float b, int n) {
    const auto digits = [&](float value) { return fmt::format("{:.{}e}", static_cast<double>(value), n - 1); };
    return digits(a) == digits(b);
}

inline bool is_close(float a, float b, float rtol = 0.01f, float atol = 0.001f) {
    const float difference = std::abs(a - b);
    return difference <= atol || difference < rtol * std::fmax(std::abs(a), std::abs(b));
}

inline bool packed_uint32_t_vector_comparison(
    const std::vector<std::uint32_t>& a,
    const std::vector<std::uint32_t>& b,
    const std::function<bool(float, float)>& comparison,
    int* argfail = nullptr) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto [a0, a1] = unpack_two_bfloat16_from_uint32(a[i]);
        const auto [b0, b1] = unpack_two_bfloat16_from_uint32(b[i]);
        const bool first = comparison(a0.to_float(), b0.to_float());
        if (!first || !comparison(a1.to_float(), b1.to_float())) {
            if (argfail) {
                *argfail = static_cast<int>(2 * i + first);
            }
            return false;
        }
    }
    return true;
}

inline void print_golden_metalium_vectors(std::vector<bfloat16>& golden, std::vector<bfloat16>& result) {
    for (std::size_t i = 0; i < golden.size() && i < result.size(); ++i) {
        std::cout << "-- index " << i << ": golden " << golden[i] << ", result " << result[i] << '\n';
    }
}
