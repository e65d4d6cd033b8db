// y = exp(x).
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_y = 16;
#ifdef MENDED
constexpr auto mode = VectorMode::RC;
#else
constexpr auto mode = VectorMode::C;
#endif

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_y);
    copy_tile_init(cb_x);
    exp_tile_init();
    cb_wait_front(cb_x, 1);
    tile_regs_acquire();
    copy_tile(cb_x, 0, 0);
    exp_tile(0, mode);  //~ TP0809 exp_tile leaves out all 512 elements that are wrong: its vector mode works on faces 0 and 2 alone
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_x, 1);
}
