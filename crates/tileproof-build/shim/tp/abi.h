// The machine's door as a kernel sees it: the table of functions, and what belongs to the running kernel.
// Nothing here may do a kernel call's work itself; the table does. Start at Abi, then TP_SITE.
#pragma once

#include <cstddef>
#include <cstdint>

#define ALWI inline __attribute__((always_inline))
#define FORCE_INLINE inline __attribute__((always_inline))

namespace tp {

using Site = uint64_t;

// Written by hand after crates/tileproof-model/src/abi.rs; a test compares every offset.
struct CbInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit;
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
    uint32_t fifo_wr_tile_ptr;
    uint32_t data_format;
};

struct Abi {
    uint32_t version;
    uint32_t bytes;

    void (*cb_wait_front)(Site, uint32_t cb, uint32_t pages);
    void (*cb_pop_front)(Site, uint32_t cb, uint32_t pages);
    void (*cb_reserve_back)(Site, uint32_t cb, uint32_t pages);
    void (*cb_push_back)(Site, uint32_t cb, uint32_t pages);
    uint32_t (*cb_pages_available_at_front)(Site, uint32_t cb, uint32_t pages);
    uint32_t (*cb_pages_reservable_at_back)(Site, uint32_t cb, uint32_t pages);
    CbInterface* (*cb_interface)(Site, uint32_t cb);

    void (*unpack_configure)(Site, uint32_t operands, uint32_t cb_a, uint32_t cb_b, uint32_t how);
    void (*unpack_init)(Site, uint64_t word);
    void (*unpack)(Site, uint64_t word, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b);

    void (*math_configure)(Site, uint32_t operands, uint32_t cb_a, uint32_t cb_b, uint32_t how);
    void (*math_pack_sync_init)(Site);
    void (*math_init)(Site, uint64_t word);
    void (*math)(Site, uint64_t word, uint32_t dst);
    void (*sfpu_init)(Site, uint32_t op);
    void (*sfpu)(Site, uint32_t op, uint32_t in0, uint32_t in1, uint32_t in2, uint32_t output, const uint32_t* params);
    void (*tile_regs_acquire)(Site);
    void (*tile_regs_commit)(Site);

    void (*pack_configure)(Site, uint32_t cb, uint32_t how);
    void (*pack_init)(Site, uint64_t word);
    void (*pack_dest_init)(Site);
    void (*pack_edge_mask)(Site, uint32_t dim);
    void (*pack_relu_config)(Site, uint32_t config);
    void (*pack_l1_acc)(Site, uint32_t enable);
    void (*pack_tile)(Site, uint32_t dst, uint32_t cb, uint32_t out_of_order, uint32_t index);
    void (*pack_untilize)(Site, uint64_t word, uint32_t dst, uint32_t cb, uint32_t column);
    void (*tile_regs_wait)(Site);
    void (*tile_regs_release)(Site);

    void (*noc_read)(Site, uint32_t noc, uint64_t from, uint32_t to_l1, uint32_t bytes);
    void (*noc_write)(Site, uint32_t noc, uint32_t from_l1, uint64_t to, uint32_t bytes, uint32_t posted);
    void (*noc_barrier)(Site, uint32_t noc, uint32_t kind);
    void (*noc_semaphore_inc)(Site, uint32_t noc, uint64_t address, uint32_t value);
    uint64_t (*bank_address)(Site, uint32_t dram, uint32_t bank, uint32_t noc);
    uint32_t (*bank_count)(uint32_t dram);
    uint32_t (*my_coordinates)(uint32_t noc);

    uint32_t (*semaphore_address)(Site, uint32_t id);
    void (*semaphore_wait)(Site, uint32_t address, uint32_t how, uint32_t value);
    void (*semaphore_set)(Site, uint32_t address, uint32_t value);
    void (*l1_store)(Site, uint32_t address, const uint32_t* from, uint32_t words);
    void (*l1_load)(Site, uint32_t address, uint32_t* to, uint32_t words);

    void (*spend)(Site, uint32_t cycles);
    void (*poll)(Site);
    void (*fail)(Site, const char* text, size_t len);
    uint32_t (*argument_address)(uint32_t common);
    uint32_t (*argument_count)(uint32_t common);
    void (*print)(Site, const char* text, size_t len);
    void (*unsupported)(Site, const char* text, size_t len);
    uint32_t (*cb_counter)(Site, uint32_t cb, uint32_t acked);
    uint32_t (*format_tile)(Site, uint32_t source, uint32_t index, uint32_t tile, uint64_t slice, char* to,
                            uint32_t capacity);
    void (*noc_multicast)(Site, uint32_t noc, uint32_t from_l1, uint64_t to, uint32_t bytes, uint32_t dests,
                          uint32_t loopback);
    void (*noc_inline_write)(Site, uint32_t noc, uint32_t value, uint64_t to);
    uint32_t (*bank_alignment)(uint32_t dram);
    void (*noc_set_trid)(Site, uint32_t noc, uint32_t writes, uint32_t trid);
    void (*noc_trid_barrier)(Site, uint32_t noc, uint32_t kind, uint32_t trid);
    uint32_t (*noc_trid_poll)(Site, uint32_t noc, uint32_t kind, uint32_t trid);
    void (*mailbox_write)(Site, uint32_t to, uint32_t value);
    uint32_t (*mailbox_read)(Site, uint32_t from);
    uint32_t (*mailbox_poll)(Site, uint32_t from);
    void (*pack_rows)(Site, uint64_t word, uint32_t dst, uint32_t cb, uint32_t index);
    void (*l1_access)(Site, uint32_t address, uint32_t bytes, uint32_t store);
};

