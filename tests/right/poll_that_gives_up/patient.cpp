#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Looks for a page 50,000 times, and goes on without it.
void kernel_main() {
    constexpr uint32_t pages = 0, words = 1;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);
    uint32_t looks = 0;
    while (looks < 50000 && !cb_pages_available_at_front(pages, 1)) {
        looks++;
    }
    auto* found = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(words));
    for (uint32_t w = 0; w < 16; w++) {
        found[w] = looks;
    }
    noc_async_write_page(0, out, get_write_ptr(words));
    noc_async_write_barrier();
}
