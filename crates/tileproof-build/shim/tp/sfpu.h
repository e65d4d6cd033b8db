// The vector unit: calls on Dst tiles, on MATH alone.
// A call hands over an operation code that the host generates from the model's table, tile indices and four parameters;
// an operation that the model lacks must end the kernel by name. Start at TP_UNARY.
#pragma once

namespace tp {

// On a day on which it is not known what the vector compiler makes of a scalar that it sees.
ALWI uint32_t seen_on_an_open_day(Site site) {
    unsupported(site, "a scalar that the compiler sees, on the day that `api` names: it changed between known days");
}

// What inits of an older generation load is not known.
constexpr uint32_t OLDER_UNIT = TP_SINCE(TP_VECTOR_INITS) ? 0 : vector::older;

// `vector_mode` other than RC works on some faces only; it rides above the code so that the machine can tell.
ALWI void sfpu(Site site, Op op, uint32_t in0, uint32_t in1, uint32_t in2, uint32_t output, uint32_t p0 = 0,
               uint32_t p1 = 0, uint32_t p2 = 0, int vector_mode = int(VectorMode::RC), uint32_t seen = 0) {
    if (op.code == MISSING) {
        unsupported(site, op.name);
    }
    run_pending(site);
    const uint32_t params[4] = {p0, p1, p2, seen};
    const uint32_t mode = vector_mode == int(VectorMode::RC) ? 0 : uint32_t(vector_mode + 1) << vector::mode_shift;
    machine()->sfpu(site, op.code | mode | OLDER_UNIT, in0, in1, in2, output, params);
}
ALWI void sfpu_init(Site site, Op op) {
    if (op.code == MISSING) {
        unsupported(site, op.name);
    }
    run_pending(site);
    machine()->sfpu_init(site, op.code | OLDER_UNIT);
}

}  // namespace tp

// Bodies of calls: `OP` names a row of the model's table.
#define TP_INIT(OP)                                      \
    do {                                                 \
        if (TP_ON_MATH) {                                \
            ::tp::sfpu_init(TP_SITE(), ::tp::op::OP);    \
        }                                                \
    } while (0)
