// The steps of custom vector code: how a kernel notes them, and when the machine runs them.
// They must be run before anything else that MATH does; abi.h sees to that. Start at step.
#pragma once
#include "tp/instructions.h"

namespace tp {

constexpr uint32_t NO_VALUE = 0xffffffff;
// A step by its number.
struct Value {
    uint32_t number = NO_VALUE;
};

// Faces of long functions are run one by one, since no value outlives its face's call.
constexpr uint32_t MANY_STEPS = 1u << 14, MOST_STEPS = 1u << 19;
struct Steps {
    uint32_t words[4 * MOST_STEPS];
    uint32_t count;
    // The row of Dst that dst_reg[0] is: where the face begins, and how far it was moved on.
    uint32_t face, moved;
};
inline Steps steps;

inline void run_steps(Site site) {
    pending = nullptr;
    const uint32_t count = steps.count;
    steps.count = 0;
    if (count != 0) {
        machine()->sfpu_steps(site, steps.words, count);
    }
}

// Notes a step; gives its number.
[[gnu::noinline, gnu::no_sanitize("thread")]] inline uint32_t note(uint32_t code, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    if (steps.count == MOST_STEPS) {
        unsupported(TP_SITE(), "so much custom vector code in one go");
    }
    pending = run_steps;
    uint32_t* words = steps.words + 4 * steps.count;
    words[0] = code;
    words[1] = a;
    words[2] = b;
    words[3] = c;
    return steps.count++;
}
ALWI Value step(uint32_t code, Value a) { return {note(code, a.number)}; }
ALWI Value step(uint32_t code, Value a, Value b, uint32_t c = 0) { return {note(code, a.number, b.number, c)}; }
ALWI Value step(uint32_t code, Value a, Value b, Value c) { return {note(code, a.number, b.number, c.number)}; }
ALWI Value constant(uint32_t word, bool seen) { return {note(step_code::Constant, word, seen)}; }

constexpr uint32_t ROWS_A_TILE = 64, ROWS_A_FACE = 16, ROWS_A_VECTOR = 2;
// The faces of a vector mode, a bit each. What is none of R, C and RC runs once (LLK `llk_math_eltwise_sfpu_common.h`).
constexpr uint32_t faces_of(int mode) {
    using ckernel::VectorMode;
    return mode == int(VectorMode::RC)  ? 0b1111
           : mode == int(VectorMode::R) ? 0b0011
           : mode == int(VectorMode::C) ? 0b0101
                                        : 0b0001;
}

}  // namespace tp
