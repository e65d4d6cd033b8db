// BRISC of the published LayerNorm backward: dx, and dgamma and dbeta of each row, block by block. The host sums the rows.
#include "tiles.h"

constexpr uint32_t BLOCK = get_compile_time_arg_val(0);
constexpr uint32_t WT = get_compile_time_arg_val(1);

constexpr uint32_t DX = tt::CBIndex::c_9;
constexpr uint32_t DGAMMA = tt::CBIndex::c_10;
constexpr uint32_t DBETA = tt::CBIndex::c_11;

void kernel_main() {
    constexpr auto dx_args = TensorAccessorArgs<2>();
    constexpr auto dgamma_args = TensorAccessorArgs<dx_args.next_compile_time_args_offset()>();
    constexpr auto dbeta_args = TensorAccessorArgs<dgamma_args.next_compile_time_args_offset()>();
    const TensorAccessor dx(dx_args, get_arg_val<uint32_t>(0), get_tile_size(DX));
    const TensorAccessor dgamma(dgamma_args, get_arg_val<uint32_t>(1), get_tile_size(DGAMMA));
    const TensorAccessor dbeta(dbeta_args, get_arg_val<uint32_t>(2), get_tile_size(DBETA));
    const uint32_t start = get_arg_val<uint32_t>(3);
    const uint32_t end = start + get_arg_val<uint32_t>(4);

    for (uint32_t row = start; row < end; row++) {
        for (uint32_t column = 0; column < WT; column += BLOCK) {
            const uint32_t count = std::min(BLOCK, WT - column);
            specimen::start_writes(DX, dx, row * WT + column, count, BLOCK);
            specimen::start_writes(DGAMMA, dgamma, row * WT + column, count, BLOCK);
            specimen::start_writes(DBETA, dbeta, row * WT + column, count, BLOCK);
            noc_async_write_barrier();
            cb_pop_front(DX, BLOCK);
            cb_pop_front(DGAMMA, BLOCK);
            cb_pop_front(DBETA, BLOCK);
        }
    }
}