#define TP_RUN(OP, ...)                                          \
    do {                                                         \
        if (TP_ON_MATH) {                                        \
            ::tp::sfpu(TP_SITE(), ::tp::op::OP, ##__VA_ARGS__);  \
        }                                                        \
    } while (0)

namespace ckernel {

// Of generation 0.79 on the enum itself is handed over, before it the number.
struct TpVectorMode {
    int mode;
    constexpr TpVectorMode(int number) : mode(number) {}
    constexpr TpVectorMode(VectorMode value) : mode(int(value)) {}
    constexpr operator int() const { return mode; }
};
constexpr TpVectorMode TP_RC = VectorMode::RC;

// Calls whose kernels were others before, which are not modelled.
#define TP_SINCE_DIVISIONS(NAME)                              \
    do {                                                      \
        if (!TP_SINCE(TP_DIVISIONS) && TP_ON_MATH) {          \
            ::tp::unsupported(TP_SITE(), NAME " on the day that `api` names, before 18 September 2026"); \
        }                                                     \
    } while (0)

#define TP_UNARY(NAME, OP)                          \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }   \
    ALWI void NAME##_tile(uint32_t dst, TpVectorMode vector_mode = TP_RC) { TP_RUN(OP, dst, 0, 0, dst, 0, 0, 0, vector_mode); }
TP_UNARY(square, Square)
TP_UNARY(abs, Abs)
TP_UNARY(negative, Negative)
TP_UNARY(identity, Identity)
TP_UNARY(eqz, Eqz)
TP_UNARY(nez, Nez)
TP_UNARY(ltz, Ltz)
TP_UNARY(gtz, Gtz)
TP_UNARY(lez, Lez)
TP_UNARY(gez, Gez)
TP_UNARY(isinf, IsInf)
TP_UNARY(isposinf, IsPosInf)
TP_UNARY(isneginf, IsNegInf)
TP_UNARY(isnan, IsNan)
TP_UNARY(isfinite, IsFinite)
TP_UNARY(sign, Sign)
TP_UNARY(signbit, Signbit)
TP_UNARY(relu, Relu)
TP_UNARY(silu, Silu)
TP_UNARY(hardsigmoid, Hardsigmoid)
TP_UNARY(softsign, Softsign)
TP_UNARY(exp2, Exp2)
TP_UNARY(expm1, Expm1)
TP_UNARY(cbrt, Cbrt)
TP_UNARY(sin, Sin)
TP_UNARY(cos, Cos)
TP_UNARY(tan, Tan)
TP_UNARY(atan, Atan)
TP_UNARY(asin, Asin)
TP_UNARY(acos, Acos)
TP_UNARY(sinh, Sinh)
TP_UNARY(cosh, Cosh)
TP_UNARY(asinh, Asinh)
TP_UNARY(acosh, Acosh)
TP_UNARY(atanh, Atanh)
TP_UNARY(erfinv, Erfinv)
TP_UNARY(erfc, Erfc)
TP_UNARY(gelu_tanh, GeluTanh)
TP_UNARY(i0, I0)
TP_UNARY(i1, I1)
TP_UNARY(tiled_prod, TiledProd)
TP_UNARY(logical_not_unary, LogicalNotUnary)
TP_UNARY(bitwise_not, BitwiseNot)
#undef TP_UNARY

// The bit of a parameter that the compiler sees; only as an argument, since the initializer of a constant asks before
// anything is inlined. What the compiler of generation 0.66 makes of such a parameter is not known.
#if TP_BEFORE(TP_VECTOR_COMPILER)
#define TP_SEEN(VALUE, PARAMETER) (0u)
#elif TP_SINCE(TP_VECTOR_COMPILER)
#define TP_SEEN(VALUE, PARAMETER) (__builtin_constant_p(VALUE) ? 1u << PARAMETER : 0u)
#else
#define TP_SEEN(VALUE, PARAMETER) (TP_ON_MATH && __builtin_constant_p(VALUE) ? ::tp::seen_on_an_open_day(TP_SITE()) : 0u)
#endif

// With a 32-bit scalar: fp32 bits unless the name says otherwise.
#define TP_SCALAR(NAME, OP)                         \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }   \
    ALWI void NAME##_tile(uint32_t dst, uint32_t scalar, TpVectorMode vector_mode = TP_RC) { \
        TP_RUN(OP, dst, 0, 0, dst, scalar, 0, 0, vector_mode, TP_SEEN(scalar, 0));  \
    }
TP_SCALAR(unary_eq, UnaryEq)
TP_SCALAR(unary_ne, UnaryNe)
TP_SCALAR(unary_lt, UnaryLt)
TP_SCALAR(unary_gt, UnaryGt)
TP_SCALAR(unary_le, UnaryLe)
TP_SCALAR(unary_ge, UnaryGe)
TP_SCALAR(heaviside, Heaviside)
TP_SCALAR(relu_min, ReluMin)
TP_SCALAR(relu_max, ReluMax)
TP_SCALAR(leaky_relu, LeakyRelu)
TP_SCALAR(prelu, Prelu)
TP_SCALAR(unary_max, UnaryMax)
TP_SCALAR(unary_min, UnaryMin)
TP_SCALAR(elu, Elu)
TP_SCALAR(power, Power)
TP_SCALAR(power_iterative, PowerIterative)
TP_SCALAR(rpow, Rpow)
TP_SCALAR(log_with_base, LogWithBase)
#undef TP_SCALAR

ALWI void binop_with_scalar_tile_init() { TP_INIT(MulUnary); }
#define TP_BINOP(NAME, OP) \
    ALWI void NAME##_unary_tile(uint32_t dst, uint32_t scalar) { \
        TP_RUN(OP, dst, 0, 0, dst, scalar, 0, 0, int(VectorMode::RC), TP_SEEN(scalar, 0)); \
    }
