//! LayerNorm forward and backward: they describe programs and never run them.
