// Pages of a, and of b where there is one, in the order in which compute takes them, BATCH before each barrier.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t blocks = get_compile_time_arg_val(0);
    constexpr uint32_t tiles = get_compile_time_arg_val(1);
    // From page to page, and from block to block, of a.
    constexpr uint32_t step = get_compile_time_arg_val(2);
    constexpr uint32_t block_step = get_compile_time_arg_val(3);
    constexpr auto a_args = TensorAccessorArgs<4>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), PAGE);
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));
#if defined(ALONG)
    cb_reserve_back(1, 1);
    noc_async_read_page(0, b, get_write_ptr(1));
    noc_async_read_barrier();
    cb_push_back(1, 1);
#endif
    for (uint32_t block = 0; block < blocks; block++) {
#if defined(PRODUCT)
        // A tile of the output: a row of a, and a column of b.
        const uint32_t row = block / tiles, column = block % tiles;
        for (uint32_t tile = 0; tile < tiles; tile++) {
            cb_reserve_back(0, 1);
            cb_reserve_back(1, 1);
            noc_async_read_page(row * tiles + tile, a, get_write_ptr(0));
            noc_async_read_page(tile * tiles + column, b, get_write_ptr(1));
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, 1);
        }
#else
        for (uint32_t tile = 0; tile < tiles; tile += BATCH) {
            cb_reserve_back(0, BATCH);
            // Rows are read 32 at a time into the bytes of the tiles that they become.
            const uint32_t pages = BATCH * get_tile_size(0) / PAGE;
            for (uint32_t page = 0; page < pages; page++) {
                const uint32_t from = block * block_step + (tile + page) * step;
                noc_async_read_page(from, a, get_write_ptr(0) + page * PAGE);
            }
            noc_async_read_barrier();
            cb_push_back(0, BATCH);
        }
#endif
    }
}
