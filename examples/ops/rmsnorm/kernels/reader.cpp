// Each row of tiles of x twice: once for the mean of its squares, once to be scaled. gamma goes with the second time.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t CB_X = 0;
constexpr uint32_t CB_GAMMA = 1;

template <typename Accessor>
inline void send(uint32_t cb, const Accessor& tensor, uint32_t page) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(page, tensor, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

void kernel_main() {
    const uint32_t x_address = get_arg_val<uint32_t>(0);
    const uint32_t gamma_address = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t wt = get_arg_val<uint32_t>(4);
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, x_address, get_tile_size(CB_X));
    const auto gamma = TensorAccessor(gamma_args, gamma_address, get_tile_size(CB_GAMMA));
    for (uint32_t row = first; row < first + count; row++) {
        for (uint32_t column = 0; column < wt; column++) {
            send(CB_X, x, row * wt + column);
        }
        for (uint32_t column = 0; column < wt; column++) {
            send(CB_X, x, row * wt + column);
            send(CB_GAMMA, gamma, column);
        }
    }
}
