#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/typecast.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// y = x as integers.
void kernel_main() {
    constexpr uint32_t x = 0, y = 16;
    constexpr uint32_t from = static_cast<uint32_t>(DataFormat::Float32);
#ifdef MENDED
    constexpr uint32_t to = static_cast<uint32_t>(DataFormat::UInt32);
#else
    constexpr uint32_t to = static_cast<uint32_t>(DataFormat::Int32);
#endif
    compute_kernel_hw_startup(x, y);
    cb_wait_front(x, 1);
    cb_reserve_back(y, 1);
    tile_regs_acquire();
    copy_tile_init(x);
    copy_tile(x, 0, 0);
    typecast_tile_init<from, to>();
    typecast_tile<from, to>(0);  //~ TP0809 typecast_tile saturates: it gives 2147483647 for values beyond
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
}
