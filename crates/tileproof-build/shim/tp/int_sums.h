// Sums of integers down the columns or along the rows of a tile, and of two tiles.
// Integers go through sign and magnitude and back where the unit's loads convert, which makes 0 of the least one. Steps are those of
// tt-metal `ckernel_sfpu_int_sum.h`, the same from 2025 on. Start at sfpu_sum_int_col.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_faces.h"

namespace tp::int_sums {

#ifdef ARCH_BLACKHOLE
constexpr uint32_t FORMAT = 4;
ALWI Value taken(Value value) { return value; }
ALWI Value given(Value value) { return value; }
#else
constexpr uint32_t FORMAT = 12;
ALWI Value taken(Value value) { return step(step_code::ToSignMagnitude, value); }
ALWI Value given(Value value) { return step(step_code::ToTwosComplement, value); }
#endif
// Rows of Dst from a vector to the next, to the next four rows, and to the second half of a tile's rows.
constexpr uint32_t OTHER_COLUMNS = 2, ROWS = 4, LOWER_FACE = 32, RIGHT_FACE = 16, TILE = 64;

ALWI uint32_t row(uint32_t further) { return steps.face + steps.moved + further; }
ALWI Value load(uint32_t further) { return taken({note(step_code::Load, row(further), FORMAT)}); }
ALWI void store(Value value, uint32_t further) { note(step_code::Store, given(value).number, row(further), FORMAT); }
ALWI Value sum(Value a, Value b) { return step(step_code::AddInt, a, b); }

// Four rows, each the sum of every fourth of this face and of the one below.
inline void columns() {
    for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t at = OTHER_COLUMNS * half;
        Value total = load(at);
        for (uint32_t four = 1; four < 8; ++four) {
            total = sum(total, load(at + four / 4 * LOWER_FACE + four % 4 * ROWS));
        }
        store(total, at);
    }
}
// Even columns, each the sum of it and the next one, of this face and of the one on the right.
inline void rows() {
    for (uint32_t four = 0; four < 4; ++four) {
        const uint32_t at = ROWS * four;
        Value total = load(at);
        for (const uint32_t further : {OTHER_COLUMNS, RIGHT_FACE, RIGHT_FACE + OTHER_COLUMNS}) {
            total = sum(total, load(at + further));
        }
        store(total, at);
    }
}
inline void two_tiles() {
    for (uint32_t vector = 0; vector < 8; ++vector, steps.moved += OTHER_COLUMNS) {
        store(sum(load(0), load(TILE)), 0);
    }
}

}  // namespace tp::int_sums

namespace ckernel {

ALWI void sfpu_sum_int_init() {}
#define TP_INT_SUM(NAME, MODE, FUNCTION)                                                               \
    ALWI void NAME {                                                                                   \
        if (TP_ON_MATH) {                                                                              \
            if (!DST_ACCUM_MODE) {                                                                     \
                tp::unsupported(TP_SITE(), "sums of integers on a 16-bit Dst");                        \
            }                                                                                          \
            tp::on_faces(TP_SITE(), dst, VectorMode::MODE, tp::int_sums::FUNCTION);                    \
        }                                                                                              \
    }
TP_INT_SUM(sfpu_sum_int_col(uint32_t dst), R, columns)
TP_INT_SUM(sfpu_sum_int_row(uint32_t dst), C, rows)
// The tile behind it, whatever the offset says (tt-metal `ckernel_sfpu_int_sum.h`).
TP_INT_SUM(sfpu_add_int(uint32_t dst, uint32_t = 2, int32_t = 8), RC, two_tiles)
#undef TP_INT_SUM

}  // namespace ckernel
#endif
