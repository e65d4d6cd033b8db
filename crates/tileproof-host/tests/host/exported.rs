//! An op of the workbench as a change to tt-metal: its host side compiles, runs, and is right.

use std::path::Path;
use std::process::Command;

use tileproof::op::UserOp;

use crate::built::{Program, root};

#[test]
fn an_exported_op_compiles_runs_and_refuses_as_its_description_says() {
    // The same folder each time, or what is compiled in it would be another text.
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported");
    let _ = std::fs::remove_dir_all(&tree);
    let op = UserOp::read(&root().join("examples/ops/rmsnorm")).unwrap();
    let files = op.export("# rmsnorm\n", &tree).unwrap();
    // A second time nothing is written over it.
    let error = op.export("# another\n", &tree).unwrap_err().to_string();
    assert!(error.ends_with("is there already; op export overwrites nothing"), "{error}");
    let of_host = |file: &&std::path::PathBuf| {
        let path = file.display().to_string();
        path.ends_with(".cpp") && !path.contains("/kernels/") && !path.ends_with("_nanobind.cpp")
    };
    let include = format!("-I{}", tree.join("ttnn/cpp").display());
    let sources: Vec<String> = files.iter().filter(of_host).map(|file| file.display().to_string()).collect();
    assert_eq!(sources.len(), 3, "{sources:?}");
    let options: Vec<&str> = [include.as_str()].into_iter().chain(sources.iter().map(String::as_str)).collect();
    let program = Program::build("crates/tileproof-host/tests/cpp/exported.cpp", "exported", &options);
    let ran = program.run(&[], &[("TT_METAL_HOME", tree.as_os_str())]);
    let wanted = "40 rows right, 1 kept\n40 rows right, 1 kept\n2240 rows right, 2 kept\n\
        x: the last dimension is 33, it must be a multiple of 32\n\
        gamma: shape is Shape([1, 1, 1, 32]), it must be Shape([1, 1, 1, 64]), which is [1, 1, 1, x.w]\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), wanted, ""));
    let test = files.iter().find(|file| file.extension().is_some_and(|extension| extension == "py")).unwrap();
    let reads = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    assert!(Command::new("python3").args(["-c", reads]).arg(test).status().unwrap().success());
    std::fs::remove_dir_all(tree).unwrap();
}
