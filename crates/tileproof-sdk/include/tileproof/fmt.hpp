// As much of fmt as host programs use: format, print, println, to_string, join, format_to, formatter. Where the real one is found
// first, that one is in use.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace fmt {

using string_view = std::string_view;

struct format_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename... Args>
struct basic_format_string {
    std::string_view text;
    template <typename S, std::enable_if_t<std::is_convertible_v<const S&, std::string_view>, int> = 0>
    constexpr basic_format_string(const S& text) : text(text) {}
};

template <typename... Args>
using format_string = basic_format_string<std::type_identity_t<Args>...>;

template <typename S>
constexpr auto runtime(const S& text) {
    return std::string_view(text);
}

// Where a formatter reads its options: up to the closing brace.
class format_parse_context {
public:
    using iterator = const char*;
    constexpr explicit format_parse_context(std::string_view spec) : spec_(spec) {}
    constexpr iterator begin() const { return spec_.data(); }
    constexpr iterator end() const { return spec_.data() + spec_.size(); }
    constexpr void advance_to(iterator) {}

private:
    std::string_view spec_;
};

// Where a formatter writes.
class format_context {
public:
    using iterator = std::back_insert_iterator<std::string>;
    explicit format_context(std::string& out) : out_(&out) {}
    iterator out() const { return std::back_inserter(*out_); }
    std::string& text() const { return *out_; }
    void advance_to(iterator) {}

private:
    std::string* out_;
};

namespace detail {

// What stands behind the colon.
struct Spec {
    char fill = ' ', align = 0, sign = 0, type = 0;
    bool alternate = false, zero = false;
    int width = 0, precision = -1;
};

inline int digits(const char*& at, const char* end) {
    int number = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
        number = number * 10 + (*at - '0');
    }
    return number;
}

inline Spec parse(std::string_view text) {
    Spec spec;
    const char *at = text.data(), *end = at + text.size();
    const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^'; };
    if (end - at >= 2 && is_align(at[1])) {
        spec.fill = at[0], spec.align = at[1], at += 2;
    } else if (at != end && is_align(*at)) {
        spec.align = *at++;
    }
    if (at != end && (*at == '+' || *at == '-' || *at == ' ')) {
        spec.sign = *at++;
    }
    if (at != end && *at == '#') {
        spec.alternate = true, ++at;
    }
    if (at != end && *at == '0') {
        spec.zero = true, ++at;
    }
    spec.width = digits(at, end);
    if (at != end && *at == '.') {
        spec.precision = digits(++at, end);
    }
    if (at != end && *at == 'L') {
        ++at;
    }
    if (at != end) {
        spec.type = *at++;
    }
    if (at != end) {
        throw format_error("invalid format specifier");
    }
    return spec;
}

inline void pad(std::string& out, std::string_view text, const Spec& spec, char align) {
    const std::size_t width = spec.width > 0 ? spec.width : 0;
    const std::size_t missing = width > text.size() ? width - text.size() : 0;
    const char way = spec.align ? spec.align : align;
    const std::size_t before = way == '>' ? missing : way == '^' ? missing / 2 : 0;
    out.append(before, spec.fill).append(text).append(missing - before, spec.fill);
}

inline void number(std::string& out, bool negative, std::string digits, std::string_view prefix, const Spec& spec) {
    std::string head = negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
    head += prefix;
    if (spec.zero && !spec.align && head.size() + digits.size() < static_cast<std::size_t>(spec.width)) {
        digits.insert(0, spec.width - head.size() - digits.size(), '0');
    }
    pad(out, head + digits, spec, '>');
}

