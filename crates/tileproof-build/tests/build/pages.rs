//! The C++ of the explain pages: all of it compiles as kernels do, but for what a page says does not.
//!
//! A page shows the lines that matter. What they leave out is declared here, by the names that pages use; pieces of one snippet
//! that stand in several files or places are apart. No piece is run: whole programs of the faults are in `tests/ui`, which
//! pages name. Start at `pieces`.

use std::fs;
use std::path::Path;

use tileproof_build::{BuildError, Builder, CompileRequest};
use tileproof_model::program::{ComputeConfig, DataMovementConfig, KernelConfig};

use crate::request::request;

/// Names that pages of data movement use and do not declare.
const DATA_MOVEMENT: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"
constexpr auto in_args = TensorAccessorArgs<0>(), out_args = TensorAccessorArgs<0>();
using Accessor = decltype(TensorAccessor(in_args, 0u, 0u));
extern const Accessor input, output, in0, out;
constexpr uint32_t cb = 0, cb_in = 0, cb_out = 16, cb_rows = 1, cb_scratch = 2;
extern uint32_t page, pages, page_bytes, tile, tiles, row, rows, core, cores, n, x, y, x0, x1, bytes, receivers, l1;
extern uint32_t address, in_address, out_address, from, to, semaphore;
extern uint64_t source, everyone;
extern volatile tt_l1_ptr uint32_t* done;
void fill_zeros(uint32_t), fill_scaler(uint32_t), fill_masked_scaler(uint32_t);
"#;

/// The same for those of compute.
const COMPUTE: &str = r#"
#include <cstdio>
#include "api/debug/dprint.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
constexpr uint32_t cb_in = 0, cb_out = 16, cb_x = 0, cb_a = 0, cb_b = 1, cb_scaler = 2, cb_mask = 3, cb_gamma = 4, cb_mean = 5,
    cb_s2 = 6, cb_one = 7, cb_ones = 7, cb_zero = 8, cb_sum = 24, cb_sums = 24, cb_x_hat = 25, cb_centred = 26,
    cb_activation = 27, cb_masked = 28, cb_exp = 29, cb_squares = 30, cb_next = 9, cb_tiles = 10, cb_rows = 11, pages = 4;
extern uint32_t t, tile, tiles, n, rows, rounds, column, block, blocks, last, temp, dx, one_by_800, two_to_minus_64;
extern float eps;
extern bool first;
void compute_x_hat(uint32_t), add_to_sum(uint32_t, uint32_t), load_sum(uint32_t), store_sum(uint32_t);
"#;

/// Snippets, by page and number, that are whole files or must not compile: apart from the others.
const APART: [(&str, usize); 5] = [("TP0201", 1), ("TP0201", 2), ("TP0202", 1), ("TP0202", 2), ("TP9001", 1)];

/// Snippets of what the host does.
const HOST: [(&str, usize); 2] = [("TP0412", 2), ("TP0602", 2)];

/// A part of a snippet that stands in one place of one file.
struct Piece {
    page: String,
    /// The number of its snippet.
    number: usize,
    /// The line of the page that it begins in.
    line: usize,
    text: String,
}

impl Piece {
    fn is_data_movement(&self) -> bool {
        let words =
            ["noc", "get_write_ptr", "get_read_ptr", "get_semaphore", "TensorAccessor", "get_arg_val", "cb_interface"];
        words.iter().any(|word| self.text.contains(word))
    }

    fn is_whole(&self) -> bool {
        self.text.contains("void kernel_main()")
    }

    /// The piece in a function or namespace of its own, its lines being those of the page.
    fn in_its_place(&self, index: usize) -> String {
        let Piece { page, line, text, .. } = self;
        let (open, close) = match self.is_whole() {
            true => (format!("namespace piece_{index} {{"), "}"),
            false => (format!("[[maybe_unused]] static void piece_{index}() {{"), "}"),
        };
        format!("{open}\n#line {line} \"docs/explain/{page}.md\"\n{text}\n{close}\n")
    }
}

