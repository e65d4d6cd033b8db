// Compile-time and runtime arguments, and the tables of circular buffers that the host generates for each kernel.
// A compile-time argument must be a constant at namespace scope; one that was not given must not compile.
// Start at get_compile_time_arg_val and get_arg_val.
#pragma once

namespace tp {

// The message of the assertion is what a missing argument is recognised by; the template arguments say which.
template <uint32_t Index, uint32_t Count>
struct compile_time_argument {
    static_assert(Index < Count, "tp: compile-time argument beyond those given");
    static constexpr uint32_t index = Index < Count ? Index : 0;
};

template <uint32_t Index>
constexpr uint32_t compile_time_arg() {
    return kernel_compile_time_args[compile_time_argument<Index, TP_COMPILE_TIME_ARGS>::index];
}

struct NamedArgument {
    const char* name;
    uint32_t value;
};
constexpr NamedArgument named_arguments[] = {TP_NAMED_ARGUMENTS{nullptr, 0}};

constexpr bool same_text(const char* a, const char* b) {
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

// Called in a constant expression when no argument has the name, where a call of this is an error that shows it.
void no_named_compile_time_argument(const char* name);

constexpr uint32_t named_compile_time_arg(const char* name) {
    for (const NamedArgument& argument : named_arguments) {
        if (argument.name != nullptr && same_text(argument.name, name)) {
            return argument.value;
        }
    }
    no_named_compile_time_argument(name);
    return 0;
}

ALWI uint32_t argument_word(Site site, uint32_t index, uint32_t whose) {
    const uint32_t count = machine()->argument_count(whose);
    if (index >= count) {
        no_argument(site, index, count, whose == arguments::common);
    }
    // Nobody waits for an argument: what the kernel looks for stays what it was.
    const uint32_t looked_for = state.looked_for;
    const uint32_t word =
        reinterpret_cast<const volatile uint32_t*>(uintptr_t(machine()->argument_address(whose)))[index];
    state.looked_for = looked_for;
    return word;
}

template <typename T>
ALWI T from_word(uint32_t word) {
    // A pointer has 32 bits on the device.
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(uintptr_t(word));
    } else {
        static_assert(sizeof(T) <= sizeof(uint32_t), "an argument is a 32-bit word");
        T value;
        __builtin_memcpy(&value, &word, sizeof(T));
        return value;
    }
}

}  // namespace tp

#define get_compile_time_arg_val(index) (::tp::compile_time_arg<(index)>())
#define get_named_compile_time_arg_val(name) (::tp::named_compile_time_arg(name))
#define get_named_ct_arg(name) (::tp::named_compile_time_arg(name))

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
    return tp::compile_time_arg<Index>();
}
template <typename T, typename... Ts>
constexpr std::array<T, sizeof...(Ts)> make_array(Ts... values) {
    return {T(values)...};
}
// Kernels of several threads exist on later chips only.
constexpr uint32_t get_num_threads() { return 1; }
constexpr uint32_t get_my_thread_id() { return 0; }

template <typename T>
ALWI T get_arg_val(int index) {
    return tp::from_word<T>(tp::argument_word(TP_SITE(), uint32_t(index), tp::arguments::own));
}

template <typename T>
ALWI T get_common_arg_val(int index) {
    return tp::from_word<T>(tp::argument_word(TP_SITE(), uint32_t(index), tp::arguments::common));
}

namespace experimental {
template <typename T>
ALWI T get_arg(RtaArg<T> argument) {
    return ::get_arg_val<T>(int(argument.byte_offset / 4));
}
template <typename T>
ALWI T get_arg(CrtaArg<T> argument) {
    return ::get_common_arg_val<T>(int(argument.byte_offset / 4));
}
}  // namespace experimental

ALWI uint32_t get_arg_addr(int index) {
    return tp::machine()->argument_address(tp::arguments::own) + 4 * uint32_t(index);
}
ALWI uint32_t get_common_arg_addr(int index) {
    return tp::machine()->argument_address(tp::arguments::common) + 4 * uint32_t(index);
}

// What comes after the arguments with names.
#ifndef TP_NAMED_RUNTIME_ARGUMENTS
#define TP_NAMED_RUNTIME_ARGUMENTS 0
#define TP_NAMED_COMMON_RUNTIME_ARGUMENTS 0
#endif
ALWI uint32_t get_vararg(uint32_t index) { return get_arg_val<uint32_t>(int(TP_NAMED_RUNTIME_ARGUMENTS + index)); }
ALWI uint32_t get_common_vararg(uint32_t index) {
    return get_common_arg_val<uint32_t>(int(TP_NAMED_COMMON_RUNTIME_ARGUMENTS + index));
}

// Generated tables by circular buffer, as constants.
constexpr uint32_t get_tile_size(uint32_t cb) { return unpack_tile_size[cb]; }
constexpr DataFormat get_dataformat(uint32_t cb) { return static_cast<DataFormat>(unpack_src_format[cb]); }
constexpr uint32_t get_tile_hw(uint32_t cb) { return unpack_tile_r_dim[cb] * unpack_tile_c_dim[cb]; }
constexpr uint32_t get_tile_num_faces(uint32_t cb) { return unpack_tile_num_faces[cb]; }
constexpr uint32_t get_tile_r_dim(uint32_t cb) { return unpack_tile_r_dim[cb]; }
constexpr uint32_t get_tile_c_dim(uint32_t cb) { return unpack_tile_c_dim[cb]; }

// Where the core lies in the grid of workers. The only sub-device of a program is all of that (tt-metal `dataflow_api.h`).
ALWI uint32_t get_absolute_logical_x() {
    const uint32_t x = ::tp::machine()->my_coordinates(0) & 0xffff;
    return x - TP_ORIGIN_X - (x >= TP_GAP_X ? TP_GAP_COLUMNS : 0);
}
ALWI uint32_t get_absolute_logical_y() { return (::tp::machine()->my_coordinates(0) >> 16) - TP_ORIGIN_Y; }
ALWI uint32_t get_relative_logical_x() { return get_absolute_logical_x(); }
ALWI uint32_t get_relative_logical_y() { return get_absolute_logical_y(); }

// Turns the cache of L1 on or off where the chip has one (tt-metal `risc_common.h`). The machine knows none that a kernel turns on.
template <bool enable>
ALWI void set_l1_data_cache() {
#ifdef ARCH_BLACKHOLE
    if (enable) {
        tp::unsupported(TP_SITE(), "set_l1_data_cache<true>");
    }
#endif
}
