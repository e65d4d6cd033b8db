// What a header of the kernel API stands for: the calls of the kernel's kind.
#pragma once
// The generation of ttnn, 0.NN: the program's, or that of the headers.
#ifndef TP_GENERATION
#define TP_GENERATION 79
#endif
#ifdef COMPILE_FOR_TRISC
#include "tp/compute.h"
#else
#include "tp/dataflow.h"
#endif
