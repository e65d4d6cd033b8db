// Multiplies in place: x to Dst, then times b to the same tile. On this unit sums write, products add.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_b = 1;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_b, cb_out);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_b, 1);
    copy_init(cb_x);
    tile_regs_acquire();
    copy_tile(cb_x, 0, 0);
#ifdef MENDED
    mul_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(cb_b);
    mul_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(cb_b, 0, 0);
#else
    mul_init(cb_x, cb_b);
    mul_tiles(cb_x, cb_b, 0, 0, 0);  //~ TP0716 adds to Dst tile 0, which holds a copy of one of its operands
#endif
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_b, 1);
}
