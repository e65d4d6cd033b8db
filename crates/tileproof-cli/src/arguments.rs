//! Words of the command line that several commands share.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardHost, ForwardHost};
use tileproof::model::arch::Arch;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::program::Layout;
use tileproof::npy::SaveAs;
use tileproof::ops::Memory;
use tileproof::ops::layernorm_bw::PathChoice;
use tileproof::ops::layernorm_fused_rm::public_layout::OutPages;
use tileproof::run_file::ChosenChecks;

/// A value of `[params]`, as `--param` takes it.
pub(crate) fn parse_parameter(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_string(), value.to_string()))
        .ok_or_else(|| format!("\"{text}\" is not NAME=VALUE"))
}

/// Reads `NAME=FILL`.
pub(crate) fn parse_filled(text: &str) -> Result<(String, Fill), String> {
    let (name, fill) = parse_parameter(text).map_err(|_| format!("\"{text}\" is not NAME=FILL"))?;
    Ok((name, parse_fill(&fill)?))
}

/// `--arch`.
#[derive(Clone, Copy)]
pub(crate) struct ArchArg(Arch);

impl ValueEnum for ArchArg {
    fn value_variants<'a>() -> &'a [ArchArg] {
        static CHIPS: [ArchArg; Arch::ALL.len()] = {
            let mut chips = [ArchArg(Arch::ALL[0]); Arch::ALL.len()];
            let mut at = 1;
            while at < chips.len() {
                chips[at] = ArchArg(Arch::ALL[at]);
                at += 1;
            }
            chips
        };
        &CHIPS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

impl From<ArchArg> for Arch {
    fn from(arch: ArchArg) -> Arch {
        arch.0
    }
}

/// `--dtype`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum DtypeArg {
    /// Or bfloat16.
    #[value(alias = "bfloat16")]
    Bf16,
    /// Or float32.
    #[value(alias = "float32")]
    Fp32,
}

impl From<DtypeArg> for DataFormat {
    fn from(dtype: DtypeArg) -> DataFormat {
        match dtype {
            DtypeArg::Bf16 => DataFormat::Float16_b,
            DtypeArg::Fp32 => DataFormat::Float32,
        }
    }
}

/// `--layout`.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum LayoutArg {
    RowMajor,
    Tile,
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Layout {
        match layout {
            LayoutArg::RowMajor => Layout::RowMajor,
            LayoutArg::Tile => Layout::Tile,
        }
    }
}

/// `--memory-config`.
pub(crate) fn parse_memory(text: &str) -> Result<Memory, String> {
    match text {
        "dram" => Ok(Memory::InterleavedDram),
        "l1" => Ok(Memory::InterleavedL1),
        _ => Err("must be dram or l1; the op gives interleaved tensors, not sharded ones".into()),
    }
}

/// `--save-as`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SaveAsArg {
    /// uint16: the bits.
    Bits,
    /// The values.
    Float32,
}

impl From<SaveAsArg> for SaveAs {
    fn from(save_as: SaveAsArg) -> SaveAs {
        match save_as {
            SaveAsArg::Bits => SaveAs::Bits,
            SaveAsArg::Float32 => SaveAs::Float32,
        }
    }
}

/// `--tolerance`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToleranceArg {
    /// What the operations of each element may lose, by their formats and units.
    Derived,
}

/// `--path`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PathArg {
    Auto,
    L1,
    Block,
}

impl From<PathArg> for PathChoice {
    fn from(path: PathArg) -> PathChoice {
        match path {
            PathArg::Auto => PathChoice::Auto,
            PathArg::L1 => PathChoice::L1,
            PathArg::Block => PathChoice::Block,
        }
    }
}

/// `--host`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum HostArg {
    Auto,
    /// The op's own.
    Op,
    /// That of the public op, with sticks as pages of c_16.
    Public,
    /// The same with tiles as pages of c_16, for the untilize helper.
    PublicTiles,
}

impl From<HostArg> for Option<ForwardHost> {
    fn from(host: HostArg) -> Option<ForwardHost> {
        match host {
            HostArg::Auto => None,
            HostArg::Op => Some(ForwardHost::Op),
            HostArg::Public => Some(ForwardHost::Public(OutPages::Sticks)),
            HostArg::PublicTiles => Some(ForwardHost::Public(OutPages::Tiles)),
        }
    }
}

/// `--host` of backward.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum BackwardHostArg {
    Auto,
    /// The op's own.
    Op,
    /// That of the public op.
    Public,
}

impl From<BackwardHostArg> for Option<BackwardHost> {
    fn from(host: BackwardHostArg) -> Option<BackwardHost> {
        match host {
            BackwardHostArg::Auto => None,
            BackwardHostArg::Op => Some(BackwardHost::Op),
            BackwardHostArg::Public => Some(BackwardHost::Public),
        }
    }
}

