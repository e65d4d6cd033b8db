// Fills a page with 0.5. It knows formats of four bytes, and takes all others for formats of two.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_scalar = 0;

void kernel_main() {
    cb_reserve_back(cb_scalar, 1);
    if (get_dataformat(cb_scalar) == DataFormat::Float32) {
        auto* values = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_scalar));
        for (uint32_t i = 0; i < 1024; i++) {
            values[i] = 0x3f000000;
        }
    } else {
        auto* values = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb_scalar));
        for (uint32_t i = 0; i < 1024; i++) {
            values[i] = 0x3f00;  //~ TP0410 a store of 2 bytes reaches L1 that nothing owns, right at the end of c_0
        }
    }
    cb_push_back(cb_scalar, 1);
}
