// Pages of a tensor into c_0 and c_1, or nowhere: BLOCK transfers of BYTES before each barrier.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

#ifndef BANKS
#define BANKS 12
#endif

void kernel_main() {
    constexpr uint32_t times = get_compile_time_arg_val(0);
    const uint32_t address = get_arg_val<uint32_t>(0);
#if defined(FILL)
    for (uint32_t cb = 0; cb < 2; cb++) {
        cb_reserve_back(cb, 1);
        noc_async_read(get_noc_addr_from_bank_id<true>(cb, address), get_write_ptr(cb), get_tile_size(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
#elif defined(FLOWS)
#if defined(COLUMNS)
    // A column of a matrix of tiles, whose pages go over all banks row by row.
    const uint32_t first = get_arg_val<uint32_t>(1);
#else
    constexpr uint32_t first = 0;
#define COLUMNS 1
#endif
    for (uint32_t i = 0; i < times; i++) {
        const uint32_t bank = (first + i * COLUMNS) % BANKS;
        cb_reserve_back(0, 1);
        noc_async_read(get_noc_addr_from_bank_id<true>(bank, address), get_write_ptr(0), get_tile_size(0));
#if !defined(EARLY)
        noc_async_read_barrier();
#endif
        cb_push_back(0, 1);
    }
#elif defined(FROM_CORE)
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t one = 0; one < BLOCK; one++) {
            noc_async_read(get_noc_addr(x, y, get_write_ptr(0)), get_write_ptr(0) + BYTES, BYTES);
        }
        noc_async_read_barrier();
    }
#elif defined(TO_CORE)
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    cb_reserve_back(0, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t word = 0; word < BYTES / 4; word++) {
        words[word] = word;
    }
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t one = 0; one < BLOCK; one++) {
            noc_async_write(get_write_ptr(0), get_noc_addr(x, y, get_write_ptr(0) + BYTES), BYTES);
        }
        noc_async_write_barrier();
    }
#elif defined(OWN_BANK)
    // A block is on its way while the one before is waited for.
    const uint32_t bank = get_arg_val<uint32_t>(1);
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < times; i++) {
        noc_async_read_set_trid(1 + i % 2);
        for (uint32_t one = 0; one < BLOCK; one++) {
            noc_async_read(get_noc_addr_from_bank_id<true>(bank, address), get_write_ptr(0), BYTES);
        }
        if (i > 0) {
            noc_async_read_barrier_with_trid(1 + (i - 1) % 2);
        }
    }
    noc_async_read_barrier();
#else
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t one = 0; one < BLOCK; one++) {
#if defined(TO_DRAM)
            noc_async_write(get_write_ptr(0), get_noc_addr_from_bank_id<true>(one % BANKS, address), BYTES);
#else
            noc_async_read(get_noc_addr_from_bank_id<true>(one % BANKS, address), get_write_ptr(0), BYTES);
#endif
        }
#if defined(TO_DRAM)
        noc_async_write_barrier();
#else
        noc_async_read_barrier();
#endif
    }
#endif
}
