#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

// Squares of four tiles, then their doubles over them.
void kernel_main() {
    constexpr uint32_t blocks = get_compile_time_arg_val(0);
    constexpr uint32_t in = 0, results = 16, squares = 24;
    compute_kernel_hw_startup(in, in, results);
    for (uint32_t block = 0; block < blocks; block++) {
        cb_reserve_back(results, 4);
        cb_reserve_back(squares, 4);
        mul_init(in, in);
        for (uint32_t i = 0; i < 4; i++) {
            cb_wait_front(in, 1);
            tile_regs_acquire();
            mul_tiles(in, in, 0, 0, 0);
            tile_regs_commit();
            cb_pop_front(in, 1);
            tile_regs_wait();
            pack_tile(0, squares);
            tile_regs_release();
            cb_push_back(squares, 1);
        }
        add_init(squares, squares);
        cb_wait_front(squares, 4);
        for (uint32_t i = 0; i < 4; i++) {
            tile_regs_acquire();
            add_tiles(squares, squares, i, i, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, results);
            tile_regs_release();
            cb_push_back(results, 1);
        }
        cb_pop_front(squares, 4);
    }
}
