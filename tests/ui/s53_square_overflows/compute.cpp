// x by the root of its square: 1 for all that is not 0, if the square is finite.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_out = 16;
constexpr uint32_t two_to_minus_64 = 0x1f800000;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_out);
    cb_wait_front(cb_x, 1);
    tile_regs_acquire();
    copy_tile_init(cb_x);
    copy_tile(cb_x, 0, 0);
    copy_tile(cb_x, 0, 1);
#ifdef MENDED
    binop_with_scalar_tile_init();
    mul_unary_tile(0, two_to_minus_64);
    mul_unary_tile(1, two_to_minus_64);
#endif
    square_tile_init();
    square_tile(1);  //~ TP0806 1024 values overflow
    rsqrt_tile_init();
    rsqrt_tile(1);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_x, 1);
}
