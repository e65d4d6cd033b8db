// Tiles between DRAM and circular buffers, and the two tiles that the reader writes itself: the mask and 1/N.
#pragma once

#include "api/dataflow/dataflow_api.h"

namespace specimen {

// Starts `count` reads of consecutive pages into the next `reserved` pages of a circular buffer; the barrier and the push
// are the caller's.
template <typename Tensor>
inline void start_reads(uint32_t cb, const Tensor& tensor, uint32_t first, uint32_t count, uint32_t reserved) {
    cb_reserve_back(cb, reserved);
    uint32_t at = get_write_ptr(cb);
    for (uint32_t i = 0; i < count; i++, at += get_tile_size(cb)) {
        noc_async_read_page(first + i, tensor, at);
    }
}

// Starts `count` writes of the `waited` pages at the front of a circular buffer; the barrier and the pop are the caller's.
template <typename Tensor>
inline void start_writes(uint32_t cb, const Tensor& tensor, uint32_t first, uint32_t count, uint32_t waited) {
    cb_wait_front(cb, waited);
    uint32_t at = get_read_ptr(cb);
    for (uint32_t i = 0; i < count; i++, at += get_tile_size(cb)) {
        noc_async_write_page(first + i, tensor, at);
    }
}

// A bf16 tile: 1 in the first `columns` columns, else 0. Faces are 16x16, the left ones first in each pair.
inline void write_mask(uint32_t cb, uint32_t columns) {
    cb_reserve_back(cb, 1);
    auto* datum = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb));
    for (uint32_t i = 0; i < 1024; i++) {
        const uint32_t column = i / 256 % 2 * 16 + i % 16;
        datum[i] = column < columns ? 0x3f80 : 0;
    }
    cb_push_back(cb, 1);
}

// A bf16 tile of one value, given twice in a word.
inline void write_value(uint32_t cb, uint32_t twice) {
    cb_reserve_back(cb, 1);
    auto* pair = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    for (uint32_t i = 0; i < 512; i++) {
        pair[i] = twice;
    }
    cb_push_back(cb, 1);
}

}  // namespace specimen
