// The row of factors to all cores, then the tiles of x of this one.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t width = get_compile_time_arg_val(0);
    constexpr uint32_t cores = width * get_compile_time_arg_val(1);
    constexpr auto x_args = TensorAccessorArgs<2>();
    constexpr auto w_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_w = 1;
    constexpr uint32_t cb_read = 2;
    constexpr uint32_t columns = 2;
    const uint32_t bytes = get_tile_size(cb_x);
    const auto x = TensorAccessor(x_args, get_common_arg_val<uint32_t>(0), bytes);
    const auto w = TensorAccessor(w_args, get_common_arg_val<uint32_t>(1), bytes);
    const uint32_t first_x = get_common_arg_val<uint32_t>(2);
    const uint32_t first_y = get_common_arg_val<uint32_t>(3);
    const uint32_t last_x = get_common_arg_val<uint32_t>(4);
    const uint32_t last_y = get_common_arg_val<uint32_t>(5);
    const uint32_t core = get_absolute_logical_y() * width + get_absolute_logical_x();
    const uint32_t ready = get_semaphore(0);
    const uint32_t there = get_semaphore(1);
    volatile tt_l1_ptr uint32_t* ready_count = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    volatile tt_l1_ptr uint32_t* there_flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(there);

    cb_reserve_back(cb_w, columns);
    noc_semaphore_inc(get_noc_addr(first_x, first_y, ready), 1);  // The first core counts itself too.
    if (core == 0) {
        const uint32_t row = get_write_ptr(cb_read);
        for (uint32_t column = 0; column < columns; column++) {
            noc_async_read_page(column, w, row + column * bytes);
        }
        noc_async_read_barrier();
        noc_semaphore_wait(ready_count, cores);
        const uint32_t to = get_write_ptr(cb_w);
        const uint64_t all = get_noc_multicast_addr(first_x, first_y, last_x, last_y, to);
        noc_async_write_multicast_loopback_src(row, all, columns * bytes, cores);
        noc_async_write_barrier();
        noc_semaphore_set(there_flag, VALID);
        // To all but this core, whose flag is set.
#ifdef BROKEN
        constexpr uint32_t told = cores;
#else
        constexpr uint32_t told = cores - 1;
#endif
        noc_semaphore_set_multicast(there, get_noc_multicast_addr(first_x, first_y, last_x, last_y, there), told);
        noc_async_write_barrier();
    }
    noc_semaphore_wait(there_flag, VALID);
    cb_push_back(cb_w, columns);

    for (uint32_t column = 0; column < columns; column++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(core * columns + column, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
    noc_async_atomic_barrier();
}
