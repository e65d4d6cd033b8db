// Headers of vector operations that a host chooses by definitions; what all kernels have anyway stands in no header of its own.
// Start at the definitions (tt-metal `sfpu_split_includes.h`).
#pragma once
#include "tp/random.h"
#if defined(SFPU_OP_REMAINDER_INCLUDE) || defined(SFPU_OP_FMOD_INCLUDE)
#include "tp/remainders.h"
#endif
