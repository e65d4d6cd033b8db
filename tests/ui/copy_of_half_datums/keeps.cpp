#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"

// y = -x + x, with x kept in another tile of a 32-bit Dst.
#ifdef MENDED
constexpr DataFormat kept_as = DataFormat::Float32;
#else
constexpr DataFormat kept_as = DataFormat::Float16_b;
#endif
void kernel_main() {
    constexpr uint32_t x = 0, out = 16, tiles = 2;
    compute_kernel_hw_startup(x, out);
    copy_tile_init(x);
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(x, 1);
        cb_reserve_back(out, 1);
        tile_regs_acquire();
        copy_tile(x, 0, 0);
        copy_dest_values_init();
        copy_dest_values<kept_as>(0, 1);  //~ TP0702 is given a data format of 16 bits, and Dst holds 32
        negative_tile_init();
        negative_tile(0);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(x, 1);
    }
}
