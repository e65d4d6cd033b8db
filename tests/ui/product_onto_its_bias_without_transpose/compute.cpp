#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A product is added to a bias in Dst, as is meant; its second operand is to be transposed, and is not.
void kernel_main() {
#ifdef MENDED
    constexpr uint32_t transposed = 1;
#else
    constexpr uint32_t transposed = 0;
#endif
    mm_init(1, 2, 16);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_wait_front(2, 1);
    cb_reserve_back(16, 1);
    copy_tile_to_dst_init_short(0);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    mm_init_short(1, 2, transposed);
    matmul_tiles(1, 2, 0, 0, 0);  //~ TP0809 one with each tile of in1 transposed would
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
    cb_pop_front(2, 1);
}
