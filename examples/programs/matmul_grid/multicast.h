// A block of tiles for a line of cores: the first of them reads it from DRAM and hands it to the others.
#pragma once
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Runtime arguments from `at` on, the same for in0 and in1: how many cores this one sends to (0: it receives), the NoC
// coordinates of the sender, and those of the first and the last receiver.
struct Line {
    explicit Line(uint32_t at)
        : receivers(get_arg_val<uint32_t>(at)),
          sender_x(get_arg_val<uint32_t>(at + 1)),
          sender_y(get_arg_val<uint32_t>(at + 2)),
          first_x(get_arg_val<uint32_t>(at + 3)),
          first_y(get_arg_val<uint32_t>(at + 4)),
          last_x(get_arg_val<uint32_t>(at + 5)),
          last_y(get_arg_val<uint32_t>(at + 6)) {}
    // On NoC 0 a rectangle runs from its low corner to the high one, on NoC 1 the other way round.
    uint64_t to_receivers(uint32_t address) const {
        return noc_index == 0 ? get_noc_multicast_addr(first_x, first_y, last_x, last_y, address)
                              : get_noc_multicast_addr(last_x, last_y, first_x, first_y, address);
    }
    uint32_t receivers, sender_x, sender_y, first_x, first_y, last_x, last_y;
};

// Makes `pages` pages of `cb` ready: `read` brings them to the address it is given, on the sending core only. The buffer
// has the same address on all cores. `ready` counts the receivers that have room; `valid` tells them that the data is there.
template <typename Read>
void share(uint32_t cb, uint32_t pages, const Line& line, uint32_t ready, uint32_t valid, Read read) {
    volatile tt_l1_ptr uint32_t* ready_flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    volatile tt_l1_ptr uint32_t* valid_flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid);
    cb_reserve_back(cb, pages);
    const uint32_t block = get_write_ptr(cb);
    if (line.receivers > 0) {
        read(block);
        noc_async_read_barrier();
#ifdef BROKEN
        noc_semaphore_wait(ready_flag, line.receivers + 1);  // The sender never counts itself.
#else
        noc_semaphore_wait(ready_flag, line.receivers);
#endif
        noc_semaphore_set(ready_flag, 0);
        noc_async_write_multicast(block, line.to_receivers(block), pages * get_tile_size(cb), line.receivers);
        noc_async_write_barrier();
        noc_semaphore_set(valid_flag, VALID);
        noc_semaphore_set_multicast(valid, line.to_receivers(valid), line.receivers);
        noc_async_write_barrier();
    } else {
        noc_semaphore_set(valid_flag, INVALID);
        noc_semaphore_inc(get_noc_addr(line.sender_x, line.sender_y, ready), 1);
        noc_semaphore_wait(valid_flag, VALID);
    }
    cb_push_back(cb, pages);
}
