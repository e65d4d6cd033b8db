//! A call of a shipped op as a program file with C++ kernels: it runs, and gives what the op gives.

use std::path::{Path, PathBuf};

use tileproof::op::call::CallWords;
use tileproof::op::call_file::default_fill;
use tileproof::op::in_cpp::{CppProgram, PROGRAM};
use tileproof::op::registry;
use tileproof::op::run::Source;
use tileproof::op::{Call, Op};
use tileproof::program_file::ProgramFile;
use tileproof::run_file::{RunOptions, run_program_file};
use tileproof_model::record::Status;

fn call(shape: &str, dtype: &str, layout: &str, settings: &[(&str, &str)]) -> Call {
    let settings = settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let words = CallWords { shape: shape.into(), dtype: dtype.into(), layout: layout.into(), settings };
    Call::from_words(&words).unwrap()
}

/// The program of a call, written into an empty folder.
fn written(name: &str, op: &dyn Op, call: &Call) -> (CppProgram, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("op-in-cpp").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let source = Source { seed: 0, fills: &|input| default_fill(&[], input) };
    let program = CppProgram::of(op, call, &source, (1e-2, 1e-2)).unwrap().expect("an op that is shipped in C++");
    program.write_into(&folder).unwrap();
    (program, folder)
}

#[test]
fn both_ops_run_as_program_files_and_give_what_their_references_say() {
    let cases = [
        ("layernorm_bw", call("1,1,40,100", "bf16", "tile", &[("path", "l1")])),
        ("layernorm_bw", call("2,1,70,300", "fp32", "tile", &[("path", "block"), ("cores", "3")])),
        ("layernorm_fused_rm", call("2,40,100", "fp32", "row_major", &[("stats", "true")])),
        ("layernorm_fused_rm", call("1,1,33,600", "bf16", "tile", &[("path", "block")])),
    ];
    for (i, (name, call)) in cases.iter().enumerate() {
        let op = registry::shipped(name).unwrap();
        let (_, folder) = written(&i.to_string(), op.as_ref(), call);
        let result = run_program_file(&folder.join(PROGRAM), &RunOptions::default()).unwrap();
        assert_eq!(result.record.status, Status::Completed, "{name} {call}");
        assert!(result.record.findings.is_empty(), "{name} {call}: {:#?}", result.record.findings);
        assert!(!result.outputs.is_empty() && result.outputs.iter().all(|output| output.pass), "{name}");
    }
}

#[test]
fn the_text_reads_back_as_the_program_that_the_op_describes() {
    let op = registry::shipped("layernorm_bw").unwrap();
    let call = call("1,1,70,100", "bf16", "tile", &[("cores", "2")]);
    let (program, folder) = written("text", op.as_ref(), &call);
    let read = ProgramFile::parse(&folder.join(PROGRAM), &program.text(), &[]).unwrap();
    let described = op.program(&call).unwrap();
    assert_eq!(format!("{:?}", read.program.tensors), format!("{:?}", described.program.tensors));
    assert_eq!(read.program.launches.len(), described.program.launches.len());
    for (read, described) in read.program.launches.iter().zip(&described.program.launches) {
        assert_eq!(format!("{:?}", read.cbs), format!("{:?}", described.cbs));
        for (read, described) in read.kernels.iter().zip(&described.kernels) {
            assert_eq!(read.core_ranges, described.core_ranges);
            assert_eq!(format!("{:?}", read.config), format!("{:?}", described.config));
            assert_eq!(read.compile_time_args, described.compile_time_args);
            assert_eq!(read.runtime_args, described.runtime_args);
        }
    }
}

#[test]
fn a_folder_that_holds_a_program_is_left_alone() {
    let op = registry::shipped("layernorm_bw").unwrap();
    let (program, folder) = written("twice", op.as_ref(), &call("1,1,32,32", "bf16", "tile", &[]));
    let error = program.write_into(&folder).unwrap_err().to_string();
    assert!(error.contains("program.toml: is there already"), "{error}");
}
