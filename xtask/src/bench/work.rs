//! Programs that stand for what people run: functions of the vector unit, products, sums, and the two layouts, in C++ kernels that are
//! compiled as they are. Their kernels are in `tests/speed`; the instructions that they take are guarded.
//!
//! Start at [`WORK`].

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::layernorm::median;
use super::measure::{Table, json};
use super::peer::Peer;
use crate::callgrind;
use crate::workspace::{example, root, target_folder};

/// A program.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) name: &'static str,
    kind: Kind,
    /// The most instructions that it may take by callgrind, in millions: 2 % above what it took when the limit was set.
    pub(crate) instructions: f64,
}

#[derive(Clone, Copy)]
enum Kind {
    /// A call on each of 256 tiles, and the least datum.
    Function(&'static str, &'static str),
    /// A product of two matrices of 16 by 16 tiles: fidelity, and whether Dst has 32 bits.
    Product(&'static str, bool),
    /// Sums of a matrix of 16 by 16 tiles along its rows, or down its columns.
    Sum(&'static str),
    /// 64 rows of 2,048 to tiles, or back.
    Layout { to_tiles: bool },
    /// A program file of `tests/speed`, and the pages that it reads and writes.
    File(u32),
    /// LayerNorm of ttnn's wheel on 64 rows of 2,048, where `cargo xtask compat` has installed one.
    Wheel,
}

const fn work(name: &'static str, kind: Kind, instructions: f64) -> Work {
    Work { name, kind, instructions }
}

/// The programs.
pub(crate) const WORK: [Work; 16] = [
    work("softmax", Kind::File(64 + 64), 94.0),
    work("exp", Kind::Function("exp_tile", "-1"), 59.9),
    work("log", Kind::Function("log_tile", "0.1"), 57.9),
    work("gelu", Kind::Function("gelu_tile", "-1"), 61.1),
    work("silu", Kind::Function("silu_tile", "-1"), 61.6),
    work("matmul_lofi_16", Kind::Product("LoFi", false), 377.8),
    work("matmul_lofi_32", Kind::Product("LoFi", true), 381.5),
    work("matmul_hifi4_16", Kind::Product("HiFi4", false), 830.9),
    work("matmul_hifi4_32", Kind::Product("HiFi4", true), 845.9),
    work("sum_rows", Kind::Sum("ReduceDim::REDUCE_ROW"), 58.8),
    work("sum_columns", Kind::Sum("ReduceDim::REDUCE_COL"), 55.7),
    work("tilize", Kind::Layout { to_tiles: true }, 35.0),
    work("untilize", Kind::Layout { to_tiles: false }, 38.1),
    work("layer_norm_of_the_wheel", Kind::Wheel, 228.3),
    work("multicast", Kind::File(16 * 64 + 2 * 64 + 2 * 16), 513.9),
    work("attention", Kind::File(4 * 64), 289.3),
];

/// Bytes of a tile of bfloat16, and of a row of the layout that is rows.
const TILE: u32 = 2048;
const ROW: u32 = 4096;

/// What a program file says of one of them.
struct Shape {
    a: (&'static str, &'static str),
    b: &'static str,
    out: (&'static str, &'static str),
    /// Blocks, tiles of each, from page to page and from block to block.
    read: [u32; 4],
    /// Bytes of a page that is read, and that is written.
    pages: [u32; 2],
    /// Tiles that are read and written at a time, and how often that is written.
    batch: u32,
    writes: u32,
}

/// A program file with values of its parameters.
pub(crate) struct Program {
    file: PathBuf,
    parameters: Vec<String>,
}

/// The program file of the wheel's LayerNorm, and the version of the wheel.
const WHEEL: (&str, &str) = ("xtask/compat/programs/layernorm_0.79.toml", "0.79.0");

impl Work {
    /// Its program file, which is written where it is not kept; `None` where what it needs is not here.
    pub(crate) fn program(&self) -> Result<Option<Program>> {
        let parameters = Vec::new();
        Ok(match self.kind {
            Kind::File(_) => {
                let file = root().join("tests/speed").join(self.name).with_extension("toml");
                Some(Program { file, parameters })
            }
            Kind::Wheel => {
                let wheel = crate::workspace::cache_folder("compat")?.join(WHEEL.1).join("ttnn");
                let parameters = vec![format!("WHEEL={}", wheel.display()), "HT=2".into(), "WT=64".into()];
                wheel.is_dir().then(|| Program { file: root().join(WHEEL.0), parameters })
            }
            _ => Some(Program { file: self.written()?, parameters }),
        })
    }

    fn shape(&self) -> Shape {
        let square = ("[512, 512]", "tile");
        let tiles = [TILE; 2];
        match self.kind {
            Kind::Function(..) => Shape {
                a: square,
                b: "[32, 32]",
                out: square,
                read: [256, 1, 1, 1],
                pages: tiles,
                batch: 1,
                writes: 256,
            },
            Kind::Product(..) => Shape {
                a: square,
                b: "[512, 512]",
                out: square,
                read: [256, 16, 1, 1],
                pages: tiles,
                batch: 1,
                writes: 256,
            },
            Kind::Sum(along) => {
                let is_row = along.ends_with("ROW");
                let (out, read) = if is_row { ("[512, 32]", [16, 16, 1, 16]) } else { ("[32, 512]", [16, 16, 16, 1]) };
                Shape { a: square, b: "[32, 32]", out: (out, "tile"), read, pages: tiles, batch: 1, writes: 16 }
            }
            Kind::Layout { to_tiles } => {
                let (rows, tiles) = (("[64, 2048]", "row_major"), ("[64, 2048]", "tile"));
                let (a, out) = if to_tiles { (rows, tiles) } else { (tiles, rows) };
                let (pages, block) = if to_tiles { ([ROW, TILE], 32) } else { ([TILE, ROW], 64) };
                Shape { a, b: "[32, 32]", out, read: [2, 64, 1, block], pages, batch: 64, writes: 2 }
            }
            Kind::File(_) | Kind::Wheel => unreachable!("{} has a program file", self.name),
        }
    }

    /// Writes its program file; where that is.
    fn written(&self) -> Result<PathBuf> {
        let folder = std::path::absolute(target_folder())?.join("work").join(self.name);
        fs::create_dir_all(&folder)?;
        let file = folder.join("program.toml");
        // An image stands for what its file holds, not for when it was written: only what is other is written.
        let text = self.text();
        if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            fs::write(&file, text)?;
        }
        Ok(file)
    }

    fn text(&self) -> String {
        let Shape { a, b, out, read, pages, batch, writes } = self.shape();
        let (mut defines, mut config) = (Vec::new(), "math_fidelity = \"HiFi4\"".to_string());
        let mut fills = ("uniform:-1,1".to_string(), "uniform:-1,1");
        match self.kind {
            Kind::Function(call, least) => {
                defines.push(("FUNCTION", call.to_string()));
                defines.push(("FUNCTION_INIT", format!("{call}_init")));
                fills.0 = format!("uniform:{least},1");
            }
            Kind::Product(fidelity, wide) => {
                defines.push(("PRODUCT", "1".into()));
                config = format!("math_fidelity = \"{fidelity}\", fp32_dest_acc_en = {wide}");
            }
            Kind::Sum(along) => {
                defines.push(("ALONG", along.into()));
                fills.1 = "constant:1";
            }
            Kind::Layout { to_tiles } => {
                if to_tiles {
                    defines.push(("TO_TILES", "1".into()));
                }
            }
            Kind::File(_) | Kind::Wheel => {}
        }
        let mut text = String::from("arch = \"wormhole\"\n");
        for (name, (shape, layout), rest) in [
            ("a", a, format!("fill = \"{}\"", fills.0)),
            ("b", (b, "tile"), format!("fill = \"{}\"", fills.1)),
            ("out", out, "output = true".into()),
        ] {
            let _ = write!(
                text,
                "\n[[tensor]]\nname = \"{name}\"\nshape = {shape}\ndtype = \"bfloat16\"\nlayout = \"{layout}\"\n{rest}\n"
            );
        }
        for (index, tiles) in [(0, 2 * batch), (1, 2), (16, 2 * batch)] {
            let _ = write!(
                text,
                "\n[[cb]]\ntotal_size = {}\ncore_ranges = [[[0, 0], [0, 0]]]\n\
                 format_descriptors = [{{ buffer_index = {index}, data_format = \"bfloat16\", page_size = {TILE} }}]\n",
                tiles * TILE
            );
        }
        let [blocks, tiles, step, block_step] = read;
        for (file, config, page, compiled, runtime) in [
            (
                "read.cpp",
                "\"reader\"".to_string(),
                pages[0],
                format!(
                    "{blocks}, {tiles}, {step}, {block_step}, {{ tensor_accessor = \"a\" }}, {{ tensor_accessor = \"b\" }}"
                ),
                "{ address = \"a\" }, { address = \"b\" }",
            ),
            ("compute.cpp", format!("{{ compute = {{ {config} }} }}"), 0, format!("{blocks}, {tiles}"), ""),
            (
                "write.cpp",
                "\"writer\"".into(),
                pages[1],
                format!("{writes}, {{ tensor_accessor = \"out\" }}"),
                "{ address = \"out\" }",
            ),
        ] {
            let mut own = vec![("PAGE", page.to_string()), ("BATCH", batch.to_string())];
            own.extend(defines.iter().cloned());
            let own: Vec<String> = own.iter().map(|(name, value)| format!("[\"{name}\", \"{value}\"]")).collect();
            let _ = write!(
                text,
                "\n[[kernel]]\nkernel_source = \"{}\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = {config}\n\
                 defines = [{}]\ncompile_time_args = [{compiled}]\nruntime_args = [{{ core = [0, 0], args = [{runtime}] }}]\n",
                root().join("tests/speed").join(file).display(),
                own.join(", ")
            );
        }
        text
    }

    /// Bytes of the tensors that it reads and writes, each page as often as it is moved.
    fn bytes(&self) -> f64 {
        match self.kind {
            Kind::File(pages) => return f64::from(TILE * pages),
            // x and y, and a row of tiles of gamma and beta.
            Kind::Wheel => return f64::from(TILE * (4 * 64 + 2 * 64)),
            _ => {}
        }
        let Shape { read, batch, writes, .. } = self.shape();
        let reads = f64::from(read[0] * read[1]) * if matches!(self.kind, Kind::Product(..)) { 2.0 } else { 1.0 };
        f64::from(TILE) * (reads + f64::from(batch * writes))
    }
}

/// Arguments that run a program on one host thread in its own process, without checks.
pub(crate) fn arguments(program: &Program) -> Vec<String> {
    let Program { file, parameters } = program;
    let rest = ["--checks", "none", "--threads", "1", "--in-process", "--format", "json"];
    let parameters = parameters.iter().flat_map(|parameter| ["--param".to_string(), parameter.clone()]);
    let run = ["run".to_string(), file.display().to_string()];
    run.into_iter().chain(parameters).chain(rest.map(String::from)).collect()
}

/// What `phases` prints of a program, in milliseconds.
const PHASES: [&str; 6] = ["compile", "load", "host to pages", "machine", "pages to host", "checks"];

/// A program as it was measured.
struct Measured {
    name: &'static str,
    /// The whole run, warm, in milliseconds.
    whole: f64,
    phases: Vec<f64>,
    /// The percentage of that in which the host's memory would move its bytes.
    memory: f64,
    /// Millions of instructions, where they can be counted.
    instructions: Option<f64>,
    /// Times as fast as the peer, where it is here.
    times: Option<f64>,
}

/// Prints the time of each, by phases, and what the host's memory would need for its bytes; the table of the page, as text.
pub(super) fn run(
    table: &mut Table,
    binary: &str,
    bytes_per_second: f64,
    mut peer: Option<&mut Peer>,
) -> Result<String> {
    table.heading("programs of C++ kernels, checks off, one thread, warm");
    let mut measured = Vec::new();
    for work in WORK {
        let Some(program) = work.program()? else {
            println!("{}: not here: cargo xtask compat installs the wheel", work.name);
            continue;
        };
        let mut best = f64::INFINITY;
        for _ in 0..4 {
            let document = json(Command::new(binary).args(arguments(&program)))?.document;
            ensure!(document["status"] == "completed", "{}: {document}", work.name);
            best = best.min(document["wall_s"].as_f64().context("no wall_s in the document")?);
        }
        let whole = best * 1e3;
        table.figure(work.name, whole, "ms");
        let phases = phases(&program)?;
        for (phase, took) in PHASES.iter().zip(&phases) {
            table.figure(&format!("{}, {phase}", work.name), *took, "ms");
        }
        // Each byte is read and written once on its way.
        let memory = 200.0 * work.bytes() / bytes_per_second / best;
        table.figure(&format!("{}, its bytes alone", work.name), memory, "%");
        let times = match peer.as_deref_mut().filter(|_| program.parameters.is_empty()) {
            Some(peer) => Some(times(&program, peer)?),
            None => None,
        };
        if let Some(times) = times {
            table.row(&format!("{}, times as fast as on ttsim, in turn", work.name), times, "x", (20.0, 100.0), true);
        }
        let instructions = callgrind::counted(binary, &arguments(&program))?;
        measured.push(Measured { name: work.name, whole, phases, memory, instructions, times });
    }
    Ok(as_table(&measured))
}

/// Milliseconds of each phase of a program, its kernels compiled into a folder that is empty.
fn phases(program: &Program) -> Result<Vec<f64>> {
    let cache = target_folder().join("work").join("cold");
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    let mut words = vec![cache, "--".into(), program.file.clone()];
    words.extend(program.parameters.iter().map(PathBuf::from));
    let lines = example("phases", &words)?;
    let line = lines.last().context("phases printed nothing")?;
    line.split(' ').map(|figure| figure.parse().with_context(|| format!("phases printed {line}"))).collect()
}

/// How many times as fast we run a program as the peer, its data on the device: the median of runs that take turns.
fn times(program: &Program, peer: &mut Peer) -> Result<f64> {
    let case = format!("program {}", program.file.display());
    // The first run compiles the peer's kernels.
    let mut before = peer.seconds(&case)?;
    let mut ratios = Vec::new();
    for _ in 0..3 {
        let phases = phases(program)?;
        let after = peer.seconds(&case)?;
        // Loading the kernels, and the machine: what the peer's call does as well.
        ratios.push(f64::midpoint(before, after) * 1e3 / (phases[1] + phases[3]));
        before = after;
    }
    Ok(median(ratios.into_iter()))
}

/// The table of the page.
fn as_table(measured: &[Measured]) -> String {
    let mut text = format!(
        "\n| program | instructions | ms | {} | memory | ttsim |\n|---|{}\n",
        PHASES.join(" | "),
        "---|".repeat(10)
    );
    for Measured { name, whole, phases, memory, instructions, times } in measured {
        let phases: Vec<String> = phases.iter().map(|took| format!("{took:.1}")).collect();
        let instructions = instructions.map_or(String::new(), |count| format!("{count:.1}"));
        let times = times.map_or(String::new(), |times| format!("{times:.0} x"));
        let phases = phases.join(" | ");
        let _ = writeln!(text, "| `{name}` | {instructions} | {whole:.1} | {phases} | {memory:.1} % | {times} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_is_written_with_its_own_kernels_and_only_where_it_is_other_than_before() {
        let mut texts: Vec<String> = Vec::new();
        for work in WORK.iter().filter(|work| !matches!(work.kind, Kind::File(_) | Kind::Wheel)) {
            let file = work.written().unwrap();
            let written = fs::metadata(&file).unwrap().modified().unwrap();
            assert_eq!(fs::metadata(work.written().unwrap()).unwrap().modified().unwrap(), written);
            let text = fs::read_to_string(&file).unwrap();
            assert!(!texts.contains(&text), "{}", work.name);
            for kernel in ["read.cpp", "compute.cpp", "write.cpp"] {
                assert!(
                    text.contains(&format!("tests/speed/{kernel}\""))
                        && root().join("tests/speed").join(kernel).is_file()
                );
            }
            texts.push(text);
        }
    }

    #[test]
    fn a_program_that_is_kept_is_there_and_parameters_are_told_to_the_command() {
        for work in WORK.iter().filter(|work| matches!(work.kind, Kind::File(_))) {
            assert!(work.program().unwrap().unwrap().file.is_file(), "{}", work.name);
        }
        let program = Program { file: "a.toml".into(), parameters: vec!["HT=2".into()] };
        assert_eq!(arguments(&program)[..4], ["run", "a.toml", "--param", "HT=2"]);
    }

    #[test]
    fn what_was_measured_is_a_row_of_the_page() {
        let one = Measured {
            name: "exp",
            whole: 2.25,
            phases: vec![0.5; 6],
            memory: 4.0,
            instructions: Some(60.25),
            times: Some(41.2),
        };
        let text = as_table(&[one]);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows[1], "| `exp` | 60.2 | 2.2 | 0.5 | 0.5 | 0.5 | 0.5 | 0.5 | 0.5 | 4.0 % | 41 x |");
    }

    #[test]
    fn a_product_moves_two_operands_for_each_of_its_steps() {
        let product = WORK.iter().find(|work| work.name == "matmul_lofi_16").unwrap();
        // 16 by 16 tiles of the output, 16 steps each.
        assert_eq!(product.bytes(), 2048.0 * (2.0 * 4096.0 + 256.0));
        let tilize = WORK.iter().find(|work| work.name == "tilize").unwrap();
        assert_eq!(tilize.bytes(), 2.0 * 64.0 * 2048.0 * 2.0);
    }
}
