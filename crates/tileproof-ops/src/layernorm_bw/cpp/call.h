// What the host tells the kernels of the first program about a call, and their circular buffers. A kernel says before it
// includes this where its arguments begin, behind its accessors: `FIRST`. The words are those that program.rs writes.
#pragma once

#include <cstdint>

namespace layernorm_bw {

constexpr uint32_t X = tt::CBIndex::c_0;
constexpr uint32_t GAMMA = tt::CBIndex::c_1;
constexpr uint32_t DY = tt::CBIndex::c_2;
// mean and rstd of a tile row, in all columns.
constexpr uint32_t STATS = tt::CBIndex::c_3;
// Page 0 masks the last tile column, page 1 the last tile row of a matrix.
constexpr uint32_t MASKS = tt::CBIndex::c_4;
// s1 and s2 of a tile row, in column 0; then in all columns.
constexpr uint32_t SUMS = tt::CBIndex::c_5;
constexpr uint32_t SUMS_BROADCAST = tt::CBIndex::c_6;
constexpr uint32_t DX = tt::CBIndex::c_16;
// dgamma and dbeta summed over tile rows; then over the 32 rows that are left, in row 0.
constexpr uint32_t DGAMMA_SUM = tt::CBIndex::c_17;
constexpr uint32_t DBETA_SUM = tt::CBIndex::c_18;
constexpr uint32_t DGAMMA = tt::CBIndex::c_19;
constexpr uint32_t DBETA = tt::CBIndex::c_20;

// Tile columns of a row, and of what moves together: all of them where whole rows stay in L1.
constexpr uint32_t WT = get_compile_time_arg_val(FIRST);
constexpr uint32_t BLOCK = get_compile_time_arg_val(FIRST + 1);
// Tile rows whose statistics are kept at a time where rows are streamed.
constexpr uint32_t GROUP = get_compile_time_arg_val(FIRST + 2);
constexpr bool L1_PATH = get_compile_time_arg_val(FIRST + 3) != 0;
// What a kernel is told beyond that.
constexpr uint32_t AFTER = FIRST + 4;

constexpr uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Calls `work` with the first tile column and the number of tile columns of each block of a row.
template <typename Work>
inline void for_each_block(const Work& work) {
    for (uint32_t column = 0; column < WT; column += BLOCK) {
        work(column, smaller(BLOCK, WT - column));
    }
}

// Calls `work` with the first tile row of each group and the one behind its last.
template <typename Work>
inline void for_each_group(uint32_t start, uint32_t end, const Work& work) {
    for (uint32_t first = start; first < end; first += GROUP) {
        work(first, smaller(first + GROUP, end));
    }
}

}  // namespace layernorm_bw
