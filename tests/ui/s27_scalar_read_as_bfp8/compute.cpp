// in * sin, then times a scalar. SrcB was configured for sin and is not for the scalar.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_sin = 2;
constexpr uint32_t cb_scalar = 3;
constexpr uint32_t cb_part = 24;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_in, cb_sin, cb_out);
    cb_wait_front(cb_in, 1);
    cb_wait_front(cb_sin, 1);
    cb_wait_front(cb_scalar, 1);

    mul_init(cb_in, cb_sin);
    tile_regs_acquire();
    mul_tiles(cb_in, cb_sin, 0, 0, 0);
    tile_regs_commit();
    cb_reserve_back(cb_part, 1);
    tile_regs_wait();
    pack_tile(0, cb_part);
    tile_regs_release();
    cb_push_back(cb_part, 1);

    cb_wait_front(cb_part, 1);
    mul_tiles_bcast_scalar_init_short(cb_part, cb_scalar);
#ifdef MENDED
    reconfig_data_format_srcb(cb_scalar);
#endif
    tile_regs_acquire();
    mul_tiles_bcast_scalar(cb_part, cb_scalar, 0, 0, 0);  //~ TP0702 c_3 holds Float16_b, but SrcB is programmed for Bfp8_b
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_part, 1);
    cb_pop_front(cb_in, 1);
    cb_pop_front(cb_sin, 1);
    cb_pop_front(cb_scalar, 1);
}
