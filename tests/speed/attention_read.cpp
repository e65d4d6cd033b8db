// A tile of ones for reductions, then for each head its keys and values, and its queries row by row of tiles.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

template <typename Tensor>
inline void bring(uint32_t cb, const Tensor& from, uint32_t first, uint32_t pages) {
    cb_reserve_back(cb, pages);
    for (uint32_t page = 0; page < pages; page++) {
        noc_async_read_page(first + page, from, get_write_ptr(cb) + page * get_tile_size(cb));
    }
    noc_async_read_barrier();
    cb_push_back(cb, pages);
}

void kernel_main() {
    constexpr uint32_t heads = get_compile_time_arg_val(0);
    constexpr uint32_t rows = get_compile_time_arg_val(1);
    constexpr uint32_t depth = get_compile_time_arg_val(2);
    constexpr auto q_args = TensorAccessorArgs<3>();
    constexpr auto k_args = TensorAccessorArgs<q_args.next_compile_time_args_offset()>();
    constexpr auto v_args = TensorAccessorArgs<k_args.next_compile_time_args_offset()>();
    const auto q = TensorAccessor(q_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto k = TensorAccessor(k_args, get_arg_val<uint32_t>(1), get_tile_size(2));
    const auto v = TensorAccessor(v_args, get_arg_val<uint32_t>(2), get_tile_size(3));
    cb_reserve_back(1, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(1));
    for (uint32_t word = 0; word < 512; word++) {
        words[word] = word % 128 < 8 ? 0x3f803f80 : 0;
    }
    cb_push_back(1, 1);
    for (uint32_t head = 0; head < heads; head++) {
        const uint32_t first = head * rows * depth;
        bring(2, k, first, rows * depth);
        bring(3, v, first, rows * depth);
        for (uint32_t row = 0; row < rows; row++) {
            bring(0, q, first + row * depth, depth);
        }
    }
}
