// The compiler's hooks at loads and stores, as -fsanitize=thread sets them: they tell the machine of those that reach L1.
// Names and arguments are the compiler's (gcc `sanitizer.def`, LLVM `ThreadSanitizer.cpp`); no sanitizer's library is
// linked. An access must be told before it is made. Part of the runtime; start at tp::told.
#pragma once

#include "tp/abi.h"

#define TP_RETURN reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace tp {
namespace {
// L1 lies below 4 GiB, stacks and variables of a kernel do not.
__attribute__((noinline)) void told_l1(Site site, uintptr_t address, size_t bytes, bool store) {
    const uint64_t load = uint64_t(address) << 32 | uint32_t(bytes);
    if (!store && bytes <= sizeof(uint32_t)) {
        state.looked_for = uint32_t(address) & ~uint32_t(3);
    }
    if (bytes == 0 || state.abi->l1_access == nullptr || (!store && load == state.looked_at)) {
        return;
    }
    state.looked_at = store ? 0 : load;
    state.abi->l1_access(site, uint32_t(address), uint32_t(bytes), store);
}

inline void told(Site site, const void* pointer, size_t bytes, bool store) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if ((address >> 32) == 0) {
        told_l1(site, address, bytes, store);
    }
}

// Bytes one at a time or eight, through `volatile`, which no compiler turns into a call of memcpy: these are memcpy.
using Word __attribute__((may_alias, aligned(1))) = uint64_t;

inline void copy_up(char* to, const char* from, size_t bytes) {
    size_t at = 0;
    for (; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
        *reinterpret_cast<volatile Word*>(to + at) = *reinterpret_cast<const volatile Word*>(from + at);
    }
    for (; at < bytes; ++at) {
        *static_cast<volatile char*>(to + at) = from[at];
    }
}

inline void copy_down(char* to, const char* from, size_t bytes) {
    while (bytes >= sizeof(Word)) {
        bytes -= sizeof(Word);
        *reinterpret_cast<volatile Word*>(to + bytes) = *reinterpret_cast<const volatile Word*>(from + bytes);
    }
    while (bytes != 0) {
        --bytes;
        *static_cast<volatile char*>(to + bytes) = from[bytes];
    }
}

inline void* copy(Site site, void* to, const void* from, size_t bytes) {
    told(site, from, bytes, false);
    told(site, to, bytes, true);
    if (reinterpret_cast<uintptr_t>(to) <= reinterpret_cast<uintptr_t>(from)) {
        copy_up(static_cast<char*>(to), static_cast<const char*>(from), bytes);
    } else {
        copy_down(static_cast<char*>(to), static_cast<const char*>(from), bytes);
    }
    return to;
}

inline void* set(Site site, void* to, int value, size_t bytes) {
    told(site, to, bytes, true);
    const Word word = 0x0101010101010101u * uint8_t(value);
    size_t at = 0;
    for (; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
        *reinterpret_cast<volatile Word*>(static_cast<char*>(to) + at) = word;
    }
    for (; at < bytes; ++at) {
        static_cast<volatile char*>(to)[at] = char(value);
    }
    return to;
}
}  // namespace
}  // namespace tp

