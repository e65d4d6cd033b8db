// 20 rows of 32 to a tile, row by row and face by face.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_one = 1;
constexpr uint32_t height = 20;

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto one_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), 64);
    const auto one = TensorAccessor(one_args, get_arg_val<uint32_t>(1), 2048);

    cb_reserve_back(cb_x, 1);
    const uint32_t tile = get_write_ptr(cb_x);
#ifdef MENDED
    // Below the data lies what no maximum takes: -infinity.
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(tile);
    for (uint32_t word = 0; word < 512; word++) {
        words[word] = 0xff80ff80;
    }
#endif
    for (uint32_t row = 0; row < height; row++) {
        const uint32_t to = tile + (row < 16 ? 0 : 1024) + row % 16 * 32;
        noc_async_read(x.get_noc_addr(row), to, 32);
        noc_async_read(x.get_noc_addr(row) + 32, to + 512, 32);
    }
    noc_async_read_barrier();
    cb_push_back(cb_x, 1);

    cb_reserve_back(cb_one, 1);
    noc_async_read_page(0, one, get_write_ptr(cb_one));
    noc_async_read_barrier();
    cb_push_back(cb_one, 1);
}