TP_BINOP(add, AddUnary)
TP_BINOP(sub, SubUnary)
TP_BINOP(mul, MulUnary)
TP_BINOP(div, DivUnary)
TP_BINOP(rsub, RsubUnary)
#undef TP_BINOP
// Of the newest kernels.
ALWI void softshrink_tile_init() { TP_INIT(Softshrink); }
ALWI void softshrink_tile(uint32_t dst, uint32_t lambda) {
    TP_SINCE_DIVISIONS("softshrink_tile");
    TP_RUN(Softshrink, dst, 0, 0, dst, lambda);
}
ALWI void hardshrink_tile_init() { TP_INIT(Hardshrink); }
ALWI void hardshrink_tile(uint32_t dst, uint32_t lambda) {
    TP_SINCE_DIVISIONS("hardshrink_tile");
    TP_RUN(Hardshrink, dst, 0, 0, dst, lambda);
}
ALWI void hardmish_tile_init() { TP_INIT(Hardmish); }
ALWI void hardmish_tile(uint32_t dst) {
    TP_SINCE_DIVISIONS("hardmish_tile");
    TP_RUN(Hardmish, dst, 0, 0, dst);
}
template <bool width = DST_ACCUM_MODE>
ALWI void tanhshrink_tile_init() { TP_INIT(Tanhshrink); }
template <bool width = DST_ACCUM_MODE>
ALWI void tanhshrink_tile(uint32_t dst) {
    TP_SINCE_DIVISIONS("tanhshrink_tile");
    TP_RUN(Tanhshrink, dst, 0, 0, dst);
}
template <bool fast_and_approx = false>
ALWI void tanh_derivative_tile_init() { TP_INIT(TanhDerivative); }
// The argument is not looked at (tt-llk `ckernel_sfpu_tanh_derivative.h`).
template <bool fast_and_approx = false, bool width = DST_ACCUM_MODE>
ALWI void tanh_derivative_tile(uint32_t dst) {
    TP_SINCE_DIVISIONS("tanh_derivative_tile");
    TP_RUN(TanhDerivative, dst, 0, 0, dst);
}
template <bool fast_and_approx = false>
ALWI void gelu_derivative_tile_init() {
    if constexpr (fast_and_approx) {
        TP_INIT(GeluDerivativeFast);
    } else {
        TP_INIT(GeluDerivative);
    }
}
template <bool fast_and_approx = false, bool width = DST_ACCUM_MODE>
ALWI void gelu_derivative_tile(uint32_t dst) {
    TP_SINCE_DIVISIONS("gelu_derivative_tile");
    if constexpr (fast_and_approx) {
        TP_RUN(GeluDerivativeFast, dst, 0, 0, dst);
    } else {
        TP_RUN(GeluDerivative, dst, 0, 0, dst);
    }
}
ALWI void rdiv_tile_init() { TP_INIT(Rdiv); }
template <RoundingMode rounding = RoundingMode::None, bool width = DST_ACCUM_MODE>
ALWI void rdiv_tile(uint32_t dst, uint32_t number, TpVectorMode vector_mode = TP_RC) {
    TP_SINCE_DIVISIONS("rdiv_tile");
    if constexpr (rounding == RoundingMode::Trunc) {
        TP_RUN(RdivTrunc, dst, 0, 0, dst, number, 0, 0, vector_mode, TP_SEEN(number, 0));
    } else if constexpr (rounding == RoundingMode::Floor) {
        TP_RUN(RdivFloor, dst, 0, 0, dst, number, 0, 0, vector_mode, TP_SEEN(number, 0));
    } else {
        TP_RUN(Rdiv, dst, 0, 0, dst, number, 0, 0, vector_mode, TP_SEEN(number, 0));
    }
}
// The same kernel as `rsub_unary_tile` (tt-metal `rsub.h`).
ALWI void rsub_tile_init() { TP_INIT(RsubUnary); }
template <bool width = DST_ACCUM_MODE>
ALWI void rsub_tile(uint32_t dst, uint32_t scalar) { rsub_unary_tile(dst, scalar); }

