//! Names that a kernel may give to its own things, because the device declares none such to it: tile sizes, and the types of
//! headers that it does not include.
//!
//! Which names those are follows from what `brisck.cc`, `ncrisck.cc` and `chlkc_list.h` of tt-metal include before a kernel.

use std::path::{Path, PathBuf};

use crate::request::request;
use tileproof_build::{BuildError, Builder};
use tileproof_model::program::{ComputeConfig, DataMovementConfig, KernelConfig};

/// Writes a kernel's text out, into a folder of its own.
fn source(name: &str, text: &str) -> PathBuf {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-names").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("kernel.cpp");
    std::fs::write(&source, text).unwrap();
    source
}

/// Builds a kernel's text.
fn build(name: &str, text: &str, config: KernelConfig) -> Result<(), BuildError> {
    let source = source(name, text);
    Builder::new(Some(source.with_file_name("cache")))?.build(&[request(source, config)]).map(|_| ())
}

fn must_build(name: &str, text: &str, config: KernelConfig) {
    build(name, text, config).unwrap_or_else(|error| panic!("{name}: {error}"));
}

const READER: KernelConfig = KernelConfig::DataMovement(DataMovementConfig::READER);
const WRITER: KernelConfig = KernelConfig::DataMovement(DataMovementConfig::WRITER);

fn compute() -> KernelConfig {
    KernelConfig::Compute(ComputeConfig::default())
}

/// What a data-movement kernel defines and uses in its own way.
const DATA_MOVEMENT: &str = r#"
#include "dataflow_api.h"
#include "debug/dprint.h"

constexpr uint32_t TILE_WIDTH = 32U, TILE_HEIGHT = 32U, FACE_WIDTH = 16U, FACE_HEIGHT = 16U;
constexpr uint32_t TILE_HW = TILE_WIDTH * TILE_HEIGHT, FACE_HW = FACE_WIDTH * FACE_HEIGHT;
constexpr uint32_t TILE_R_DIM = 32, TILE_C_DIM = 32, FACE_R_DIM = 16, FACE_C_DIM = 16, TILE_NUM_FACES = 4;
enum class Slot { INVALID, VALID };
enum class PoolType { Mean, Max };
enum class ReduceDim { Row };
enum class BroadcastType { None };
enum class MathFidelity { Low };
struct Semaphore { uint32_t id; };
struct Noc { uint32_t index; };
struct CircularBuffer { uint32_t id; };
struct DataflowBuffer { uint32_t id; };
struct CoreLocalMem { uint32_t at; };
struct Lock { bool taken; };
struct Scratchpad { uint32_t at; };
struct LocalTensorAccessor { uint32_t at; };
struct UnicastEndpoint { uint32_t x, y; };
struct MulticastEndpoint { uint32_t x, y; };
struct PrecomposedUnicastEndpoint { uint64_t to; };
struct AllocatorBank { uint32_t bank; };
struct CircularBufferView { uint32_t page; };
struct NocOptions { bool posted; };
struct SocketSenderInterface { uint32_t page; };
struct SocketReceiverInterface { uint32_t page; };
inline uint32_t socket_push_pages(uint32_t pages) { return pages; }
inline uint32_t udivsi3(uint32_t a, uint32_t b) { return a / b; }
inline uint32_t umodsi3(uint32_t a, uint32_t b) { return a % b; }
inline bool has_flag(uint32_t flags, uint32_t flag) { return (flags & flag) != 0; }
inline uint32_t use(uint32_t value) { return value; }
inline void mailbox_write(uint8_t, uint32_t) {}

void kernel_main() {
    const Semaphore semaphore{1};
    const Noc noc{noc_index};
    const CircularBuffer buffer{2};
    const DataflowBuffer other{3};
    const uint32_t sum = TILE_HW + FACE_HW + TILE_R_DIM + TILE_NUM_FACES + semaphore.id + noc.index + buffer.id + other.id;
    mailbox_write(0, use(udivsi3(sum, 2) + umodsi3(sum, 2)) + socket_push_pages(1));
    DPRINT << uint32_t(Slot::VALID) << uint32_t(PoolType::Max) << has_flag(sum, 1) << ENDL();
    cb_reserve_back(0, VALID);
    cb_push_back(0, VALID + INVALID);
}
"#;

