// How a kernel calls the machine: the table of functions, and what belongs to the running kernel.
// Nothing here may do a kernel call's work itself; the table does, which abi_table.h declares. Start at TP_CALL.
#pragma once

#include "tp/abi_table.h"

#define ALWI inline __attribute__((always_inline))
#define FORCE_INLINE inline __attribute__((always_inline))

namespace tp {

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
    bool exp_is_older;
    // The unpackers untilize; how wide a block is, only the call knows.
    uint32_t untilize;
    // Rows that pack_rows packs.
    uint32_t rows;
    // Address and bytes of the last load, until anything else is done: a loop that looks at one word says so once a turn.
    uint64_t looked_at;
    // Address of the word of L1 that was loaded last, which the machine clears after a turn: what a loop that never ends may go
    // round for.
    uint32_t looked_for;
    // Where the machine finds at which address of the kernel the last basic block began: its line, if the kernel ends there without a word.
    uint64_t* block;
};

extern __attribute__((visibility("hidden"))) State state;

// The table, for a call.
ALWI const Abi* machine() {
    state.looked_at = 0;
    return state.abi;
}

// Runs custom vector code that was noted and not run yet; null where there is none. Not in `state`: the compiler sees that a kernel
// without such code never writes it, and leaves the question out of every call.
static void (*pending)(Site);

// Before MATH does anything else.
ALWI void run_pending(Site site) {
    if (pending != nullptr) [[unlikely]] {
        pending(site);
    }
}

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

// Ends the kernel at a call of this name: what hundreds of calls are that nothing models, in as few words as each can be.
namespace tp {
[[noreturn]] ALWI void stop(const char* name) { unsupported(TP_SITE(), name); }
}  // namespace tp

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
#define TP_ON_UNPACK (::tp::state.thread == ::tp::thread::unpack)
#define TP_ON_MATH (::tp::state.thread == ::tp::thread::math)
#define TP_ON_PACK (::tp::state.thread == ::tp::thread::pack)
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
            ::tp::run_pending(TP_SITE());                    \
            TP_CALL(NAME, ##__VA_ARGS__);                    \
        }                                                    \
    } while (0)
#define TP_PACK(NAME, ...)                                   \
    do {                                                     \
        if (TP_ON_PACK) {                                    \
            TP_CALL(NAME, ##__VA_ARGS__);                    \
        }                                                    \
    } while (0)
