// Remainders of numbers by numbers, with the divisor's sign and with the dividend's.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/fmod.h"
#include "api/compute/eltwise_unary/remainder.h"

template <typename F>
ALWI void each(F&& f) {
    for (uint32_t tile = 0; tile < 6; tile++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, tile, 0);
        f();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
ALWI void by(uint32_t divisor, uint32_t reciprocal) {
    each([=] {
        remainder_tile_init(divisor, reciprocal);
        remainder_tile(0);
    });
    each([=] {
        fmod_tile_init(divisor, reciprocal);
        fmod_tile(0);
    });
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    by(0x40400000, 0x3eaaaaab);
    by(0xc0200000, 0xbecccccd);
    by(0x3f000000, 0x40000000);
    by(0x00000000, 0x7f800000);
    cb_pop_front(0, 6);
}
