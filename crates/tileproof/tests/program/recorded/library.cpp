// Functions of the vector library of early 2026, each on every tile.
#include <cstdint>
#include "api/compute/compute_kernel_api.h"
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#ifdef TRISC_MATH
#include "sfpi.h"
using namespace sfpi;
namespace own = ckernel::sfpu;

inline void of_reciprocal() { own::_init_sfpu_reciprocal_<false>(); }
// As the init of the approximate exponential that is not fast.
inline void of_pieces() {
    vConstFloatPrgm0 = 1.442695f;
    vConstFloatPrgm1 = sFloat16b(0x4340);
    vConstFloatPrgm2 = sFloat16b(0xbd3f);
}

template <int which>
inline void function() {
    for (int d = 0; d < 8; d++) {
        const vFloat x = dst_reg[0];
        if constexpr (which < 3) {
            dst_reg[0] = own::_sfpu_reciprocal_<which>(x);
        } else if constexpr (which < 5) {
            dst_reg[0] = own::_reciprocal_compat_<which - 1>(x);
        } else if constexpr (which == 5) {
            dst_reg[0] = own::_sfpu_exp_(setsgn(x, 0));
        } else if constexpr (which == 6) {
            dst_reg[0] = own::_calculate_exponential_piecewise_<false, false, false>(x, 0x3f80);
        } else if constexpr (which == 7) {
            dst_reg[0] = own::_calculate_exponential_piecewise_<true, false, false>(x, 0x3f80);
        } else if constexpr (which == 8) {
            dst_reg[0] = own::_calculate_exponential_piecewise_<true, true, true>(x, 0x3fc0);
        } else if constexpr (which < 11) {
            dst_reg[0] = own::_sfpu_exp_21f_<which == 10>(x);
        } else {
            own::calculate_softplus_body<false>(1.5f, 1.0f / 1.5f, 20.0f);
        }
        dst_reg++;
    }
}
#endif

#define WITH(INIT, WHICH)                                                                       \
    begin();                                                                                    \
    MATH((_llk_math_eltwise_unary_sfpu_params_(INIT, 0, VectorMode::None)));               \
    MATH((_llk_math_eltwise_unary_sfpu_params_(function<WHICH>, 0, VectorMode::RC)));      \
    end();

ALWI void begin() {
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile_to_dst_init_short(0);
    copy_tile(0, 0, 0);
}
ALWI void end() {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}

void kernel_main() {
    unary_op_init_common(0, 16);
    for (uint32_t tile = 0; tile < 64; tile++) {
        cb_wait_front(0, 1);
        WITH(of_reciprocal, 0)
        WITH(of_reciprocal, 1)
        WITH(of_reciprocal, 2)
        WITH(of_reciprocal, 3)
        WITH(of_reciprocal, 4)
        WITH(of_reciprocal, 5)
        WITH(of_reciprocal, 6)
        WITH(of_pieces, 7)
        WITH(of_pieces, 8)
        WITH(of_pieces, 9)
        WITH(of_pieces, 10)
        WITH(of_pieces, 11)
        cb_pop_front(0, 1);
    }
}
