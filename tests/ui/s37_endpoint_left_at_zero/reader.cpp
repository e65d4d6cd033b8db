// Only the address of the endpoint is set. Its coordinates are still (0, 0), where no compute core is.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_zeros = 0;

struct Endpoint {
    uint32_t x = 0, y = 0, address = 0;
};

void kernel_main() {
    Endpoint zeros;
    zeros.address = MEM_ZEROS_BASE;
#ifdef MENDED
    zeros.x = my_x[noc_index];
    zeros.y = my_y[noc_index];
#endif
    cb_reserve_back(cb_zeros, 1);
    noc_async_read(get_noc_addr(zeros.x, zeros.y, zeros.address), get_write_ptr(cb_zeros), 32);  //~ TP0401 DRAM bank 0, which NoC node (0, 0) is
    noc_async_read_barrier();
    cb_push_back(cb_zeros, 1);
}
