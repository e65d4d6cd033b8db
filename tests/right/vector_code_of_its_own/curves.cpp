// Vector code by hand: a function for each of four pairs of tiles, each with other parts of the language.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

constexpr uint32_t VECTORS_A_FACE = 8, VECTORS_A_TILE = 32;

// Products that join sums, and those that do not because they are used twice or lanes are switched in between.
inline void sums(uint32_t x, uint32_t y, uint32_t out) {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        vFloat a = dst_reg[x * VECTORS_A_TILE + v];
        vFloat b = dst_reg[y * VECTORS_A_TILE + v];
        vFloat product = a * b;
        vFloat r = a * 0.3f + b;
        r += product - a * 1.7f;
        v_if(r < 1.0f) { r = r * b - product; }
        v_endif;
        vFloat once = r * a;
        v_if(b >= 0.0f) { r = once + 0.1f; }
        v_endif;
        dst_reg[out * VECTORS_A_TILE + v] = r;
    }
}

// Lanes: nested, with conditions joined, and equality of bits.
inline void lanes(uint32_t x, uint32_t y, uint32_t out) {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        vFloat a = dst_reg[x * VECTORS_A_TILE + v];
        vFloat b = dst_reg[y * VECTORS_A_TILE + v];
        vFloat r = 0.0f;
        v_if(a < b && a > -2.0f) {
            r = a;
            v_if(b > 1.5f || a == 0.0f) { r = r * r + b; }
            v_else { r -= b; }
            v_endif;
        }
        v_elseif(a <= 4.0f) { r = -b; }
        v_else {
            r = 2.0f - a;
            r *= 0.5f;
        }
        v_endif;
        v_if(!(r != r)) { r += 1.0f; }
        v_endif;
        dst_reg[out * VECTORS_A_TILE + v] = r;
    }
}

// Parts of floats and integers.
inline void parts(uint32_t x, uint32_t y, uint32_t out) {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        vFloat a = dst_reg[x * VECTORS_A_TILE + v];
        vFloat b = dst_reg[y * VECTORS_A_TILE + v];
        vInt e = exexp(a);
        vInt bits = as<vInt>(b);
        vFloat m = setexp(a, 127);
        v_if(e > 1) { m = addexp(m, 3); }
        v_elseif((bits & 0xff) < 64) { m = copysgn(m, b); }
        v_endif;
        bits = (bits ^ (e << 20)) | 1;
        m = max(abs(m), min(as<vFloat>(bits), b));
        dst_reg[out * VECTORS_A_TILE + v] = setsgn(m, 0) - b;
    }
}

// Constants in registers, and the next vector by moving on.
inline void register_constants(uint32_t, uint32_t, uint32_t) {
    vConstFloatPrgm0 = 0.7f;
    vConstFloatPrgm1 = -3.0f;
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        vFloat a = dst_reg[0];
        vFloat b = dst_reg[VECTORS_A_TILE];
        dst_reg[0] = (a * vConstFloatPrgm0 + b) * b + vConstFloatPrgm1;
        dst_reg++;
    }
}
#endif

void kernel_main() {
    constexpr auto cb_x = tt::CBIndex::c_0, cb_y = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    unary_op_init_common(cb_x, cb_out);
    for (uint32_t t = 0; t < 4; t++) {
        cb_wait_front(cb_x, 1);
        cb_wait_front(cb_y, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        copy_tile(cb_x, 0, 0);
        copy_tile(cb_y, 0, 1);
        if (t == 0) { MATH((_llk_math_eltwise_binary_sfpu_params_(sums, 0, 1, 0))); }
        if (t == 1) { MATH((_llk_math_eltwise_binary_sfpu_params_(lanes, 0, 1, 0))); }
        if (t == 2) { MATH((_llk_math_eltwise_binary_sfpu_params_(parts, 0, 1, 0))); }
        if (t == 3) { MATH((_llk_math_eltwise_binary_sfpu_params_(register_constants, 0, 1, 0, VectorMode::C))); }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_x, 1);
        cb_pop_front(cb_y, 1);
    }
}