// What belongs to one run of one kernel on one thread. An image runs one kernel at a time.
struct State {
    const Abi* abi;
    uint32_t thread;
    // Basic blocks until the kernel lets the others have a turn.
    uint32_t blocks_left;
    // What the last init chose and a later call must repeat in its operation word.
    uint32_t accumulate;
    uint32_t transpose;
    uint32_t exp_scale;
    // The unpackers untilize; how wide a block is, only the call knows.
    uint32_t untilize;
    // Rows that pack_rows packs.
    uint32_t rows;
    // Address and bytes of the last load, until anything else is done: a loop that looks at one word says so once a turn.
    uint64_t looked_at;
};

extern __attribute__((visibility("hidden"))) State state;

// The table, for a call.
ALWI const Abi* machine() {
    state.looked_at = 0;
    return state.abi;
}

enum Thread : uint32_t { BRISC = 0, NCRISC = 1, UNPACK_THREAD = 2, MATH_THREAD = 3, PACK_THREAD = 4 };

[[noreturn]] __attribute__((visibility("hidden"))) void fail(Site, const char* text);
[[noreturn]] __attribute__((visibility("hidden"))) void unsupported(Site, const char* text);
[[noreturn]] __attribute__((visibility("hidden"))) void no_argument(Site, uint32_t index, uint32_t count, bool common);
[[noreturn]] __attribute__((visibility("hidden"))) void no_buffer(Site, uint32_t cb);

}  // namespace tp

// The place of the call: an address in the inlined code, from which the debug information tells the user's line.
#if defined(__x86_64__)
#define TP_SITE()                                            \
    ({                                                       \
        ::tp::Site tp_site_;                                 \
        asm volatile("lea 0(%%rip), %0" : "=r"(tp_site_));   \
        tp_site_;                                            \
    })
#elif defined(__aarch64__)
#define TP_SITE()                                            \
    ({                                                       \
        ::tp::Site tp_site_;                                 \
        asm volatile("adr %0, . + 4" : "=r"(tp_site_));      \
        tp_site_;                                            \
    })
#else
#error "kernels can be compiled for x86-64 and AArch64 hosts only"
#endif

#define TP_CALL(NAME, ...) ::tp::machine()->NAME(TP_SITE(), ##__VA_ARGS__)

// A compute kernel is one image for its three threads, or, when its text asks which thread it is compiled for, three.
#if defined(TRISC_UNPACK) || defined(TRISC_MATH) || defined(TRISC_PACK)
#ifdef TRISC_UNPACK
#define TP_ON_UNPACK 1
#define UNPACK(...) __VA_ARGS__
#else
#define TP_ON_UNPACK 0
#define UNPACK(...)
#endif
#ifdef TRISC_MATH
#define TP_ON_MATH 1
#define MATH(...) __VA_ARGS__
#else
#define TP_ON_MATH 0
#define MATH(...)
#endif
#ifdef TRISC_PACK
#define TP_ON_PACK 1
#define PACK(...) __VA_ARGS__
#else
#define TP_ON_PACK 0
#define PACK(...)
#endif
#else
#define TP_ON_UNPACK (::tp::state.thread == ::tp::UNPACK_THREAD)
#define TP_ON_MATH (::tp::state.thread == ::tp::MATH_THREAD)
#define TP_ON_PACK (::tp::state.thread == ::tp::PACK_THREAD)
#define UNPACK(...)                                          \
    do {                                                     \
        if (TP_ON_UNPACK) {                                  \
            __VA_ARGS__;                                     \
        }                                                    \
    } while (0)
#define MATH(...)                                            \
    do {                                                     \
        if (TP_ON_MATH) {                                    \
            __VA_ARGS__;                                     \
        }                                                    \
    } while (0)
#define PACK(...)                                            \
    do {                                                     \
        if (TP_ON_PACK) {                                    \
            __VA_ARGS__;                                     \
        }                                                    \
    } while (0)
#endif

// Calls that only one thread makes.
#define TP_UNPACK(NAME, ...)                                 \
    do {                                                     \
        if (TP_ON_UNPACK) {                                  \
            TP_CALL(NAME, ##__VA_ARGS__);                    \
        }                                                    \
    } while (0)
#define TP_MATH(NAME, ...)                                   \
    do {                                                     \
        if (TP_ON_MATH) {                                    \
            TP_CALL(NAME, ##__VA_ARGS__);                    \
        }                                                    \
    } while (0)
#define TP_PACK(NAME, ...)                                   \
    do {                                                     \
        if (TP_ON_PACK) {                                    \
            TP_CALL(NAME, ##__VA_ARGS__);                    \
        }                                                    \
    } while (0)
