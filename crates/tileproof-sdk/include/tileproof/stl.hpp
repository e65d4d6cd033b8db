// The small containers of tt_stl: Span, SmallVector, StrongType.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <new>
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

// A value that lives to the end of the process, whatever still uses it then.
template <typename T>
class Indestructible {
public:
    template <typename... Args>
    explicit Indestructible(Args&&... args) {
        new (storage_) T(std::forward<Args>(args)...);
    }
    Indestructible(const Indestructible&) = delete;
    T& get() { return *reinterpret_cast<T*>(storage_); }
    const T& get() const { return *reinterpret_cast<const T*>(storage_); }

private:
    alignas(T) std::byte storage_[sizeof(T)];
};

// Done at the end of a scope, unless it is called off.
template <typename F>
class Cleanup {
public:
    explicit Cleanup(F f) : f_(std::move(f)) {}
    Cleanup(const Cleanup&) = delete;
    ~Cleanup() {
        if (is_on_) {
            f_();
        }
    }
    void cancel() && { is_on_ = false; }

private:
    F f_;
    bool is_on_ = true;
};
template <typename F>
Cleanup<F> make_cleanup(F f) {
    return Cleanup<F>(std::move(f));
}

template <typename... Fs>
struct overloaded : Fs... {
    using Fs::operator()...;
};
template <typename... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

namespace concepts {
template <typename...>
inline constexpr bool always_false_v = false;
}

}  // namespace ttsl

template <typename T, typename Tag>
struct std::hash<ttsl::StrongType<T, Tag>> {
    std::size_t operator()(const ttsl::StrongType<T, Tag>& value) const { return std::hash<T>()(*value); }
};

namespace tt {
namespace stl = ::ttsl;
}