/// `--format`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Text for people.
    Human,
    /// One document.
    Json,
}

/// `--format` of a LayerNorm, and of a suite of its tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerNormFormat {
    /// Text for people.
    Human,
    /// One document.
    Json,
    /// A table to keep, of a suite.
    Markdown,
    /// JUnit XML, for CI systems, of a suite.
    Junit,
}

impl LayerNormFormat {
    /// As the format of what is no suite.
    pub(crate) fn of_one(self) -> Option<FormatArg> {
        match self {
            LayerNormFormat::Human => Some(FormatArg::Human),
            LayerNormFormat::Json => Some(FormatArg::Json),
            LayerNormFormat::Markdown | LayerNormFormat::Junit => None,
        }
    }
}

/// `--format` of a run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// Findings as a compiler prints them, with source lines.
    Human,
    /// One line a finding, as editors read it.
    Concise,
    /// Everything, as one document.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for CI systems.
    Junit,
    /// Workflow commands, which annotate the lines of a change.
    Github,
}

impl RunFormat {
    /// The format of what is no single run: for people, or everything as one document.
    pub(crate) fn of_many(self) -> Option<FormatArg> {
        match self {
            RunFormat::Human => Some(FormatArg::Human),
            RunFormat::Json => Some(FormatArg::Json),
            _ => None,
        }
    }

    /// The format that a word names.
    ///
    /// # Errors
    /// If there is none; the error lists them.
    pub fn parse(word: &str) -> Result<RunFormat, String> {
        <RunFormat as ValueEnum>::from_str(word, false).map_err(|_| {
            let shown = RunFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let names: Vec<String> = shown.map(|value| value.get_name().to_string()).collect();
            format!("\"{word}\": expected one of {}", names.join(", "))
        })
    }
}

/// `--format` of what is also written as a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people.
    Human,
    /// One document.
    Json,
    /// A report to keep.
    Markdown,
}

/// `--shape N,C,H,W`.
pub(crate) fn parse_shape(text: &str) -> Result<Shape, String> {
    tileproof::op::call::parse_shape(text).map(Shape)
}

/// A shape; a type of its own, because clap takes a `Vec` for a repeated option.
#[derive(Clone)]
pub(crate) struct Shape(pub(crate) Vec<u32>);

/// A FILL.
pub(crate) fn parse_fill(text: &str) -> Result<Fill, String> {
    Fill::parse(text).map_err(|error| error.to_string())
}

/// A FILL, or a tensor that is not there; a type of its own, because clap takes an `Option` for an option that may be left out.
#[derive(Clone)]
pub(crate) struct OptionalFill(pub(crate) Option<Fill>);

/// A FILL or `none`.
pub(crate) fn parse_optional_fill(text: &str) -> Result<OptionalFill, String> {
    if text == "none" {
        return Ok(OptionalFill(None));
    }
    Fill::parse(text).map(|fill| OptionalFill(Some(fill))).map_err(|error| format!("{error}, or none"))
}

/// What a FILL may be, and what a help says of it.
pub(crate) const FILLS: &str = "\
A FILL is one of
  normal[:MEAN,STD]   normal:0,1 when left out
  uniform[:LO,HI]     uniform:0,1 when left out
  constant:V          the same everywhere
  ramp[:LO,HI]        along the last dimension, ramp:-1,1 when left out
  npy:FILE            an array of numpy, of the tensor's shape
";

/// What `--checks` may be.
pub(crate) fn families() -> String {
    format!("Families of --checks, with commas between:\n  {}\n", ChosenChecks::families().replace(", ", "\n  "))
}

/// What stands below the options of a help: sections, examples, exit codes.
pub(crate) fn below(sections: &[&str], examples: &[&str]) -> String {
    let sections = sections.iter().map(|section| format!("{section}\n"));
    let examples: String = examples.iter().map(|example| format!("  tileproof {example}\n")).collect();
    sections.collect::<String>() + &format!("Examples:\n{examples}\n{EXIT_CODES}")
}

/// The exit codes, as each help lists them.
pub(crate) const EXIT_CODES: &str = "\
Exit codes: 0 clean, 1 findings or a missed tolerance, 2 bad usage or input, or an output that cannot be written,
3 a fault of Tileproof, 130 ended by Ctrl-C.";

/// The last value of an option in the words of a command line, where it can be read.
pub(crate) fn value_of<T: ValueEnum>(words: &[String], option: &str) -> Option<T> {
    let given = |at: usize| match words[at].strip_prefix(option)? {
        "" => words.get(at + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    };
    let last = (0..words.len()).rev().find_map(given)?;
    T::from_str(last, false).ok()
}
