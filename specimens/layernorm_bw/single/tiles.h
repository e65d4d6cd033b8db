// Tiles between DRAM and circular buffers, and tiles that data-movement kernels write themselves.
#pragma once

#include "api/dataflow/dataflow_api.h"

namespace specimen {

constexpr uint32_t X = tt::CBIndex::c_0;
constexpr uint32_t GAMMA = tt::CBIndex::c_1;
constexpr uint32_t DY = tt::CBIndex::c_2;
constexpr uint32_t STATS = tt::CBIndex::c_3;
constexpr uint32_t MASK = tt::CBIndex::c_4;
constexpr uint32_t TOTALS = tt::CBIndex::c_7;
constexpr uint32_t TOTALS_SPREAD = tt::CBIndex::c_8;
constexpr uint32_t DX = tt::CBIndex::c_16;
constexpr uint32_t DGAMMA = tt::CBIndex::c_17;
constexpr uint32_t DBETA = tt::CBIndex::c_18;

// Column 0 of the fp32 tile at `from` to all columns of the tile at `to`. Faces are 16x16: two of the upper rows, then two.
inline void spread_column(uint32_t from, uint32_t to) {
    auto* source = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from);
    auto* target = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to);
    for (uint32_t row = 0; row < 32; row++) {
        const uint32_t at = row / 16 * 512 + row % 16 * 16;
        const uint32_t value = source[at];
        for (uint32_t column = 0; column < 16; column++) {
            target[at + column] = value;
            target[at + 256 + column] = value;
        }
    }
}

// A bf16 tile of 1 in the first `columns` columns and 0 in the others.
inline void write_mask(uint32_t at, uint32_t columns) {
    auto* datum = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(at);
    for (uint32_t i = 0; i < 1024; i++) {
        datum[i] = i / 256 % 2 * 16 + i % 16 < columns ? 0x3f80 : 0;
    }
}

// Starts reads of `count` pages into the next `reserved` pages of a circular buffer.
template <typename Tensor>
inline void start_reads(uint32_t cb, const Tensor& tensor, uint32_t first, uint32_t count, uint32_t reserved) {
    cb_reserve_back(cb, reserved);
    uint32_t at = get_write_ptr(cb);
    for (uint32_t i = 0; i < count; i++, at += get_tile_size(cb)) {
        noc_async_read_page(first + i, tensor, at);
    }
}

}  // namespace specimen
