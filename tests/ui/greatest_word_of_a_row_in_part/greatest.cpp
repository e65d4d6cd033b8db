// The greatest of 24 numbers, to all 8 of y.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_y = 1;
#ifdef MENDED
constexpr uint32_t count = 24;
#else
constexpr uint32_t count = 32;
#endif

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), 96);
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(1), 32);
    noc_async_read(x.get_noc_addr(0), get_write_ptr(cb_x), 96);
    noc_async_read_barrier();
    auto* numbers = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_x));
    auto* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_y));
    uint32_t greatest = 0;
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t number = numbers[at];  //~ TP0415 loads a datum of c_0 that nothing has written
        greatest = number > greatest ? number : greatest;
    }
    for (uint32_t at = 0; at < 8; at++) {
        result[at] = greatest;
    }
    while (result[7] != greatest) {
    }
    noc_async_write(get_write_ptr(cb_y), y.get_noc_addr(0), 32);
    noc_async_write_barrier();
}
