// Functions on vectors: parts of floats, roundings, extremes.
// What the machine has no instruction for ends the kernel by name. Names of older libraries stand beside those of sfpi 7.87.
// Start at exexp.
#pragma once

namespace sfpi {

enum class ExponentMode { Unbiased, Biased };
enum class MantissaMode { FractionOnly, WithUnitBit, ImplicitOne = WithUnitBit };
enum class LZMode { All, IgnoreSign };
enum class ShiftMode { Logical, Arithmetic };
enum class RoundMode { NearestAway, Nearest = NearestAway, NearestStochastic };

#define TP_OF_ONE(RESULT, NAME, ARGUMENT, STEP) \
    ALWI RESULT NAME(ARGUMENT v) { return RESULT(tp::step(tp::step_code::STEP, v.get())); }
TP_OF_ONE(vInt, exexp, vFloat, Exponent)
TP_OF_ONE(vInt, exexp_nodebias, vFloat, ExponentField)
TP_OF_ONE(vInt, exman8, vFloat, Significand)
TP_OF_ONE(vInt, exman9, vFloat, Mantissa)
TP_OF_ONE(vFloat, abs, vFloat, AbsFloat)
TP_OF_ONE(vInt, abs, vInt, AbsInt)
TP_OF_ONE(vInt, lz, vInt, LeadingZeros)
TP_OF_ONE(vInt, lz, vUInt, LeadingZeros)
TP_OF_ONE(vInt, lz_nosgn, vInt, LeadingZerosOfMagnitude)
TP_OF_ONE(vInt, lz_nosgn, vUInt, LeadingZerosOfMagnitude)
#undef TP_OF_ONE
ALWI vInt exexp(vFloat v, ExponentMode mode) { return mode == ExponentMode::Unbiased ? exexp(v) : exexp_nodebias(v); }
ALWI vMag exman(vFloat v, MantissaMode mode = MantissaMode::FractionOnly) {
    return mode == MantissaMode::FractionOnly ? exman9(v) : exman8(v);
}

#define TP_OF_TWO(NAME, ARGUMENT, STEP) \
    ALWI vFloat NAME(vFloat v, ARGUMENT from) { return vFloat(tp::step(tp::step_code::STEP, v.get(), from.get())); }
TP_OF_TWO(setexp, vInt, SetExponent)
TP_OF_TWO(setexp, vUInt, SetExponent)
TP_OF_TWO(copyexp, vFloat, CopyExponent)
TP_OF_TWO(setman, vInt, CopyMantissa)
TP_OF_TWO(setman, vUInt, CopyMantissa)
TP_OF_TWO(setman, vFloat, CopyMantissa)
TP_OF_TWO(copyman, vFloat, CopyMantissa)
TP_OF_TWO(setsgn, vFloat, CopySign)
TP_OF_TWO(setsgn, vInt, CopySign)
TP_OF_TWO(copysgn, vFloat, CopySign)
TP_OF_TWO(copysgn, vInt, CopySign)
TP_OF_TWO(copysgn, vSMag, CopySign)
#undef TP_OF_TWO
template <impl_::Integral T>
ALWI vFloat setexp(vFloat v, T exponent) { return setexp(v, vInt(exponent)); }
template <impl_::Integral T>
ALWI vFloat setman(vFloat v, T mantissa) {
    // Where in the mantissa the bits of a number come to stand is not known.
    if (mantissa != 0) {
        tp::unsupported(TP_SITE(), "sfpi::setman with a number other than 0");
    }
    return setman(v, vInt(mantissa));
}
template <impl_::Integral T>
ALWI vFloat setsgn(vFloat v, T sign) { return copysgn(v, vInt(sign & 1) << 31); }
ALWI vInt setsgn(vInt v, int32_t sign) {
    return vInt(tp::step(tp::step_code::CopySign, v.get(), (vInt(sign & 1) << 31).get()));
}
ALWI vFloat addexp(vFloat v, int32_t exponent) {
    return vFloat(tp::Value{tp::note(tp::step_code::AddExponent, v.get().number, uint32_t(exponent))});
}
ALWI vUInt exsgn(vFloat v) { return as<vUInt>(v) >> 31; }

// To the left, or to the right where the number is negative, with zeros.
ALWI void tp_logical(tp::Site site, ShiftMode mode) {
    if (mode != ShiftMode::Logical) {
        tp::unsupported(site, "sfpi::shft that keeps the sign");
    }
}
ALWI vUInt shft(vUInt v, vInt by, ShiftMode mode = ShiftMode::Logical) {
    tp_logical(TP_SITE(), mode);
    return vUInt(tp::step(tp::step_code::Shift, v.get(), by.get()));
}
ALWI vInt shft(vInt v, vInt by, ShiftMode mode = ShiftMode::Logical) {
    tp_logical(TP_SITE(), mode);
    return vInt(tp::step(tp::step_code::Shift, v.get(), by.get()));
}

// Roundings; those that draw a number are not modelled.
#define TP_ROUND(RESULT, NAME, STEP)                                              \
    ALWI RESULT NAME(vFloat v, int round_mode = 1) {                              \
        if (round_mode != 0) {                                                    \
            tp::unsupported(TP_SITE(), "sfpi::" #NAME " with random rounding");   \
        }                                                                         \
        return RESULT(tp::step(tp::step_code::STEP, v.get()));                    \
    }
TP_ROUND(vUInt, float_to_fp16b, RoundToBf16)
TP_ROUND(vUInt, float_to_uint16, RoundToUInt16)
TP_ROUND(vUInt, float_to_int16, RoundToInt16)
TP_ROUND(vUInt, float_to_uint8, RoundToUInt8)
TP_ROUND(vUInt, float_to_int8, RoundToInt8)
#undef TP_ROUND
ALWI vFloat int32_to_float(vInt v, int round_mode = 1) {
    return vFloat(tp::step(round_mode == 0 ? tp::step_code::ToFloat : tp::step_code::ToFloatAtRandom, v.get()));
}
ALWI vSMag tp_sign_magnitude(vInt v) { return vSMag(tp::step(tp::step_code::ToSignMagnitude, v.get())); }
ALWI vInt tp_twos_complement(vSMag v) { return vInt(tp::step(tp::step_code::ToTwosComplement, v.get())); }

template <impl_::Vector To>
ALWI To convert(vFloat v, RoundMode mode = RoundMode::NearestStochastic) {
    const int round_mode = mode == RoundMode::NearestStochastic;
    if constexpr (std::is_same_v<To, vFloat>) {
        return v;
    } else if constexpr (std::is_same_v<To, vFloat16b>) {
        return vFloat16b(float_to_fp16b(v, round_mode).get());
    } else if constexpr (std::is_same_v<To, vUInt>) {
        return float_to_uint16(v, round_mode);
    } else {
        return To(float_to_int16(v, round_mode).get());
    }
}
template <impl_::Vector To>
ALWI To convert(vSMag v, RoundMode mode = RoundMode::NearestStochastic) {
    if constexpr (std::is_same_v<To, vInt>) {
        return tp_twos_complement(v);
    } else {
        return int32_to_float(as<vInt>(v), mode == RoundMode::NearestStochastic);
    }
}
template <impl_::Vector To>
ALWI To convert(vInt v, RoundMode mode = RoundMode::NearestStochastic) {
    if constexpr (std::is_same_v<To, vSMag>) {
        return tp_sign_magnitude(v);
    } else {
        return convert<To>(tp_sign_magnitude(v), mode);
    }
}

// By sign and magnitude, NaNs at either end.
ALWI vFloat min(vFloat a, vFloat b) { return vFloat(tp::step(tp::step_code::Min, a.get(), b.get())); }
ALWI vFloat max(vFloat a, vFloat b) { return vFloat(tp::step(tp::step_code::Max, a.get(), b.get())); }
ALWI vFloat clamp(vFloat v, vFloat low, vFloat high) { return min(max(v, low), high); }
ALWI vFloat symmetric_clamp(vFloat v, float bound) { return copysgn(min(abs(v), bound), v); }
template <impl_::Vector T>
ALWI void vec_min_max(T& a, T& b) {
    const T low(tp::step(tp::step_code::Min, a.get(), b.get())), high(tp::step(tp::step_code::Max, a.get(), b.get()));
    a = low;
    b = high;
}
template <impl_::Vector T>
ALWI void swap(T& a, T& b) {
    const T first = a, second = b;
    a = second;
    b = first;
}
template <impl_::Vector T>
ALWI void vec_swap(T& a, T& b) { swap(a, b); }

ALWI vBool is_finite(vFloat v) { return exexp_nodebias(v) < 255; }
ALWI vBool is_nan(vFloat v) { return exexp_nodebias(v) >= 255 && exman9(v) != 0; }
ALWI vBool is_inf(vFloat v) { return exexp_nodebias(v) >= 255 && exman9(v) == 0; }
ALWI vBool is_zero(vFloat v) { return (as<vUInt>(v) << 1) == 0; }

}  // namespace sfpi
#include "tp/sfpi_lines.h"

namespace sfpi {

// 7 bits of a reciprocal, with an instruction of Blackhole.
enum class RecipMode { All, IfNegative };
ALWI vFloat approx_recip(vFloat v, RecipMode mode = RecipMode::All) {
    if (mode != RecipMode::All) {
        tp::unsupported(TP_SITE(), "sfpi::approx_recip of negative numbers alone");
    }
    return vFloat(tp::step(tp::step_code::ApproximateReciprocal, v.get()));
}

// What nobody has asked for, and what the unit of later chips has.
#define TP_NO_FUNCTION(NAME)                                     \
    template <auto... Values, typename... Arguments>             \
    ALWI vFloat NAME(Arguments&&...) {                           \
        ::tp::unsupported(TP_SITE(), "sfpi::" #NAME);            \
    }
TP_NO_FUNCTION(approx_exp)
TP_NO_FUNCTION(float_to_fp16a)
TP_NO_FUNCTION(int_to_float)
TP_NO_FUNCTION(rand)
TP_NO_FUNCTION(subvec_transp)
TP_NO_FUNCTION(subvec_shflror1)
TP_NO_FUNCTION(subvec_shflshr1)
#undef TP_NO_FUNCTION

}  // namespace sfpi
