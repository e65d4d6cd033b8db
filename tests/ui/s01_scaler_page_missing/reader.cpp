// A partial last tile needs two scaler pages, a full one and a masked one. This reader makes one.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_scaler = 2;

void push_scaler(uint32_t columns) {
    cb_reserve_back(cb_scaler, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_scaler));
    for (uint32_t word = 0; word < 512; word++) {
        words[word] = 0;
    }
    // The first row of the first two faces, two bfloat16 ones a word.
    for (uint32_t column = 0; column < columns; column += 2) {
        words[column / 16 * 128 + column % 16 / 2] = columns == column + 1 ? 0x3f80 : 0x3f803f80;
    }
    cb_push_back(cb_scaler, 1);
}

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    push_scaler(32);
#ifdef MENDED
    push_scaler(1);
#endif
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_in, 1);
        noc_async_read_page(page, in, get_write_ptr(cb_in));
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
