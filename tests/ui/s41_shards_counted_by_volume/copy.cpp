// Copies a tensor of 3 x 3 tiles shard by shard; a shard has 2 x 2, those at the edges fewer.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;
constexpr uint32_t tiles = 3;
constexpr uint32_t side = 2;

void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), get_tile_size(cb_tile));
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), get_tile_size(cb_tile));
    constexpr uint32_t across = (tiles + side - 1) / side;
#ifdef MENDED
    constexpr uint32_t shards = across * across;
#else
    constexpr uint32_t shards = (tiles * tiles + side * side - 1) / (side * side);
#endif
    const uint32_t l1 = get_write_ptr(cb_tile);
    for (uint32_t shard = 0; shard < shards; shard++) {
        for (uint32_t i = 0; i < side * side; i++) {
            const uint32_t row = shard / across * side + i / side;
            const uint32_t column = shard % across * side + i % side;
            if (row >= tiles || column >= tiles) {
                continue;
            }
            noc_async_read_page(row * tiles + column, in, l1);
            noc_async_read_barrier();
            noc_async_write_page(row * tiles + column, out, l1);
            noc_async_write_barrier();
        }
    }
}