ALWI void rounding_op_tile_init() { TP_INIT(Trunc); }
ALWI void trunc_tile(uint32_t dst) { TP_RUN(Trunc, dst, 0, 0, dst); }
ALWI void floor_tile(uint32_t dst) { TP_RUN(Floor, dst, 0, 0, dst); }
ALWI void ceil_tile(uint32_t dst) { TP_RUN(Ceil, dst, 0, 0, dst); }
ALWI void frac_tile(uint32_t dst) { TP_RUN(Frac, dst, 0, 0, dst); }
ALWI void round_tile(uint32_t dst, int32_t decimals) {
    TP_RUN(Round, dst, 0, 0, dst, uint32_t(decimals), 0, 0, int(VectorMode::RC), TP_SEEN(decimals, 0));
}

// Calls whose template arguments choose another operation.
template <bool fast_and_approx = false>
ALWI void sqrt_tile_init() { TP_INIT(Sqrt); }
template <bool fast_and_approx = false>
ALWI void sqrt_tile(uint32_t dst) {
    if constexpr (fast_and_approx) {
        TP_RUN(SqrtFastApprox, dst, 0, 0, dst);
    } else {
        TP_RUN(Sqrt, dst, 0, 0, dst);
    }
}
template <bool legacy_compat = false>
ALWI void rsqrt_tile_init() {
    if constexpr (legacy_compat) {
        TP_INIT(RsqrtLegacy);
    } else {
        TP_INIT(Rsqrt);
    }
}
template <bool legacy_compat = false, bool fast_and_approx = false>
ALWI void rsqrt_tile(uint32_t dst) {
    if constexpr (legacy_compat) {
        TP_RUN(RsqrtLegacy, dst, 0, 0, dst);
    } else if constexpr (fast_and_approx) {
        TP_RUN(RsqrtFastApprox, dst, 0, 0, dst);
    } else {
        TP_RUN(Rsqrt, dst, 0, 0, dst);
    }
}
template <bool legacy_compat = true>
ALWI void recip_tile_init() {
    if constexpr (legacy_compat) {
        TP_INIT(RecipLegacy);
    } else {
        TP_INIT(Recip);
    }
}
template <bool legacy_compat = true>
ALWI void recip_tile(uint32_t dst, TpVectorMode vector_mode = TP_RC) {
    if constexpr (legacy_compat) {
        TP_RUN(RecipLegacy, dst, 0, 0, dst, 0, 0, 0, vector_mode);
    } else {
        TP_RUN(Recip, dst, 0, 0, dst, 0, 0, 0, vector_mode);
    }
}

}  // namespace ckernel

namespace tp {
// An operation as headers of before had it, whose init left other constants.
constexpr Op older(Op op) { return {op.code == MISSING ? op.code : op.code | vector::older, op.name}; }
// The faces of an exponential: eight iterations are one face, which the mode repeats; 32 in one go are all four. What is unrolled
// for eight ignores the number (tt-metal `ckernel_sfpu_exp.h`, LLK `llk_math_eltwise_sfpu_common.h`).
template <int iterations, bool unrolled>
ALWI int exp_mode(Site site, int vector_mode) {
    if constexpr (iterations == 8) {
        return vector_mode;
    }
    if (iterations != 32 || unrolled || vector_mode != int(VectorMode::None)) {
        unsupported(site, "exp_tile that iterates neither eight times a face nor 32 times in one go");
    }
    return int(VectorMode::RC);
}
}  // namespace tp
#include "tp/exp_by_pieces.h"

