// Copies this core's units of 32 bytes, which lie side by side in one page, to where they came from in the other tensor.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_units = 0;

void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), 160);
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), 160);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t units = get_arg_val<uint32_t>(3);
#ifdef MENDED
    if (units == 0) {
        return;
    }
#endif
    cb_reserve_back(cb_units, 5);
    const uint32_t at = get_write_ptr(cb_units) + 32 * first;
    noc_async_read(in.get_noc_addr(0, 32 * first), at, 32 * units);  //~ TP0401 a transfer of 0 bytes
    noc_async_read_barrier();
    noc_async_write(at, out.get_noc_addr(0, 32 * first), 32 * units);
    noc_async_write_barrier();
}
