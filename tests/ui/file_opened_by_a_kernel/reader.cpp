// Pages of a tensor, and a line of each in a log file that was left in.
#include <cstdint>
#include <cstdio>
#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"

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
#ifdef MENDED
        DPRINT << "page " << page << ENDL();
#else
        FILE* log = fopen("/var/log/reader.log", "a");  //~ TP0605 it tried to open /var/log/reader.log
        fprintf(log, "page %u\n", unsigned(page));
        fclose(log);
#endif
        cb_push_back(cb_in, 1);
    }
}
