// One page for all rows.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_rows = 0, cb_page = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    cb_wait_front(cb_rows, 4);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_page));
    for (uint32_t page = 0; page < 4; page++) {
        const uint32_t word = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb_rows) + 64 * page);
        for (uint32_t at = 0; at < 512; at++) {
            words[at] = word;
        }
        while (words[511] != word) {
        }
        noc_async_write_page(page, out, get_write_ptr(cb_page));
        noc_async_write_barrier();
    }
    cb_pop_front(cb_rows, 4);
}
