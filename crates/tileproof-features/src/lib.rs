//! Features of outside crates, so that whatever is built has the same ones.
//!
//! Cargo builds an outside crate with the features that the chosen packages ask for together. The command, its tests, the
//! Python package and an example differ in that, and all crates of ours would be compiled anew for each: this one asks for the
//! same everywhere. It must never have code. `xtask` compares what the selections come to.
