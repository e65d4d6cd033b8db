// What a header of the kernel API stands for: the calls of the kernel's kind.
#pragma once
#include "tp/api_dates.h"
// What differs between chips is written below for these: a chip that nobody has looked at stops here.
#if !defined(ARCH_WORMHOLE) && !defined(ARCH_BLACKHOLE)
#error "the kernel API of this chip has not been described"
#endif
#ifdef COMPILE_FOR_TRISC
#include "tp/compute.h"
#else
#include "tp/dataflow.h"
#endif