inline void integer(std::string& out, bool negative, std::uint64_t value, const Spec& spec) {
    if (spec.type == 'c') {
        const char c = static_cast<char>(value);
        return pad(out, std::string_view(&c, 1), spec, '<');
    }
    const bool upper = spec.type == 'X' || spec.type == 'B';
    const unsigned base = spec.type == 'x' || spec.type == 'X' ? 16 : spec.type == 'b' || spec.type == 'B' ? 2 : spec.type == 'o' ? 8 : 10;
    std::string text;
    do {
        text.insert(text.begin(), (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value % base]);
        value /= base;
    } while (value != 0);
    const char* prefix = !spec.alternate ? "" : base == 16 ? (upper ? "0X" : "0x") : base == 2 ? (upper ? "0B" : "0b") : base == 8 ? "0" : "";
    number(out, negative, std::move(text), prefix, spec);
}

// The shortest digits that read back as the same number, as fmt prints it.
template <typename F>
std::string shortest(F value) {
    char text[64];
    for (int precision = 1; precision <= 17; ++precision) {
        std::snprintf(text, sizeof text, "%.*e", precision - 1, static_cast<double>(value));
        F back;
        if constexpr (sizeof(F) == 4) {
            back = std::strtof(text, nullptr);
        } else {
            back = static_cast<F>(std::strtod(text, nullptr));
        }
        if (back == value) {
            const int exponent = std::atoi(std::string_view(text).substr(std::string_view(text).find('e') + 1).data());
            if (exponent >= -4 && exponent < 16) {
                std::snprintf(text, sizeof text, "%.*f", precision - 1 > exponent ? precision - 1 - exponent : 0, static_cast<double>(value));
            }
            break;
        }
    }
    return text;
}

template <typename F>
void real(std::string& out, F value, const Spec& spec) {
    const bool negative = std::signbit(value);
    const F magnitude = negative ? -value : value;
    std::string text;
    if (std::isnan(value) || std::isinf(value)) {
        text = std::isnan(value) ? "nan" : "inf";
    } else if (spec.type == 0 && spec.precision < 0) {
        text = shortest(magnitude);
    } else {
        const char type = spec.type ? spec.type : 'g';
        const char form[] = {'%', '.', '*', type, 0};
        char buffer[512];
        std::snprintf(buffer, sizeof buffer, form, spec.precision < 0 ? 6 : spec.precision, static_cast<double>(magnitude));
        text = buffer;
    }
    number(out, negative, std::move(text), "", spec);
}

template <typename T, typename = void>
struct is_range : std::false_type {};
template <typename T>
struct is_range<T, std::void_t<decltype(std::begin(std::declval<const T&>())), decltype(std::end(std::declval<const T&>()))>>
    : std::true_type {};

// The name of an enumerator, where the compiler knows it, else nothing.
template <auto V>
constexpr std::string_view enumerator() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("V = ") + 4);
    name = name.substr(0, name.find_first_of(";]"));
    return name.empty() || name[0] == '(' ? std::string_view() : name.substr(name.rfind("::") == name.npos ? 0 : name.rfind("::") + 2);
}

template <typename E, int... I>
std::string_view enumerator(E value, std::integer_sequence<int, I...>) {
    std::string_view name;
    ((static_cast<long long>(value) == I ? (name = enumerator<static_cast<E>(I)>(), 0) : 0), ...);
    return name;
}

}  // namespace detail

template <typename T, typename Char = char, typename = void>
struct formatter;

template <>
struct formatter<std::string_view> {
    constexpr auto parse(format_parse_context& context) {
        spec = std::string_view(context.begin(), context.end() - context.begin());
        return context.end();
    }
    auto format(std::string_view text, format_context& context) const {
        const detail::Spec read = detail::parse(spec);
        detail::pad(context.text(), read.precision >= 0 ? text.substr(0, read.precision) : text, read, '<');
        return context.out();
    }
    std::string_view spec;
};
template <>
struct formatter<std::string> : formatter<std::string_view> {};
template <>
struct formatter<const char*> : formatter<std::string_view> {};
struct ostream_formatter;

template <typename T, typename = void>
struct has_formatter : std::false_type {};
template <typename T>
struct has_formatter<T, std::void_t<decltype(formatter<T>{})>> : std::true_type {};

