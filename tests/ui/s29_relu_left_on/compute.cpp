// Two blocks of two K steps each, partial sums through a buffer; the result of a block is clipped at 0.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;
constexpr uint32_t cb_part = 24;
constexpr uint32_t no_relu = 0;
constexpr uint32_t zero_relu = 1;

void pack_to(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);  //~ TP0713 pack to c_24 goes through the ReLU
    tile_regs_release();
    cb_push_back(cb, 1);
}

void kernel_main() {
    constexpr uint32_t blocks = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_part, cb_out);
    for (uint32_t block = 0; block < blocks; block++) {
#ifdef MENDED
        pack_relu_config(no_relu);
#endif
        copy_init(cb_in);
        cb_wait_front(cb_in, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        pack_to(cb_part);
        cb_pop_front(cb_in, 1);

        pack_relu_config(zero_relu);
        add_init(cb_in, cb_part);
        cb_wait_front(cb_in, 1);
        cb_wait_front(cb_part, 1);
        tile_regs_acquire();
        add_tiles(cb_in, cb_part, 0, 0, 0);
        pack_to(cb_out);
        cb_pop_front(cb_in, 1);
        cb_pop_front(cb_part, 1);
    }
}
