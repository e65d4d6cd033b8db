#include <cstdint>
#include "compute_kernel_api.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/pack.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"

// The other number lies two tiles behind the first, and the one behind it is taken.
namespace NAMESPACE {
void MAIN {
    init_sfpu(0, 16);
#ifdef MENDED
    constexpr uint32_t other = 1;
#else
    constexpr uint32_t other = 2;
#endif
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, 0, 0);
        copy_tile(0, 0, 1);
        copy_tile(1, 0, other);
        max_tile_init();
        max_tile(0, other);  //~ TP0722 max_tile names Dst tile 2 for the second tile, and takes it from tile 1
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}
}  // namespace NAMESPACE
