#include <cstdint>
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc_semaphore.h"
// Polls through the object, with a NoC call in the loop.
void kernel_main() {
    constexpr uint32_t cb = 0;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);
    Semaphore<> avail(0);
    while (avail.value() == 0) {
        noc_async_read_barrier(); //~ TP0603 kernel on NCRISC does not end
    }
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    for (uint32_t w = 0; w < 16; w++) {
        words[w] = 1;
    }
    noc_async_write_page(0, out, get_write_ptr(cb));
    noc_async_write_barrier();
}
