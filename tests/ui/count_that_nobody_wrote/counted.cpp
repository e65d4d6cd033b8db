// Pages of x, as many as the head of the block says: no other kernel writes it.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_head = 2;
constexpr uint32_t most = 4;

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), 2048);
    auto* head = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_head));
#ifdef MENDED
    head[0] = most;
#endif
    uint32_t count = head[0];  //~ TP0415 goes by a datum of c_2 that nothing has written
    if (count > most) {
        count = most;
    }
    for (uint32_t page = 0; page < most; page++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(page < count ? page : 0, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}