#[test]
fn a_data_movement_kernel_has_names_of_its_own_where_the_device_declares_none() {
    must_build("reader", DATA_MOVEMENT, READER);
    must_build("writer", DATA_MOVEMENT, WRITER);
}

/// The same of a compute kernel, in the form of either generation.
const COMPUTE: &str = r#"
#include "INCLUDE"

constexpr uint32_t TILE_HW = 1024, FACE_HW = 256;
struct Semaphore { uint32_t id; };
struct Noc { uint32_t index; };
struct CircularBuffer { uint32_t id; };
struct DataflowBuffer { uint32_t id; };
struct CoreLocalMem { uint32_t at; };
struct Lock { bool taken; };
struct Scratchpad { uint32_t at; };
struct DfbScopedLock { bool taken; };

// Open to a compute kernel on the device too, from `ckernel`.
static_assert(TILE_R_DIM * TILE_C_DIM == TILE_HW && FACE_HEIGHT * FACE_WIDTH == FACE_HW && TILE_WIDTH == TILE_HEIGHT);

ENTRY {
    const CircularBuffer in{0};
    const Semaphore semaphore{1};
    cb_wait_front(in.id, semaphore.id);
    cb_pop_front(in.id, 1);
}
END
"#;

#[test]
fn a_compute_kernel_has_names_of_its_own_and_the_sizes_of_ckernel() {
    let text = |include: &str, entry: &str, end: &str| {
        COMPUTE.replace("INCLUDE", include).replace("ENTRY", entry).replace("END", end)
    };
    must_build("compute", &text("api/compute/cb_api.h", "void kernel_main()", ""), compute());
    must_build("older", &text("compute_kernel_api/cb_api.h", "namespace NAMESPACE { void MAIN", "}"), compute());
}

/// Sizes by `tt::constants`, which a kernel opens itself.
const CONSTANTS: &str = r#"
#include <tt-metalium/constants.hpp>
#include "api/dataflow/dataflow_api.h"
using namespace tt::constants;
static_assert(TILE_HW == 1024 && FACE_WIDTH == 16 && tt::constants::FACE_HW == 256);
void kernel_main() {}
"#;

#[test]
fn sizes_of_tt_constants_are_there_for_a_kernel_that_opens_them() {
    must_build("constants", CONSTANTS, READER);
}

/// Macros of a kernel are in upper case, as some of the names are that Rust kernels have for numbers of the ABI.
#[test]
fn no_define_of_a_kernel_meets_a_number_of_the_abi() {
    let defines = ["ADD", "SUB", "MUL", "READS", "WRITES", "FULL", "EQUAL", "NEXT", "DST", "POSTED"];
    for (name, config) in [("define-reader", READER), ("define-compute", compute())] {
        let source = source(name, "#include \"api/debug/dprint.h\"\nvoid kernel_main() {}\n");
        let mut request = request(source.clone(), config);
        request.defines = defines.iter().map(|name| (name.to_string(), "7".to_string())).collect();
        let cache = source.with_file_name("cache");
        Builder::new(Some(cache)).unwrap().build(&[request]).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn the_header_of_an_object_declares_it_and_no_other_does() {
    let objects = [
        ("api/dataflow/noc_semaphore.h", "Semaphore<> own(0);"),
        ("api/dataflow/noc.h", "Noc own;"),
        ("experimental/noc.h", "experimental::Noc own;"),
        ("api/dataflow/circular_buffer.h", "CircularBuffer own(0);"),
        ("api/dataflow/dataflow_buffer.h", "DataflowBuffer own(0);"),
        ("api/dataflow/endpoints.h", "UnicastEndpoint own;"),
        ("api/core_local_mem.h", "CoreLocalMem<uint32_t> own(uintptr_t(64));"),
        ("api/socket_api.h", "SocketSenderInterface own;"),
    ];
    for (header, use_of) in objects {
        let text = |header: &str| {
            format!(
                "#include \"api/dataflow/dataflow_api.h\"\n#include \"{header}\"\nvoid kernel_main() {{\n{use_of}\n}}\n"
            )
        };
        must_build("object", &text(header), READER);
        let without = build("no-object", &text("api/debug/dprint.h"), READER);
        assert!(matches!(without, Err(BuildError::Compile { .. })), "{use_of}: {without:?}");
    }
}
