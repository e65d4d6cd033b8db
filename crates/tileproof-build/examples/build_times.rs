//! How long a program of three kernels takes to build: from an empty cache, and again.
//!
//! Give the kernels' files and an empty cache folder: `build_times CACHE READER COMPUTE WRITER`. It measures what a run of
//! a program waits for before its first cycle; run it twice for the time of a second process. Start at `main`.

use std::path::PathBuf;
use std::time::Instant;

use tileproof_build::{Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{ComputeConfig, DataMovementConfig, KernelConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [cache, reader, compute, writer] = paths.as_slice() else {
        return Err("usage: build_times CACHE READER COMPUTE WRITER".into());
    };
    let request = |source: &PathBuf, config: KernelConfig| CompileRequest {
        source: source.clone(),
        config,
        compile_time_args: vec![2],
        named_compile_time_args: Vec::new(),
        defines: Vec::new(),
        include_dirs: Vec::new(),
        circular_buffers: [0, 1, 16]
            .map(|index| CircularBufferFormat { index, format: DataFormat::Float16_b, page_size: 2048 })
            .to_vec(),
        arch: Arch::Wormhole,
    };
    let requests = [
        request(reader, KernelConfig::DataMovement(DataMovementConfig::READER)),
        request(compute, KernelConfig::Compute(ComputeConfig::default())),
        request(writer, KernelConfig::DataMovement(DataMovementConfig::WRITER)),
    ];
    let start = Instant::now();
    let kernels = Builder::new(Some(cache.clone()))?.build(&requests)?;
    println!("{} kernels in {:.1} ms", kernels.len(), start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
