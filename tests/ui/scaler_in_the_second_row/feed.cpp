#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// A tile of scalers, then a tile of x. Runtime arguments: as those of read.cpp.
void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    constexpr uint32_t x = 0, scaler = 1;
#ifdef MENDED
    constexpr uint32_t row = 0;
#else
    constexpr uint32_t row = 1;
#endif
    cb_reserve_back(scaler, 1);
    auto tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(scaler));
    for (uint32_t i = 0; i < 1024; i++) {
        tile[i] = i % 256 / 16 == row ? 0x3f80 : 0;
    }
    cb_push_back(scaler, 1);
    const auto from = TensorAccessor(accessor_args, get_arg_val<uint32_t>(1), get_local_cb_interface(x).fifo_page_size);
    cb_reserve_back(x, 1);
    noc_async_read_page(0, from, get_write_ptr(x));
    noc_async_read_barrier();
    cb_push_back(x, 1);
}
