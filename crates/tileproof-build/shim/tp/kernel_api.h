// What a header of the kernel API stands for: the calls of the kernel's kind.
#pragma once
#ifdef COMPILE_FOR_TRISC
#include "tp/compute.h"
#else
#include "tp/dataflow.h"
#endif
