// Everything that a compute kernel can include, in the order in which it builds on itself.
#pragma once
#include "tp/arguments.h"
#include "tp/circular_buffer.h"
#include "tp/dprint.h"
#include "tp/startup.h"
#include "tp/fpu.h"
#include "tp/pack.h"
#include "tp/sfpu_codes.h"
#include "tp/sfpu.h"
#include "tp/sfpu_tiles.h"
#include "tp/llk.h"
#include "tp/older_llk.h"
#include "tp/older_names.h"
#include "tp/unmodelled.h"
#include "tp/unmodelled_names.h"
// Where MATH or PACK is compiled by itself a kernel has its vectors without asking, as on the device.
#if defined(TRISC_MATH) || defined(TRISC_PACK)
#include "tp/sfpi_run.h"
#endif