/// The C++ of all pages.
fn pieces() -> Vec<Piece> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explain");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut pieces: Vec<Piece> = Vec::new();
    for path in paths {
        let page = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (mut number, mut inside) = (0, false);
        for (at, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let begins = !inside && line == "```cpp";
            if line.starts_with("```") {
                inside = begins;
            }
            number += usize::from(begins);
            // Another place of the file, or another file.
            let apart = line == "..." || (line.starts_with("// ") && line.contains(".cpp"));
            if begins || (inside && apart) {
                pieces.push(Piece { page: page.clone(), number, line: at + 2, text: String::new() });
            } else if inside {
                let piece = pieces.last_mut().unwrap();
                piece.text += line;
                piece.text.push('\n');
            }
        }
    }
    pieces.retain(|piece| !piece.text.trim().is_empty() && !HOST.contains(&(&piece.page, piece.number)));
    pieces
}

fn build(name: &str, text: &str, config: KernelConfig) -> Result<(), BuildError> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join(format!("{name}.cpp"));
    fs::write(&source, text).unwrap();
    // The accessors of two interleaved tensors in DRAM, a word each.
    let request = CompileRequest { compile_time_args: vec![2, 2], ..request(source, config) };
    Builder::new(Some(folder.join("cache"))).unwrap().build(&[request]).map(|_| ())
}

fn reader() -> KernelConfig {
    KernelConfig::DataMovement(DataMovementConfig::READER)
}

#[test]
fn what_pages_show_compiles() {
    let is_apart = |piece: &Piece| APART.contains(&(&piece.page, piece.number));
    let pieces: Vec<Piece> = pieces().into_iter().filter(|piece| !is_apart(piece)).collect();
    assert!(pieces.len() >= 110, "{}", pieces.len());
    for (name, prelude, data_movement) in [("data_movement", DATA_MOVEMENT, true), ("compute", COMPUTE, false)] {
        let of_kind = pieces.iter().filter(|piece| piece.is_data_movement() == data_movement);
        let texts: String = of_kind.enumerate().map(|(index, piece)| piece.in_its_place(index)).collect();
        let config = if data_movement { reader() } else { KernelConfig::Compute(ComputeConfig::default()) };
        build(name, &format!("{prelude}{texts}void kernel_main() {{}}\n"), config).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Builds a snippet that is a whole file, but for what stands before it, beside a header of its own.
fn build_apart(page: &str, number: usize, before: &str) -> Result<(), BuildError> {
    let pieces = pieces();
    let piece = pieces.iter().find(|piece| (piece.page.as_str(), piece.number) == (page, number)).expect(page);
    build(&format!("{page}_{number}"), &format!("{before}{}", piece.text), reader())
}

#[test]
fn what_pages_say_of_the_compiler_is_so() {
    let header = "#include \"api/dataflow/dataflow_api.h\"\n";
    let missing = build_apart("TP0201", 1, "").unwrap_err();
    assert!(missing.to_string().contains("there is no header dataflow_apis.h; shipped are"), "{missing}");
    build_apart("TP0201", 2, "").unwrap_or_else(|e| panic!("{e}"));
    let undefined = build_apart("TP0202", 1, header).unwrap_err();
    assert!(matches!(&undefined, BuildError::Undefined { undefined, .. } if undefined.len() == 1), "{undefined}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::write(folder.join("fill.hpp"), format!("{header}inline void fill_with(uint32_t, uint32_t) {{}}\n")).unwrap();
    build_apart("TP0202", 2, "").unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn the_page_on_days_has_the_changes_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(root.join("shim/tp/api_dates.h")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("#define TP_")).filter(|line| !line.contains('('));
    let changes: Vec<(String, String, String)> = rows
        .filter_map(|line| {
            let (name, days) = line.split_once(' ')?;
            let (older, newer) = days.split_once(", ")?;
            Some((format!("TP_{name}"), older.to_string(), newer.to_string()))
        })
        .collect();
    assert!(changes.len() > 5, "{changes:?}");
    let page = std::fs::read_to_string(root.join("../../docs/api.md")).unwrap();
    let told: Vec<(String, String, String)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `TP_"))
        .map(|line| {
            let mut cells = line.split(" | ").map(|cell| cell.trim_matches('`').replace('-', ""));
            let mut next = || cells.next().unwrap();
            (format!("TP_{}", next()), next(), next())
        })
        .collect();
    assert_eq!(told, changes);
}
