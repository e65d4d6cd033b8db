// NCRISC: a tile of scalers into c_1, then the tiles of x into c_0.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t scaler = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_scaler = 1;
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, address, get_tile_size(cb_x));

    // A tile is four faces of 16 x 16, and a reduce takes its scaler from the first row of each.
    cb_reserve_back(cb_scaler, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_scaler));
    for (uint32_t word = 0; word < 512; word++) {
        words[word] = word % 128 < 8 ? scaler : 0;
    }
    cb_push_back(cb_scaler, 1);

    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(tile, x, get_write_ptr(cb_x));
        noc_async_read_barrier();  // Until here the page may hold anything.
        cb_push_back(cb_x, 1);
    }
}
