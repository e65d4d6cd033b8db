// Tiles that data-movement kernels write themselves: masks, and columns and rows spread over a tile.
// A tile is four faces of 16x16, the two of the upper rows first.
#pragma once

#include <cstdint>

namespace layernorm {

using Words = volatile tt_l1_ptr uint32_t*;

inline Words words(uint32_t address) { return reinterpret_cast<Words>(address); }

// Column 0 of the fp32 tile at `from` to all columns of the tile at `to`.
inline void spread_column(uint32_t from, uint32_t to) {
    Words source = words(from);
    Words target = words(to);
    for (uint32_t row = 0; row < 32; row++) {
        const uint32_t at = row / 16 * 512 + row % 16 * 16;
        const uint32_t value = source[at];
        for (uint32_t column = 0; column < 16; column++) {
            target[at + column] = value;
            target[at + 256 + column] = value;
        }
    }
}

// The 32 datums of a stick at `from` to row 0 of the bf16 tile at `to`.
inline void row_to_bf16_tile(uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < 8; i++) {
        words(to)[i] = words(from)[i];
        words(to + 512)[i] = words(from)[8 + i];
    }
}

// 32 fp32 datums, 16 at `left` and 16 at `right`, to all rows of the tile at `to`.
inline void row_to_fp32_tile(uint32_t left, uint32_t right, uint32_t to) {
    uint32_t row[32];
    for (uint32_t i = 0; i < 16; i++) {
        row[i] = words(left)[i];
        row[16 + i] = words(right)[i];
    }
    for (uint32_t i = 0; i < 1024; i++) {
        words(to)[i] = row[i / 256 % 2 * 16 + i % 16];
    }
}

// A bf16 tile of 1 in the first `rows` rows and `columns` columns, and 0 elsewhere.
inline void write_mask(uint32_t at, uint32_t rows, uint32_t columns) {
    auto* datum = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(at);
    for (uint32_t i = 0; i < 1024; i++) {
        const uint32_t row = i / 512 * 16 + i % 256 / 16;
        const uint32_t column = i / 256 % 2 * 16 + i % 16;
        datum[i] = row < rows && column < columns ? 0x3f80 : 0;
    }
}

// Zeros from `at` to `end`, multiples of 4.
inline void write_zeros(uint32_t at, uint32_t end) {
    for (; at < end; at += 4) {
        *words(at) = 0;
    }
}

}  // namespace layernorm
