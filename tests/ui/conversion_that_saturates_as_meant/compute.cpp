#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/rounding.h"
#include "api/compute/eltwise_unary/typecast.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// Values beyond the range end at its end, as is meant; those within are rounded, where they are to be cut off.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 1; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
#ifdef MENDED
        rounding_op_tile_init();
        floor_tile(0);
#endif
        typecast_tile_init<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::UInt16>();
        typecast_tile<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::UInt16>(0);  //~ TP0809 rounds to the nearest integer
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}
