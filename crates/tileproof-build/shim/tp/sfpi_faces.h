// Faces of a tile of Dst, one after the other, for custom vector code.
// A function must begin at its face, however far the one before moved on: counters of the face are set here and nowhere else. Start
// at on_faces; names are those of tt-llk `llk_math_eltwise_sfpu_common.h`.
#pragma once
#include "tp/kernel_api.h"
#ifdef COMPILE_FOR_TRISC
#include "tp/sfpi.h"
#include "tp/sfpi_words.h"

namespace tp {

template <typename Function, typename... Arguments>
ALWI void on_faces(Site site, uint32_t tile, ckernel::TpVectorMode mode, Function&& function, Arguments&&... arguments) {
    run_steps(site);
    const uint32_t faces = faces_of(mode);
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
