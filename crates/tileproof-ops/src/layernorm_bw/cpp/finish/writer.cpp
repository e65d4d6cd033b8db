// BRISC of the second program: writes dgamma and dbeta, column by column. Twin of finish.rs.
#include "api/dataflow/dataflow_api.h"

constexpr auto DGAMMA_ARGS = TensorAccessorArgs<0>();
constexpr auto DBETA_ARGS = TensorAccessorArgs<DGAMMA_ARGS.next_compile_time_args_offset()>();

constexpr uint32_t OUT = tt::CBIndex::c_16;

template <typename Tensor>
inline void write_tile(const Tensor& tensor, uint32_t column) {
    cb_wait_front(OUT, 1);
    noc_async_write_page(column, tensor, get_read_ptr(OUT));
    noc_async_write_barrier();
    cb_pop_front(OUT, 1);
}

void kernel_main() {
    const TensorAccessor dgamma(DGAMMA_ARGS, get_arg_val<uint32_t>(0), get_tile_size(OUT));
    const TensorAccessor dbeta(DBETA_ARGS, get_arg_val<uint32_t>(1), get_tile_size(OUT));
    const uint32_t start = get_arg_val<uint32_t>(2);
    const uint32_t end = start + get_arg_val<uint32_t>(3);
    for (uint32_t column = start; column < end; column++) {
        write_tile(dgamma, column);
        write_tile(dbeta, column);
    }
}
