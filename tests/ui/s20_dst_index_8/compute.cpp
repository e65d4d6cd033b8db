// A mask is parked in a Dst tile before a square is taken. 8 tiles are 0 to 7.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_mask = 1;
constexpr uint32_t cb_out = 16;

void kernel_main() {
#ifdef MENDED
    constexpr uint32_t parked = 7;
#else
    constexpr uint32_t parked = 8;
#endif
    compute_kernel_hw_startup(cb_x, cb_out);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_mask, 1);
    cb_reserve_back(cb_out, 2);
    copy_init(cb_mask);
    tile_regs_acquire();
    copy_tile(cb_mask, 0, parked);  //~ TP0704 Dst index 8
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(parked, cb_out);  //~ TP0704 Dst index 8
    tile_regs_release();
    mul_init(cb_x, cb_x);
    tile_regs_acquire();
    mul_tiles(cb_x, cb_x, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 2);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_mask, 1);
}
