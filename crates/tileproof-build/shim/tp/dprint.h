// DPRINT: a line of text that the kernel hands to the machine.
// Printing must not change what a kernel computes; a line longer than the buffer is cut.
// Start at DPRINT.
#pragma once

#include <type_traits>

struct ENDL {
    const char text = '\n';
};
struct SETW {
    explicit SETW(int, bool = true) {}
};
struct HEX {};
struct DEC {};
struct FIXED {};
struct SETPRECISION {
    explicit SETPRECISION(int) {}
};
struct F32 {
    float value;
    explicit F32(float v) : value(v) {}
};
struct BF16 {
    uint16_t bits;
    explicit BF16(uint16_t b) : bits(b) {}
};

namespace tp {

class Print {
public:
    explicit Print(Site site) : site_(site) {}
    Print(const Print&) = delete;
    ~Print();
    Print& text(const char* s);
    Print& number(uint64_t magnitude, bool negative);
    Print& real(double value);

    Print& operator<<(const char* s) { return text(s); }
    Print& operator<<(char c) {
        const char s[2] = {c, 0};
        return text(s);
    }
    Print& operator<<(bool b) { return number(b, false); }
    Print& operator<<(float v) { return real(v); }
    Print& operator<<(double v) { return real(v); }
    Print& operator<<(F32 v) { return real(v.value); }
    Print& operator<<(BF16 v) {
        const uint32_t word = uint32_t(v.bits) << 16;
        float value;
        __builtin_memcpy(&value, &word, 4);
        return real(value);
    }
    Print& operator<<(ENDL) { return text("\n"); }
    Print& operator<<(SETW) { return *this; }
    Print& operator<<(SETPRECISION) { return *this; }
    Print& operator<<(FIXED) { return *this; }
    Print& operator<<(DEC) {
        hex_ = false;
        return *this;
    }
    Print& operator<<(HEX) {
        hex_ = true;
        return *this;
    }
    template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Print& operator<<(T v) {
        const bool negative = std::is_signed_v<T> && v < T(0);
        return number(negative ? uint64_t(0) - uint64_t(int64_t(v)) : uint64_t(v), negative);
    }
    template <typename T, std::enable_if_t<std::is_enum_v<T>, int> = 0>
    Print& operator<<(T v) {
        return *this << static_cast<std::underlying_type_t<T>>(v);
    }
    template <typename T>
    Print& operator<<(T* pointer) {
        return number(uint64_t(uintptr_t(pointer)), false);
    }

    // `DPRINT("a {} b", x)`: each pair of braces takes the next value.
    template <typename... Values>
    void operator()(const char* pattern, const Values&... values) {
        ((pattern = until_braces(pattern), *this << values), ...);
        text(pattern);
    }

private:
    const char* until_braces(const char* pattern);
    Site site_;
    uint32_t length_ = 0;
    bool hex_ = false;
    char buffer_[512];
};

}  // namespace tp

#define DPRINT ::tp::Print(TP_SITE())
#define DPRINT_UNPACK(x) UNPACK(x)
#define DPRINT_MATH(x) MATH(x)
#define DPRINT_PACK(x) PACK(x)
#ifdef COMPILE_FOR_NCRISC
#define DPRINT_DATA1(x) x
#define DPRINT_DATA0(x)
#elif defined(COMPILE_FOR_BRISC)
#define DPRINT_DATA1(x)
#define DPRINT_DATA0(x) x
#else
#define DPRINT_DATA1(x)
#define DPRINT_DATA0(x)
#endif
