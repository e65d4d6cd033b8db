// Macros that run a function of `ckernel::sfpu`, and inits that take one: a kernel's own functions go there to be called by them.
// Arguments must be those of the device's headers, in their order; how many tiles Dst has the machine knows itself. Names follow
// tt-metal `llk_math_eltwise_{unary,binary,ternary}_sfpu_macros.h`, generation 0.79, and of April 2026. Start at SFPU_UNARY_CALL.
#pragma once

// What stands in parentheses, without them.
#define TP_WITHIN(...) __VA_ARGS__

#define SFPU_UNARY_CALL(DST_SYNC, DST_ACCUM, FUNCTION, VALUES, DST, MODE, ...) \
    ::ckernel::_llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::FUNCTION<TP_WITHIN VALUES>, DST, MODE, ##__VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC, DST_ACCUM, FUNCTION, DST, MODE, ...) \
    ::ckernel::_llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::FUNCTION, DST, MODE, ##__VA_ARGS__)
#define SFPU_BINARY_CALL(DST_SYNC, DST_ACCUM, FUNCTION, VALUES, IN0, IN1, OUT, MODE, ...)                                    \
    ::ckernel::_llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::FUNCTION<TP_WITHIN VALUES>, IN0, IN1, OUT, MODE, \
                                                     ##__VA_ARGS__)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC, DST_ACCUM, FUNCTION, IN0, IN1, OUT, MODE, ...) \
    ::ckernel::_llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::FUNCTION, IN0, IN1, OUT, MODE, ##__VA_ARGS__)
