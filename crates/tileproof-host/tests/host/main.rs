//! Host programs in C++, built and run.

mod bad_use;
mod built;
mod examples;
mod exported;
mod operation;
mod right_use;
mod suite;
