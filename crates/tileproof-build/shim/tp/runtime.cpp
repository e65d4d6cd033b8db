// What every kernel image carries beside the kernel: its entry, its state, and the ways in which it can end early.
// It is compiled without instrumentation, because the compiler's hooks are defined here.
// Start at tp_run.
#include <cstddef>
#include <cstdint>

#include "tp/abi.h"
#include "tp/dprint.h"

#define TP_HIDDEN __attribute__((visibility("hidden")))
#define TP_EXPORT __attribute__((visibility("default")))

extern "C" TP_HIDDEN void tp_kernel_main() __asm__("_Z11kernel_mainv") __attribute__((weak));
extern "C" TP_HIDDEN void tp_main_of_gen_a() __asm__("_ZN9tp_kernel7tp_mainEv") __attribute__((weak));

namespace tp {

TP_HIDDEN State state;

namespace {
constexpr uint32_t BLOCKS_A_TURN = 512;

// Text without the C library: a kernel's stack is small and its locale nobody's business.
struct Text {
    char buffer[160];
    uint32_t length = 0;
    void add(const char* s) {
        for (; *s != 0 && length < sizeof(buffer); ++s) {
            buffer[length++] = *s;
        }
    }
    void add(uint32_t value) {
        char digits[11];
        uint32_t at = sizeof(digits);
        digits[--at] = 0;
        do {
            digits[--at] = char('0' + value % 10);
            value /= 10;
        } while (value != 0);
        add(digits + at);
    }
};

size_t length_of(const char* s) {
    size_t n = 0;
    while (s[n] != 0) {
        ++n;
    }
    return n;
}

[[noreturn]] void end(Site site, const char* text, size_t length) {
    for (;;) {
        state.abi->fail(site, text, length);
    }
}
}  // namespace

void fail(Site site, const char* text) { end(site, text, length_of(text)); }

void unsupported(Site site, const char* text) {
    for (;;) {
        state.abi->unsupported(site, text, length_of(text));
    }
}

void no_argument(Site site, uint32_t index, uint32_t count, bool common) {
    Text text;
    text.add(common ? "common runtime argument " : "runtime argument ");
    text.add(index);
    text.add(" was asked for, the program gives ");
    text.add(count);
    end(site, text.buffer, text.length);
}

void no_buffer(Site site, uint32_t cb) {
    Text text;
    text.add("circular buffer ");
    text.add(cb);
    text.add(" does not exist on this chip");
    end(site, text.buffer, text.length);
}

Print& Print::text(const char* s) {
    for (; *s != 0 && length_ < sizeof(buffer_); ++s) {
        buffer_[length_++] = *s;
    }
    return *this;
}

Print& Print::number(uint64_t magnitude, bool negative) {
    char digits[24];
    uint32_t at = sizeof(digits);
    const uint64_t base = hex_ ? 16 : 10;
    digits[--at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[magnitude % base];
        magnitude /= base;
    } while (magnitude != 0);
    if (negative) {
        text("-");
    }
    return text(digits + at);
}

Print& Print::real(double value) {
    char digits[64];
    __builtin_snprintf(digits, sizeof(digits), "%.9g", value);
    return text(digits);
}

Print& Print::tile(uint32_t source, uint32_t index, uint32_t tile, uint64_t slice) {
    length_ += state.abi->format_tile(site_, source, index, tile, slice, buffer_ + length_, sizeof(buffer_) - length_);
    return *this;
}

const char* Print::until_braces(const char* pattern) {
    while (*pattern != 0) {
        if (*pattern == '{') {
            while (*pattern != 0 && *pattern != '}') {
                ++pattern;
            }
            return *pattern == '}' ? pattern + 1 : pattern;
        }
        const char s[2] = {*pattern++, 0};
        text(s);
    }
    return pattern;
}

Print::~Print() {
    while (length_ != 0 && buffer_[length_ - 1] == '\n') {
        --length_;
    }
    if (length_ != 0) {
        state.abi->print(site_, buffer_, length_);
    }
}

}  // namespace tp

// The firmware runs a kernel's constructors before its main, when its arguments are there (tt-metal `firmware_common.h`, do_crt1).
extern "C" TP_EXPORT void tp_run(const tp::Abi* abi, uint32_t thread, void (*const* constructors)(), size_t count) {
    tp::state = tp::State{};
    tp::state.abi = abi;
    tp::state.thread = thread;
    tp::state.blocks_left = tp::BLOCKS_A_TURN;
    tp::state.block = abi->watch(&tp::state.looked_for);
    for (size_t index = 0; index < count; ++index) {
        constructors[index]();
    }
    // Turns are counted from main on: what a kernel's variables are made with is no time of its own.
    tp::state.blocks_left = tp::BLOCKS_A_TURN;
    if (tp_kernel_main != nullptr) {
        tp_kernel_main();
    } else if (tp_main_of_gen_a != nullptr) {
        tp_main_of_gen_a();
    }
}

