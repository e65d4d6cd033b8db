// memcpy, memmove and memset, so that what they do to L1 is told to the machine: the compiler would make plain
// instructions of those whose length it knows, behind its hooks. Sizes of one load it turns into one, and hooks that.
// Start at TP_COPY.
#pragma once

#include <cstring>

extern "C" {
__attribute__((visibility("hidden"))) void* tp_copy(void* to, const void* from, size_t bytes);
__attribute__((visibility("hidden"))) void* tp_set(void* to, int value, size_t bytes);

#define TP_IS_ONE_LOAD(bytes) \
    (__builtin_constant_p(bytes) && ((bytes) == 1 || (bytes) == 2 || (bytes) == 4 || (bytes) == 8))
#define TP_COPY(NAME)                                                                                            \
    __attribute__((gnu_inline, always_inline)) extern inline void* NAME(void* to, const void* from, size_t bytes) noexcept { \
        return TP_IS_ONE_LOAD(bytes) ? __builtin_##NAME(to, from, bytes) : tp_copy(to, from, bytes);             \
    }
TP_COPY(memcpy)
TP_COPY(memmove)
__attribute__((gnu_inline, always_inline)) extern inline void* memset(void* to, int value, size_t bytes) noexcept {
    return tp_set(to, value, bytes);
}
}
