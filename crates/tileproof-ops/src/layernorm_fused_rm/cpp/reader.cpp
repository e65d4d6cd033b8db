// NCRISC of LayerNorm forward: masks, x as sticks or tiles, gamma and beta as tiles. Twin of reader.rs.
#include "api/dataflow/dataflow_api.h"

#include "call.h"
#include "tiles.h"

using namespace layernorm;

constexpr auto X_ARGS = TensorAccessorArgs<0>();
constexpr auto GAMMA_ARGS = TensorAccessorArgs<1>();
constexpr auto BETA_ARGS = TensorAccessorArgs<2>();
constexpr uint32_t WIDTH = get_compile_time_arg_val(AFTER);

// Bytes of a stick in `count` tile columns from `first` on.
inline uint32_t piece_bytes(uint32_t first, uint32_t count) { return smaller(32 * count, WIDTH - 32 * first) * DATUM; }

inline void constants() {
    cb_reserve_back(MASKS, 2);
    const uint32_t at = get_write_ptr(MASKS);
    write_mask(at, 32, LAST_COLUMNS);
    write_mask(at + get_tile_size(MASKS), LAST_ROWS, 32);
    cb_push_back(MASKS, 2);
    cb_reserve_back(ZERO, 1);
    write_zeros(get_write_ptr(ZERO), get_write_ptr(ZERO) + get_tile_size(ZERO));
    cb_push_back(ZERO, 1);
}

template <typename Tensor>
inline void tiles(const Tensor& x, uint32_t row, uint32_t first, uint32_t count) {
    cb_reserve_back(X, CHUNK);
    const uint32_t at = get_write_ptr(X);
    for (uint32_t column = 0; column < count; column++) {
        noc_async_read_page(row * WT + first + column, x, at + column * get_tile_size(X));
    }
    noc_async_read_barrier();
    cb_push_back(X, CHUNK);
}

// Pieces of 32 sticks. What they do not cover is zero: it passes through arithmetic before it is masked or dropped, and must
// be finite.
template <typename Tensor>
inline void sticks(const Tensor& x, uint32_t row, uint32_t first, uint32_t count) {
    const uint32_t bytes = piece_bytes(first, count);
    const uint32_t stride = count * PIECE;
    const uint32_t rows = rows_of(row);
    cb_reserve_back(STICKS, CHUNK);
    const uint32_t at = get_write_ptr(STICKS);
    for (uint32_t stick = 0; stick < rows; stick++) {
        const uint32_t to = at + stick * stride;
        // The last word may be half covered; the read comes after.
        write_zeros(to + bytes / 4 * 4, to + stride);
        noc_async_read(x.get_noc_addr(32 * row + stick, first * PIECE), to, bytes);
    }
    write_zeros(at + rows * stride, at + 32 * stride);
    noc_async_read_barrier();
    cb_push_back(STICKS, CHUNK);
}

// The piece of gamma or beta goes to a page that nobody else reads.
template <typename Tensor>
inline void stage(const Tensor& tensor, uint32_t stick, uint32_t first, uint32_t count) {
    const uint32_t bytes = piece_bytes(first, count);
    cb_reserve_back(stick, 1);
    const uint32_t at = get_write_ptr(stick);
    write_zeros(at + bytes / 4 * 4, at + count * PIECE);
    noc_async_read(tensor.get_noc_addr(0, first * PIECE), at, bytes);
    noc_async_read_barrier();
}

// A block of tiles of gamma or beta. The matrix unit spreads row 0 of a bf16 tile exactly; of an fp32 tile it would keep 11
// bits, so that one is spread here.
template <typename Tensor>
inline void block(const Tensor& tensor, uint32_t stick, uint32_t cb, uint32_t first, uint32_t column, uint32_t count) {
    cb_reserve_back(cb, BLOCK);
    const uint32_t at = get_write_ptr(cb);
    const uint32_t page = get_tile_size(cb);
    if constexpr (IS_TILE) {
        for (uint32_t tile = 0; tile < count; tile++) {
            noc_async_read_page(first + column + tile, tensor, at + tile * page);
        }
        noc_async_read_barrier();
        for (uint32_t tile = 0; IS_FP32 && tile < count; tile++) {
            const uint32_t to = at + tile * page;
            row_to_fp32_tile(to, to + 1024, to);
        }
    } else {
        for (uint32_t tile = 0; tile < count; tile++) {
            const uint32_t from = get_write_ptr(stick) + (column + tile) * PIECE;
            if constexpr (IS_FP32) {
                row_to_fp32_tile(from, from + 64, at + tile * page);
            } else {
                row_to_bf16_tile(from, at + tile * page);
            }
        }
    }
    cb_push_back(cb, BLOCK);
}

template <typename Gamma, typename Beta>
inline void gamma_and_beta(const Gamma& gamma, const Beta& beta, uint32_t first, uint32_t count) {
    if constexpr (HAS_GAMMA && !IS_TILE) {
        stage(gamma, GAMMA_STICK, first, count);
    }
    if constexpr (HAS_BETA && !IS_TILE) {
        stage(beta, BETA_STICK, first, count);
    }
    for (uint32_t column = 0; column < count; column += BLOCK) {
        const uint32_t tiles = smaller(BLOCK, count - column);
        if constexpr (HAS_GAMMA) {
            block(gamma, GAMMA_STICK, GAMMA, first, column, tiles);
        }
        if constexpr (HAS_BETA) {
            block(beta, BETA_STICK, BETA, first, column, tiles);
        }
    }
}

void kernel_main() {
    // A page is a tile or a stick.
    const uint32_t page = IS_TILE ? get_tile_size(X) : WIDTH * DATUM;
    const TensorAccessor x(X_ARGS, get_arg_val<uint32_t>(0), page);
    const TensorAccessor gamma(GAMMA_ARGS, get_arg_val<uint32_t>(1), page);
    const TensorAccessor beta(BETA_ARGS, get_arg_val<uint32_t>(2), page);
    const uint32_t start = get_arg_val<uint32_t>(3);
    const uint32_t end = start + get_arg_val<uint32_t>(4);
    constants();
    // In L1 x is read once; else for the mean, the variance and y.
    constexpr uint32_t PASSES = L1_PATH ? 1 : 3;
    for (uint32_t row = start; row < end; row++) {
        for (uint32_t pass = 0; pass < PASSES; pass++) {
            for (uint32_t first = 0; first < WT; first += CHUNK) {
                const uint32_t count = smaller(CHUNK, WT - first);
                if constexpr (IS_TILE) {
                    tiles(x, row, first, count);
                } else {
                    sticks(x, row, first, count);
                }
                if (!L1_PATH && pass == PASSES - 1) {
                    gamma_and_beta(gamma, beta, first, count);
                }
            }
        }
        for (uint32_t first = 0; L1_PATH && first < WT; first += CHUNK) {
            gamma_and_beta(gamma, beta, first, smaller(CHUNK, WT - first));
        }
    }
}
