// Vector code by hand that keeps its squares in a tile of Dst which nothing else writes, and takes them out again.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

constexpr uint32_t VECTORS_A_FACE = 8, VECTORS_A_TILE = 32;

inline void square_and_more(uint32_t x, uint32_t spare, uint32_t out) {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        vFloat a = dst_reg[x * VECTORS_A_TILE + v];
        v_if(a < 2.0f) { dst_reg[spare * VECTORS_A_TILE + v] = a * a; }
        v_else { dst_reg[spare * VECTORS_A_TILE + v] = a; }
        v_endif;
    }
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        vFloat a = dst_reg[x * VECTORS_A_TILE + v];
        vFloat square = dst_reg[spare * VECTORS_A_TILE + v];
        dst_reg[out * VECTORS_A_TILE + v] = square + a;
    }
}
#endif

void kernel_main() {
    constexpr auto cb_x = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    unary_op_init_common(cb_x, cb_out);
    cb_wait_front(cb_x, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_acquire();
    copy_tile(cb_x, 0, 0);
    MATH((_llk_math_eltwise_binary_sfpu_params_(square_and_more, 0, 3, 0)));
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_x, 1);
}
