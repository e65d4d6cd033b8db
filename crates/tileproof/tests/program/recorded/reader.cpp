// Pages of up to two tensors, each into the circular buffer of its number.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

template <typename Args>
void read(const Args& args, uint32_t cb, uint32_t address, uint32_t pages) {
    const auto tensor = TensorAccessor(args, address, get_tile_size(cb));
    for (uint32_t i = 0; i < pages; i++) {
        cb_reserve_back(cb, 1);
        noc_async_read_page(i, tensor, get_write_ptr(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}

void kernel_main() {
    constexpr auto first = TensorAccessorArgs<0>();
    read(first, 0, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1));
#if defined(SECOND) || defined(SCALER)
    constexpr auto second = TensorAccessorArgs<first.next_compile_time_args_offset()>();
    read(second, 1, get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3));
#endif
}
