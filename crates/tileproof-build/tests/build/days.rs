//! Calls that the headers of some days refuse to compile, by assertions of their own: with `api` of such a day the kernel is refused
//! at its line.
//!
//! Which days those are follows from the history of tt-metal's `compute_kernel_api.h`.

use std::path::Path;

use crate::request::request;
use tileproof_build::{BuildError, Builder, CompileRequest};
use tileproof_model::program::{ComputeConfig, KernelConfig};

const KERNEL: &str = "#include \"api/compute/common.h\"\n#include \"api/compute/compute_kernel_api.h\"\nvoid kernel_main() {\n    \
                      sfpu_reduce_init<PoolType::POOL, DataFormat::Float16_b>();\n    \
                      sfpu_reduce<PoolType::POOL, DataFormat::Float16_b, ReduceDim::DIM>(0);\n}\n";

/// What the compiler says of a reduction with the headers of a day; nothing if it takes it.
fn refused(pool: &str, dim: &str, day: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("days");
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("reduction.cpp");
    std::fs::write(&source, KERNEL).unwrap();
    let defines = [("POOL", pool), ("DIM", dim), ("TP_API", day)].map(|(name, value)| (name.into(), value.into()));
    let config = KernelConfig::Compute(ComputeConfig::default());
    let request = CompileRequest { defines: defines.into(), ..request(source.clone(), config) };
    match Builder::new(Some(folder.join("cache"))).unwrap().build(&[request]) {
        Ok(_) => None,
        Err(BuildError::Compile { text, .. }) => {
            assert!(text.contains(&format!("{}:5:", source.display())), "{text}");
            Some(text)
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn reductions_along_rows_compile_on_the_days_whose_call_takes_them() {
    for (pool, dim, day, words) in [
        ("SUM", "REDUCE_ROW", "20260224", "takes no rows on the day"),
        ("MAX", "REDUCE_ROW", "20260402", "takes only sums along rows on the day"),
        ("MIN", "REDUCE_ROW", "20260225", "takes only sums along rows on the day"),
        ("AVG", "REDUCE_ROW", "20260402", "takes no averages along rows"),
        ("AVG", "REDUCE_ROW", "20260918", "takes no averages along rows"),
    ] {
        let text = refused(pool, dim, day).unwrap_or_else(|| panic!("{pool} {dim} of {day} compiles"));
        assert!(text.contains(words), "{pool} {dim} of {day}: {text}");
    }
    for (pool, dim, day) in [
        ("SUM", "REDUCE_ROW", "20260225"),
        ("SUM", "REDUCE_ROW", "20260918"),
        ("MAX", "REDUCE_ROW", "20260918"),
        ("MIN", "REDUCE_ROW", "20260918"),
        ("AVG", "REDUCE_COL", "20260122"),
        ("AVG", "REDUCE_COL", "20260918"),
    ] {
        assert_eq!(refused(pool, dim, day), None, "{pool} {dim} of {day}");
    }
}
