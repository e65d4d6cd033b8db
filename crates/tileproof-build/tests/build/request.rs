//! A kernel to be compiled, of which only what a test is about is said.

use std::path::PathBuf;

use tileproof_build::CompileRequest;
use tileproof_model::arch::Arch;
use tileproof_model::program::KernelConfig;

/// A kernel for Wormhole without arguments, defines, folders of headers or circular buffers.
pub(crate) fn request(source: PathBuf, config: KernelConfig) -> CompileRequest {
    CompileRequest {
        source,
        config,
        compile_time_args: vec![],
        named_compile_time_args: vec![],
        defines: vec![],
        include_dirs: vec![],
        circular_buffers: vec![],
        arch: Arch::Wormhole,
    }
}
