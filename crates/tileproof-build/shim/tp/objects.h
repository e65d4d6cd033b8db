// The object forms of the data-movement API, which the device declares only to kernels that include one of its headers
// (tt-metal 0.79 `brisck.cc` and `trisck.cc`): a kernel without them may call its own types by these names.
// Semaphore has a header of its own on the device, and here.
#pragma once
#include "tp/kernel_api.h"
#include "tp/l1_memory.h"
#include "tp/buffer_objects.h"
#ifndef COMPILE_FOR_TRISC
#include "tp/noc_objects.h"
#include "tp/endpoints.h"
#endif
