// Lines out of tables of 16 bits, and a kernel's own function through the macros.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#ifdef TRISC_MATH
#include "sfpi.h"
#include "llk_math_eltwise_unary_sfpu_macros.h"
#include "llk_math_eltwise_binary_sfpu_macros.h"
#include "llk_math_eltwise_ternary_sfpu_macros.h"
namespace ckernel::sfpu {
template <bool APPROX_MODE, int ITERATIONS>
inline void six_lines() {
    sfpi::vUInt s01 = sfpi::l_reg[sfpi::LRegs::LReg0], s23 = sfpi::l_reg[sfpi::LRegs::LReg1], s45 = sfpi::l_reg[sfpi::LRegs::LReg2];
    sfpi::vUInt i01 = sfpi::l_reg[sfpi::LRegs::LReg4], i23 = sfpi::l_reg[sfpi::LRegs::LReg5], i45 = sfpi::l_reg[sfpi::LRegs::LReg6];
    for (int d = 0; d < ITERATIONS; d++) {
        sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = sfpi::lut2_sign(x, s01, s23, s45, i01, i23, i45);
        sfpi::dst_reg++;
    }
    sfpi::l_reg[sfpi::LRegs::LReg0] = s01; sfpi::l_reg[sfpi::LRegs::LReg1] = s23; sfpi::l_reg[sfpi::LRegs::LReg2] = s45;
    sfpi::l_reg[sfpi::LRegs::LReg4] = i01; sfpi::l_reg[sfpi::LRegs::LReg5] = i23; sfpi::l_reg[sfpi::LRegs::LReg6] = i45;
}
template <bool APPROX_MODE>
inline void load_lines(uint32_t seed) {
    sfpi::l_reg[sfpi::LRegs::LReg0] = sfpi::vLut16ss(0.1928f, -0.4939f);
    sfpi::l_reg[sfpi::LRegs::LReg4] = sfpi::vLut16ii(-0.00010443f, 0.1604f);
    sfpi::l_reg[sfpi::LRegs::LReg1] = sfpi::vLut16ss(0.6188f, 14.7f);
    sfpi::l_reg[sfpi::LRegs::LReg5] = sfpi::vLut16ii(-0.2795f, 0.0f);
    sfpi::l_reg[sfpi::LRegs::LReg2] = sfpi::vUInt(seed);
    sfpi::l_reg[sfpi::LRegs::LReg6] = sfpi::vUInt(seed * 40503u);
}
template <int ITERATIONS>
inline void weighted(const uint32_t in0, const uint32_t in1, const uint32_t out, uint32_t weight) {
    sfpi::vFloat w = __builtin_bit_cast(float, weight);
    for (int d = 0; d < ITERATIONS; d++) {
        sfpi::vFloat a = sfpi::dst_reg[in0 * 32], b = sfpi::dst_reg[in1 * 32];
        sfpi::dst_reg[out * 32] = a + w * b;
        sfpi::dst_reg++;
    }
}
inline void largest(const uint32_t in0, const uint32_t in1, const uint32_t in2, const uint32_t out) {
    for (int d = 0; d < 8; d++) {
        sfpi::vFloat a = sfpi::dst_reg[in0 * 32], b = sfpi::dst_reg[in1 * 32], c = sfpi::dst_reg[in2 * 32];
        sfpi::dst_reg[out * 32] = sfpi::max(a, sfpi::max(b, c));
        sfpi::dst_reg++;
    }
}
}  // namespace ckernel::sfpu
#endif
template <typename F> ALWI void each(F&& f, uint32_t tile) {
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile_to_dst_init_short(0);
    copy_tile(0, tile, 0);
    copy_tile(0, (tile + 1) % 6, 1);
    copy_tile(0, (tile + 2) % 6, 2);
    f();
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    for (uint32_t tile = 0; tile < 6; tile++) {
        each([=] {
            MATH((SFPU_UNARY_INIT_FN_ARGS(gelu, sfpu::load_lines, (APPROX), 0x3a7c0123u + 0x01010101u * tile)));
            MATH((SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, six_lines, (APPROX, 8), 0, VectorMode::RC)));
        }, tile);
    }
    each([] {
        MATH((SFPU_BINARY_INIT(unused)));
        MATH((SFPU_BINARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, weighted, (8), 0, 1, 0, VectorMode::RC, 0x3f400000u)));
    }, 2);
    each([] {
        MATH((SFPU_TERNARY_INIT(unused)));
        MATH((SFPU_TERNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, DST_ACCUM_MODE, largest, 0, 1, 2, 0, VectorMode::RC)));
    }, 2);
    cb_pop_front(0, 6);
}
