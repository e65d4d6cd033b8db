// Tiles of Dst transposed in place: with their faces, and within them.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/transpose_dest.h"

template <typename F>
ALWI void each(F&& f) {
    for (uint32_t tile = 0; tile < 6; tile++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, tile, 1);
#ifdef WIDE
        // Low bits, too.
        binop_with_scalar_tile_init();
        mul_unary_tile(1, 0x3f8ccccd);
#endif
        f();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(1, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    each([] {
        transpose_dest_init<DST_ACCUM_MODE>(0);
        transpose_dest<DST_ACCUM_MODE>(1);
    });
    each([] {
#ifdef WITHIN
        transpose_dest_init<true, false>(0);
        transpose_dest<true, false>(1);
#else
        transpose_dest_init<false>(0);
        transpose_dest<false>(1);
#endif
    });
    cb_pop_front(0, 6);
}
