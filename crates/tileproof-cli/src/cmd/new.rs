//! `tileproof new`: a program to begin with.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use tileproof::new_program::{Kind, PROGRAM, create};

use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::reference::schema;
use crate::terminal::say;

/// The schema that the first line of a new program names.
const SCHEMA: &str = "program.schema.json";

#[derive(Args)]
#[command(after_help = below(&[], &["new my_program", "new sums --kind reduce"]))]
pub(crate) struct NewProgram {
    /// Folder to write it into, which is made.
    #[arg(value_name = "PROGRAM")]
    folder: PathBuf,
    /// What it shows.
    #[arg(long, default_value = "eltwise")]
    kind: KindArg,
}

/// `--kind`.
#[derive(Clone, Copy)]
struct KindArg(Kind);

impl ValueEnum for KindArg {
    fn value_variants<'a>() -> &'a [KindArg] {
        const KINDS: [KindArg; Kind::ALL.len()] =
            [KindArg(Kind::Eltwise), KindArg(Kind::Reduce), KindArg(Kind::Matmul), KindArg(Kind::Multicast)];
        &KINDS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self.0 {
            Kind::Eltwise => PossibleValue::new("eltwise").help("Tiles of two tensors multiplied, on two cores"),
            Kind::Reduce => PossibleValue::new("reduce").help("Sums of rows"),
            Kind::Matmul => PossibleValue::new("matmul").help("A matrix times another"),
            Kind::Multicast => {
                PossibleValue::new("multicast").help("A tile that one core reads and hands to three others")
            }
        })
    }
}

impl NewProgram {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let schema = format!("{}\n", serde_json::to_string_pretty(&schema::of_program())?);
        let files =
            create(self.kind.0, &self.folder, (SCHEMA, &schema)).map_err(|error| BadInput::new(error.to_string()))?;
        let wrote: String = files.iter().map(|file| format!("wrote {}\n", file.display())).collect();
        say(format!("{wrote}\nNext: tileproof run {}\n", self.folder.join(PROGRAM).display()))?;
        Ok(Outcome::Clean)
    }
}