namespace ckernel {

// The fast exponential's scale is its init's; the accurate one's comes with the call, in bf16.
#if TP_BEFORE(TP_EXP_ARGUMENTS)
// The fast form has no use for `skip_positive_check`; the approximation that is not fast is another routine. Clamping may stand before
// the iterations since it is there (tt-metal 0.66 and of April 2026 `exp.h`, tt-llk `ckernel_sfpu_exp.h`).
template <bool approx = false, bool fast_and_approx = true, uint32_t scale = 0x3F800000,
          InputClamping clamping = InputClamping::ClampToNegative>
ALWI void exp_tile_init() {
    static_assert(TP_SINCE(TP_EXP_CLAMPING) || clamping == InputClamping::ClampToNegative,
                  "exp_tile_init has no clamping on the day that `api` names");
    tp::state.exp_scale = scale;
    if constexpr (!approx) {
        if (TP_ON_MATH) {
            tp::older_exp_init(TP_SITE());
        }
    } else if constexpr (!fast_and_approx) {
        if (TP_ON_MATH) {
            tp::init_by_pieces(TP_SITE());
        }
    } else if constexpr (clamping == InputClamping::ClampToNegative) {
        TP_INIT(ExpFast);
    } else {
        TP_INIT(ExpFastUnclamped);
    }
}
template <bool approx = false, bool fast_and_approx = true, bool scale_en = false, bool skip_positive_check = false,
          auto fifth = 8, int sixth = 8>
ALWI void exp_tile(uint32_t dst, TpVectorMode vector_mode = TP_RC, uint16_t scale = 0x3F80) {
    constexpr bool has_clamping = std::is_same_v<std::remove_cv_t<decltype(fifth)>, InputClamping>;
    static_assert(TP_SINCE(TP_EXP_CLAMPING) || !has_clamping, "exp_tile has no clamping on the day that `api` names");
    constexpr bool clamped = !has_clamping || fifth == decltype(fifth)(InputClamping::ClampToNegative);
    constexpr int iterations = has_clamping ? sixth : int(fifth);
    if constexpr (!approx) {
        TP_RUN(Exp, dst, 0, 0, dst, scale_en, scale, !clamped, (tp::exp_mode<iterations, false>(TP_SITE(), vector_mode)));
    } else if constexpr (!fast_and_approx) {
        if (TP_ON_MATH) {
            tp::exp_by_pieces<scale_en, skip_positive_check, iterations>(TP_SITE(), dst, vector_mode, scale);
        }
    } else if constexpr (clamped) {
        TP_RUN(ExpFast, dst, 0, 0, dst, tp::state.exp_scale, 0, 0, (tp::exp_mode<iterations, true>(TP_SITE(), vector_mode)));
    } else {
        TP_RUN(ExpFastUnclamped, dst, 0, 0, dst, tp::state.exp_scale, 0, 0,
               (tp::exp_mode<iterations, false>(TP_SITE(), vector_mode)));
    }
}
#else
template <bool approx = false, uint32_t scale = 0x3F800000, InputClamping clamping = InputClamping::ClampToNegative>
    requires(scale > 1)
ALWI void exp_tile_init() {
    tp::state.exp_scale = scale;
    tp::state.exp_is_older = false;
    if constexpr (!approx) {
        TP_INIT(Exp);
    } else if constexpr (clamping == InputClamping::ClampToNegative) {
        TP_INIT(ExpFast);
    } else {
        TP_INIT(ExpFastUnclamped);
    }
}
// Of early 2026: whether the approximation is the fast one stands second, and whether large numbers are looked at is an argument
// of the call, which the fast form has no use for (tt-metal of April 2026 `exp.h`).
template <bool approx, bool fast_and_approx, uint32_t scale = 0x3F800000,
          InputClamping clamping = InputClamping::ClampToNegative>
ALWI void exp_tile_init() {
    if constexpr (!approx) {
        if (TP_ON_MATH) {
            tp::state.exp_scale = scale;
            tp::older_exp_init(TP_SITE());
        }
    } else if constexpr (!fast_and_approx) {
        if (TP_ON_MATH) {
            tp::init_by_pieces(TP_SITE());
        }
    } else {
        exp_tile_init<approx, scale, clamping>();
        tp::state.exp_is_older = true;
    }
}
// A second argument that is left out means the same on all days.
template <bool approx = false, int second = -1, InputClamping clamping = InputClamping::ClampToNegative, int iterations = 8>
ALWI void exp_tile(uint32_t dst, TpVectorMode vector_mode = TP_RC, uint16_t scale = 0x3F80) {
    constexpr bool scale_en = second > 0;
    // An init of early 2026 says that the second argument is whether the approximation is the fast one.
    const bool older = tp::state.exp_is_older;
    if constexpr (scale_en || (approx && second == 0)) {
        if (!older) {
            TP_KNOWN(MATH, TP_EXP_ARGUMENTS, "exp_tile with a second template argument");
            // Clamping stands third on the newest headers alone.
            if constexpr (clamping == InputClamping::ClampToNegative) {
                TP_BY_DAY(exp_arguments);
            }
        }
    }
    if constexpr (approx && second == 0) {
        if (older) {
            if (TP_ON_MATH) {
                tp::exp_by_pieces<false, false, iterations>(TP_SITE(), dst, vector_mode, scale);
            }
            return;
        }
    }
    if constexpr (!approx) {
        if (TP_ON_MATH) {
            tp::sfpu(TP_SITE(), older ? tp::older(tp::op::Exp) : tp::op::Exp, dst, 0, 0, dst, scale_en && !older, scale,
                     clamping == InputClamping::None, (tp::exp_mode<iterations, false>(TP_SITE(), vector_mode)));
        }
    } else if constexpr (clamping == InputClamping::ClampToNegative) {
        TP_RUN(ExpFast, dst, 0, 0, dst, tp::state.exp_scale, 0, 0, (tp::exp_mode<iterations, true>(TP_SITE(), vector_mode)));
    } else {
        TP_RUN(ExpFastUnclamped, dst, 0, 0, dst, tp::state.exp_scale, 0, 0,
               (tp::exp_mode<iterations, false>(TP_SITE(), vector_mode)));
    }
}
template <bool approx, bool fast_and_approx, bool scale_en, bool skip_positive_check = false,
          InputClamping clamping = InputClamping::ClampToNegative, int iterations = 8>
ALWI void exp_tile(uint32_t dst, TpVectorMode vector_mode = TP_RC, uint16_t scale = 0x3F80) {
    if constexpr (approx && !fast_and_approx) {
        if (TP_ON_MATH) {
            tp::exp_by_pieces<scale_en, skip_positive_check, iterations>(TP_SITE(), dst, vector_mode, scale);
        }
    } else if constexpr (!approx) {
        if (TP_ON_MATH) {
            tp::sfpu(TP_SITE(), tp::older(tp::op::Exp), dst, 0, 0, dst, scale_en, scale, clamping == InputClamping::None,
                     (tp::exp_mode<iterations, false>(TP_SITE(), vector_mode)));
        }
    } else {
        exp_tile<approx, scale_en, clamping, iterations>(dst, vector_mode, scale);
    }
}
#endif

// Calls in a fast and an accurate form, told apart by a template argument.
#define TP_FAST(NAME, OP, FAST_OP, DEFAULT)              \
    template <bool fast_and_approx = DEFAULT>            \
    ALWI void NAME##_tile_init() {                       \
        if constexpr (fast_and_approx) {                 \
            TP_INIT(FAST_OP);                            \
        } else {                                         \
            TP_INIT(OP);                                 \
        }                                                \
    }                                                    \
    template <bool fast_and_approx = DEFAULT>            \
    ALWI void NAME##_tile(uint32_t dst) {                \
        if constexpr (fast_and_approx) {                 \
            TP_RUN(FAST_OP, dst, 0, 0, dst);             \
        } else {                                         \
            TP_RUN(OP, dst, 0, 0, dst);                  \
        }                                                \
    }
