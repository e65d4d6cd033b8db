// Words of the vector unit, one by one: a function for each of three pairs of tiles.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;

constexpr uint32_t VECTORS_A_FACE = 8;

// Loads of halves, products and sums, a sign.
inline void sums() {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        TTI_SFPLOAD(p_sfpu::LREG0, 0, ADDR_MOD_3, 0);
        TTI_SFPLOAD(p_sfpu::LREG1, 0, ADDR_MOD_3, 64);
        TTI_SFPLOADI(p_sfpu::LREG2, 0, 0x3fc0);
        TTI_SFPLOADI(p_sfpu::LREG3, 10, 0x1234);
        TTI_SFPLOADI(p_sfpu::LREG3, 8, 0x4010);
        TTI_SFPMAD(p_sfpu::LREG0, p_sfpu::LREG1, p_sfpu::LREG2, p_sfpu::LREG4, 0);
        TTI_SFPNOP;
        TTI_SFPMUL(p_sfpu::LREG4, p_sfpu::LREG3, p_sfpu::LCONST_0, p_sfpu::LREG5, 0);
        TTI_SFPNOP;
        TTI_SFPADD(p_sfpu::LCONST_1, p_sfpu::LREG5, p_sfpu::LREG0, p_sfpu::LREG6, 0);
        TTI_SFPNOP;
        TTI_SFPMOV(0, p_sfpu::LREG6, p_sfpu::LREG7, 1);
        TTI_SFPSTORE(p_sfpu::LREG7, 0, ADDR_MOD_3, 0);
        dst_reg++;
    }
}
// Lanes by a sign, and by what an integer sum comes to.
inline void lanes() {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        TTI_SFPLOAD(p_sfpu::LREG0, 0, ADDR_MOD_3, 0);
        TTI_SFPLOAD(p_sfpu::LREG1, 0, ADDR_MOD_3, 64);
        TTI_SFPSETCC(0, p_sfpu::LREG0, 0, 0);
        TTI_SFPMOV(0, p_sfpu::LREG1, p_sfpu::LREG0, 0);
        TTI_SFPCOMPC(0, 0, 0, 0);
        TTI_SFPABS(0, p_sfpu::LREG1, p_sfpu::LREG0, 1);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPEXEXP(0, p_sfpu::LREG1, p_sfpu::LREG2, 0);
        TTI_SFPIADD(0xffd, p_sfpu::LREG2, p_sfpu::LREG3, 1);
        TTI_SFPSETEXP(130, p_sfpu::LREG0, p_sfpu::LREG0, 1);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPIADD(0x004, p_sfpu::LREG2, p_sfpu::LREG4, 9);
        TTI_SFPDIVP2(3, p_sfpu::LREG0, p_sfpu::LREG0, 1);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPSTORE(p_sfpu::LREG0, 0, ADDR_MOD_3, 0);
        dst_reg++;
    }
}
// Bits, and lanes that are kept.
inline void bits() {
    for (uint32_t v = 0; v < VECTORS_A_FACE; v++) {
        TTI_SFPLOAD(p_sfpu::LREG0, 0, ADDR_MOD_3, 0);
        TTI_SFPLOAD(p_sfpu::LREG1, 0, ADDR_MOD_3, 64);
        TTI_SFPEXMAN(0, p_sfpu::LREG0, p_sfpu::LREG2, 1);
        TTI_SFPEXMAN(0, p_sfpu::LREG1, p_sfpu::LREG3, 0);
        TTI_SFPIADD(0, p_sfpu::LREG2, p_sfpu::LREG3, 4);
        TTI_SFPSHFT(0xffe, 0, p_sfpu::LREG3, 1);
        TTI_SFPIADD(0, p_sfpu::LREG2, p_sfpu::LREG3, 6);
        TTI_SFPXOR(0, p_sfpu::LREG0, p_sfpu::LREG3, 0);
        TTI_SFPLOADI(p_sfpu::LREG4, 2, 0x7fff);
        TTI_SFPSHFT(8, 0, p_sfpu::LREG4, 1);
        TTI_SFPAND(0, p_sfpu::LREG4, p_sfpu::LREG3, 0);
        TTI_SFPCAST(p_sfpu::LREG3, p_sfpu::LREG5, 0);
        TTI_SFPSETSGN(0, p_sfpu::LREG1, p_sfpu::LREG5, 0);
        TTI_SFPSETCC(0, p_sfpu::LREG0, 0, 4);
        TTI_SFPPUSHC(0, 0, 0, 0);
        TTI_SFPSETCC(0, p_sfpu::LREG1, 0, 2);
        TTI_SFPSETCC(0, p_sfpu::LREG1, 0, 0);
        TTI_SFPNOT(0, p_sfpu::LREG3, p_sfpu::LREG5, 0);
        TTI_SFPPOPC(0, 0, 0, 0);
        TTI_SFPMULI(0x3f00, p_sfpu::LREG5, 0);
        TTI_SFPNOP;
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_SFPADDI(0x4000, p_sfpu::LREG5, 0);
        TTI_SFPNOP;
        TTI_SFPSTORE(p_sfpu::LREG5, 0, ADDR_MOD_3, 0);
        dst_reg++;
    }
}
#endif

void kernel_main() {
    constexpr auto cb_x = tt::CBIndex::c_0, cb_y = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    unary_op_init_common(cb_x, cb_out);
    for (uint32_t t = 0; t < 3; t++) {
        cb_wait_front(cb_x, 1);
        cb_wait_front(cb_y, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        copy_tile(cb_x, 0, 0);
        copy_tile(cb_y, 0, 1);
        if (t == 0) { MATH((_llk_math_eltwise_unary_sfpu_params_(sums, 0))); }
        if (t == 1) { MATH((_llk_math_eltwise_unary_sfpu_params_(lanes, 0))); }
        if (t == 2) { MATH((_llk_math_eltwise_unary_sfpu_params_(bits, 0))); }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_x, 1);
        cb_pop_front(cb_y, 1);
    }
}
