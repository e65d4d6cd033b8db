// A share of the pages of a tensor to a circular buffer. Runtime arguments: address, first page, pages.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 2048);
    const uint32_t first = get_arg_val<uint32_t>(1), pages = get_arg_val<uint32_t>(2);
    for (uint32_t page = first; page < first + pages; page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, from, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
