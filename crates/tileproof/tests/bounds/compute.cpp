// One kind of work, TIMES times on the tiles at the front of c_0 and c_1, which stay there; or tile by tile, where FLOWS is defined.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/tilize.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t times = get_compile_time_arg_val(0);
    constexpr uint32_t out = 16;
#if defined(FLOWS)
    compute_kernel_hw_startup(0, 0, out);
    copy_tile_to_dst_init_short(0);
    for (uint32_t i = 0; i < times; i++) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(out, 1);
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
    }
#elif defined(TILIZE)
    // The same rows again and again, into tiles that nobody takes.
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_reserve_back(out, 1);
    compute_kernel_hw_startup(0, out);
    tilize_init(0, 1, out);
    for (uint32_t i = 0; i < times; i++) {
        tilize_block(0, 1, out);
    }
    tilize_uninit(0, out);
    cb_push_back(out, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
#else
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_reserve_back(out, 1);
#if defined(MATMUL)
    compute_kernel_hw_startup(0, 1, out);
    mm_init(0, 1, out);
#elif defined(ADD)
    compute_kernel_hw_startup(0, 1, out);
    add_tiles_init(0, 1);
#elif defined(MUL)
    compute_kernel_hw_startup(0, 1, out);
    mul_tiles_init(0, 1);
#else
    compute_kernel_hw_startup(0, 0, out);
    copy_tile_to_dst_init_short(0);
#endif
#if defined(EXP)
    exp_tile_init();
#endif
    for (uint32_t i = 0; i < times; i++) {
        tile_regs_acquire();
#if defined(MATMUL)
        for (uint32_t inner = 0; inner < 4; inner++) {
            matmul_tiles(0, 1, 0, 0, 0);
        }
#elif defined(ADD)
        add_tiles(0, 1, 0, 0, 0);
#elif defined(MUL)
        mul_tiles(0, 1, 0, 0, 0);
#else
        copy_tile(0, 0, 0);
#endif
#if defined(EXP)
        exp_tile(0);
#endif
        tile_regs_commit();
        tile_regs_wait();
#if defined(PACKS)
        for (uint32_t pack = 0; pack < PACKS; pack++) {
            pack_tile<true>(0, out, 0);
        }
#else
        pack_tile<true>(0, out, 0);
#endif
        tile_regs_release();
    }
    cb_push_back(out, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
#endif
}
