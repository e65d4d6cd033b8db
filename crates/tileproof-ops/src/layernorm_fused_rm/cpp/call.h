// What the host tells all three kernels about a call: compile-time arguments from `FIRST` on, and the circular buffers.
// The words are those that the program factory writes; `arguments.rs` reads the same in Rust.
#pragma once

#include <cstdint>

namespace layernorm {

constexpr uint32_t STICKS = tt::CBIndex::c_0;
constexpr uint32_t X = tt::CBIndex::c_1;
constexpr uint32_t MASKS = tt::CBIndex::c_2;
constexpr uint32_t ZERO = tt::CBIndex::c_3;
constexpr uint32_t GAMMA_STICK = tt::CBIndex::c_4;
constexpr uint32_t BETA_STICK = tt::CBIndex::c_5;
constexpr uint32_t GAMMA = tt::CBIndex::c_6;
constexpr uint32_t BETA = tt::CBIndex::c_7;
constexpr uint32_t OUT = tt::CBIndex::c_16;
constexpr uint32_t SUMS = tt::CBIndex::c_24;
constexpr uint32_t STATS = tt::CBIndex::c_25;
constexpr uint32_t CENTRE = tt::CBIndex::c_26;
constexpr uint32_t RSTD = tt::CBIndex::c_27;

// Arguments behind the accessors: of the data-movement kernels there are three, of compute none.
#ifdef LAYERNORM_COMPUTE
constexpr uint32_t FIRST = 0;
#else
constexpr uint32_t FIRST = 3;
#endif
// Tile columns of a row, of what moves together, and of a Dst window.
constexpr uint32_t WT = get_compile_time_arg_val(FIRST);
constexpr uint32_t CHUNK = get_compile_time_arg_val(FIRST + 1);
constexpr uint32_t BLOCK = get_compile_time_arg_val(FIRST + 2);
// The tiles of a row stay in L1 from the first pass to the last.
constexpr bool L1_PATH = get_compile_time_arg_val(FIRST + 3) != 0;
// Tiles in and out, instead of sticks.
constexpr bool IS_TILE = get_compile_time_arg_val(FIRST + 4) != 0;
constexpr bool IS_FP32 = get_compile_time_arg_val(FIRST + 5) != 0;
constexpr bool HAS_GAMMA = get_compile_time_arg_val(FIRST + 6) != 0;
constexpr bool HAS_BETA = get_compile_time_arg_val(FIRST + 7) != 0;
// mean and rstd are outputs.
constexpr bool STATISTICS = get_compile_time_arg_val(FIRST + 8) != 0;
// Tile rows of one matrix; valid rows of the last one, valid columns of the last tile column.
constexpr uint32_t HT = get_compile_time_arg_val(FIRST + 9);
constexpr uint32_t LAST_ROWS = get_compile_time_arg_val(FIRST + 10);
constexpr uint32_t LAST_COLUMNS = get_compile_time_arg_val(FIRST + 11);
constexpr uint32_t AFTER = FIRST + 12;

constexpr uint32_t DATUM = IS_FP32 ? 4 : 2;
// Bytes of 32 datums: a tile's width of a stick.
constexpr uint32_t PIECE = 32 * DATUM;

constexpr uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Valid rows of a tile row.
inline uint32_t rows_of(uint32_t row) { return row % HT == HT - 1 ? LAST_ROWS : 32; }

}  // namespace layernorm
