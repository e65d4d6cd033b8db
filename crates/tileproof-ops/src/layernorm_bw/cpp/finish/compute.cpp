// UNPACK, MATH and PACK of the second program: adds the tiles of a column, then the 32 rows that are left. Twin of finish.rs.
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t TILE_ROWS = get_compile_time_arg_val(0);
constexpr bool HAS_MASK = get_compile_time_arg_val(1) != 0;

constexpr uint32_t PARTIAL = tt::CBIndex::c_0;
constexpr uint32_t MASK = tt::CBIndex::c_1;
constexpr uint32_t OUT = tt::CBIndex::c_16;

// Dst tiles. The mask follows the tile that it masks.
constexpr uint32_t SUM_TILE = 0;
constexpr uint32_t NEXT = 1;

inline void load(uint32_t cb, uint32_t dst) {
    reconfig_data_format_srca(cb);
    copy_init(cb);
    copy_tile(cb, 0, dst);
}

inline void add_column() {
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(SUM_TILE, 0.0f);
    for (uint32_t row = 0; row < TILE_ROWS; row++) {
        cb_wait_front(PARTIAL, 1);
        load(PARTIAL, NEXT);
        cb_pop_front(PARTIAL, 1);
        if (HAS_MASK && row == TILE_ROWS - 1) {
            load(MASK, NEXT + 1);
            mask_tile_init();
            mask_tile(NEXT, NEXT + 1);
        }
        add_binary_tile_init();
        add_binary_tile(SUM_TILE, NEXT, SUM_TILE);
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_COL>(SUM_TILE);
    tile_regs_commit();
    cb_reserve_back(OUT, 1);
    tile_regs_wait();
    pack_tile(SUM_TILE, OUT);
    tile_regs_release();
    cb_push_back(OUT, 1);
}

void kernel_main() {
    compute_kernel_hw_startup(PARTIAL, PARTIAL, OUT);
    cb_wait_front(MASK, 1);
    const uint32_t columns = get_arg_val<uint32_t>(0);
    for (uint32_t column = 0; column < columns; column++) {
        // dgamma, then dbeta.
        add_column();
        add_column();
    }
    cb_pop_front(MASK, 1);
}
