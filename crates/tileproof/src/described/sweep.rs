//! What the file of a sweep may say. Its reader is made of its types, in `tileproof-sweep`; a test compares them.
//!
//! Start at [`SWEEP`].

use super::program::{FILL, LAYOUTS, op_dtypes};
use super::table::Left::Is;
use super::table::Type::{Either, Flag, Integer, List, Named, Number, Text, Tolerance, Words};
use super::table::{Field, Table, Type};

const COUNT: Type = Integer(0, i64::MAX);
const SHAPE: Type = Either(&[Text, List(&Integer(0, u32::MAX as i64), 0, None)]);
const DATA: Type = Either(&[FILL, Named(&FILL)]);
const SETTINGS: Type = Named(&List(&Either(&[Text, Number, Flag]), 0, None));

/// The file.
pub static SWEEP: Table = Table::new(
    "sweep",
    "The file itself: what stands before the first table.",
    &[
        Field::new("name", Text, Is("none"), "What it is called.", "\"layernorm\""),
        Field::new("limits", Type::Table(&LIMITS), Is("see there"), "What a cell may take.", "{ seconds = 60 }"),
        Field::new(
            "cells",
            Type::Tables(&CELLS),
            Is("none, and a sweep needs one"),
            "Cells: the product of lists.",
            "",
        ),
    ],
);

/// `[limits]`.
pub static LIMITS: Table = Table::new(
    "`[limits]`",
    "What one cell may take before its worker is ended.",
    &[
        Field::new("seconds", Number, Is("300"), "Seconds, above 0.", "60"),
        Field::new("memory_mb", COUNT, Is("8192"), "Megabytes that any process of a worker may hold.", "2048"),
    ],
);

/// `[[cells]]`.
pub static CELLS: Table = Table::new(
    "`[[cells]]`",
    "The product of its lists, none of which is empty. Each has `op` or `program`; what the next column says is for one of them.",
    &[
        Field::new("op", Text, Is(""), "A shipped op, or the folder of another.", "\"layernorm_bw\""),
        Field::new("program", Text, Is(""), "A program file.", "\"programs/hang/program.toml\""),
        Field::new(
            "shapes",
            List(&SHAPE, 0, None),
            Is("ops: there must be one"),
            "Ops: shapes of the first input.",
            "[\"1,1,32,64\"]",
        ),
        Field::new(
            "dtypes",
            List(&Words(op_dtypes), 0, None),
            Is("the op's first"),
            "Ops: formats.",
            "[\"bfloat16\", \"float32\"]",
        ),
        Field::new("layouts", List(&LAYOUTS, 0, None), Is("the op's first"), "Ops: layouts.", "[\"tile\"]"),
        Field::new(
            "data",
            List(&DATA, 0, None),
            Is("`uniform:-1,1`"),
            "Ops: a fill for the first input, or fills by input.",
            "[\"normal:0,1\", { x = \"normal:100,1\" }]",
        ),
        Field::new("seeds", List(&COUNT, 0, None), Is("0"), "Ops: of random fills.", "[0, 1, 2]"),
        Field::new(
            "kernels",
            List(&Text, 0, None),
            Is("`shipped`"),
            "Shipped ops: \"shipped\", or folders of kernels in C++, which run on the default schedule.",
            "[\"shipped\", \"kernels\"]",
        ),
        Field::new(
            "attributes",
            SETTINGS,
            Is("the op's defaults"),
            "Ops: attributes by name.",
            "{ eps = [1e-6, 1e-5] }",
        ),
        Field::new("rtol", Tolerance, Is("the op's"), "Ops: relative tolerance.", "0.01"),
        Field::new("atol", Tolerance, Is("the op's"), "Ops: absolute tolerance.", "0.01"),
        Field::new(
            "parameters",
            SETTINGS,
            Is("those of the file"),
            "Programs: values of `[params]`.",
            "{ PAGES = [1, 4] }",
        ),
        Field::new(
            "schedules",
            List(&Text, 0, None),
            Is("the default"),
            "Tokens, as findings give them.",
            "[\"tp1:0\"]",
        ),
        Field::new("explore", COUNT, Is("0"), "Other orders to run in each cell.", "20"),
        Field::new("checks", Text, Is("\"all\""), "As `--checks`.", "\"buffers,order\""),
    ],
);
