// Tiles that data-movement kernels write themselves: masks, and columns and rows spread over a tile. Twin of fill.rs.
// A tile is four faces of 16x16, the two of the upper rows first.
#pragma once

#include <cstdint>

namespace layernorm_bw {

// Of 32-bit datums: bytes of a tile, of a face and of a row of a face.
constexpr uint32_t FP32_TILE = 4096;
constexpr uint32_t FACE_BYTES = 1024;
constexpr uint32_t ROW_BYTES = 64;

using Words = volatile tt_l1_ptr uint32_t*;

inline Words words(uint32_t address) { return reinterpret_cast<Words>(address); }

// Column 0 of the fp32 tile at `from` to all columns of the tile at `to`, which may be the same; zeros to the rows from
// `rows` on.
inline void spread_column(uint32_t from, uint32_t to, uint32_t rows) {
    for (uint32_t row = 0; row < 32; row++) {
        // Column 0 lies in face 0 for the upper rows and in face 2 for the lower ones.
        const uint32_t at = row / 16 * 2 * FACE_BYTES + row % 16 * ROW_BYTES;
        const uint32_t value = row < rows ? words(from + at)[0] : 0;
        for (uint32_t column = 0; column < 16; column++) {
            words(to + at)[column] = value;
            words(to + at + FACE_BYTES)[column] = value;
        }
    }
}

// Row 0 of the fp32 tile at `at` to all its rows.
inline void spread_row(uint32_t at) {
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t face = at + half * FACE_BYTES;
        for (uint32_t column = 0; column < 16; column++) {
            const uint32_t value = words(face)[column];
            for (uint32_t row = 0; row < 16; row++) {
                words(face + row * ROW_BYTES)[column] = value;
                words(face + 2 * FACE_BYTES + row * ROW_BYTES)[column] = value;
            }
        }
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

}  // namespace layernorm_bw
