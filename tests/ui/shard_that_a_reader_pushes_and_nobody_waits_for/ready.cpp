#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(4, 2);
    cb_push_back(4, 2);
}
