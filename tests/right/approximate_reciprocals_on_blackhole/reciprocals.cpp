// The estimate of a reciprocal, and one step of Newton's behind it.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

inline void reciprocals(uint32_t x, uint32_t y, uint32_t out) {
    for (uint32_t v = 0; v < 8; v++) {
        vFloat a = dst_reg[x * 32 + v];
        vFloat b = dst_reg[y * 32 + v];
        v_if(abs(a) < 0.001f) { a = 3.0f; }
        v_endif;
        vFloat estimate = approx_recip(a);
        v_if(b > 0.0f) { estimate = estimate * (2.0f - a * estimate); }
        v_endif;
        dst_reg[out * 32 + v] = estimate;
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
        MATH((_llk_math_eltwise_binary_sfpu_params_(reciprocals, 0, 1, 0)));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_x, 1);
        cb_pop_front(cb_y, 1);
    }
}
