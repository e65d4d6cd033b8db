// 0, 1, 2 .. in chunks of 32 numbers. A row-major page ends with its last number, not with a full chunk.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_chunk = 0;
constexpr uint32_t chunk = 32;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t length = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(accessor_args, address, 4 * length);
    auto* numbers = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_chunk));
    for (uint32_t first = 0; first < length; first += chunk) {
        for (uint32_t i = 0; i < chunk; i++) {
            numbers[i] = first + i;
        }
#ifdef MENDED
        const uint32_t count = length - first < chunk ? length - first : chunk;
#else
        const uint32_t count = chunk;
#endif
        noc_async_write(get_write_ptr(cb_chunk), out.get_noc_addr(0, 4 * first), 4 * count);  //~ TP0401 124 bytes past the end of page 0 of tensor out
        noc_async_write_barrier();
    }
}
