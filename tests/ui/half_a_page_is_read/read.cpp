// Reads x, and half a page of the bias.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_bias = 1;

#ifdef MENDED
constexpr uint32_t bytes = 2048;
#else
constexpr uint32_t bytes = 1024;
#endif

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const auto bias = TensorAccessor(args, get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(cb_x, 1);
    noc_async_read(x.get_noc_addr(0), get_write_ptr(cb_x), 2048);
    cb_reserve_back(cb_bias, 1);
    noc_async_read(bias.get_noc_addr(0), get_write_ptr(cb_bias), bytes);
    noc_async_read_barrier();
    cb_push_back(cb_x, 1);
    cb_push_back(cb_bias, 1);
}
