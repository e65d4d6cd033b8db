// Takes pages of c_16 and leaves them.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t pages = get_compile_time_arg_val(0);
    for (uint32_t page = 0; page < pages; page++) {
        cb_wait_front(16, 1);
        cb_pop_front(16, 1);
    }
}
