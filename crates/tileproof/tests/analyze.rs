//! What is read from the text of a kernel, and what is said not to be known.

use std::fs;
use std::path::Path;

use tileproof::analyze::{self, Analysis, Buffer, Given};

fn of(name: &str, text: &str) -> Analysis {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analyze");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.cpp"));
    fs::write(&path, text).unwrap();
    analyze::file(&path, &Given::default()).unwrap()
}

fn buffer<'a>(analysis: &'a Analysis, name: &str) -> &'a Buffer {
    let names: Vec<&str> = analysis.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    analysis.buffers.iter().find(|buffer| buffer.name == name).unwrap_or_else(|| panic!("{name}: {names:?}"))
}

#[test]
fn counts_are_functions_of_the_arguments_where_loops_are_plain() {
    let analysis = of(
        "counts",
        r#"
        #include "api/dataflow/dataflow_api.h"
        constexpr uint32_t block = get_compile_time_arg_val(1);
        inline void send(uint32_t cb, uint32_t n) {
            cb_reserve_back(cb, n);
            cb_push_back(cb, n); // cb_push_back(cb, 7)
        }
        void kernel_main() {
            const uint32_t rows = get_arg_val<uint32_t>(2);
            constexpr uint32_t cb = tt::CBIndex::c_3;
            for (uint32_t row = 0; row < rows; row++) {
                for (uint32_t i = 0; i < 8; i += 2) { send(cb, block); }
                send(cb, 1);
            }
            const char* text = "cb_pop_front(5, 1)";
        }"#,
    );
    assert_eq!(analysis.kind, "data movement");
    let c_3 = buffer(&analysis, "c_3");
    // 4 times `block`, and 1, for each row; comments and strings count nothing.
    assert_eq!(c_3.pushed.as_deref(), Some("rows * 4 * block + rows"));
    assert_eq!((c_3.roles.as_slice(), c_3.popped.as_deref()), (&["producer"][..], None));
    assert_eq!(analysis.buffers.len(), 1);
    let arguments: Vec<(&str, &str, &str)> =
        analysis.arguments.iter().map(|a| (a.kind, a.index.as_str(), a.name.as_str())).collect();
    assert_eq!(arguments, [("compile-time", "1", "block"), ("runtime", "2", "rows")]);
    assert_eq!((analysis.helpers[0].name.as_str(), analysis.helpers[0].calls), ("send", 2));
}

#[test]
fn what_depends_on_something_else_is_said_to_be_unknown() {
    let analysis = of(
        "unknown",
        r#"
        #include "api/dataflow/dataflow_api.h"
        void kernel_main() {
            const uint32_t which = get_arg_val<uint32_t>(0);
            while (flag == 0) { cb_pop_front(1, 1); }
            if (which == 3) { cb_pop_front(2, 1); }
            cb_pop_front(which, 1);
            auto work = [&](uint32_t n) { cb_pop_front(4, n); };
        #ifdef FAST
            cb_pop_front(5, 1);
        #endif
        }"#,
    );
    let popped = |name: &str| buffer(&analysis, name).popped.clone().unwrap();
    assert_eq!(popped("c_1"), "unknown: depends on while (flag == 0)");
    assert_eq!(popped("c_2"), "unknown: depends on if (which == 3)");
    assert_eq!(popped("unknown: depends on which"), "1");
    assert_eq!(popped("c_4"), "unknown: depends on a lambda, called elsewhere");
    assert_eq!(popped("c_5"), "unknown: depends on #ifdef FAST");
    assert!(analysis.unknown.iter().any(|line| line.ends_with("both branches of #ifdef FAST are listed")));
}

#[test]
fn operations_are_listed_by_thread_with_their_inits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs/add");
    let analysis = analyze::file(&folder.join("add.cpp"), &Given::default()).unwrap();
    assert_eq!(analysis.kind, "compute");
    let on = |thread: &str| -> Vec<String> {
        let of_thread = analysis.operations.iter().filter(|operation| operation.threads.contains(&thread));
        of_thread.map(|o| format!("{}{}", if o.init { "init " } else { "" }, o.call)).collect()
    };
    let (startup, add) = ("init compute_kernel_hw_startup", "init add_init");
    assert_eq!(
        on("UNPACK"),
        [startup, add, "cb_wait_front", "cb_wait_front", "add_tiles", "cb_pop_front", "cb_pop_front"]
    );
    assert_eq!(on("MATH"), [startup, add, "tile_regs_acquire", "add_tiles", "tile_regs_commit"]);
    assert_eq!(
        on("PACK"),
        [startup, "cb_reserve_back", "tile_regs_wait", "pack_tile", "tile_regs_release", "cb_push_back"]
    );
    assert_eq!(buffer(&analysis, "c_16").pushed.as_deref(), Some("pages"));
    // The same numbers as the ledger of a run with PAGES = 4 would have, once the argument is given.
    let given = Given { compile_time_args: vec![Some(4)], ..Given::default() };
    let analysis = analyze::file(&folder.join("add.cpp"), &given).unwrap();
    assert_eq!(buffer(&analysis, "c_16").pushed.as_deref(), Some("4"));
}

#[test]
fn a_folder_gives_all_of_its_kernels_and_a_file_that_is_none_is_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ops/rmsnorm");
    assert_eq!(analyze::path(&folder).unwrap().len(), 3);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_kernel.cpp");
    fs::write(&path, "int main() { return 0; }").unwrap();
    let error = analyze::path(&path).unwrap_err().to_string();
    assert!(error.ends_with("there is no kernel_main and no MAIN; is it a kernel?"), "{error}");
    // Text that is no C++ must not be a fault of ours.
    for text in [
        "void kernel_main() { for (",
        "void kernel_main() { if",
        "}}}}((((",
        "template <",
        "void kernel_main( {",
        "#if",
        "\"",
        "/*",
        "void kernel_main() { f(g(h<1>2)); x = [ }",
    ] {
        fs::write(&path, text).unwrap();
        let _ = analyze::path(&path);
    }
    // Nor text that is very deep, or whose helpers call helpers.
    let deep =
        format!("void kernel_main() {{ x = {}1{}; {} }}", "f(".repeat(2000), ")".repeat(2000), "if (a) ".repeat(2000));
    let calls: String =
        (1..12).map(|i| format!("void f{i}() {{ {} }}\n", format!("f{}();", i - 1).repeat(9))).collect();
    let wide =
        format!("void f0() {{ cb_push_back(0, 99999999999 * 99999999999); }}\n{calls}void kernel_main() {{ f11(); }}");
    for text in [deep, wide] {
        fs::write(&path, text).unwrap();
        assert!(!analyze::path(&path).unwrap()[0].unknown.is_empty());
    }
}
