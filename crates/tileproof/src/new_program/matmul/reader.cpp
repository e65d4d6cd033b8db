// NCRISC: for each tile of the result, its row of tiles of a into c_0 and its column of tiles of b into c_1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t a_address = get_arg_val<uint32_t>(0);
    const uint32_t b_address = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t inner = get_arg_val<uint32_t>(3);
    const uint32_t columns = get_arg_val<uint32_t>(4);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, a_address, get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, b_address, get_tile_size(cb_b));
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            for (uint32_t step = 0; step < inner; step++) {
                cb_reserve_back(cb_a, 1);
                cb_reserve_back(cb_b, 1);
                noc_async_read_page(row * inner + step, a, get_write_ptr(cb_a));
                noc_async_read_page(step * columns + column, b, get_write_ptr(cb_b));
                noc_async_read_barrier();  // Until here the pages may hold anything.
                cb_push_back(cb_a, 1);
                cb_push_back(cb_b, 1);
            }
        }
    }
}
