// Parts of a bitonic sort of 64 numbers with their indices, in every form that takes other steps.
#include <cstdint>
#include "api/compute/compute_kernel_api.h"
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/topk.h"

constexpr uint32_t NUMBERS = 0, INDICES = 1, SORTED = 16, THEIR_INDICES = 17;

// Numbers in Dst tiles 0 and 1, indices in 2 and 3; inputs take turns.
template <typename Function>
ALWI void each(uint32_t& number, Function&& function) {
    tile_regs_acquire();
    copy_tile_to_dst_init_short_with_dt(INDICES, NUMBERS);
    for (uint32_t i = 0; i < 2; i++) {
        copy_tile(NUMBERS, 2 * (number % 3) + i, i);
    }
    copy_tile_to_dst_init_short_with_dt(NUMBERS, INDICES);
    for (uint32_t i = 0; i < 2; i++) {
        copy_tile(INDICES, i, 2 + i);
    }
    topk_tile_init();
    function();
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(SORTED, 1);
        pack_reconfig_data_format(THEIR_INDICES, SORTED);
        pack_tile(i, SORTED);
        cb_push_back(SORTED, 1);
        cb_reserve_back(THEIR_INDICES, 1);
        pack_reconfig_data_format(SORTED, THEIR_INDICES);
        pack_tile(2 + i, THEIR_INDICES);
        cb_push_back(THEIR_INDICES, 1);
    }
    tile_regs_release();
    ++number;
}

ALWI void merge(bool smallest, int iteration, int k) {
    if (smallest) {
        topk_merge<true>(0, iteration, k);
    } else {
        topk_merge<false>(0, iteration, k);
    }
}

void kernel_main() {
    unary_op_init_common(NUMBERS, SORTED);
    cb_wait_front(NUMBERS, 6);
    cb_wait_front(INDICES, 2);
    uint32_t number = 0;
    for (int smallest = 0; smallest < 2; smallest++) {
        for (int last = 0; last < 6; last++) {
            each(number, [=] { topk_local_sort(0, smallest, last); });
        }
        // One phase, some steps of it.
        each(number, [=] { topk_local_sort(0, smallest, 5, 5, 4, 6); });
        each(number, [=] { topk_local_sort(0, smallest, 4, 4, 4, 5); });
        each(number, [=] { topk_local_sort(0, smallest, 5, 5, 5, 6); });
        for (int log_k = 2; log_k < 7; log_k++) {
            const int k = 1 << log_k;
            const int last = log_k - 1;
            for (int iteration = 0; iteration < 4 && k << iteration <= 64; iteration++) {
                each(number, [=] {
                    topk_local_sort(0, smallest, last);
                    merge(smallest, iteration, k);
                });
                for (int skip = 0; skip < 2; skip++) {
                    each(number, [=] {
                        topk_local_sort(0, smallest, last);
                        merge(smallest, iteration, k);
                        topk_rebuild(0, smallest, iteration, k, log_k, skip);
                    });
                }
            }
        }
    }
    cb_pop_front(NUMBERS, 6);
    cb_pop_front(INDICES, 2);
}