TP_FAST(tanh, Tanh, TanhFast, false)
TP_FAST(gelu, Gelu, GeluFast, true)
TP_FAST(erf, Erf, ErfFast, true)
TP_FAST(log, Log, LogFast, false)
// Generation 0.79 ignores the argument, and what 0.66 makes of it is not known (ckernel_sfpu_log1p.h).
#if !TP_SINCE(TP_LOG1P)
TP_FAST(log1p, Log1p, Log1pFast, false)
#else
template <bool fast_and_approx = false>
ALWI void log1p_tile_init() { TP_INIT(Log1p); }
template <bool fast_and_approx = false>
ALWI void log1p_tile(uint32_t dst) {
    if constexpr (fast_and_approx) {
        TP_BY_DAY(log1p);
    }
    TP_RUN(Log1p, dst, 0, 0, dst);
}
#endif
TP_FAST(mish, Mish, MishFast, false)
#undef TP_FAST
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init() {
    if constexpr (fast_and_approx) {
        TP_INIT(SigmoidFast);
    } else {
        TP_INIT(Sigmoid);
    }
}
template <VectorMode vector_mode = VectorMode::RC, bool fast_and_approx = false>
ALWI void sigmoid_tile(uint32_t dst) {
    if constexpr (fast_and_approx) {
        TP_RUN(SigmoidFast, dst, 0, 0, dst, 0, 0, 0, int(vector_mode));
    } else {
        TP_RUN(Sigmoid, dst, 0, 0, dst, 0, 0, 0, int(vector_mode));
    }
}

