// Functions as lines: a slope and an intercept for each part of |x|, out of a table.
// Only the coefficients' bits matter here; how they are read the machine knows, and what the C++ library makes of a float is what it
// makes. Names follow sfpi 6 to 7.87 (`sfpi_lib.h`). Start at lut.
#pragma once

namespace sfpi {

// Whose sign a result has: that of x, or its own.
enum class LutSign { Retain, Update };
// The six lines whose last begins at 3 or at 4.
enum class LutMode { Fp8x3, Fp16x3, Fp32x3, Fp16x6_HWM3, Fp16x6_HWM4 };

namespace impl_ {
// A float as a coefficient, the nearest of them, away from zero between two: a sign, an exponent, a mantissa of `bits`. What is too
// small is zero, which has a code of its own, what is too large is the largest.
template <bool is_half>
constexpr uint32_t coefficient(float value) {
    constexpr int bits = is_half ? 10 : 4, least = is_half ? 112 : 121, codes = is_half ? 31 : 7;
    const uint32_t word = __builtin_bit_cast(uint32_t, value);
    const uint32_t rounded = (word & 0x7fff'ffff) + (1u << (22 - bits));
    const uint32_t sign = word >> 31, mantissa = rounded >> (23 - bits) & ((1u << bits) - 1);
    const int exponent = int(rounded >> 23) - least;
    if constexpr (is_half) {
        return sign << 15 | (exponent < 0 ? 0x7c00 : exponent >= codes ? 0x7bff : uint32_t(exponent) << 10 | mantissa);
    } else {
        return sign << 7 | (exponent < 0 ? 0xff : exponent >= codes ? 0x0f : uint32_t(codes - 1 - exponent) << 4 | mantissa);
    }
}

enum class Holds { SlopeAndIntercept, Slopes, Intercepts };
// Two coefficients in a word: of a line the slope above, of two lines the first below.
template <bool is_half, Holds holds>
class sLut {
public:
    ALWI sLut(float a, float b) : sLut(coefficient<is_half>(a), coefficient<is_half>(b)) {}
    template <Integral T>
    ALWI explicit sLut(T a, T b)
        : word_(holds == Holds::SlopeAndIntercept ? mask(a) << BITS | mask(b) : mask(b) << BITS | mask(a)) {}
    ALWI sLut(sLut<is_half, Holds::SlopeAndIntercept> a, sLut<is_half, Holds::SlopeAndIntercept> b)
        requires(is_half && holds != Holds::SlopeAndIntercept)
        : sLut(of(a), of(b)) {}
    constexpr uint32_t get() const { return word_; }

private:
    static constexpr uint32_t BITS = is_half ? 16 : 8;
    static constexpr uint32_t mask(uint32_t code) { return code & ((1u << BITS) - 1); }
    static constexpr uint32_t of(sLut<is_half, Holds::SlopeAndIntercept> line) {
        return holds == Holds::Slopes ? line.get() >> BITS : line.get();
    }
    uint32_t word_;
};
template <bool is_half, Holds holds>
class vLut : public vVal {
public:
    using sLut = impl_::sLut<is_half, holds>;
    constexpr explicit vLut(tp::Value v) : vVal(v) {}
    ALWI explicit vLut(sLut codes) : vVal(tp::constant(codes.get(), false)) {}
    ALWI vLut(float a, float b) : vLut(sLut(a, b)) {}
    template <Integral T>
    ALWI explicit vLut(T a, T b) : vLut(sLut(a, b)) {}
};
}  // namespace impl_
using sLut8si = impl_::sLut<false, impl_::Holds::SlopeAndIntercept>;
using sLut16si = impl_::sLut<true, impl_::Holds::SlopeAndIntercept>;
using sLut16ss = impl_::sLut<true, impl_::Holds::Slopes>;
using sLut16ii = impl_::sLut<true, impl_::Holds::Intercepts>;
using vLut8si = impl_::vLut<false, impl_::Holds::SlopeAndIntercept>;
using vLut16si = impl_::vLut<true, impl_::Holds::SlopeAndIntercept>;
using vLut16ss = impl_::vLut<true, impl_::Holds::Slopes>;
using vLut16ii = impl_::vLut<true, impl_::Holds::Intercepts>;
struct sLut32si {
    float slope, intercept;
};
class vLut32si {
public:
    ALWI vLut32si(vFloat slope, vFloat intercept) : slope_(slope), intercept_(intercept) {}
    ALWI vLut32si(float slope, float intercept) : vLut32si(vFloat(slope), vFloat(intercept)) {}
    ALWI vLut32si(sLut32si line) : vLut32si(line.slope, line.intercept) {}
    constexpr tp::Value slope() const { return slope_.get(); }
    constexpr tp::Value intercept() const { return intercept_.get(); }

private:
    vFloat slope_, intercept_;
};

namespace impl_ {
// How wide coefficients are, and where lines end, by the machine's numbers.
enum : uint32_t { WIDE, HALVES, PAIRS_TO_3, PAIRS_TO_4 };
ALWI tp::Value table(tp::Value low, tp::Value middle, tp::Value high) { return tp::step(tp::step_code::Table, low, middle, high); }
ALWI vFloat look_up(vFloat v, tp::Value lines, LutSign sign) {
    return vFloat(tp::step(tp::step_code::Lookup, lines, v.get(), sign == LutSign::Update));
}
ALWI vFloat look_up(vFloat v, tp::Value slopes, tp::Value intercepts, uint32_t how, LutSign sign) {
    return look_up(v, tp::step(tp::step_code::Lines, slopes, intercepts, how), sign);
}
}  // namespace impl_

// Three lines, of |x| below 1, below 2 and above.
ALWI vFloat lut(vFloat v, vLut8si low, vLut8si middle, vLut8si high, LutSign sign = LutSign::Retain) {
    return impl_::look_up(v, impl_::table(low.get(), middle.get(), high.get()), sign);
}
ALWI vFloat lut(vFloat v, vLut16si low, vLut16si middle, vLut16si high, LutSign sign = LutSign::Retain) {
    const tp::Value table = impl_::table(low.get(), middle.get(), high.get());
    return impl_::look_up(v, table, table, impl_::HALVES, sign);
}
ALWI vFloat lut(vFloat v, vLut32si low, vLut32si middle, vLut32si high, LutSign sign = LutSign::Retain) {
    return impl_::look_up(v, impl_::table(low.slope(), middle.slope(), high.slope()),
                          impl_::table(low.intercept(), middle.intercept(), high.intercept()), impl_::WIDE, sign);
}
// Six, each of those parts in two: at 0.5, at 1.5, and at 3 or 4.
template <LutMode mode = LutMode::Fp16x6_HWM3>
    requires(mode == LutMode::Fp16x6_HWM3 || mode == LutMode::Fp16x6_HWM4)
ALWI vFloat lut(vFloat v, vLut16ss s01, vLut16ii i01, vLut16ss s23, vLut16ii i23, vLut16ss s45, vLut16ii i45,
                LutSign sign = LutSign::Retain) {
    return impl_::look_up(v, impl_::table(s01.get(), s23.get(), s45.get()), impl_::table(i01.get(), i23.get(), i45.get()),
                          mode == LutMode::Fp16x6_HWM3 ? impl_::PAIRS_TO_3 : impl_::PAIRS_TO_4, sign);
}

// The older forms: their names end in `_sign` where the result's sign is its own; an offset of 0 is all that there was.
#define TP_LUT(SUFFIX, SIGN)                                                                                             \
    ALWI vFloat lut##SUFFIX(vFloat v, vUInt low, vUInt middle, vUInt high, int = 0) {                                    \
        return lut(v, vLut8si(low.get()), vLut8si(middle.get()), vLut8si(high.get()), SIGN);                             \
    }                                                                                                                    \
    ALWI vFloat lut2##SUFFIX(vFloat v, vUInt low, vUInt middle, vUInt high) {                                            \
        return lut(v, vLut16si(low.get()), vLut16si(middle.get()), vLut16si(high.get()), SIGN);                          \
    }                                                                                                                    \
    ALWI vFloat lut2##SUFFIX(vFloat v, vFloat s0, vFloat s1, vFloat s2, vFloat i0, vFloat i1, vFloat i2) {               \
        return lut(v, vLut32si(s0, i0), vLut32si(s1, i1), vLut32si(s2, i2), SIGN);                                       \
    }                                                                                                                    \
    ALWI vFloat lut2##SUFFIX(vFloat v, vUInt s01, vUInt s23, vUInt s45, vUInt i01, vUInt i23, vUInt i45, int mode = 1) { \
        return impl_::look_up(v, impl_::table(s01.get(), s23.get(), s45.get()),                                          \
                              impl_::table(i01.get(), i23.get(), i45.get()),                                             \
                              mode == 1 ? impl_::PAIRS_TO_3 : impl_::PAIRS_TO_4, SIGN);                                  \
    }
TP_LUT(, LutSign::Retain)
TP_LUT(_sign, LutSign::Update)
#undef TP_LUT

}  // namespace sfpi
