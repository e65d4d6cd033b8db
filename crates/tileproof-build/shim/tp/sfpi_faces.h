// Faces of a tile of Dst, one after the other, for custom vector code.
// A function must begin at its face, however far the one before moved on: counters of the face are set here and nowhere else. Start
// at on_faces; names are those of tt-llk `llk_math_eltwise_sfpu_common.h`.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi.h"

namespace tp {
constexpr uint32_t ROWS_A_TILE = 64, ROWS_A_FACE = 16;
}  // namespace tp
#include "tp/sfpi_words.h"

namespace tp {

template <typename Function, typename... Arguments>
ALWI void on_faces(Site site, uint32_t tile, ckernel::TpVectorMode mode, Function&& function, Arguments&&... arguments) {
    using ckernel::VectorMode;
    run_steps(site);
    // What is none of R, C and RC runs once (LLK `llk_math_eltwise_sfpu_common.h`).
    const uint32_t faces = mode == int(VectorMode::RC)  ? 0b1111
                           : mode == int(VectorMode::R) ? 0b0011
                           : mode == int(VectorMode::C) ? 0b0101
                                                        : 0b0001;
    for (uint32_t face = 0; face < 4; ++face) {
        if ((faces >> face & 1) != 0) {
            steps.face = ROWS_A_TILE * tile + ROWS_A_FACE * face;
            steps.moved = 0;
            function(arguments...);
            if (steps.count > MANY_STEPS) {
                run_steps(site);
            }
        }
    }
    steps.face = steps.moved = 0;
    run_steps(site);
}
}  // namespace tp
#endif
