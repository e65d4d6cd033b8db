// NCRISC: the shared tile into c_0 of every core, a tile of x into c_1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t receivers = get_compile_time_arg_val(0);
    constexpr auto shared_args = TensorAccessorArgs<1>();
    constexpr auto x_args = TensorAccessorArgs<shared_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_shared = 0;
    constexpr uint32_t cb_x = 1;
    const uint32_t bytes = get_tile_size(cb_shared);
    const auto shared = TensorAccessor(shared_args, get_common_arg_val<uint32_t>(0), bytes);
    const auto x = TensorAccessor(x_args, get_common_arg_val<uint32_t>(1), bytes);
    const uint32_t sender_x = get_common_arg_val<uint32_t>(2);
    const uint32_t sender_y = get_common_arg_val<uint32_t>(3);
    const uint32_t first_x = get_common_arg_val<uint32_t>(4);
    const uint32_t first_y = get_common_arg_val<uint32_t>(5);
    const uint32_t last_x = get_common_arg_val<uint32_t>(6);
    const uint32_t last_y = get_common_arg_val<uint32_t>(7);
    const uint32_t ready = get_semaphore(0);
    const uint32_t valid = get_semaphore(1);
    volatile tt_l1_ptr uint32_t* ready_flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    volatile tt_l1_ptr uint32_t* valid_flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid);
    const uint32_t core = get_absolute_logical_x();

    cb_reserve_back(cb_shared, 1);
    const uint32_t page = get_write_ptr(cb_shared);
    if (core == 0) {
        noc_async_read_page(0, shared, page);
        noc_async_read_barrier();
        noc_semaphore_wait(ready_flag, receivers);  // All of them have room: the sender is not one of them.
        // A rectangle of cores, on NoC 0 from its low corner to the high one.
        noc_async_write_multicast(page, get_noc_multicast_addr(first_x, first_y, last_x, last_y, page), bytes, receivers);
        noc_async_write_barrier();  // The page is there before anyone is told so.
        noc_semaphore_set(valid_flag, VALID);
        noc_semaphore_set_multicast(valid, get_noc_multicast_addr(first_x, first_y, last_x, last_y, valid), receivers);
        noc_async_write_barrier();
    } else {
        noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
        noc_semaphore_wait(valid_flag, VALID);
    }
    cb_push_back(cb_shared, 1);

    cb_reserve_back(cb_x, 1);
    noc_async_read_page(core, x, get_write_ptr(cb_x));
    noc_async_read_barrier();
    cb_push_back(cb_x, 1);
    noc_async_atomic_barrier();  // A kernel may not end before its increments have arrived.
}
