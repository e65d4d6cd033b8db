// Vector code by hand, continued: lines out of tables, integers to floats, the number of a lane, and every other vector.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

inline void lines(uint32_t low, uint32_t middle, uint32_t high) {
    vUInt a = low, b = middle, c = high;
    for (uint32_t v = 0; v < 8; v++) {
        vFloat x = dst_reg[0];
        dst_reg[0] = lut(x, as<vLut8si>(a), as<vLut8si>(b), as<vLut8si>(c));
        dst_reg++;
    }
}

inline void numbers() {
    for (uint32_t v = 0; v < 8; v++) {
        vFloat x = dst_reg[0];
        vInt exponent = exexp(x);
        vInt lane = vConstTileId;
        vFloat f = convert<vFloat>(convert<vSMag>(exponent), RoundMode::Nearest);
        dst_reg[0] = f * 0.5f + convert<vFloat>(convert<vSMag>(lane), RoundMode::Nearest);
        dst_reg++;
    }
}

inline void pairs() {
    for (uint32_t v = 0; v < 4; v++) {
        vFloat a = dst_reg[0];
        vFloat b = dst_reg[1];
        vFloat least = min(a, b), most = max(a, b);
        dst_reg[0] = least - setman(most, 0u);
        dst_reg[1] = most * 1.1f;
        dst_reg += 2;
    }
}
#endif

void kernel_main() {
    constexpr auto cb_x = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    unary_op_init_common(cb_x, cb_out);
    for (uint32_t t = 0; t < 4; t++) {
        cb_wait_front(cb_x, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        copy_tile(cb_x, 0, 0);
        if (t == 0) { MATH((_llk_math_eltwise_unary_sfpu_params_(lines, 0, VectorMode::RC, 0x3612u, 0x05a7u, 0xff10u))); }
        if (t == 1) { MATH((_llk_math_eltwise_unary_sfpu_params_(lines, 0, VectorMode::R, 0x9f00u, 0x7fffu, 0x0081u))); }
        if (t == 2) { MATH((_llk_math_eltwise_unary_sfpu_params_(numbers, 0, VectorMode::RC))); }
        if (t == 3) { MATH((_llk_math_eltwise_unary_sfpu_params_(pairs, 0, VectorMode::RC))); }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_x, 1);
    }
}
