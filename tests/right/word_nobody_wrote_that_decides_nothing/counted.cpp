// Pages of x, as many as the head of a block says, which is written for that and then put back.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_head = 2;
constexpr uint32_t most = 4;

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), 2048);
    auto* head = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_head));
    // What the head held before is kept as it was.
    const uint32_t before = head[0];
    head[0] = most;
    const uint32_t count = head[0];
    head[0] = before;
    for (uint32_t page = 0; page < most; page++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(page < count ? page : 0, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}
