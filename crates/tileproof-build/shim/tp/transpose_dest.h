// A tile of Dst transposed in place, by moves of the matrix unit that take no operands.
// The init programs MATH, so that other operations need their own again. Names follow tt-metal `transpose_dest.h` and, until September
// 2026, `transpose_wh_dest.h`. Start at transpose_dest.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_steps.h"

namespace tp {
// Of half of a word of 32 bits, and of one of 16 within its faces, nobody has said what comes out (LLK `llk_math_transpose_dest.h`).
template <bool is_32bit, bool transpose_of_faces>
ALWI void check_transpose(Site site) {
    if (is_32bit != DST_ACCUM_MODE) {
        unsupported(site, "transpose_dest of words of another width than Dst");
    }
    if (!is_32bit && !transpose_of_faces) {
        unsupported(site, "transpose_dest of 16-bit words within faces");
    }
}
}  // namespace tp

namespace ckernel {

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init(uint32_t = 0) {
    if (TP_ON_MATH) {
        tp::check_transpose<is_32bit, transpose_of_faces>(TP_SITE());
    }
    TP_MATH(math_init, tp::word(tp::math_kind::transpose, !transpose_of_faces, is_32bit));
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t dst) {
    if (TP_ON_MATH) {
        tp::check_transpose<is_32bit, transpose_of_faces>(TP_SITE());
        tp::run_pending(TP_SITE());
        tp::note(tp::step_code::TransposeTile, 64 * dst, !transpose_of_faces);
        tp::run_pending(TP_SITE());
    }
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_wh_dest_init_short(uint32_t = 0) {
    transpose_dest_init<is_32bit, transpose_of_faces>();
}
template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_wh_dest(uint32_t dst) {
    transpose_dest<is_32bit, transpose_of_faces>(dst);
}

}  // namespace ckernel
#endif