// With two or three scalars.
ALWI void clamp_tile_init() { TP_INIT(Clamp); }
ALWI void clamp_tile(uint32_t dst, uint32_t low, uint32_t high) { TP_RUN(Clamp, dst, 0, 0, dst, low, high); }
ALWI void hardtanh_tile_init() { TP_INIT(Hardtanh); }
ALWI void hardtanh_tile(uint32_t dst, uint32_t low, uint32_t high) { TP_RUN(Hardtanh, dst, 0, 0, dst, low, high); }
ALWI void threshold_tile_init() { TP_INIT(Threshold); }
ALWI void threshold_tile(uint32_t dst, uint32_t threshold, uint32_t value) {
    TP_RUN(Threshold, dst, 0, 0, dst, threshold, value);
}
ALWI void celu_tile_init() { TP_INIT(Celu); }
ALWI void celu_tile(uint32_t dst, uint32_t alpha, uint32_t reciprocal) {
    TP_RUN(Celu, dst, 0, 0, dst, alpha, reciprocal, 0, int(VectorMode::RC), TP_SEEN(alpha, 0) | TP_SEEN(reciprocal, 1));
}
ALWI void selu_tile_init() { TP_INIT(Selu); }
ALWI void selu_tile(uint32_t dst, uint32_t scale, uint32_t alpha) {
    TP_RUN(Selu, dst, 0, 0, dst, scale, alpha, 0, int(VectorMode::RC), TP_SEEN(scale, 0) | TP_SEEN(alpha, 1));
}
ALWI void softplus_tile_init() { TP_INIT(Softplus); }
ALWI void softplus_tile(uint32_t dst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
    TP_RUN(Softplus, dst, 0, 0, dst, beta, beta_reciprocal, threshold, int(VectorMode::RC),
           TP_SEEN(beta, 0) | TP_SEEN(beta_reciprocal, 1));
}

// Constants and masks.
ALWI void fill_tile_init() { TP_INIT(Fill); }
ALWI void fill_tile(uint32_t dst, float value) { TP_RUN(Fill, 0, 0, 0, dst, __builtin_bit_cast(uint32_t, value)); }
ALWI void fill_tile_bitcast(uint32_t dst, uint32_t bits) { TP_RUN(FillBitcast, 0, 0, 0, dst, bits); }
template <DataFormat format = DataFormat::Int32>
ALWI void fill_tile_int(uint32_t dst, uint32_t value) {
    if constexpr (format == DataFormat::UInt16) {
        TP_RUN(FillUInt16, 0, 0, 0, dst, value);
    } else {
        TP_RUN(FillInt, 0, 0, 0, dst, value);
    }
}
ALWI void mask_tile_init() { TP_INIT(Mask); }
ALWI void mask_tile(uint32_t data, uint32_t mask, DataFormat format = DataFormat::Float16_b) {
    if (format == DataFormat::Int32) {
        TP_RUN(MaskInt, data, mask, 0, data);
    } else {
        TP_RUN(Mask, data, mask, 0, data);
    }
}
ALWI void mask_posinf_tile(uint32_t data, uint32_t mask) { TP_RUN(MaskPosInf, data, mask, 0, data); }

}  // namespace ckernel
