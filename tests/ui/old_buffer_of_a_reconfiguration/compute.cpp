#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

// A bfloat16 tile goes out in bfloat16, then as bfloat8_b; then the bfloat8_b one comes back. Each time the unit is told which
// buffer it has handled before. Where that one has the format of the next, the call does nothing.
constexpr uint32_t in = 0, plain = 16, block = 17, other = 18, back = 19;
#ifdef MENDED
constexpr uint32_t packed_before = plain, unpacked_before = in;
#else
constexpr uint32_t packed_before = other, unpacked_before = other;
#endif
void move(uint32_t from, uint32_t to) {
    cb_wait_front(from, 1);
    tile_regs_acquire();
    copy_tile(from, 0, 0); //~ TP0702 c_17 holds Bfp8_b, but SrcA is programmed for Float16_b
    tile_regs_commit();
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to); //~ TP0702 c_17 holds Bfp8_b, but the packer is programmed for Float16_b
    tile_regs_release();
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
}
void kernel_main() {
    compute_kernel_hw_startup(in, plain);
    copy_tile_init(in);
    move(in, plain);
    pack_reconfig_data_format(packed_before, block);
    move(in, block);
    pack_reconfig_data_format(back);
    reconfig_data_format_srca(unpacked_before, block);
    move(block, back);
}