namespace detail {

template <typename T>
void value(std::string& out, const T& item, std::string_view spec);

template <typename T, std::size_t... I>
void elements(std::string& out, const T& items, std::index_sequence<I...>) {
    out += '(';
    ((out += I ? ", " : "", value(out, std::get<I>(items), "")), ...);
    out += ')';
}

template <typename T>
struct is_tuple : std::false_type {};
template <typename... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <typename A, typename B>
struct is_tuple<std::pair<A, B>> : std::true_type {};

template <typename T>
void value(std::string& out, const T& item, std::string_view spec) {
    using U = std::decay_t<T>;
    if constexpr (std::is_same_v<U, bool>) {
        const Spec read = parse(spec);
        read.type && read.type != 's' ? integer(out, false, item, read) : pad(out, item ? "true" : "false", read, '<');
    } else if constexpr (std::is_same_v<U, char>) {
        const Spec read = parse(spec);
        read.type && read.type != 'c' ? integer(out, item < 0, item < 0 ? -item : item, read) : pad(out, std::string_view(&item, 1), read, '<');
    } else if constexpr (std::is_integral_v<U>) {
        const bool negative = std::is_signed_v<U> && item < U(0);
        const auto bits = static_cast<std::uint64_t>(item);
        integer(out, negative, negative ? ~bits + 1 : bits, parse(spec));
    } else if constexpr (std::is_floating_point_v<U>) {
        real(out, item, parse(spec));
    } else if constexpr (has_formatter<U>::value && !std::is_array_v<std::remove_reference_t<T>>) {
        formatter<U> with;
        format_parse_context options(spec);
        with.parse(options);
        format_context context(out);
        with.format(item, context);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        const Spec read = parse(spec);
        const std::string_view text = item;
        pad(out, read.precision >= 0 ? text.substr(0, read.precision) : text, read, '<');
    } else if constexpr (std::is_pointer_v<U> || std::is_same_v<U, std::nullptr_t>) {
        Spec read = parse(spec);
        read.type = 'x', read.alternate = true;
        integer(out, false, reinterpret_cast<std::uintptr_t>(static_cast<const void*>(item)), read);
    } else if constexpr (std::is_enum_v<U>) {
        const std::string_view name = enumerator(item, std::make_integer_sequence<int, 40>());
        name.empty() ? value(out, static_cast<std::underlying_type_t<U>>(item), spec) : pad(out, name, parse(spec), '<');
    } else if constexpr (is_tuple<U>::value) {
        elements(out, item, std::make_index_sequence<std::tuple_size_v<U>>());
    } else if constexpr (is_range<U>::value) {
        out += '[';
        bool first = true;
        for (const auto& element : item) {
            out += first ? "" : ", ";
            first = false;
            value(out, element, spec.substr(0, spec.find(':') == 0 ? 0 : spec.size()));
        }
        out += ']';
    } else {
        static_assert(has_formatter<U>::value, "fmt: a value that cannot be printed: specialize fmt::formatter for its type");
    }
}

struct Arg {
    const void* item = nullptr;
    void (*print)(std::string&, const void*, std::string_view) = nullptr;
    std::string_view name{};
};

}  // namespace detail

using format_args = std::pair<const detail::Arg*, std::size_t>;

// An argument with a name: arg("name", value).
template <typename T>
struct named_arg {
    std::string_view name;
    const T& item;
};
template <typename T>
named_arg<T> arg(std::string_view name, const T& item) {
    return {name, item};
}

