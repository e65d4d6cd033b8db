// Goes on when either of two cores has said that it is there, and ends when both have.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), 2);
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
    const uint32_t words = get_write_ptr(0);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(words);
    for (uint32_t w = 0; w < 16; w++) {
        word[w] = 7;
    }
    [[maybe_unused]] const uint32_t stored = word[15];
    noc_async_write_page(0, out, words);
    noc_async_write_barrier();
}
