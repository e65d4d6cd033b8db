// What a header of the kernel API stands for: the calls of the kernel's kind.
#pragma once
// The generation of ttnn, 0.NN: the program's, or that of the headers.
#ifndef TP_GENERATION
#define TP_GENERATION 79
#endif
// What differs between chips is written below for these: a chip that nobody has looked at stops here.
#if !defined(ARCH_WORMHOLE) && !defined(ARCH_BLACKHOLE)
#error "the kernel API of this chip has not been described"
#endif
#ifdef COMPILE_FOR_TRISC
#include "tp/compute.h"
#else
#include "tp/dataflow.h"
#endif
