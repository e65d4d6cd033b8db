//! The pages of program files, of op.toml and of sweeps, from the tables that their readers take names from.
//!
//! Start at [`program`].

use tileproof::described::op::OP;
use tileproof::described::program::{CALL, PROGRAM};
use tileproof::described::sweep::SWEEP;
use tileproof::described::table::{Field, Left, Table, Type, with_its_tables};

const PROGRAM_HEAD: &str = "\
# Program file

A program file is TOML. It describes tensors, circular buffers and kernels under the names of ttnn's `ProgramDescriptor`
family, and what must come out. Paths are as seen from the file. What is not listed here is refused, with its line.

An editor that knows JSON Schema for TOML completes and checks the file when its first line names the schema, which
`tileproof schema program > program.schema.json` writes and `tileproof new` puts beside each new program:

    #:schema ./program.schema.json

A `[[table]]` may stand any number of times. Text that holds `${NAME}` may stand for any value, see `params`.
";

const CALL_HEAD: &str = "
# Files that call an op

With `op` the file has these fields instead, and the program is the op's. `tileproof op list` lists the shipped ops; the folder
of another one is named by its path.
";

const OP_HEAD: &str = "\
# op.toml

The description of an op of the workbench: a folder with this file and kernels. [Your first op](../../your-first-op.md) makes one
step by step. `tileproof schema op` prints the same as a JSON Schema, for editors.

An expression is a number or text. It is made of numbers, names, `+ - * / %`, comparisons, brackets and functions; of a tensor `x`
there are `x.rank`, `x.n`, `x.h`, `x.w`, `x.ht` and `x.wt` (tiles), `x.pages`, `x.page_size` and `x.tile_size`.
";

/// The page of program files.
pub(super) fn program() -> String {
    PROGRAM_HEAD.to_string() + &tables(&PROGRAM) + CALL_HEAD + &tables(&CALL)
}

const SWEEP_HEAD: &str = "\
# File of a sweep

Which cells `tileproof sweep` runs: [Sweeps](../../sweep.md) tells how. Paths are as seen from the file. `tileproof schema sweep` prints the
same as a JSON Schema, for editors.
";

/// The page of files of sweeps.
pub(super) fn sweep() -> String {
    SWEEP_HEAD.to_string() + &tables(&SWEEP)
}

/// The page of op.toml.
pub(super) fn op() -> String {
    OP_HEAD.to_string() + &tables(&OP)
}

fn tables(root: &'static Table) -> String {
    with_its_tables(root).into_iter().map(table).collect()
}

fn table(table: &Table) -> String {
    let head = match table.one {
        true => "| one of | what it may be | what it means | example |\n|---|---|---|---|\n",
        false => "| field | what it may be | left out | what it means | example |\n|---|---|---|---|---|\n",
    };
    let rows: String = table.fields.iter().map(|field| row(table, field)).collect();
    format!("\n## {}\n\n{}\n\n{head}{rows}", table.name, table.text)
}

fn row(table: &Table, field: &Field) -> String {
    let left = match field.left {
        _ if table.one => String::new(),
        Left::Never => " **must be there** |".into(),
        Left::Is("") => " see above |".into(),
        Left::Is(value) if is_value(value) => format!(" `{value}` |"),
        Left::Is(words) => format!(" {words} |"),
    };
    let example = match (field.example, &field.value) {
        ("", Type::Tables(of)) => format!("{}, below", of.name),
        (value, _) => format!("`{} = {value}`", field.name),
    };
    format!("| `{}` | {} |{left} {} | {example} |\n", field.name, field.value.words(), field.text)
}

/// Whether what holds when a field is left out is a value, and no words.
fn is_value(text: &str) -> bool {
    text.starts_with(['"', '[', '{']) || matches!(text, "true" | "false") || text.parse::<f64>().is_ok()
}
