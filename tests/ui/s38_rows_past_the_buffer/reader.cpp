// Rows of a shard into one page. How many there are is the shard's number; the page has the tensor's.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_rows = 17;
constexpr uint32_t row_bytes = 256;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t rows = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, row_bytes);
    cb_reserve_back(cb_rows, 1);
    uint32_t to = get_write_ptr(cb_rows);
    for (uint32_t row = 0; row < rows; row++) {
        noc_async_read_page(row, in, to);  //~ TP0410 L1 that nothing owns, right at the end of c_17
        to += row_bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb_rows, 1);
}
