//! What the builder says of kernels that cannot be built, and what it keeps of those that can.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::request;
use tileproof_build::{BuildError, Builder, CompileRequest};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::program::{ComputeConfig, DataMovementConfig, KernelConfig};

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("builder").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn request(folder: &Path, text: &str) -> CompileRequest {
    let source = folder.join("kernel.cpp");
    std::fs::write(&source, text).unwrap();
    CompileRequest {
        compile_time_args: vec![4, 5, 6],
        named_compile_time_args: vec![("blocks".into(), 7)],
        ..request::request(source, KernelConfig::DataMovement(DataMovementConfig::READER))
    }
}

fn build(folder: &Path, request: CompileRequest) -> Result<SharedKernel, BuildError> {
    Builder::new(Some(folder.join("cache")))?.build(&[request]).map(|mut kernels| kernels.remove(0))
}

const READER: &str = "#include \"api/dataflow/dataflow_api.h\"\n";

#[test]
fn a_compile_error_names_the_users_file_and_line() {
    let folder = folder("compile_error");
    let request = request(&folder, &format!("{READER}void kernel_main() {{\n    no_such_call(1);\n}}\n"));
    let source = request.source.display().to_string();
    match build(&folder, request).err() {
        Some(BuildError::Compile { text, .. }) => assert!(text.contains(&format!("{source}:3:")), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_kernel_without_an_entry_point_is_refused() {
    let folder = folder("no_entry");
    let request = request(&folder, &format!("{READER}void main_kernel() {{}}\n"));
    assert!(matches!(build(&folder, request), Err(BuildError::NoEntryPoint { .. })));
}

#[test]
fn a_compile_time_argument_that_is_not_given_is_named() {
    let folder = folder("argument");
    let text = format!("{READER}constexpr uint32_t n = get_compile_time_arg_val(5);\nvoid kernel_main() {{}}\n");
    match build(&folder, request(&folder, &text)).err() {
        Some(BuildError::CompileTimeArgument { index, count, .. }) => assert_eq!((index, count), (5, 3)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_are_constants_and_the_older_entry_point_works() {
    let folder = folder("constants");
    let mut request = request(
        &folder,
        "#include \"compute_kernel_api/common.h\"\n\
         static_assert(get_compile_time_arg_val(1) == 5 && get_named_compile_time_arg_val(\"blocks\") == 7);\n\
         namespace NAMESPACE {\ninline void MAIN { static_assert(WIDTH == 3 && DST_ACCUM_MODE); }\n}\n",
    );
    request.defines = vec![("WIDTH".into(), "3".into())];
    request.config = KernelConfig::Compute(ComputeConfig { fp32_dest_acc_en: true, ..ComputeConfig::default() });
    build(&folder, request).unwrap();
}

#[test]
fn an_included_file_that_changed_is_seen() {
    let folder = folder("included");
    let header = folder.join("width.h");
    std::fs::write(&header, "constexpr int width = 1;\n").unwrap();
    let text = format!("{READER}#include \"width.h\"\nstatic_assert(width == 1);\nvoid kernel_main() {{}}\n");
    let first = build(&folder, request(&folder, &text)).unwrap();
    let again = build(&folder, request(&folder, &text)).unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    std::fs::write(&header, "constexpr int width = 2;\n").unwrap();
    assert!(matches!(build(&folder, request(&folder, &text)), Err(BuildError::Compile { .. })));
}

#[test]
fn names_that_helper_headers_use_are_there() {
    let folder = folder("names");
    let text = "#include <tt-metalium/constants.hpp>\n#include \"api/dataflow/circular_buffer.h\"\n\
                #include \"api/dataflow/dataflow_api.h\"\n\
                inline void zero(uint32_t cb, uint32_t bytes) {\n    using namespace tt::constants;\n    \
                static_assert(TILE_HEIGHT * tt::constants::TILE_WIDTH == TILE_HW);\n    \
                noc_async_read(get_noc_addr(MEM_ZEROS_BASE), get_write_ptr(cb), MEM_ZEROS_SIZE);\n    Noc noc;\n    \
                CircularBuffer buffer(cb);\n    noc.write_zeros(buffer, bytes, {.offset_bytes = 4});\n    \
                uint32_t* pointer = reinterpret_cast<uint32_t*>(buffer.get_write_ptr());\n    \
                pointer[0] = std::min(bytes, 32ul);\n}\nvoid kernel_main() { zero(0, 64); }\n";
    build(&folder, request(&folder, text)).unwrap();
}

#[test]
fn a_header_that_later_shadows_another_is_seen() {
    let folder = folder("shadowed");
    let far = folder.join("far");
    std::fs::create_dir_all(&far).unwrap();
    std::fs::write(far.join("width.h"), "constexpr int width = 1;\n").unwrap();
    let text = format!("{READER}#include \"width.h\"\nstatic_assert(width == 1);\nvoid kernel_main() {{}}\n");
    let request = || CompileRequest { include_dirs: vec![far.clone()], ..request(&folder, &text) };
    build(&folder, request()).unwrap();
    std::fs::write(folder.join("width.h"), "constexpr int width = 2;\n").unwrap();
    assert!(matches!(build(&folder, request()), Err(BuildError::Compile { .. })));
}

#[test]
fn a_header_that_only_one_of_the_systems_includes_is_seen() {
    let folder = folder("system");
    let header = folder.join("width.h");
    std::fs::write(&header, "constexpr int width = 1;\n").unwrap();
    // The compiler lists nothing behind such a header with `-MMD`.
    std::fs::write(folder.join("system.h"), "#pragma GCC system_header\n#include \"width.h\"\n").unwrap();
    let text = format!("{READER}#include \"system.h\"\nstatic_assert(width == 1);\nvoid kernel_main() {{}}\n");
    build(&folder, request(&folder, &text)).unwrap();
    std::fs::write(&header, "constexpr int width = 2;\n").unwrap();
    assert!(matches!(build(&folder, request(&folder, &text)), Err(BuildError::Compile { .. })));
}

#[test]
fn a_header_that_later_shadows_one_of_the_library_is_seen() {
    let folder = folder("library");
    let far = folder.join("far");
    std::fs::create_dir_all(&far).unwrap();
    let text = format!("{READER}#include <cinttypes>\nvoid kernel_main() {{}}\n");
    let request = || CompileRequest { include_dirs: vec![far.clone()], ..request(&folder, &text) };
    build(&folder, request()).unwrap();
    // `cinttypes` includes it.
    std::fs::write(far.join("inttypes.h"), "#error other\n").unwrap();
    assert!(matches!(build(&folder, request()), Err(BuildError::Compile { .. })));
}

/// A new process builds a damaged image again: the tests of the command hold that.
#[test]
fn a_kernel_that_is_loaded_needs_its_image_no_more_and_is_built_again_when_its_text_changes() {
    let folder = folder("loaded");
    let text = |of: &str| request(&folder, &format!("{READER}void kernel_main() {{ DPRINT << \"{of}\"; }}\n"));
    let first = build(&folder, text("first")).unwrap();
    let files = std::fs::read_dir(folder.join("cache/images")).unwrap().map(|entry| entry.unwrap().path());
    for image in files.filter(|path| path.extension().is_some_and(|e| e == "so")) {
        std::fs::remove_file(image).unwrap();
    }
    assert!(Arc::ptr_eq(&first, &build(&folder, text("first")).unwrap()));
    assert!(!Arc::ptr_eq(&first, &build(&folder, text("second")).unwrap()));
}

/// Whether some bytes contain others.
fn contains(bytes: &[u8], wanted: &str) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}

#[test]
fn an_image_is_kept_under_the_text_that_it_was_made_of_whenever_that_is_saved() {
    let folder = folder("saved");
    let text = |mark: &str| {
        format!("{READER}void kernel_main() {{ ASSERT(noc_index > 7 && \"{mark}\"); DPRINT << \"{mark}\"; }}\n")
    };
    let marks = ["the-first-text", "a-second-text-"];
    let digests = marks.map(|mark| blake3::hash(text(mark).as_bytes()).to_hex().to_string());
    for round in 0..6u64 {
        let mut request = request(&folder, &text(marks[0]));
        request.defines = vec![("ROUND".into(), round.to_string())];
        let source = request.source.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(round * 70));
                std::fs::write(source, text(marks[1])).unwrap();
            });
            build(&folder, request).unwrap();
        });
    }
    let files = std::fs::read_dir(folder.join("cache/images")).unwrap().map(|entry| entry.unwrap().path());
    let manifests: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "manifest")).collect();
    assert_eq!(manifests.len(), 6);
    for manifest in manifests {
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let of = (0..2).find(|text| manifest.contains(&digests[*text])).expect("one of the two texts");
        let image = manifest.lines().nth(1).unwrap();
        let image = std::fs::read(folder.join(format!("cache/images/{image}.so"))).unwrap();
        assert!(contains(&image, marks[of]) && !contains(&image, marks[1 - of]), "{manifest}");
    }
}

