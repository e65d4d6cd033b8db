//! What `op.toml` may say, the description of an op of the workbench.
//!
//! Start at [`OP`].

use super::program::{CB, COMPUTE, EXPRESSION, FILL, LAYOUTS, chips, op_dtypes};
use super::table::Left::{Is, Never};
use super::table::Type::{Any, Called, Each, Either, Integer, List, Named, Number, Pattern, Text, Tolerance, Words};
use super::table::{Field, Table, Type};
use crate::op::data::Data;

const NAME: Type = Pattern("^[A-Za-z][A-Za-z0-9_]*$", "letters, digits and `_`, a letter first");
const RANK: Type = Integer(1, 8);
const SHAPE: Type = Called("shape", &List(&Integer(0, u32::MAX as i64), 0, None));
const DTYPES: Type = List(&Words(op_dtypes), 1, None);
const SOME_LAYOUTS: Type = List(&LAYOUTS, 1, None);
const ARGUMENTS: Type = List(&EXPRESSION, 0, None);
const DATA: Type = List(&Words(|| Data::ALL.iter().map(|data| data.name()).collect()), 0, None);

/// The file.
pub static OP: Table = Table::new(
    "op",
    "The file itself: what stands before the first table.",
    &[
        Field::new("name", NAME, Never, "The op's name; `op new` may say it instead.", "\"scale\""),
        Field::new("summary", Text, Is("none"), "What it computes, in a sentence.", "\"y = 2 x\""),
        Field::new("arch", Words(chips), Is("\"wormhole\""), "The chip.", "\"blackhole\""),
        Field::new(
            "ranks",
            Called("`[fewest, most]`, from 1 to 8", &Each(&[RANK, RANK])),
            Is("[2, 4]"),
            "Fewest and most dimensions of the first input.",
            "[2, 4]",
        ),
        Field::new("input", Type::Tables(&INPUT), Is("none"), "The inputs; the first has the shape of the call.", ""),
        Field::new("output", Type::Tables(&OUTPUT), Is("none"), "The outputs.", ""),
        Field::new("attribute", Type::Tables(&ATTRIBUTE), Is("none"), "Numbers that a call may give.", ""),
        Field::new("condition", Type::Tables(&CONDITION), Is("none"), "What a call must meet.", ""),
        Field::new("cb", Type::Tables(&BUFFER), Is("none"), "The circular buffers.", ""),
        Field::new(
            "work",
            Type::Table(&WORK),
            Is("a unit is a page of the first output"),
            "How work is divided over cores.",
            "{ units = \"x.n * x.ht\" }",
        ),
        Field::new("kernel", Type::Tables(&KERNEL), Is("none"), "The kernels.", ""),
        Field::new(
            "reference",
            Named(&EXPRESSION),
            Is("none"),
            "Steps in float64, in order; each may use those before it.",
            "{ y = \"2 * x\" }",
        ),
        Field::new("grid", Type::Table(&GRID), Is("none"), "What it is proved on.", "{ shapes = [[32, 64]] }"),
        Field::new("params", Named(&Any), Is("none"), "Values by name, as in program files.", "{ WIDTH = 64 }"),
    ],
);

const FIELDS_OF_TENSORS: &[Field] = &[
    Field::new("name", NAME, Never, "What expressions call it: `x.w`, `x.ht`.", "\"x\""),
    Field::new(
        "shape",
        List(&EXPRESSION, 0, None),
        Is("that of the call"),
        "Its dimensions; not of the first input.",
        "[1, 1, 1, \"x.w\"]",
    ),
    Field::new(
        "dtypes",
        DTYPES,
        Is("those of the first input, or bfloat16"),
        "Formats that it may have.",
        "[\"bfloat16\"]",
    ),
    Field::new(
        "layouts",
        SOME_LAYOUTS,
        Is("those of the first input, or tile"),
        "Layouts that it may have.",
        "[\"tile\"]",
    ),
    Field::new("fill", FILL, Is("the data of the proof"), "Data of an input that are always these.", "\"uniform:0,1\""),
];

/// `[[input]]`.
pub static INPUT: Table = Table::new("`[[input]]`", "An input.", FIELDS_OF_TENSORS);
/// `[[output]]`.
pub static OUTPUT: Table = Table::new("`[[output]]`", "An output.", FIELDS_OF_TENSORS);

