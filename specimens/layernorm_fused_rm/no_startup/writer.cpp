// The same as the right one: the fault is in compute.
#include "../../../crates/tileproof-ops/src/layernorm_fused_rm/cpp/writer.cpp"
