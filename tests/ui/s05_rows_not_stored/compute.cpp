// Tiles to rows.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_out);
    pack_untilize_init<1>(cb_in, cb_out);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        pack_untilize_block<1>(cb_in, 1, cb_out);
        cb_push_back(cb_out, 1);  //~ note TP0309 2 pages are left in c_16
        cb_pop_front(cb_in, 1);
    }
    pack_untilize_uninit(cb_out);
}
