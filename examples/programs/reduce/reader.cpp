// A tile of scalers, then the tiles of x.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const uint32_t scaler = get_arg_val<uint32_t>(2);  // Two bf16 values in a word.
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_scaler = 1;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(accessor_args, address, get_tile_size(cb_x));

    // A reduce takes its scaler from row 0 of each of the four faces of 16x16.
    cb_reserve_back(cb_scaler, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_scaler));
    for (uint32_t word = 0; word < 512; word++) {
        words[word] = word % 128 < 8 ? scaler : 0;
    }
    cb_push_back(cb_scaler, 1);

    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(page, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}
