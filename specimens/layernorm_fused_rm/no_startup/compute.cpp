// The right kernel without its hardware start-up: formats, semaphore and packer stay as the last kernel on the core left
// them. On the device this hangs, or gives wrong numbers, depending on what that was.
#include "api/compute/compute_kernel_hw_startup.h"
#define compute_kernel_hw_startup(...)
#include "../../../crates/tileproof-ops/src/layernorm_fused_rm/cpp/compute.cpp"
