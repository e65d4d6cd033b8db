// Means and variances of columns: of whole tiles and of some rows, kept in Dst between, and of one group of rows.
#include <array>
#include <cstdint>
#include "api/compute/compute_kernel_api.h"
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/pack.h"
#include "api/compute/welford.h"

void kernel_main() {
    constexpr std::array<uint32_t, 0> none{};
    constexpr std::array<uint32_t, 4> table{0x3f800000, 0x3f000000, 0x3eaaaaab, 0x3e800000};
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    const auto one = [&](auto&& steps) {
        cb_reserve_back(16, 2);
        tile_regs_acquire();
        fill_tile_init();
        fill_tile(1, 0.5f);
        fill_tile(2, -3.0f);
        steps();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(1, 16);
        pack_tile(2, 16);
        tile_regs_release();
        cb_push_back(16, 2);
    };
    const auto next = [&](uint32_t page) {
        copy_tile_to_dst_init_short(0);
        copy_tile(0, page, 0);
    };
    // Whole numbers, of two tiles.
    one([&] {
        next(0);
        welford_init();
        welford_update<0>(0, 0, none);
        next(1);
        welford_update<0>(0, 32, none);
        welford_finalize_to_row<0>(1, 63, none);
    });
    // Small numbers, the last rows left out, as registers hold them.
    one([&] {
        next(2);
        welford_init();
        welford_update_rows<0>(0, 0, 3, 22, none);
        welford_finalize_to_face<0>(1, 21, none);
    });
    // The state goes through Dst, and a table gives the first reciprocals.
    one([&] {
        next(3);
        welford_init();
        welford_update_rows<4>(0, 0, 0, 4, table);
        welford_save_state(1);
        welford_clear();
        welford_restore_state(1);
        welford_update_rows<0>(0, 4, 4, 28, none);
        welford_finalize_to_row<0>(1, 31, none);
    });
    // Two groups, the second behind the first.
    one([&] {
        next(2);
        welford_init();
        welford_update_rows<0>(0, 0, 0, 16, none);
        welford_finalize_to_face<0>(1, 0, 15, none);
        welford_clear();
        welford_update_rows<0>(0, 0, 16, 16, none);
        welford_finalize_to_face<0>(1, 1, 15, none);
    });
    // Any words at all.
    one([&] {
        next(4);
        welford_init();
        welford_update<0>(0, 0, none);
        welford_finalize_to_row<0>(1, 31, none);
    });
    cb_pop_front(0, 6);
}
