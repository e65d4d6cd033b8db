// Brings a page, and a page of a second tensor that nobody takes.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_side = 5;

void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), get_tile_size(cb_in));
    cb_reserve_back(cb_in, 1);
    noc_async_read_page(0, in, get_write_ptr(cb_in));
#ifndef MENDED
    const auto side = TensorAccessor(accessor_args, get_arg_val<uint32_t>(1), get_tile_size(cb_side));
    cb_reserve_back(cb_side, 1);
    noc_async_read_page(0, side, get_write_ptr(cb_side));
#endif
    noc_async_read_barrier();
    cb_push_back(cb_in, 1);  //~ note TP0309 1 page is left in c_0
}
