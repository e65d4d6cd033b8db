// The small containers of tt_stl: Span, SmallVector, StrongType.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ttsl {

template <typename T, std::size_t Extent = std::dynamic_extent>
class Span : public std::span<T, Extent> {
public:
    using std::span<T, Extent>::span;
    constexpr Span(std::span<T, Extent> other) : std::span<T, Extent>(other) {}
    // A list may be passed where values are only read.
    constexpr Span(std::initializer_list<std::remove_const_t<T>> list)
        requires std::is_const_v<T>
        : std::span<T, Extent>(list.begin(), list.size()) {}
    constexpr T& at(std::size_t index) const {
        if (index >= this->size()) {
            throw std::out_of_range("Span::at");
        }
        return (*this)[index];
    }
    constexpr const T* cbegin() const { return this->data(); }
    constexpr const T* cend() const { return this->data() + this->size(); }
};

template <typename T>
Span(std::vector<T>&) -> Span<T>;
template <typename T>
Span(const std::vector<T>&) -> Span<const T>;

template <typename T>
auto make_const_span(const std::vector<T>& values) {
    return Span<const T>(values);
}
template <typename T>
auto make_span(std::vector<T>& values) {
    return Span<T>(values);
}

template <typename T, std::size_t Preferred = 8>
class SmallVector : public std::vector<T> {
public:
    using std::vector<T>::vector;
    SmallVector() = default;
    SmallVector(const std::vector<T>& other) : std::vector<T>(other) {}
};

template <typename T, typename Tag>
class StrongType {
public:
    constexpr explicit StrongType(T value = T{}) : value_(value) {}
    constexpr const T& operator*() const { return value_; }
    constexpr const T& get() const { return value_; }
    constexpr auto operator<=>(const StrongType&) const = default;

private:
    T value_;
};

}  // namespace ttsl

template <typename T, typename Tag>
struct std::hash<ttsl::StrongType<T, Tag>> {
    std::size_t operator()(const ttsl::StrongType<T, Tag>& value) const { return std::hash<T>()(*value); }
};

namespace tt {
namespace stl = ::ttsl;
}
