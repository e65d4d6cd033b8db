// Two cores hand a page to and fro. Each adds 1 to its words before it sends it on, and counts the other's semaphore up.
#include <cstdint>
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"

void kernel_main() {
    constexpr uint32_t rounds = get_compile_time_arg_val(0);
    constexpr uint32_t bytes = 32;
    constexpr auto accessor_args = TensorAccessorArgs<1>();
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t other_x = get_arg_val<uint32_t>(1);
    const uint32_t other_y = get_arg_val<uint32_t>(2);
#ifdef BROKEN
    const bool serves = false;  // Each waits for the other to begin.
#else
    const bool serves = get_arg_val<uint32_t>(3) != 0;
#endif
    Noc noc;
    Semaphore<> arrived(0);
    UnicastEndpoint other;
    // The page has the same address on both cores.
    CircularBuffer page(0);
    CoreLocalMem<volatile uint32_t> ball(page.get_write_ptr());
    if (serves) {
        for (uint32_t word = 0; word < bytes / 4; word++) {
            ball[word] = 0;
        }
    }
    for (uint32_t round = 1; round <= rounds; round++) {
        if (!serves) {
            arrived.wait_min(round);  // Counted from 1: the other has sent this often.
        }
        for (uint32_t word = 0; word < bytes / 4; word++) {
            ball[word] = ball[word] + 1;
        }
        [[maybe_unused]] const uint32_t stored = ball[bytes / 4 - 1];  // Comes back when all words are in L1.
        noc.async_write(ball, other, bytes, {}, {.noc_x = other_x, .noc_y = other_y, .addr = page.get_write_ptr()});
        noc.async_write_barrier();
        arrived.up(noc, other_x, other_y, 1);
        if (serves) {
            arrived.wait_min(round);
        }
    }
    if (serves) {
        const auto out = TensorAccessor(accessor_args, address, bytes);
        noc.async_write(ball, out, bytes, {}, {.page_id = 0});
        noc.async_write_barrier();
    }
    noc.async_atomic_barrier();
}