// Every basic block of the kernel: a loop that makes no call must not keep the others from running.
extern "C" TP_HIDDEN void __sanitizer_cov_trace_pc() {
    *tp::state.block = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    if (--tp::state.blocks_left == 0) {
        tp::state.blocks_left = tp::BLOCKS_A_TURN;
        tp::state.looked_at = 0;
        tp::state.abi->poll(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    }
}

#include "tp/l1_access.h"

// The ways of the C library to end a process end the kernel alone.
#define TP_PLACE reinterpret_cast<uintptr_t>(__builtin_return_address(0))
extern "C" {
[[noreturn]] TP_HIDDEN void tp_abort() __asm__("abort");
void tp_abort() { tp::fail(TP_PLACE, "abort()"); }
[[noreturn]] TP_HIDDEN void tp_exit(int) __asm__("exit");
void tp_exit(int) { tp::fail(TP_PLACE, "exit()"); }
[[noreturn]] TP_HIDDEN void tp_exit_now(int) __asm__("_Exit");
void tp_exit_now(int) { tp::fail(TP_PLACE, "_Exit()"); }
[[noreturn]] TP_HIDDEN void tp_posix_exit(int) __asm__("_exit");
void tp_posix_exit(int) { tp::fail(TP_PLACE, "_exit()"); }
[[noreturn]] TP_HIDDEN void tp_quick_exit(int) __asm__("quick_exit");
void tp_quick_exit(int) { tp::fail(TP_PLACE, "quick_exit()"); }
[[noreturn]] TP_HIDDEN void tp_terminate() __asm__("_ZSt9terminatev");
void tp_terminate() { tp::fail(TP_PLACE, "std::terminate()"); }
[[noreturn]] TP_HIDDEN void tp_thread_exit(void*) __asm__("pthread_exit");
void tp_thread_exit(void*) { tp::fail(TP_PLACE, "pthread_exit()"); }
// Destructors of a kernel's variables: on the device nobody runs them.
TP_HIDDEN void* __dso_handle = nullptr;
TP_HIDDEN int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
[[noreturn]] TP_HIDDEN void tp_assert(const char*, const char*, unsigned, const char*) __asm__("__assert_fail");
void tp_assert(const char* condition, const char*, unsigned, const char*) {
    tp::Text text;
    text.add("assertion failed: ");
    text.add(condition);
    tp::end(TP_PLACE, text.buffer, text.length);
}

// What the C++ library's headers call where they would throw: kernels are compiled without exceptions, as on the device.
#define TP_THROWS(NAME, SYMBOL)                                     \
    [[noreturn]] TP_HIDDEN void tp_##NAME(const char*) __asm__(SYMBOL); \
    void tp_##NAME(const char* what) {                              \
        tp::Text text;                                              \
        text.add("std::" #NAME ": ");                               \
        text.add(what);                                             \
        tp::end(TP_PLACE, text.buffer, text.length);                \
    }
#define TP_THROWS_BARE(NAME, SYMBOL)                         \
    [[noreturn]] TP_HIDDEN void tp_##NAME() __asm__(SYMBOL); \
    void tp_##NAME() { tp::fail(TP_PLACE, "std::" #NAME); }
TP_THROWS(logic_error, "_ZSt19__throw_logic_errorPKc")
TP_THROWS(domain_error, "_ZSt20__throw_domain_errorPKc")
TP_THROWS(invalid_argument, "_ZSt24__throw_invalid_argumentPKc")
TP_THROWS(length_error, "_ZSt20__throw_length_errorPKc")
TP_THROWS(out_of_range, "_ZSt20__throw_out_of_rangePKc")
TP_THROWS(runtime_error, "_ZSt21__throw_runtime_errorPKc")
TP_THROWS(range_error, "_ZSt19__throw_range_errorPKc")
TP_THROWS(overflow_error, "_ZSt22__throw_overflow_errorPKc")
TP_THROWS(underflow_error, "_ZSt23__throw_underflow_errorPKc")
TP_THROWS_BARE(bad_alloc, "_ZSt17__throw_bad_allocv")
TP_THROWS_BARE(bad_array_new_length, "_ZSt28__throw_bad_array_new_lengthv")
TP_THROWS_BARE(bad_cast, "_ZSt16__throw_bad_castv")
TP_THROWS_BARE(bad_function_call, "_ZSt25__throw_bad_function_callv")
TP_THROWS_BARE(bad_optional_access, "_ZSt27__throw_bad_optional_accessv")
[[noreturn]] TP_HIDDEN void tp_out_of_range_fmt(const char*, ...) __asm__("_ZSt24__throw_out_of_range_fmtPKcz");
void tp_out_of_range_fmt(const char* format, ...) {
    char what[120];
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    __builtin_vsnprintf(what, sizeof(what), format, arguments);
    __builtin_va_end(arguments);
    tp::Text text;
    text.add("std::out_of_range: ");
    text.add(what);
    tp::end(TP_PLACE, text.buffer, text.length);
}
}
