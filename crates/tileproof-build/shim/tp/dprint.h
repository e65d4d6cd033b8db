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
struct U32 {
    uint32_t value;
    explicit U32(uint32_t v) : value(v) {}
};
struct OCT {};
struct DEFAULTFLOAT {};

// Rows and columns of a tile: first, end, step.
struct SliceRange {
    uint8_t h0 = 0, h1 = 32, hs = 8, w0 = 0, w1 = 32, ws = 8;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static constexpr SliceRange h0_w0_32_c() { return h0_w0_32(); }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
    constexpr uint64_t packed() const {
        return uint64_t(h0) | uint64_t(h1) << 8 | uint64_t(hs) << 16 | uint64_t(w0) << 24 | uint64_t(w1) << 32 |
               uint64_t(ws) << 40;
    }
};

enum dprint_tslice_ptr_t { TSLICE_RD_PTR = tp::tile_source::read, TSLICE_WR_PTR = tp::tile_source::write };
enum dprint_tslice_cb_t { TSLICE_INPUT_CB = 0, TSLICE_OUTPUT_CB = 1 };

// Where a buffer's pages begin, in bytes (tt-metal `dprint_tile.h`).
#define CB_RD_PTR(cb) (uint32_t(get_local_cb_interface(cb).fifo_rd_ptr) << cb_addr_shift)
#define CB_WR_PTR(cb) (uint32_t(get_local_cb_interface(cb).fifo_wr_ptr) << cb_addr_shift)

// Part of a tile of a circular buffer. UNPACK sees its input side, PACK its output side; a data-movement kernel says which.
struct TileSlice {
    uint32_t cb, tile, source;
    uint64_t slice;
    TileSlice(uint32_t c, uint32_t t, SliceRange s, bool = true, bool = true)
        : cb(c), tile(t), source(TP_ON_PACK ? tp::tile_source::write : tp::tile_source::read), slice(s.packed()) {}
    TileSlice(uint32_t c, uint32_t t, SliceRange s, dprint_tslice_cb_t, dprint_tslice_ptr_t pointer, bool = true,
              bool = true)
        : cb(c), tile(t), source(pointer), slice(s.packed()) {}
};

// Its name before it was a template (tt-metal of 2024 and 2025).
using TSLICE = TileSlice;

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
    Print& operator<<(U32 v) { return number(v.value, false); }
    Print& operator<<(ENDL) { return text("\n"); }
    Print& operator<<(const TileSlice& t) { return tile(t.source, t.cb, t.tile, t.slice); }
    Print& tile(uint32_t source, uint32_t index, uint32_t tile, uint64_t slice);
    Print& operator<<(SETW) { return *this; }
    Print& operator<<(SETPRECISION) { return *this; }
    Print& operator<<(FIXED) { return *this; }
    Print& operator<<(DEFAULTFLOAT) { return *this; }
    Print& operator<<(OCT) { return *this; }
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
    // A whole tile of floats takes about 12 KiB.
    char buffer_[16384];
};

}  // namespace tp

#define DPRINT ::tp::Print(TP_SITE())
#define DEVICE_PRINT(...) DPRINT(__VA_ARGS__)
// All rows of a Dst tile; meant for MATH.
ALWI void dprint_tensix_dest_reg(uint32_t tile) {
    if (TP_ON_MATH) {
        ::tp::Print(TP_SITE()).tile(::tp::tile_source::dst, 0, tile, SliceRange{0, 32, 1, 0, 32, 1}.packed());
    }
}
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
