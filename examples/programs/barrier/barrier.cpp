// Nobody goes on before all cores are here: they count up a semaphore of the first core, which then raises a flag on all
// others. Behind the barrier each core writes its number to its page.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t width = get_compile_time_arg_val(0);
    constexpr uint32_t height = get_compile_time_arg_val(1);
    constexpr uint32_t others = width * height - 1;
    constexpr uint32_t cb_page = 0;
    constexpr auto accessor_args = TensorAccessorArgs<2>();
    const auto out = TensorAccessor(accessor_args, get_common_arg_val<uint32_t>(0), 32);
    const uint32_t first_x = get_common_arg_val<uint32_t>(1);
    const uint32_t first_y = get_common_arg_val<uint32_t>(2);
    const uint32_t last_x = get_common_arg_val<uint32_t>(3);
    const uint32_t last_y = get_common_arg_val<uint32_t>(4);
    const uint32_t x = get_absolute_logical_x();
    const uint32_t y = get_absolute_logical_y();
    const uint32_t here = get_semaphore(0);
    const uint32_t go = get_semaphore(1);
    volatile tt_l1_ptr uint32_t* go_flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(go);
#ifdef BROKEN
    const bool counts = x != 5 || y != 3;  // One of them forgets.
#else
    const bool counts = true;
#endif
    if (x == 0 && y == 0) {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(here), others);
        noc_semaphore_set(go_flag, VALID);
        // A writer is on NoC 1, where a rectangle runs from its high corner down to the low one.
        noc_semaphore_set_multicast(go, get_noc_multicast_addr(last_x, last_y, first_x, first_y, go), others);
    } else {
        if (counts) {
            noc_semaphore_inc(get_noc_addr(first_x, first_y, here), 1);
        }
        noc_semaphore_wait(go_flag, VALID);
    }
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_page));
    for (uint32_t word = 0; word < 8; word++) {
        words[word] = y * width + x;
    }
    [[maybe_unused]] const uint32_t stored = words[7];  // Comes back when all words are in L1, where the NoC reads them.
    noc_async_write_page(y * width + x, out, get_write_ptr(cb_page));
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
