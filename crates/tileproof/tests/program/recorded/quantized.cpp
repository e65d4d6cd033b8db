// Numbers to integers of 8 bits, back, and to others: by factors in a tile and a zero point.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/quantization.h"

template <typename F>
ALWI void each(F&& f) {
    for (uint32_t tile = 0; tile < 6; tile++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, tile, 0);
        copy_tile(0, 2 + tile % 2, 1);
        f();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    each([] {
        quant_tile_init(0x41200000);
        quant_tile(0, 1, 0);
    });
    each([] {
        quant_uint8_tile_init(0x42c80000);
        quant_tile(0, 1, 0);
    });
    each([] {
        quant_tile_init(0);
        quant_tile(0, 1, 0);
        requant_tile_init(0xc0a00000);
        requant_tile(0, 1, 0);
    });
    each([] {
        requant_uint8_tile_init(0x41200000);
        requant_tile(0, 1, 0);
    });
    each([] {
        dequant_tile_init(0x40400000);
        dequant_tile(0, 1, 0);
    });
    cb_pop_front(0, 6);
}
