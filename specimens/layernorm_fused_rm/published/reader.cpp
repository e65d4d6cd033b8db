// Sticks for the public host side, in words of our own: 1/W and epsilon as whole tiles of bf16, gamma and beta spread over the
// rows of tiles, then each tile row of x twice: once for its statistics, once to be normalised.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_sticks = 0, cb_scaler = 2, cb_eps = 3;
constexpr uint32_t tile_bytes = 2048;

// A tile that holds one fp32 value, cut off to bf16.
inline void fill(uint32_t cb, uint32_t fp32) {
    cb_reserve_back(cb, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    const uint32_t upper = fp32 >> 16;
    for (uint32_t word = 0; word < tile_bytes / 4; word++) {
        words[word] = upper << 16 | upper;
    }
    cb_push_back(cb, 1);
}

// The stick in `cb_stick` to all rows of the tiles of `cb_tiles`.
template <typename Row>
void spread(uint32_t cb_stick, uint32_t cb_tiles, uint32_t columns, const Row& row, uint32_t stick_bytes) {
    cb_reserve_back(cb_stick, 1);
    const uint32_t stick = get_write_ptr(cb_stick);
    noc_async_read(row.get_noc_addr(0), stick, stick_bytes);
    noc_async_read_barrier();
    cb_push_back(cb_stick, 1);
    cb_wait_front(cb_stick, 1);
    cb_reserve_back(cb_tiles, columns);
    volatile tt_l1_ptr uint16_t* from = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(stick);
    volatile tt_l1_ptr uint16_t* to = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb_tiles));
    for (uint32_t at = 0; at < columns * 1024; at++) {
        // Four faces of 16x16 a tile: the second and the fourth are the right half.
        to[at] = from[at / 1024 * 32 + at / 256 % 2 * 16 + at % 16];
    }
    cb_push_back(cb_tiles, columns);
    cb_pop_front(cb_stick, 1);
}

void kernel_main() {
    constexpr uint32_t stick_bytes = get_compile_time_arg_val(0);
    constexpr uint32_t columns = get_compile_time_arg_val(1);
    constexpr auto x_args = TensorAccessorArgs<2>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto beta_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), stick_bytes);
    const auto gamma = TensorAccessor(gamma_args, get_arg_val<uint32_t>(1), stick_bytes);
    const auto beta = TensorAccessor(beta_args, get_arg_val<uint32_t>(2), stick_bytes);
    const uint32_t rows = get_arg_val<uint32_t>(3);
    const uint32_t first_stick = get_arg_val<uint32_t>(4);

    fill(cb_scaler, get_arg_val<uint32_t>(5));
    fill(cb_eps, get_arg_val<uint32_t>(6));
    spread(4, 6, columns, gamma, stick_bytes);
    spread(5, 7, columns, beta, stick_bytes);
    for (uint32_t pass = 0; pass < 2 * rows; pass++) {
        cb_reserve_back(cb_sticks, 32);
        const uint32_t to = get_write_ptr(cb_sticks);
        for (uint32_t stick = 0; stick < 32; stick++) {
            noc_async_read(x.get_noc_addr(first_stick + pass / 2 * 32 + stick), to + stick * stick_bytes, stick_bytes);
        }
        noc_async_read_barrier();
        cb_push_back(cb_sticks, 32);
    }
}