namespace detail {

template <typename T>
Arg argument(const T& item) {
    return {&item, [](std::string& out, const void* at, std::string_view spec) { value(out, *static_cast<const T*>(at), spec); }};
}
template <typename T>
Arg argument(const named_arg<T>& named) {
    Arg made = argument(named.item);
    made.name = named.name;
    return made;
}

inline const Arg& chosen(std::string_view id, const Arg* args, std::size_t count, std::size_t& next) {
    std::size_t index = count;
    if (id.empty()) {
        index = next++;
    } else if (id[0] >= '0' && id[0] <= '9') {
        const char* at = id.data();
        index = digits(at, at + id.size());
    } else {
        for (index = 0; index < count && args[index].name != id; ++index) {
        }
    }
    if (index >= count) {
        throw format_error("argument not found");
    }
    return args[index];
}

inline void vformat(std::string& out, std::string_view text, const Arg* args, std::size_t count) {
    std::size_t next = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c != '{' && c != '}') {
            out += c;
            continue;
        }
        if (at + 1 < text.size() && text[at + 1] == c) {
            out += c, ++at;
            continue;
        }
        // A brace within the options names an argument that is a number.
        std::size_t end = at + 1, depth = 1;
        for (; end < text.size() && (depth += text[end] == '{', depth -= text[end] == '}', depth != 0); ++end) {
        }
        if (c == '}' || end == text.size()) {
            throw format_error("unmatched brace in format string");
        }
        const std::string_view field = text.substr(at + 1, end - at - 1), id = field.substr(0, field.find(':'));
        const Arg& arg = chosen(id, args, count, next);
        std::string spec(id.size() < field.size() ? field.substr(id.size() + 1) : std::string_view());
        for (std::size_t open; (open = spec.find('{')) != spec.npos;) {
            const std::size_t close = spec.find('}', open);
            std::string width;
            const Arg& inner = chosen(std::string_view(spec).substr(open + 1, close - open - 1), args, count, next);
            inner.print(width, inner.item, "");
            spec.replace(open, close - open + 1, width);
        }
        arg.print(out, arg.item, spec);
        at = end;
    }
}

}  // namespace detail

template <typename... Args>
std::string format(format_string<Args...> text, const Args&... args) {
    const detail::Arg all[] = {detail::argument(args)..., {}};
    std::string out;
    detail::vformat(out, text.text, all, sizeof...(Args));
    return out;
}

template <typename Out, typename... Args>
Out format_to(Out out, format_string<Args...> text, const Args&... args) {
    for (const char c : fmt::format(text, args...)) {
        *out++ = c;
    }
    return out;
}

template <typename... Args>
void print(std::FILE* file, format_string<Args...> text, const Args&... args) {
    const std::string line = fmt::format(text, args...);
    std::fwrite(line.data(), 1, line.size(), file);
}
template <typename... Args>
void print(format_string<Args...> text, const Args&... args) {
    fmt::print(stdout, text, args...);
}
template <typename... Args>
void println(std::FILE* file, format_string<Args...> text, const Args&... args) {
    fmt::print(file, "{}\n", fmt::format(text, args...));
}
template <typename... Args>
void println(format_string<Args...> text, const Args&... args) {
    fmt::println(stdout, text, args...);
}
template <typename Stream, typename... Args>
    requires requires(Stream& stream, std::string text) { stream << text; }
void print(Stream& stream, format_string<Args...> text, const Args&... args) {
    stream << fmt::format(text, args...);
}

template <typename T>
std::string to_string(const T& item) {
    return fmt::format("{}", item);
}

template <typename Range>
struct join_view {
    const Range& items;
    std::string_view separator;
};
template <typename Range>
join_view<Range> join(const Range& items, std::string_view separator) {
    return {items, separator};
}
template <typename Range>
struct formatter<join_view<Range>> {
    constexpr auto parse(format_parse_context& context) {
        spec = std::string_view(context.begin(), context.end() - context.begin());
        return context.end();
    }
    auto format(const join_view<Range>& joined, format_context& context) const {
        bool first = true;
        for (const auto& item : joined.items) {
            context.text() += first ? std::string_view() : joined.separator;
            first = false;
            detail::value(context.text(), item, spec);
        }
        return context.out();
    }
    std::string_view spec;
};

template <typename T>
const void* ptr(const T* pointer) {
    return pointer;
}
template <typename E>
constexpr auto underlying(E value) {
    return static_cast<std::underlying_type_t<E>>(value);
}

}  // namespace fmt
