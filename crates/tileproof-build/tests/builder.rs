//! What the builder says of kernels that cannot be built, and what it keeps of those that can.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tileproof_build::{BuildError, Builder, CompileRequest};
use tileproof_model::arch::Arch;
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
        source,
        config: KernelConfig::DataMovement(DataMovementConfig::READER),
        compile_time_args: vec![4, 5, 6],
        named_compile_time_args: vec![("blocks".into(), 7)],
        defines: vec![],
        include_dirs: vec![],
        circular_buffers: vec![],
        arch: Arch::Wormhole,
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
