// Pages of up to two circular buffers from 16 on by turns, each to its tensor.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

template <typename Args>
void write(const Args& args, uint32_t cb, uint32_t address, uint32_t page) {
    const auto tensor = TensorAccessor(args, address, get_tile_size(cb));
    cb_wait_front(cb, 1);
    noc_async_write_page(page, tensor, get_read_ptr(cb));
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}

void kernel_main() {
    constexpr auto first = TensorAccessorArgs<0>();
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(0); page++) {
        write(first, 16, get_arg_val<uint32_t>(1), page);
#ifdef SECOND
        constexpr auto second = TensorAccessorArgs<first.next_compile_time_args_offset()>();
        write(second, 17, get_arg_val<uint32_t>(2), page);
#endif
    }
}