/// The question would stand at each call of MATH and take a tenth of the time in which kernels like softmax are compiled: the compiler
/// leaves it out where it sees that nothing writes `pending`, which it does not of a variable that others can reach.
#[test]
fn calls_of_math_ask_for_custom_vector_code_where_the_kernel_has_some_and_nowhere_else() {
    // `tp::pending`, whatever its linkage is.
    const PENDING: &str = "7pendingE";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let images_that_ask = |name: &str, kernel: &str| {
        let folder = folder(name);
        let config = KernelConfig::Compute(ComputeConfig::default());
        let request = CompileRequest { compile_time_args: vec![2, 3], ..request::request(root.join(kernel), config) };
        build(&folder, request).unwrap();
        let files = std::fs::read_dir(folder.join("cache/images")).unwrap().map(|entry| entry.unwrap().path());
        let images = files.filter(|path| path.extension().is_some_and(|e| e == "so"));
        let asks: Vec<bool> = images.map(|image| contains(&std::fs::read(image).unwrap(), PENDING)).collect();
        assert!(!asks.is_empty());
        asks.iter().filter(|asks| **asks).count()
    };
    assert_eq!(images_that_ask("without_vector_code", "examples/programs/softmax/softmax.cpp"), 0);
    // That of MATH, where each thread has an image of its own.
    assert_eq!(images_that_ask("vector_code", "tests/right/vector_code_with_a_spare_tile/squares.cpp"), 1);
}

