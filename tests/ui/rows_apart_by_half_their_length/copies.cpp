#include <cstdint>
#include "api/dataflow/dataflow_api.h"

#ifndef APART
#define APART 32
#endif

// Copies the rows of x to y, by way of L1.
void kernel_main() {
    constexpr uint32_t rows = 32, bytes = 64, buffer = 0;
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), bytes);
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(1), bytes);
    cb_reserve_back(buffer, 1);
    const uint32_t l1 = get_write_ptr(buffer);
    for (uint32_t r = 0; r < rows; r++) {
        noc_async_read_page(r, x, l1 + bytes * r);
    }
    noc_async_read_barrier();
    for (uint32_t r = 0; r < rows; r++) {
        noc_async_write_page(r, y, l1 + APART * r);  //~ TP0809 rows of 16 elements were read 8 elements apart
    }
    noc_async_write_barrier();
}
