//! The op workbench: descriptions, gates, calls as programs, and what is read from the text of kernels.

mod analyze;
mod files;
mod gates;
mod in_cpp;
