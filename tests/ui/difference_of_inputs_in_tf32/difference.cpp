// y = a - b.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_a = 0;
constexpr uint32_t cb_b = 1;
constexpr uint32_t cb_y = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_a, cb_b, cb_y);
    cb_wait_front(cb_a, 1);
    cb_wait_front(cb_b, 1);
    tile_regs_acquire();
#ifdef MENDED
    copy_tile_init(cb_a);
    copy_tile(cb_a, 0, 0);
    copy_tile_init(cb_b);
    copy_tile(cb_b, 0, 1);
    sub_binary_tile_init();
    sub_binary_tile(0, 1, 0);
#else
    sub_tiles_init(cb_a, cb_b);
    sub_tiles(cb_a, cb_b, 0, 0, 0);  //~ TP0808 goes through SrcA or SrcB, which hold 10 bits of mantissa
#endif
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_a, 1);
    cb_pop_front(cb_b, 1);
}
