// Everything that a data-movement kernel can include, in the order in which it builds on itself.
#pragma once
#include "tp/arguments.h"
#include "tp/circular_buffer.h"
#include "tp/dprint.h"
#include "tp/noc.h"
#include "tp/noc_state.h"
#include "tp/noc_registers.h"
#include "tp/tensor_accessor.h"
#include "tp/unmodelled_dataflow.h"
