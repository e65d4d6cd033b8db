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

/// Pages that a kernel pushes into c_1, of which `n` is argument 0; `before` stands outside of it.
fn pushed(name: &str, before: &str, body: &str) -> String {
    let text = format!(
        "#include \"api/dataflow/dataflow_api.h\"\n{before}\n\
         void kernel_main() {{ uint32_t n = get_arg_val<uint32_t>(0);\n{}\n}}\n",
        body.replace("push(", "cb_push_back(1, ")
    );
    buffer(&of(name, &text), "c_1").pushed.clone().unwrap()
}

#[test]
fn no_count_is_told_of_what_is_left_branches_or_changes() {
    let each = "for (uint32_t i = 0; i < n; i++)";
    let of_loop = "unknown: depends on for (uint32_t i = 0; i < n; i++)";
    let inc = "inline void inc(uint32_t& x) { x += 3; }";
    for (before, body, says) in [
        // Ways out.
        ("", &format!("{each} {{ if (i == 3) break; push(1); }}")[..], "unknown: depends on break in line 4, in for ("),
        (
            "",
            &format!("{each} {{ if (i == 3) {{ continue; }} push(1); }}"),
            "unknown: depends on continue in line 4, in for (",
        ),
        ("", &format!("{each} {{ if (i == 3) return; push(1); }}"), "unknown: depends on return in line 4, in for ("),
        ("", "if (n == 0) return;\npush(n + 1);", "unknown: depends on the return in line 4"),
        ("", "{ { if (n == 0) { return; } } }\npush(1);", "unknown: depends on the return in line 4"),
        ("", "again: push(1); if (n > 3) goto again;", "unknown: depends on goto in kernel_main"),
        // Names that change.
        ("", &format!("{each} {{ i++; push(1); }}"), of_loop),
        ("", &format!("{each} {{ n--; push(1); }}"), of_loop),
        ("", "n += 2; push(n); n = 5; push(n);", "unknown: depends on n, which changes"),
        ("", "if (n > 3) { n = 2; }\npush(n);", "unknown: depends on n, which changes"),
        ("", "uint32_t m = 1;\nwhile (n > 3) { push(m); m = 2; }", "unknown: depends on while (n > 3)"),
        (
            "",
            "uint32_t m = 1;\nfor (uint32_t i = 0; i < 4; i++) { push(m); m = 2; }",
            "unknown: depends on m, which changes",
        ),
        ("", &format!("{each} {{ push(i); }}"), "unknown: depends on i, which changes"),
        (
            "",
            &format!("{each} for (uint32_t j = 0; j < i; j++) push(1);"),
            "unknown: depends on for (uint32_t j = 0; j < i; j++)",
        ),
        ("", "uint32_t& m = n; m = 3; push(n);", "unknown: depends on n, which changes"),
        (inc, "uint32_t m = 2; inc(m); push(m);", "unknown: depends on m, which changes"),
        (
            "template <uint32_t N> void add(uint32_t& x) { x += N; }",
            "uint32_t m = 2; add<3>(m); push(m);",
            "unknown: depends on m, which changes",
        ),
        (
            "void more(uint32_t a, uint32_t b) { f(a, b); }\nvoid more(uint32_t& x) { x += 3; }",
            "uint32_t m = 2; more(m); push(m);",
            "unknown: depends on m, which changes",
        ),
        ("", "uint32_t& m = n; n = 2; m = 7; push(n);", "unknown: depends on n, which changes"),
        ("", "auto f = [&]() { n++; }; n = 2; f(); push(n);", "unknown: depends on n, which changes"),
        (
            "uint32_t m = 2;\nvoid more() { m++; }",
            "for (uint32_t i = 0; i < 4; i++) { push(m); more(); }",
            "unknown: depends on m, which changes",
        ),
        // Branches within expressions.
        ("", "n > 3 ? push(1) : push(2);", "unknown: depends on n > 3 ?"),
        ("", "n > 3 && f(push(1));", "unknown: depends on n > 3 &&"),
        ("", "bool done = n > 3 || (push(1), true);", "unknown: depends on n > 3 ||"),
        ("", "switch (n) { case 0: push(1); break; default: push(3); }", "unknown: depends on switch (n)"),
    ] {
        let pushed = pushed("changes", before, body);
        assert!(pushed.starts_with(says), "{before} {body}: {pushed}");
    }
}

