#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/pack_untilize.h"

// Two rows of two tiles become 64 rows.
void kernel_main() {
    constexpr uint32_t x = 0, y = 16;
    compute_kernel_hw_startup(x, y);
    pack_untilize_init<2, 2>(x, y);
    for (uint32_t t = 0; t < 2; t++) {
        cb_wait_front(x, 2);
        cb_reserve_back(y, 2);
        pack_untilize_block<2, 2>(x, 1, y);
        cb_push_back(y, 2);
        cb_pop_front(x, 2);
    }
    pack_untilize_uninit(y);
}
