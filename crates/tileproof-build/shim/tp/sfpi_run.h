// How custom vector code is run on tiles of Dst: face by face.
// Faces are those of the vector mode, and each call begins at its face, however far the one before moved on. Names follow tt-llk
// `llk_math_eltwise_{unary,binary,ternary}_sfpu_params.h`. Start at _llk_math_eltwise_unary_sfpu_params_.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_faces.h"

namespace ckernel {
// The template's first argument was the approximate mode, which functions take as their own.
template <auto... Values, typename Function, typename... Arguments>
ALWI void _llk_math_eltwise_unary_sfpu_params_(Function&& function, uint32_t dst, TpVectorMode mode = TP_RC,
                                               Arguments&&... arguments) {
    if (TP_ON_MATH) {
        tp::on_faces(TP_SITE(), dst, mode, function, arguments...);
    }
}
template <auto... Values, typename Function, typename... Arguments>
ALWI void _llk_math_eltwise_binary_sfpu_params_(Function&& function, uint32_t in0, uint32_t in1, uint32_t out,
                                                TpVectorMode mode = TP_RC, Arguments&&... arguments) {
    if (TP_ON_MATH) {
        tp::on_faces(TP_SITE(), 0, mode, function, in0, in1, out, arguments...);
    }
}
template <auto... Values, typename Function, typename... Arguments>
ALWI void _llk_math_eltwise_ternary_sfpu_params_(Function&& function, uint32_t in0, uint32_t in1, uint32_t in2,
                                                 uint32_t out, TpVectorMode mode = TP_RC, Arguments&&... arguments) {
    if (TP_ON_MATH) {
        tp::on_faces(TP_SITE(), 0, mode, function, in0, in1, in2, out, arguments...);
    }
}
#define TP_SAME_PARAMS(KIND)                                                            \
    template <auto... Values, typename... Arguments>                                    \
    ALWI void llk_math_eltwise_##KIND##_sfpu_params(Arguments&&... arguments) {         \
        _llk_math_eltwise_##KIND##_sfpu_params_<Values...>(arguments...);               \
    }
TP_SAME_PARAMS(unary)
TP_SAME_PARAMS(binary)
TP_SAME_PARAMS(ternary)
#undef TP_SAME_PARAMS
}  // namespace ckernel
#include "tp/sfpu_macros.h"
#include "tp/vector_library.h"
using namespace sfpi;
#endif
