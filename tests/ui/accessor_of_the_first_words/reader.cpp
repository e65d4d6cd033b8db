// A page of each of two tensors.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    constexpr auto bias_args = TensorAccessorArgs<0>();
#ifdef MENDED
    constexpr auto in_args = TensorAccessorArgs<bias_args.next_compile_time_args_offset()>();
#else
    constexpr auto in_args = TensorAccessorArgs<0>();
#endif
    const uint32_t bytes = get_tile_size(cb_tile);
    const auto bias = TensorAccessor(bias_args, get_arg_val<uint32_t>(0), bytes);
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(1), bytes);
    cb_reserve_back(cb_tile, 2);
    noc_async_read_page(0, bias, get_write_ptr(cb_tile));
    noc_async_read_page(0, in, get_write_ptr(cb_tile) + bytes);  //~ TP0414 that is an address of tensor in, which lies in DRAM
    noc_async_read_barrier();
    cb_push_back(cb_tile, 2);
}
