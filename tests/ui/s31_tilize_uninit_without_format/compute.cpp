// out = x + tilized sticks. The uninit without data type leaves the unpacker at the sticks' bfloat16.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

constexpr uint32_t cb_sticks = 0;
constexpr uint32_t cb_x = 1;
constexpr uint32_t cb_tiled = 24;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_sticks, cb_tiled);
    tilize_init(cb_sticks, 1, cb_tiled);
    cb_wait_front(cb_sticks, 32);
    cb_reserve_back(cb_tiled, 1);
    tilize_block(cb_sticks, 1, cb_tiled);
    cb_push_back(cb_tiled, 1);
    cb_pop_front(cb_sticks, 32);
#ifdef MENDED
    tilize_uninit_with_dt(cb_sticks, cb_x, cb_tiled);
#else
    tilize_uninit(cb_sticks, cb_tiled);
#endif

    pack_reconfig_data_format(cb_out);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_tiled, 1);
    tile_regs_acquire();
    copy_tile_to_dst_init_short(cb_x);
    copy_tile(cb_x, 0, 0);  //~ TP0702 c_1 holds Float32, but SrcA
    copy_tile_to_dst_init_short_with_dt(cb_x, cb_tiled);
    copy_tile(cb_tiled, 0, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_tiled, 1);
}
