#include <cstdint>
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

// y = a times b transposed.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, out = 16;
#ifdef MENDED
    mm_init(a, b, out, 1);
#else
    mm_init(a, b, out);
#endif
    cb_wait_front(a, 1);
    cb_wait_front(b, 1);
    cb_reserve_back(out, 1);
    tile_regs_acquire();
    matmul_tiles(a, b, 0, 0, 0);  //~ TP0809 matmul does not give what is expected, and one with each tile of in1 transposed would
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    cb_push_back(out, 1);
    cb_pop_front(a, 1);
    cb_pop_front(b, 1);
}