/// `[[attribute]]`.
pub static ATTRIBUTE: Table = Table::new(
    "`[[attribute]]`",
    "A number that a call may give.",
    &[
        Field::new("name", NAME, Never, "What expressions call it.", "\"eps\""),
        Field::new(
            "type",
            Words(|| vec!["float", "integer"]),
            Is("\"float\""),
            "Whether it must be whole.",
            "\"integer\"",
        ),
        Field::new("default", Number, Never, "Its value where a call gives none.", "1"),
        Field::new("min", Number, Is("no bound"), "Least value.", "0"),
        Field::new("max", Number, Is("no bound"), "Greatest value.", "1"),
    ],
);

/// `[[condition]]`.
pub static CONDITION: Table = Table::new(
    "`[[condition]]`",
    "What a call must meet, with a call on either side for gate 2.",
    &[
        Field::new("that", EXPRESSION, Never, "What must not be 0.", "\"x.w % 32 == 0\""),
        Field::new(
            "message",
            Text,
            Never,
            "What is said if it is; `{x.w}` stands for a value.",
            "\"x: the width is {x.w}\"",
        ),
        Field::new("inside", Named(&PROBED), Is("none"), "Shapes and attributes that meet it.", "{ x = [32, 64] }"),
        Field::new("outside", Named(&PROBED), Is("none"), "Shapes and attributes that do not.", "{ x = [32, 63] }"),
    ],
);
const PROBED: Type = Either(&[SHAPE, Number]);

/// `[[cb]]`.
pub static BUFFER: Table = Table::new(
    "`[[cb]]`",
    "A circular buffer on each core.",
    &[
        Field::new("index", CB, Never, "What kernels use.", "0"),
        Field::new("content", Text, Is("the tensor's name"), "What a page holds, in words.", "\"row sums\""),
        Field::new("of", Text, Is("none, with `dtype`"), "The tensor whose pages it holds.", "\"x\""),
        Field::new("dtype", Words(op_dtypes), Is("that of `of`"), "The format of a page.", "\"float32\""),
        Field::new("pages", EXPRESSION, Never, "How many it has room for.", "2"),
        Field::new(
            "page_size",
            EXPRESSION,
            Is("that of a tile, or of the tensor"),
            "Bytes of a page.",
            "\"x.page_size\"",
        ),
        Field::new(
            "moves",
            EXPRESSION,
            Is("not checked"),
            "Pages that go through it on a core, for gate 3.",
            "\"count\"",
        ),
    ],
);

/// `[work]`.
pub static WORK: Table = Table::new(
    "`[work]`",
    "How work is divided over cores.",
    &[
        Field::new(
            "units",
            EXPRESSION,
            Is("pages of the first output"),
            "Pieces of work; a core has `count` of them from `first` on.",
            "\"x.n * x.ht\"",
        ),
        Field::new("cores", Integer(1, u32::MAX as i64), Is("all"), "Cores at most.", "8"),
    ],
);

/// `[[kernel]]`.
pub static KERNEL: Table = Table::new(
    "`[[kernel]]`",
    "A kernel, one a role.",
    &[
        Field::new("role", Words(|| vec!["reader", "compute", "writer"]), Never, "Its thread.", "\"compute\""),
        Field::new("file", Text, Never, "Its C++ file, as seen from the folder.", "\"kernels/compute.cpp\""),
        Field::new(
            "compile_time_args",
            ARGUMENTS,
            Is("none"),
            "`accessor(x)`, `address(x)`, `bits(1 / x.w)` for the bits of a float32, or a whole number.",
            "[\"accessor(x)\"]",
        ),
        Field::new(
            "runtime_args",
            ARGUMENTS,
            Is("none"),
            "The same; `first`, `count` and `core` are those of the core.",
            "[\"count\"]",
        ),
        Field::new(
            "defines",
            Called("list of `[name, value]`", &List(&Each(&[Text, Text]), 0, None)),
            Is("none"),
            "Definitions of the preprocessor.",
            "[[\"FAST\", \"1\"]]",
        ),
        Field::new(
            "compute",
            Type::Table(&COMPUTE),
            Is("the defaults"),
            "Settings of the compute kernel.",
            "{ math_fidelity = \"HiFi4\" }",
        ),
    ],
);

/// `[grid]`.
pub static GRID: Table = Table::new(
    "`[grid]`",
    "What gates 6 and 7 run.",
    &[
        Field::new("shapes", List(&SHAPE, 0, None), Is("none"), "Shapes of the first input.", "[[32, 32], [50, 96]]"),
        Field::new("data", DATA, Is("all"), "Kinds of data.", "[\"ramp\", \"one_hot\"]"),
        Field::new("rtol", Tolerance, Is("0.01"), "Relative tolerance.", "0.01"),
        Field::new("atol", Tolerance, Is("0.01"), "Absolute tolerance.", "0.02"),
    ],
);