#[test]
fn a_source_that_reads_what_it_was_not_given_is_refused_in_one_sentence() {
    if tileproof_worker::host().landlock.is_none() {
        eprintln!("this host has no Landlock");
        return;
    }
    let secret = folder("not_given").join("other");
    std::fs::create_dir_all(&secret).unwrap();
    let secret = secret.join("token");
    std::fs::write(&secret, "a_token_of_somebody\n").unwrap();
    let path = secret.display();
    let sources = [
        format!("#include \"{path}\"\nvoid kernel_main() {{}}\n"),
        "#include \"../not_given/other/token\"\nvoid kernel_main() {}\n".into(),
        format!("#define TOKEN <{path}>\n#include TOKEN\nvoid kernel_main() {{}}\n"),
        format!("void kernel_main() {{ asm volatile(\".incbin \\\"{path}\\\"\"); }}\n"),
        format!("void kernel_main() {{ asm volatile(\".include \\\"{path}\\\"\"); }}\n"),
    ];
    for source in sources {
        let own = folder("refused_reads");
        let error = build(&own, request(&own, &source)).err().unwrap_or_else(|| panic!("it compiles: {source}"));
        let text = error.to_string();
        assert!(matches!(error, BuildError::NotText { .. }), "{source}: {text}");
        assert!(text.contains("other/token, and a compiler is given") && !text.contains("a_token"), "{source}: {text}");
        assert!(text.lines().count() == 1, "{text}");
    }
}

#[test]
fn headers_are_read_beside_a_kernel_above_it_and_wherever_they_lie() {
    let own = folder("given").join("kernels");
    std::fs::create_dir_all(own.join("../common/deep")).unwrap();
    std::fs::write(own.join("table"), "1, 2, 3\n").unwrap();
    std::fs::write(own.join("../common/a.hpp"), "#include \"deep/b.inl\"\n").unwrap();
    std::fs::write(own.join("../common/deep/b.inl"), "constexpr int of_b = 7;\n").unwrap();
    let far = folder("given_far").join("far.h");
    std::fs::write(&far, "constexpr int far = 8;\n").unwrap();
    let source = format!(
        "#include \"../common/a.hpp\"\n#include \"{}\"\nconstexpr int all[] = {{\n#include \"table\"\n}};\n\
         static_assert(of_b + far + all[2] == 18);\nvoid kernel_main() {{}}\n",
        far.display()
    );
    build(&own, request(&own, &source)).unwrap();
}

#[test]
fn a_kernel_of_which_half_is_there_yet_is_waited_for() {
    let folder = folder("half_saved");
    let text = format!("{READER}void kernel_main() {{}}\n");
    // So that nothing else takes its time.
    build(&folder, request(&folder, &format!("{text}// before\n"))).unwrap();
    // As an editor leaves it for a moment that writes into the file itself.
    let request = request(&folder, "");
    let source = request.source.clone();
    let saves = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(40));
        std::fs::write(source, text).unwrap();
    });
    build(&folder, request).unwrap();
    saves.join().unwrap();
}

#[test]
fn a_header_that_asks_for_the_thread_makes_a_text_for_each() {
    let folder = folder("header_asks");
    let header = "#ifdef TRISC_MATH\ninline void on_math() {}\n#endif\n#define ON_MATH() MATH((on_math()))\n";
    std::fs::write(folder.join("own.h"), header).unwrap();
    let text = "#include \"api/compute/common.h\"\n#include \"own.h\"\nvoid kernel_main() { ON_MATH(); }\n";
    let asked = CompileRequest { config: KernelConfig::Compute(ComputeConfig::default()), ..request(&folder, text) };
    assert!(build(&folder, asked).is_ok());
    // What no thread has is the kernel's fault.
    let broken = text.replace("ON_MATH();", "ON_MATH(); nobody_has_this();");
    let asked = CompileRequest { config: KernelConfig::Compute(ComputeConfig::default()), ..request(&folder, &broken) };
    match build(&folder, asked).err() {
        Some(BuildError::Compile { text, .. }) => assert!(text.contains("nobody_has_this"), "{text}"),
        other => panic!("{other:?}"),
    }
}
