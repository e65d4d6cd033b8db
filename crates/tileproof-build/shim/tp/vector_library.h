// Functions of the device's vector library that custom vector code calls: reciprocals, exponentials, softplus.
// Each is the steps of its kernel, in vectors; constants that it takes from registers are those that an init has left there. Sources:
// tt-llk c901928a10 `common/inc/sfpu`, tt-metal `llk_sfpu` of 2 April and of 18 September 2026. Start at sfpu_reciprocal_iter.
#pragma once
// As the device's own vector code, which names infinities so.
#include <limits>

namespace ckernel::sfpu {

struct Converter {
    static constexpr float as_float(uint32_t word) { return __builtin_bit_cast(float, word); }
};

// Coefficients of rising powers, by Horner's scheme from the last.
struct PolynomialEvaluator {
    template <typename X>
    ALWI static auto eval(X) { return X(0.0f); }
    template <typename X, typename First>
    ALWI static auto eval(X, First first) { return first; }
    template <typename X, typename First, typename... Rest>
    ALWI static auto eval(X x, First first, Rest... rest) { return first + x * eval(x, rest...); }
};

// 1 / x by so many steps of Newton's method, with the constants of `recip_tile_init<false>`.
template <int steps = 2>
ALWI sfpi::vFloat sfpu_reciprocal_iter(const sfpi::vFloat x) {
    using namespace sfpi;
#ifdef ARCH_BLACKHOLE
    vFloat y = approx_recip(x);
    if constexpr (steps > 0) {
        vFloat error = x * y - vConstFloatPrgm0;
        if constexpr (steps > 1) {
            const vFloat better = y * -error - vConst0;
            v_if(error < 0.0f) {
                error = x * better - vConstFloatPrgm0;
                y = better * -error - vConst0;
            }
            v_endif;
        } else {
            v_if(error < 0.0f) { y = y * -error - vConst0; }
            v_endif;
        }
    }
    return y;
#else
    // Of the mantissa alone, below zero; the factor that its exponent makes is put together from the bits turned over.
    const vFloat mantissa = copyman(vConstNeg1, x);
    vFloat y = vConstFloatPrgm1 + vConstFloatPrgm0 * mantissa;
    const vUInt turned = ~as<vUInt>(x);
    y = vConstFloatPrgm2 + y * mantissa;
    vFloat factor = setman(as<vFloat>(turned), 0);
    vFloat error = vConst1 + mantissa * y;
    factor *= 0.5f;
    y = y + y * error;
    if constexpr (steps > 1) {
        error = vConst1 + mantissa * y;
        y = y + y * error;
    }
    return copysgn(y * factor, x);
#endif
}
template <bool approximate = false, bool = true>
ALWI sfpi::vFloat sfpu_reciprocal(const sfpi::vFloat x) { return sfpu_reciprocal_iter<approximate ? 0 : 2>(x); }
template <bool approximate = false>
ALWI void sfpu_reciprocal_init() {
    using namespace sfpi;
#ifdef ARCH_BLACKHOLE
    if constexpr (!approximate) {
        vConstFloatPrgm0 = 2.0f;
    }
#else
    vConstFloatPrgm0 = 0.3232325017452239990234375f;
    vConstFloatPrgm1 = 1.4545459747314453125f;
    vConstFloatPrgm2 = 2.121212482452392578125f;
#endif
}
// Names of before the summer of 2026.
template <int steps = 2>
ALWI sfpi::vFloat _sfpu_reciprocal_(const sfpi::vFloat x) { return sfpu_reciprocal_iter<steps>(x); }
template <bool approximate>
ALWI void _init_sfpu_reciprocal_() { sfpu_reciprocal_init<approximate>(); }

// 1 / |x| as Grayskull worked it out. Of zero it is infinity on the newest headers, the largest power of two before.
template <int steps = 3>
ALWI sfpi::vFloat _reciprocal_compat_(const sfpi::vFloat x) {
    using namespace sfpi;
    const vFloat below = setexp(setsgn(x, 1), 126);
    const vFloat first = 1.442695f, two = 2.0f;
    vFloat y = first * (below * first + two);
    for (int step = 1; step < steps; step++) {
        y = y * (below * y + two);
    }
    const vInt own = exexp(x);
    vInt exponent = exexp(y);
    exponent -= own;
    exponent += 126;
    v_if(exponent < 0) {
        y = 0.0f;
        exponent = 0;
    }
    v_endif;
    y = setexp(y, exponent);
    TP_KNOWN(MATH, TP_COMPAT_RECIPROCAL, "_reciprocal_compat_");
    TP_BY_DAY(compat_reciprocal);
#if TP_SINCE(TP_COMPAT_RECIPROCAL)
    v_if(setsgn(x, 0) == 0.0f) { y = std::numeric_limits<float>::infinity(); }
    v_endif;
#endif
    return y;
}
template <int steps = 3>
ALWI sfpi::vFloat _reciprocal_compat_signed_(const sfpi::vFloat x) { return sfpi::copysgn(_reciprocal_compat_<steps>(x), x); }

// exp(x) of a number that is not below zero, as a series that is squared.
ALWI sfpi::vFloat _sfpu_exp_(sfpi::vFloat x) {
    using namespace sfpi;
    vInt exponent = exexp(x);
    v_if(exponent >= 0) { x = setexp(x, 126); }
    v_endif;
    const vFloat slope = x * vConst0p8373 + sFloat16b(0.863281f);
    x = x * slope + vConst1;
    v_if(exponent >= 0) {
        x = x * x;
        for (int squares = 0; squares < 7; squares++) {
            exponent = exponent - 1;
            v_and(exponent >= 0);
            x = x * x;
        }
    }
    v_endif;
    return x;
}
ALWI sfpi::vFloat sfpu_exp(sfpi::vFloat x) { return _sfpu_exp_(x); }

// exp(x) by the bits of x / ln 2, with the constants of the approximate init that is not fast.
ALWI sfpi::vFloat _calculate_exponential_approx_(sfpi::vFloat x) {
    using namespace sfpi;
    x = x * vConstFloatPrgm0 + vConstFloatPrgm1;
    vInt bits = vInt(vConstIntPrgm2) + reinterpret<vInt>(x);
    bits <<= 7;
    return reinterpret<vFloat>(bits);
}
template <bool approximate, bool scaled, bool skip_positive_check>
ALWI sfpi::vFloat _calculate_exponential_piecewise_(sfpi::vFloat x, const uint16_t scale) {
    using namespace sfpi;
    vFloat y = 0.0f;
    if constexpr (scaled) {
        x = x * sFloat16b(scale);
    }
    if constexpr (!approximate) {
        y = _sfpu_exp_(setsgn(x, 0));
        v_if(x < 0.0f) { y = sfpu_reciprocal_iter<2>(y); }
        v_endif;
    } else if constexpr (skip_positive_check) {
        v_if(x < -42.0f) { y = 0.0f; }
        v_else { y = _calculate_exponential_approx_(x); }
        v_endif;
    } else {
        v_if(x >= 89.0f) { y = std::numeric_limits<float>::infinity(); }
        v_elseif(x < -42.0f) { y = 0.0f; }
        v_else { y = _calculate_exponential_approx_(x); }
        v_endif;
    }
    return y;
}

// exp(x) with 21 bits (Moroz et al. 2022, "Simple Multiple Precision Algorithms for Exponential Functions", section 5).
template <bool wide>
ALWI sfpi::vFloat _sfpu_exp_21f_bf16_(sfpi::vFloat x) {
    using namespace sfpi;
    vFloat power = x * 1.4426950216293334961f + 127.0f;
    vFloat low = 0.0f, high = 255.0f;
    vec_min_max(low, power);
    vec_min_max(power, high);
    const vInt exponent = exexp(power);
    const vFloat bits = as<vFloat>(shft(as<vUInt>(exman8(power)), exponent));
    const vInt whole = exexp_nodebias(bits);
    vFloat rest = int32_to_float(exman9(bits), 0);
    rest = PolynomialEvaluator::eval(rest, 1.0017248f, 7.839635491371155e-08f, 4.791750143340323e-15f);
    vFloat y = setexp(rest, whole);
    if constexpr (!wide) {
        y = as<vFloat>(float_to_fp16b(y, 0));
    }
    return y;
}
template <bool wide>
ALWI sfpi::vFloat _sfpu_exp_21f_(sfpi::vFloat x) { return _sfpu_exp_21f_bf16_<wide>(x); }

// ln(1 + exp(x)) in April 2026.
template <bool wide = false>
ALWI sfpi::vFloat softplus(sfpi::vFloat x) {
    using namespace sfpi;
    vFloat y = x;
    v_if(x < -5.0f) { y = _sfpu_exp_21f_<wide>(x); }
    v_elseif(x < 4.0f) {
        y = PolynomialEvaluator::eval(x, 0.6924354434013367f, 0.49275708198547363f, 0.12142381817102432f, 0.0031102809589356184f,
                                      -0.00330807245336473f, -0.00028794066747650504f, 5.3185409342404455e-05f,
                                      7.1853546614875086e-06f, 7.4961114648886e-08f);
    }
    v_endif;
    return y;
}
// With one template argument the function of April 2026, with two that of the newest headers, which is not written down here.
template <bool approximate>
ALWI void calculate_softplus_body(const float beta, const float beta_reciprocal, const float threshold) {
    using namespace sfpi;
    const vFloat x = vFloat(beta) * vFloat(dst_reg[0]);
    v_if(x < threshold) { dst_reg[0] = vFloat(beta_reciprocal) * softplus(x); }
    v_endif;
}
template <bool approximate, bool wide>
ALWI void calculate_softplus_body(const float, const float, const float) {
    tp::unsupported(TP_SITE(), "ckernel::sfpu::calculate_softplus_body with two template arguments");
}

}  // namespace ckernel::sfpu
