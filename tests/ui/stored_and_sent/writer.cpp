// Ones.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_page = 0;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_page));
    for (uint32_t at = 0; at < 512; at++) {
        words[at] = 0x3f803f80;
    }
#ifdef MENDED
    [[maybe_unused]] const uint32_t stored = words[511];
#endif
    noc_async_write_page(0, out, get_write_ptr(cb_page));  //~ note TP0512 only just stored
    noc_async_write_barrier();
}
