//! Recorded results against the arithmetic of the units, bit for bit. No expected value comes from our own output.

mod fpu;
mod kernels;
mod sfpu;
mod sfpu_calls;
mod sfpu_integers;
mod sfpu_table;
mod sfpu_words;
