// How often z * z + c stays within 2, at most 40 times, c given by its parts in two tiles.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

constexpr uint32_t MOST = 40;

inline void count(uint32_t real, uint32_t imaginary, uint32_t out) {
    for (uint32_t v = 0; v < 8; v++) {
        vFloat zr = 0.0f;
        vFloat zi = 0.0f;
        vFloat turns = 0.0f;
        for (uint32_t i = 0; i < MOST; i++) {
            vFloat rr = zr * zr;
            vFloat ii = zi * zi;
            v_if(rr + ii < 4.0f) {
                // The parts of c are loaded each time: the unit has eight registers.
                vFloat product = zr * zi;
                zi = product + product + dst_reg[32 * imaginary + v];
                zr = rr - ii + dst_reg[32 * real + v];
                turns += 1.0f;
            }
            v_endif;
        }
        dst_reg[32 * out + v] = turns;
    }
}
#endif

void kernel_main() {
    constexpr auto cb_real = tt::CBIndex::c_0, cb_imaginary = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    unary_op_init_common(cb_real, cb_out);
    cb_wait_front(cb_real, 1);
    cb_wait_front(cb_imaginary, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_acquire();
    copy_tile(cb_real, 0, 0);
    copy_tile(cb_imaginary, 0, 1);
    MATH((_llk_math_eltwise_binary_sfpu_params_(count, 0, 1, 0)));
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_real, 1);
    cb_pop_front(cb_imaginary, 1);
}
