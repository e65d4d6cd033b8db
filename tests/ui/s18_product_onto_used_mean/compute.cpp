// (x - mean) and x * scale, as a backward pass needs both. Products are added to what Dst holds.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_mean = 1;
constexpr uint32_t cb_scale = 2;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scale, cb_out);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_mean, 1);
    cb_wait_front(cb_scale, 1);
    tile_regs_acquire();
    copy_init(cb_x);
    copy_tile(cb_x, 0, 0);
    copy_init(cb_mean);
    copy_tile(cb_mean, 0, 1);
    sub_binary_tile_init();
    sub_binary_tile(0, 1, 0);
    mul_init(cb_x, cb_scale);
#ifdef MENDED
    constexpr uint32_t product = 2;
#else
    constexpr uint32_t product = 1;
#endif
    mul_tiles(cb_x, cb_scale, 0, 0, product);  //~ TP0710 adds to Dst tile 1
    tile_regs_commit();
    cb_reserve_back(cb_out, 2);
    tile_regs_wait();
    pack_tile(0, cb_out);
    pack_tile(product, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 2);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_mean, 1);
    cb_pop_front(cb_scale, 1);
}
