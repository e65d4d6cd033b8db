#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// The packer keeps the format of another buffer, and beside that an exponential is taken of another number.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    binop_with_scalar_tile_init();
#ifdef MENDED
    mul_unary_tile(0, 0x40a00000);
#else
    mul_unary_tile(0, 0x40400000);  //~ TP0809 r: the number that mul_unary_tile is given is 3, and 5 in its place would give
#endif
    exp_tile_init();
    exp_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
#ifdef MENDED
    pack_reconfig_data_format(17);
#endif
    cb_reserve_back(17, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 17);  //~ TP0702 c_17 holds Bfp8_b, but the packer is programmed for Float16_b
    tile_regs_release();
    cb_push_back(17, 1);
    cb_pop_front(0, 1);
}