#define SFPU_TERNARY_CALL(DST_SYNC, DST_ACCUM, FUNCTION, VALUES, IN0, IN1, IN2, OUT, MODE, ...)                              \
    ::ckernel::_llk_math_eltwise_ternary_sfpu_params_(::ckernel::sfpu::FUNCTION<TP_WITHIN VALUES>, IN0, IN1, IN2, OUT, \
                                                      MODE, ##__VA_ARGS__)
#define SFPU_TERNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC, DST_ACCUM, FUNCTION, IN0, IN1, IN2, OUT, MODE, ...) \
    ::ckernel::_llk_math_eltwise_ternary_sfpu_params_(::ckernel::sfpu::FUNCTION, IN0, IN1, IN2, OUT, MODE, ##__VA_ARGS__)

// Inits: with nothing, or with a function that loads constants and its arguments.
#define TP_INIT_OF(KIND, OP, ...) ::ckernel::llk_math_eltwise_##KIND##_sfpu_init<::SfpuType::OP>(__VA_ARGS__)
#define SFPU_UNARY_INIT(OP) TP_INIT_OF(unary, OP)
#define SFPU_UNARY_INIT_FN(OP, FUNCTION, VALUES) TP_INIT_OF(unary, OP, FUNCTION<TP_WITHIN VALUES>)
#define SFPU_UNARY_INIT_FN_ARGS(OP, FUNCTION, VALUES, ...) TP_INIT_OF(unary, OP, FUNCTION<TP_WITHIN VALUES>, ##__VA_ARGS__)
#define SFPU_BINARY_INIT(OP) TP_INIT_OF(binary, OP)
#define SFPU_BINARY_INIT_FN_NO_ARGS(OP, FUNCTION) TP_INIT_OF(binary, OP, FUNCTION)
#define SFPU_BINARY_INIT_FN(OP, FUNCTION, VALUES) TP_INIT_OF(binary, OP, FUNCTION<TP_WITHIN VALUES>)
#define SFPU_BINARY_INIT_FN_ARGS(OP, FUNCTION, VALUES, ...) TP_INIT_OF(binary, OP, FUNCTION<TP_WITHIN VALUES>, ##__VA_ARGS__)
#define SFPU_TERNARY_INIT(OP) TP_INIT_OF(ternary, OP)
#define SFPU_TERNARY_INIT_FN_NO_ARGS(OP, FUNCTION) TP_INIT_OF(ternary, OP, FUNCTION)
#define SFPU_TERNARY_INIT_FN(OP, FUNCTION, VALUES) TP_INIT_OF(ternary, OP, FUNCTION<TP_WITHIN VALUES>)
#define SFPU_TERNARY_INIT_FN_ARGS(OP, FUNCTION, VALUES, ...) \
    TP_INIT_OF(ternary, OP, FUNCTION<TP_WITHIN VALUES>, ##__VA_ARGS__)

// Of April 2026 and before: one macro for each number of arguments, the mode by its name alone, and the approximate mode first.
#define TP_OLDER_CALL(FUNCTION, VALUES, DST, MODE, ...) SFPU_UNARY_CALL(, , FUNCTION, VALUES, DST, MODE, ##__VA_ARGS__)
#define SFPU_UNARY_KERNEL_INIT(OP, APPROXIMATE) TP_INIT_OF(unary, OP);
#define SFPU_INIT_KERNEL_CALL(OP, FUNCTION, APPROXIMATE) TP_INIT_OF(unary, OP, FUNCTION<APPROXIMATE>)
#define SFPU_ONE_PARAM_KERNEL_INIT(OP, FUNCTION, APPROXIMATE, A) TP_INIT_OF(unary, OP, FUNCTION<APPROXIMATE>, A);
#define SFPU_TWO_PARAM_KERNEL_INIT(OP, FUNCTION, APPROXIMATE, A, B) TP_INIT_OF(unary, OP, FUNCTION<APPROXIMATE>, A, B);
#define SFPU_TWO_TEMPLATE_PARAM_INIT(OP, FUNCTION, APPROXIMATE, VALUE) \
    SFPU_UNARY_INIT_FN(OP, FUNCTION, (APPROXIMATE, VALUE))
#define SFPU_THREE_TEMPLATE_PARAM_INIT(OP, FUNCTION, APPROXIMATE, VALUE, OTHER) \
    SFPU_UNARY_INIT_FN(OP, FUNCTION, (APPROXIMATE, VALUE, OTHER))
#define SFPU_UNARY_NO_PARAM_KERNEL_FN(FUNCTION, MODE, APPROXIMATE, DST) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE), DST, int(::ckernel::VectorMode::MODE))
#define SFPU_UNARY_NO_PARAM_KERNEL_FN_ITERATIONS(FUNCTION, MODE, APPROXIMATE, DST, ITERATIONS) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, ITERATIONS), DST, int(::ckernel::VectorMode::MODE))
#define SFPU_UNARY_ONE_PARAM_KERNEL_FN(FUNCTION, MODE, APPROXIMATE, DST, A) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE), DST, int(::ckernel::VectorMode::MODE), A)
#define SFPU_UNARY_ONE_PARAM_KERNEL_EXTRA_PARAM(FUNCTION, MODE, APPROXIMATE, VALUE, DST, A) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, VALUE), DST, int(::ckernel::VectorMode::MODE), A)
#define SFPU_UNARY_TWO_PARAM_KERNEL_FN(FUNCTION, MODE, APPROXIMATE, DST, A, B) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE), DST, int(::ckernel::VectorMode::MODE), A, B)
#define SFPU_UNARY_TWO_PARAM_KERNEL_WITH_DST_ACCUM(FUNCTION, MODE, APPROXIMATE, DST_ACCUM, DST, A, B) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, DST_ACCUM), DST, int(::ckernel::VectorMode::MODE), A, B)
#define SFPU_UNARY_THREE_PARAM_KERNEL_FN(FUNCTION, MODE, APPROXIMATE, DST, A, B, C) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE), DST, int(::ckernel::VectorMode::MODE), A, B, C)
#define SFPU_UNARY_PARAMS_KERNEL_EXTRA_ARGS(FUNCTION, MODE, APPROXIMATE, DST, A, B) \
    SFPU_UNARY_TWO_PARAM_KERNEL_FN(FUNCTION, MODE, APPROXIMATE, DST, A, B);
#define SFPU_ONE_PARAM_KERNEL(FUNCTION, APPROXIMATE, DST, MODE) TP_OLDER_CALL(FUNCTION, (APPROXIMATE), DST, MODE)
#define SFPU_TWO_PARAM_KERNEL(FUNCTION, APPROXIMATE, VALUE, DST, MODE) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, VALUE), DST, MODE)
#define SFPU_TWO_PARAM_KERNEL_ONE_RUNTIME(FUNCTION, APPROXIMATE, VALUE, DST, MODE, A) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, VALUE), DST, MODE, A)
#define SFPU_THREE_PARAM_KERNEL_ITER_FIRST(FUNCTION, APPROXIMATE, ITERATIONS, WIDE, DST, MODE) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, ITERATIONS, WIDE), DST, MODE)
#define SFPU_THREE_PARAM_KERNEL_FP32_FIRST(FUNCTION, APPROXIMATE, WIDE, ITERATIONS, DST, MODE) \
    TP_OLDER_CALL(FUNCTION, (APPROXIMATE, WIDE, ITERATIONS), DST, MODE)