#[test]
fn what_is_left_or_changes_elsewhere_leaves_counts_as_they_are() {
    let each = "for (uint32_t i = 0; i < n; i++)";
    for (before, body, count) in [
        ("", &format!("{each} {{ push(1); }}")[..], "n"),
        // A way out of something else, or behind everything.
        ("", &format!("{each} {{ while (busy()) {{ break; }} push(1); }}"), "n"),
        ("", &format!("{each} {{ switch (i) {{ case 0: f(); break; }} push(1); }}"), "n"),
        ("", &format!("{each} {{ auto f = [&]() {{ return 1; }}; push(1); }}"), "n"),
        ("", "push(n);\nif (n == 0) { return; }", "n"),
        ("", "if (0) { n = 4; return; }\npush(n);", "n"),
        ("inline uint32_t least(uint32_t a) { if (a > 3) { return 3; } return a; }", "least(n);\npush(2);", "2"),
        // A name that is set where it always is, one that another function or block has for itself, and counting on.
        ("", "n = 5;\npush(n);", "5"),
        ("", "uint32_t m;\nm = 2 * 2;\npush(m);", "4"),
        ("", "uint32_t m = 2;\n{ uint32_t m = 3; m++; }\npush(m);", "2"),
        ("", "uint32_t m = 1;\nm++;\npush(m++);\npush(m);", "5"),
        ("", "push(n);\nn += 2;", "n"),
        ("", "auto&& z = f(); push(n);", "n"),
        (
            "inline void own() { uint32_t n = 1; n++; uint32_t m[4]; m[0] = 1; }",
            "const uint32_t m = 2;\nown();\npush(n * m);",
            "n * 2",
        ),
        ("inline void look(uint32_t& x, const uint32_t& y) { f(x); }", "look(n, n);\npush(n);", "n"),
        ("", "for (uint32_t i = 0; i < 4; i++) { f(i); }\nfor (uint32_t i = 0; i < n; i++) { push(1); }", "n"),
    ] {
        assert_eq!(pushed("keeps", before, body), count, "{before} {body}");
    }
}

#[test]
fn arguments_that_are_counted_on_have_their_own_indices() {
    let text = "void kernel_main() { uint32_t at = 0; uint32_t a = get_arg_val<uint32_t>(at++);\n\
                uint32_t b = get_arg_val<uint32_t>(at++);\n#ifdef MORE\nat++;\n#endif\n\
                uint32_t c = get_arg_val<uint32_t>(at++); cb_push_back(1, c); }";
    let analysis = of("indices", text);
    let arguments: Vec<(&str, &str)> = analysis.arguments.iter().map(|a| (a.index.as_str(), a.name.as_str())).collect();
    assert_eq!(arguments, [("0", "a"), ("1", "b"), ("at", "c")]);
    assert_eq!(buffer(&analysis, "c_1").pushed.as_deref(), Some("c"));
}

#[test]
fn a_macro_that_hides_a_call_or_a_way_out_is_named() {
    let analysis = of(
        "macros",
        "#define PUSH(n) \\\n    cb_push_back(9, n)\n#define TWICE(n) { PUSH(n); PUSH(n); }\n#define STOP return\n\
         #define NEXT(n) ((n) + 1)\n#define UNUSED(n) cb_pop_front(9, n)\n#define HAND(cb) cb.push_back(1)\n\
         void kernel_main() { PUSH(1);\nTWICE(NEXT(2));\nif (done()) { STOP; } cb_push_back(1, NEXT(3));\nHAND(out); }",
    );
    let unknown: Vec<&str> =
        analysis.unknown.iter().filter_map(|line| line.split_once("macros.cpp:")).map(|l| l.1).collect();
    assert_eq!(
        unknown,
        [
            "8: the macro PUSH is not gone through; it has cb_push_back",
            "9: the macro TWICE is not gone through; it has PUSH",
            "10: the macro STOP is not gone through; it has return",
            "11: the macro HAND is not gone through; it has push_back",
        ]
    );
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
        "void kernel_main() { do x",
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
    let chained = format!("void kernel_main() {{ bool x = {}a; }}", "a && ".repeat(60_000));
    for text in [deep, wide, chained] {
        fs::write(&path, text).unwrap();
        assert!(!analyze::path(&path).unwrap()[0].unknown.is_empty());
    }
}
