// NCRISC of the second program: tiles of 32 rows of partial dgamma and dbeta, column by column. Twin of finish.rs.
#include "api/dataflow/dataflow_api.h"

#include "../tiles.h"

using namespace layernorm_bw;

constexpr auto DGAMMA_ARGS = TensorAccessorArgs<0>();
constexpr auto DBETA_ARGS = TensorAccessorArgs<DGAMMA_ARGS.next_compile_time_args_offset()>();
constexpr uint32_t FIRST = DBETA_ARGS.next_compile_time_args_offset();
constexpr uint32_t WT = get_compile_time_arg_val(FIRST);
constexpr uint32_t TILE_ROWS = get_compile_time_arg_val(FIRST + 1);
// Valid rows of the last tile of a column, 32 when it is full.
constexpr uint32_t LAST_ROWS = get_compile_time_arg_val(FIRST + 2);

constexpr uint32_t PARTIAL = tt::CBIndex::c_0;
constexpr uint32_t MASK = tt::CBIndex::c_1;

// All rows of a tile column.
template <typename Tensor>
inline void read_column(const Tensor& partial, uint32_t column) {
    for (uint32_t tile_row = 0; tile_row < TILE_ROWS; tile_row++) {
        cb_reserve_back(PARTIAL, 1);
        const uint32_t to = get_write_ptr(PARTIAL);
        const uint32_t rows = tile_row == TILE_ROWS - 1 ? LAST_ROWS : 32;
        for (uint32_t row = 0; row < rows; row++) {
            for (uint32_t half = 0; half < 2; half++) {
                // Row r of a tile lies in faces 0 and 1, or 2 and 3 from row 16 on.
                const uint32_t face = row / 16 * 2 + half;
                const uint64_t from = partial.get_noc_addr(32 * tile_row + row, (2 * column + half) * ROW_BYTES);
                noc_async_read(from, to + face * FACE_BYTES + row % 16 * ROW_BYTES, ROW_BYTES);
            }
        }
        noc_async_read_barrier();
        cb_push_back(PARTIAL, 1);
    }
}

void kernel_main() {
    const TensorAccessor dgamma(DGAMMA_ARGS, get_arg_val<uint32_t>(0), 2 * ROW_BYTES * WT);
    const TensorAccessor dbeta(DBETA_ARGS, get_arg_val<uint32_t>(1), 2 * ROW_BYTES * WT);
    const uint32_t start = get_arg_val<uint32_t>(2);
    const uint32_t end = start + get_arg_val<uint32_t>(3);
    cb_reserve_back(MASK, 1);
    write_mask(get_write_ptr(MASK), LAST_ROWS, 32);
    cb_push_back(MASK, 1);
    for (uint32_t column = start; column < end; column++) {
        read_column(dgamma, column);
        read_column(dbeta, column);
    }
}
