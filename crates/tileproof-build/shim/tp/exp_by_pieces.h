// The exponential of before the summer of 2026 that is approximate and not fast: a line through the bits of x / ln 2, and constants
// beyond it; and what the inits of both forms load. Source: tt-llk c901928a10 `ckernel_sfpu_exp.h`. Start at exp_by_pieces.
#pragma once
#include "tp/sfpi_steps.h"

namespace tp {

ALWI void set_constant(uint32_t number, uint32_t word) { note(step_code::SetConstant, constant(word, false).number, number); }
// What the accurate form of those days loads: the constants of the reciprocal, whatever the width of Dst (tt-llk since 12 September
// 2025 `_init_exponential_`, `_init_sfpu_reciprocal_`). Before that day it is not known.
ALWI void older_exp_init(Site site) {
    run_pending(site);
    state.exp_is_older = true;
#ifdef ARCH_BLACKHOLE
    machine()->sfpu_init(site, op::Exp.code | vector::older);
    if (TP_API >= 20250912) {
        set_constant(12, __builtin_bit_cast(uint32_t, 2.0f));
        run_steps(site);
    }
#else
    machine()->sfpu_init(site, TP_API >= 20250912 ? op::Recip.code : op::Exp.code | vector::older);
#endif
}
ALWI void init_by_pieces(Site site) {
    run_pending(site);
    state.exp_is_older = true;
    set_constant(12, __builtin_bit_cast(uint32_t, 1.442695f));
    set_constant(13, 0x43400000);
    set_constant(14, 0xbd3f0000);
    run_steps(site);
}
// Of one vector; how comparisons are called by: 0 less, 1 not less.
template <bool scaled, bool skip_positive_check>
inline void vector_by_pieces(uint32_t row, uint16_t scale) {
    const auto number = [](float value) { return constant(__builtin_bit_cast(uint32_t, value), true); };
    const auto assign = [](Value to, Value value) { return step(step_code::Assign, to, value); };
    const auto where = [](Value x, Value bound, uint32_t how) {
        note(step_code::Where, step(step_code::CompareFloat, x, bound, how).number);
    };
    Value x = {note(step_code::Load, row, 0)};
    Value y = number(0.0f);
    if constexpr (scaled) {
        x = step(step_code::Multiply, x, constant(uint32_t(scale) << 16, false));
    }
    note(step_code::Begin);
    if constexpr (!skip_positive_check) {
        where(x, number(89.0f), 1);
        y = assign(y, number(__builtin_inff()));
        note(step_code::Otherwise);
        note(step_code::Begin);
    }
    where(x, number(-42.0f), 0);
    y = assign(y, number(0.0f));
    note(step_code::Otherwise);
    const Value product = step(step_code::Multiply, x, {note(step_code::ReadConstant, 12)});
    const Value line = step(step_code::Add, product, {note(step_code::ReadConstant, 13)});
    const Value bits = step(step_code::AddInt, {note(step_code::ReadConstant, 14)}, line);
    y = assign(y, step(step_code::Shift, bits, constant(7, true)));
    note(step_code::End, skip_positive_check ? 1 : 2);
    note(step_code::Store, y.number, row, 0);
}
template <bool scaled, bool skip_positive_check, int iterations>
inline void exp_by_pieces(Site site, uint32_t tile, int vector_mode, uint16_t scale) {
    run_pending(site);
    const uint32_t faces = faces_of(exp_mode<iterations, false>(site, vector_mode));
    for (uint32_t row = 0; row < ROWS_A_TILE; row += ROWS_A_VECTOR) {
        if ((faces >> row / ROWS_A_FACE & 1) != 0) {
            vector_by_pieces<scaled, skip_positive_check>(ROWS_A_TILE * tile + row, scale);
        }
    }
    run_steps(site);
}

}  // namespace tp
