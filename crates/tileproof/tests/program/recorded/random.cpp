// Tiles of random numbers, or tiles with some of their numbers dropped, from a seed on.
#include <cstdint>
#include "api/compute/compute_kernel_api.h"
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/dropout.h"
#include "api/compute/eltwise_unary/rand.h"
#include "api/compute/pack.h"

void kernel_main() {
    unary_op_init_common(0, 16);
#ifdef DROPOUT
    dropout_kernel_init(SEED);
#else
    rand_tile_init(SEED);
#endif
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, 0, 0);
#ifdef DROPOUT
        // 0.3 of 2^31, and one over 0.7.
        dropout_tile(0, 644245094, 0x3fb6db6e);
#else
        // From -1.5 to 2.5.
        rand_tile(0, 0xbfc00000, 0x40800000);
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}
