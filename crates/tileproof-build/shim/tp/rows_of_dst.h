// Rows of Dst one by one: averages that go on from row to row, and rows added to those that a table names.
// Registers 4 to 6 keep the last row and two factors from call to call, as on the device: what another operation leaves there in between
// is what a call goes on with. Steps are those of tt-llk `ckernel_sfpu_ema.h` and tt-metal `ckernel_sfpu_reshuffle_rows.h`, the same
// from 2025 on. Start at ema_tile.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi_faces.h"

namespace tp::rows {

// From a vector of four rows to the others of the same rows: the odd columns, and both of the face on the right.
constexpr uint32_t PLACES[] = {0, 2, 16, 18};
// Registers: the row before, its factor and that of the new one.
enum : uint32_t { PREVIOUS = 4, DECAY = 5, GAIN = 6, SCRATCH = 7 };

ALWI Value held(uint32_t number) { return {note(step_code::ReadRegister, number)}; }
ALWI void hold(uint32_t number, Value value) { note(step_code::WriteRegister, value.number, number); }
ALWI void transpose() { note(step_code::Transpose); }
ALWI void load(uint32_t first, uint32_t row) {
    for (uint32_t at = 0; at < 4; ++at) {
        hold(first + at, {note(step_code::Load, row + PLACES[at], 0)});
    }
}
ALWI void store(uint32_t first, uint32_t row) {
    for (uint32_t at = 0; at < 4; ++at) {
        note(step_code::Store, held(first + at).number, row + PLACES[at], 0);
    }
}
// The first of four rows of a tile.
constexpr uint32_t first_of_four(uint32_t row) { return (row & ~3u) + (row & 16); }

// Into the tile behind it.
inline void averages(Site site, uint32_t tile) {
    run_steps(site);
    // A transposition moves what lies there, too, and back.
    hold(SCRATCH, constant(0, false));
    transpose();
    for (uint32_t row = 0; row < 32; row += 4) {
        const uint32_t from = ROWS_A_TILE * tile + first_of_four(row);
        load(0, from);
        transpose();
        for (uint32_t at = 0; at < 4; ++at) {
            const Value decayed = step(step_code::MultiplyAdd, held(DECAY), held(at == 0 ? PREVIOUS : at - 1), constant(0, false));
            hold(SCRATCH, decayed);
            hold(at, step(step_code::MultiplyAdd, held(GAIN), held(at), held(SCRATCH)));
        }
        hold(PREVIOUS, held(3));
        transpose();
        store(0, from + ROWS_A_TILE);
    }
    transpose();
    run_steps(site);
}

// To rows of the tile behind it, by a table of bytes; a number from 32 on names none.
inline void added(Site site, uint32_t tile, uint32_t table) {
    run_steps(site);
    const volatile tt_l1_ptr uint8_t* targets = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(table + 16);
    for (uint32_t row = 0; row < 32; ++row) {
        const uint32_t target = targets[row];
        if (target < 32) {
            const uint32_t to = ROWS_A_TILE * (tile + 1) + first_of_four(target), place = 4 + target % 4;
            load(0, ROWS_A_TILE * tile + first_of_four(row));
            load(4, to);
            transpose();
            hold(place, step(step_code::Add, held(row % 4), held(place)));
            transpose();
            store(4, to);
        }
    }
    run_steps(site);
}

}  // namespace tp::rows

namespace ckernel {

ALWI void ema_init(uint32_t alpha, uint32_t beta) {
    if (TP_ON_MATH) {
        tp::run_pending(TP_SITE());
        tp::rows::hold(tp::rows::DECAY, tp::constant(alpha, false));
        tp::rows::hold(tp::rows::GAIN, tp::constant(beta, false));
    }
}
ALWI void ema_clear_previous_output() {
    if (TP_ON_MATH) {
        tp::rows::hold(tp::rows::PREVIOUS, tp::constant(0, false));
    }
}
ALWI void ema_tile(uint32_t dst) {
    if (TP_ON_MATH) {
        tp::rows::averages(TP_SITE(), dst);
    }
}

ALWI void reshuffle_rows_tile_init() {}
ALWI void reshuffle_rows_tile(uint32_t dst, uint32_t table) {
    if (TP_ON_MATH) {
        tp::rows::added(TP_SITE(), dst, table);
    }
}

}  // namespace ckernel
#endif
