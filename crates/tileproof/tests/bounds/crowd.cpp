// BLOCK transfers of BYTES to each core of a grid, or from each, one core after the other, and a barrier behind them all.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cores = get_compile_time_arg_val(0);
    cb_reserve_back(0, 1);
    const uint32_t own = get_write_ptr(0), others = own + BYTES;
#if !defined(READS)
    for (uint32_t word = 0; word < BYTES / 4; word++) {
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own)[word] = word;
    }
#endif
    for (uint32_t core = 0; core < cores; core++) {
        const uint32_t x = get_common_arg_val<uint32_t>(2 * core), y = get_common_arg_val<uint32_t>(2 * core + 1);
        for (uint32_t one = 0; one < BLOCK; one++) {
#if defined(READS)
            noc_async_read(get_noc_addr(x, y, others), own, BYTES);
#else
            noc_async_write(own, get_noc_addr(x, y, others), BYTES);
#endif
        }
    }
#if defined(READS)
    noc_async_read_barrier();
#else
    noc_async_write_barrier();
#endif
}