extern "C" {
TP_HIDDEN void* tp_copy(void* to, const void* from, size_t bytes) { return tp::copy(TP_RETURN, to, from, bytes); }
TP_HIDDEN void* tp_set(void* to, int value, size_t bytes) { return tp::set(TP_RETURN, to, value, bytes); }

// The C library's, for calls that the compiler makes of itself.
TP_HIDDEN void* tp_memcpy(void*, const void*, size_t) __asm__("memcpy");
void* tp_memcpy(void* to, const void* from, size_t bytes) { return tp::copy(TP_RETURN, to, from, bytes); }
TP_HIDDEN void* tp_memmove(void*, const void*, size_t) __asm__("memmove");
void* tp_memmove(void* to, const void* from, size_t bytes) { return tp::copy(TP_RETURN, to, from, bytes); }
TP_HIDDEN void* tp_memset(void*, int, size_t) __asm__("memset");
void* tp_memset(void* to, int value, size_t bytes) { return tp::set(TP_RETURN, to, value, bytes); }

// What clang++ makes of those that it sees.
TP_HIDDEN void* __tsan_memcpy(void* to, const void* from, size_t bytes) { return tp::copy(TP_RETURN, to, from, bytes); }
TP_HIDDEN void* __tsan_memmove(void* to, const void* from, size_t bytes) { return tp::copy(TP_RETURN, to, from, bytes); }
TP_HIDDEN void* __tsan_memset(void* to, int value, size_t bytes) { return tp::set(TP_RETURN, to, value, bytes); }

TP_HIDDEN void __tsan_init() {}
TP_HIDDEN void __tsan_func_entry(void*) {}
TP_HIDDEN void __tsan_func_exit() {}
TP_HIDDEN void __tsan_vptr_update(void**, void*) {}
TP_HIDDEN void __tsan_vptr_read(void**) {}
TP_HIDDEN void __tsan_read_range(void* p, size_t bytes) { tp::told(TP_RETURN, p, bytes, false); }
TP_HIDDEN void __tsan_write_range(void* p, size_t bytes) { tp::told(TP_RETURN, p, bytes, true); }

#define TP_HOOK(NAME, BYTES, STORE) \
    TP_HIDDEN void NAME(void* p) { tp::told(TP_RETURN, p, BYTES, STORE); }
#define TP_HOOKS(BYTES)                                  \
    TP_HOOK(__tsan_read##BYTES, BYTES, false)            \
    TP_HOOK(__tsan_write##BYTES, BYTES, true)            \
    TP_HOOK(__tsan_unaligned_read##BYTES, BYTES, false)  \
    TP_HOOK(__tsan_unaligned_write##BYTES, BYTES, true)  \
    TP_HOOK(__tsan_volatile_read##BYTES, BYTES, false)   \
    TP_HOOK(__tsan_volatile_write##BYTES, BYTES, true)
TP_HOOKS(1)
TP_HOOKS(2)
TP_HOOKS(4)
TP_HOOKS(8)
TP_HOOKS(16)

// Atomic operations go through the hooks whole. No other kernel runs meanwhile, whatever order was asked for.
TP_HIDDEN void __tsan_atomic_thread_fence(int) {}
TP_HIDDEN void __tsan_atomic_signal_fence(int) {}
#define TP_ATOMIC_CHANGE(BITS, TYPE, NAME, RESULT)                             \
    TP_HIDDEN TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE* p, TYPE value, int) { \
        tp::told(TP_RETURN, const_cast<TYPE*>(p), sizeof(TYPE), false);        \
        tp::told(TP_RETURN, const_cast<TYPE*>(p), sizeof(TYPE), true);         \
        const TYPE old = *p;                                                   \
        *p = RESULT;                                                           \
        return old;                                                            \
    }
#define TP_ATOMIC_EXCHANGE(BITS, TYPE, NAME)                                                        \
    TP_HIDDEN int __tsan_atomic##BITS##_##NAME(volatile TYPE* p, TYPE* expected, TYPE value, int, int) { \
        tp::told(TP_RETURN, const_cast<TYPE*>(p), sizeof(TYPE), true);                              \
        const TYPE old = *p;                                                                        \
        if (old == *expected) {                                                                     \
            *p = value;                                                                             \
            return 1;                                                                               \
        }                                                                                           \
        *expected = old;                                                                            \
        return 0;                                                                                   \
    }
#define TP_ATOMIC(BITS, TYPE)                                                                       \
    TP_HIDDEN TYPE __tsan_atomic##BITS##_load(const volatile TYPE* p, int) {                        \
        tp::told(TP_RETURN, const_cast<const TYPE*>(p), sizeof(TYPE), false);                       \
        return *p;                                                                                  \
    }                                                                                               \
    TP_HIDDEN void __tsan_atomic##BITS##_store(volatile TYPE* p, TYPE value, int) {                 \
        tp::told(TP_RETURN, const_cast<TYPE*>(p), sizeof(TYPE), true);                              \
        *p = value;                                                                                 \
    }                                                                                               \
    TP_ATOMIC_CHANGE(BITS, TYPE, exchange, value)                                                   \
    TP_ATOMIC_CHANGE(BITS, TYPE, fetch_add, TYPE(old + value))                                      \
    TP_ATOMIC_CHANGE(BITS, TYPE, fetch_sub, TYPE(old - value))                                      \
    TP_ATOMIC_CHANGE(BITS, TYPE, fetch_and, TYPE(old & value))                                      \
    TP_ATOMIC_CHANGE(BITS, TYPE, fetch_or, TYPE(old | value))                                       \
    TP_ATOMIC_CHANGE(BITS, TYPE, fetch_xor, TYPE(old ^ value))                                      \
    TP_ATOMIC_CHANGE(BITS, TYPE, fetch_nand, TYPE(~(old & value)))                                  \
    TP_ATOMIC_EXCHANGE(BITS, TYPE, compare_exchange_strong)                                         \
    TP_ATOMIC_EXCHANGE(BITS, TYPE, compare_exchange_weak)                                           \
    TP_HIDDEN TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE* p, TYPE expected, TYPE value, int, int) { \
        tp::told(TP_RETURN, const_cast<TYPE*>(p), sizeof(TYPE), true);                              \
        const TYPE old = *p;                                                                        \
        if (old == expected) {                                                                      \
            *p = value;                                                                             \
        }                                                                                           \
        return old;                                                                                 \
    }
TP_ATOMIC(8, uint8_t)
TP_ATOMIC(16, uint16_t)
TP_ATOMIC(32, uint32_t)
TP_ATOMIC(64, uint64_t)
}
