// Two rounds: the count is set back before the others are told that they may count again.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint32_t words = get_write_ptr(0);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(words);
    for (uint32_t round = 0; round < 2; round++) {
        noc_semaphore_wait_min(there, 2);
        noc_semaphore_set(there, 0);
        for (uint32_t core = 0; core < 2; core++) {
            const uint32_t x = get_arg_val<uint32_t>(1 + core), y = get_arg_val<uint32_t>(3);
            noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
        }
    }
    for (uint32_t w = 0; w < 16; w++) {
        word[w] = 7;
    }
    [[maybe_unused]] const uint32_t stored = word[15];
    noc_async_write_page(0, out, words);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
