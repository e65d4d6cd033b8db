// Tiles to rows, 8 tiles at a time, which is right for a Dst of 16 bits. The define that narrows the block for 32 bits is
// given for float32 alone.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;

void kernel_main() {
#ifdef MENDED
    constexpr uint32_t block = 4;
#else
    constexpr uint32_t block = 8;
#endif
    constexpr uint32_t width = 8;
    compute_kernel_hw_startup(cb_in, cb_out);
    pack_untilize_init<block, width>(cb_in, cb_out);
    cb_reserve_back(cb_out, width);
    for (uint32_t column = 0; column < width / block; column++) {
        cb_wait_front(cb_in, block);
        pack_untilize_block<block, width>(cb_in, 1, cb_out, column);  //~ TP0704 Dst index 4
        cb_pop_front(cb_in, block);
    }
    cb_push_back(cb_out, width);
    pack_untilize_uninit(cb_out);
}
