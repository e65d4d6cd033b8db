// Tiles to rows, and then the packer is left as it is: what the next program on this core packs may depend on it.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_in, cb_out);
    pack_untilize_init<1>(cb_in, cb_out);  //~ note TP0717 ends with the packer programmed for pack_untilize
    cb_wait_front(cb_in, 1);
    cb_reserve_back(cb_out, 1);
    pack_untilize_block<1>(cb_in, 1, cb_out);
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_in, 1);
#ifdef MENDED
    pack_untilize_uninit(cb_out);
#endif
}
