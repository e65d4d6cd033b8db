// `remainder_tile` and `fmod_tile`: of a tile by a number, which the init puts into a register with its reciprocal.
// The registers are those that all inits and calls share, so that what another has put there is what a call divides by. Steps are
// those of tt-metal `ckernel_sfpu_remainder.h` and `ckernel_sfpu_fmod.h` of September 2026. Start at remainder_tile.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_faces.h"

namespace tp::remainders {

using namespace sfpi;
constexpr uint32_t VECTORS = 8, CORRECTIONS = 10;

inline void load(float divisor, float reciprocal) {
    vConstFloatPrgm0 = divisor;
    vConstFloatPrgm1 = reciprocal;
}

// A quotient without its fraction, by shifting that out and zeros in.
ALWI vFloat whole(vFloat quotient, vInt exponent) {
    vFloat out;
    v_if(exponent < 0) { out = 0.0f; }
    v_elseif(exponent < 23) {
        const vInt down = exponent - 23;
        out = as<vFloat>(shft(shft(as<vUInt>(quotient), down), 0 - down));
    }
    v_else { out = quotient; }
    v_endif;
    return out;
}
// What is left of a reciprocal's error: the divisor as often as it goes in, and nothing instead of the divisor itself.
ALWI vFloat corrected(vFloat rest, vFloat magnitude) {
    for (uint32_t times = 0; times < CORRECTIONS; ++times) {
        v_if(rest >= magnitude) { rest = rest - magnitude; }
        v_endif;
    }
    v_if(abs(rest) - magnitude == 0.0f) { rest = 0.0f; }
    v_endif;
    return rest;
}
ALWI vFloat unless_zero(vFloat rest, vFloat magnitude) {
    v_if(magnitude == 0.0f) { rest = __builtin_nanf(""); }
    v_endif;
    return rest;
}

// The divisor's sign.
inline void remainder() {
    const vFloat divisor = vConstFloatPrgm0, magnitude = abs(divisor), inverse = abs(vFloat(vConstFloatPrgm1));
    for (uint32_t vector = 0; vector < VECTORS; ++vector) {
        const vFloat x = dst_reg[0];
        vFloat rest = abs(x);
        const vFloat product = rest * inverse;
        vFloat quotient = whole(product, exexp(product));
        v_if(quotient > product) { quotient = quotient - 1.0f; }
        v_endif;
        rest = rest - quotient * magnitude;
        v_if(x < 0.0f && rest != 0.0f) { rest = magnitude - rest; }
        v_endif;
        v_if(divisor < 0.0f && rest != 0.0f) { rest = rest + divisor; }
        v_endif;
        rest = copysgn(rest, divisor);
        dst_reg[0] = corrected(unless_zero(rest, magnitude), magnitude);
        dst_reg++;
    }
}

// The dividend's sign.
inline void fmod() {
    const vFloat magnitude = abs(vFloat(vConstFloatPrgm0)), inverse = abs(vFloat(vConstFloatPrgm1));
    for (uint32_t vector = 0; vector < VECTORS; ++vector) {
        const vFloat x = dst_reg[0];
        vFloat rest = abs(x);
        const vFloat product = rest * inverse;
        const vInt exponent = exexp(product);
        vFloat quotient = whole(product, exponent);
        v_if(exponent < 23 && quotient * magnitude > rest) { quotient = quotient - 1.0f; }
        v_endif;
        rest = rest - quotient * magnitude;
        rest = copysgn(rest, x);
        dst_reg[0] = corrected(unless_zero(rest, magnitude), magnitude);
        dst_reg++;
    }
}

}  // namespace tp::remainders

namespace ckernel {

#define TP_REMAINDER(NAME, FUNCTION)                                                                          \
    ALWI void NAME##_tile_init(uint32_t divisor, uint32_t reciprocal) {                                       \
        TP_SINCE_DIVISIONS(#NAME "_tile_init");                                                               \
        if (TP_ON_MATH) {                                                                                     \
            tp::remainders::load(__builtin_bit_cast(float, divisor), __builtin_bit_cast(float, reciprocal));  \
            tp::run_pending(TP_SITE());                                                                       \
        }                                                                                                     \
    }                                                                                                         \
    ALWI void NAME##_tile(uint32_t dst) {                                                                     \
        TP_SINCE_DIVISIONS(#NAME "_tile");                                                                    \
        if (TP_ON_MATH) {                                                                                     \
            tp::on_faces(TP_SITE(), dst, TP_RC, tp::remainders::FUNCTION);                                    \
        }                                                                                                     \
    }
TP_REMAINDER(remainder, remainder)
TP_REMAINDER(fmod, fmod)
#undef TP_REMAINDER
// Until 2026 the call had the numbers as well.
ALWI void remainder_tile(uint32_t, uint32_t, uint32_t) {
    if (TP_ON_MATH) {
        tp::unsupported(TP_SITE(), "remainder_tile with its numbers in the call");
    }
}
ALWI void fmod_tile(uint32_t, uint32_t, uint32_t) {
    if (TP_ON_MATH) {
        tp::unsupported(TP_SITE(), "fmod_tile with its numbers in the call");
    }
}

}  // namespace ckernel
#endif
