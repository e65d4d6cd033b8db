// Pages of a tensor. What the kernel keeps in the host's memory and says on its streams is its own affair.
#include <cstdint>
#include <cstdio>
#include <vector>
#include "api/dataflow/dataflow_api.h"

std::vector<uint32_t> seen(3, 7);

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_in = 2;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_in, 1);
        noc_async_read_page(page, in, get_write_ptr(cb_in));
        noc_async_read_barrier();
        seen.push_back(page);
        printf("%u pages of %u, %u\n", unsigned(seen.size() - 3), unsigned(pages), unsigned(seen[0]));
        cb_push_back(cb_in, 1);
    }
}
