//! What a program file may say, and a file that calls an op.
//!
//! Names are those of ttnn's `ProgramDescriptor` family, beside what runs one. Start at [`PROGRAM`]; [`CALL`] is the other kind.

use tileproof_model::arch::Arch;
use tileproof_model::program::MathFidelity;

use super::table::Left::{Is, Never};
use super::table::Type::{
    Any, Called, Each, Either, Flag, Integer, List, Named, Number, Pattern, Text, Tolerance, Words,
};
use super::table::{Field, Table, Type};
use crate::dtypes::{OF_OPS, OF_TENSORS, buffer_words, dtype_words};
use crate::fill::GRAMMAR;
use crate::launch_rules::SEMAPHORES;
use crate::program_file::Api;

const WORD: i64 = u32::MAX as i64;
/// The last index of a circular buffer on the chip that has most.
const LAST_CB: i64 = 63;
const LAST_SEMAPHORE: i64 = SEMAPHORES as i64 - 1;

pub(super) fn chips() -> Vec<&'static str> {
    Arch::ALL.iter().map(|arch| arch.name()).collect()
}
fn tensor_dtypes() -> Vec<&'static str> {
    dtype_words(&OF_TENSORS).into_iter().map(|(word, _)| word).collect()
}
pub(super) fn op_dtypes() -> Vec<&'static str> {
    dtype_words(&OF_OPS).into_iter().map(|(word, _)| word).collect()
}
fn buffer_dtypes() -> Vec<&'static str> {
    let mut words: Vec<&'static str> = Vec::new();
    for (word, _) in buffer_words() {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}
fn fidelities() -> Vec<&'static str> {
    MathFidelity::NAMED.iter().map(|(name, _)| *name).collect()
}

pub(super) const LAYOUTS: Type = Words(|| vec!["tile", "row_major"]);
/// What is worked out of names.
pub(super) const EXPRESSION: Type = Called("expression", &Either(&[Text, Number]));
pub(super) const FILL: Type = Pattern("^(normal|uniform|constant|ramp|npy)(:.*)?$", GRAMMAR);
const SIDE: Type = Integer(1, WORD);
const FIDELITY: Type = Words(fidelities);
pub(super) const CB: Type = Integer(0, LAST_CB);
const CORE: Type = Called("core `[x, y]`", &Each(&[Integer(0, WORD), Integer(0, WORD)]));
const RANGES: Type = Called("list of `[start, end]`, each a core `[x, y]`", &List(&Each(&[CORE, CORE]), 1, None));
const DEFINES: Type = Called("list of `[name, value]`", &List(&Each(&[Text, Either(&[Text, Number, Flag])]), 0, None));
const ARGUMENTS: Type = Called(
    "list of integers of 32 bits and of arguments, below",
    &List(&Either(&[Integer(i32::MIN as i64, WORD), Type::Table(&ARGUMENT)]), 0, None),
);

/// A program file that describes its program.
pub static PROGRAM: Table = Table::new(
    "program",
    "The file itself: what stands before the first table.",
    &[
        Field::new("arch", Words(chips), Is("\"wormhole\""), "The chip.", "\"blackhole\""),
        Field::new(
            "api",
            Pattern(r"^(0\.66|0\.79|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9a-fA-F]{7,40})$", Api::CHOICES),
            Is("what the included headers tell"),
            "The day of the tt-metal headers that the kernels were written for; \"Which day's headers\" has the table.",
            "\"2026-04-02\"",
        ),
        Field::new("seed", Integer(0, i64::MAX), Is("0"), "Where random fills begin.", "7"),
        Field::new("tensor", Type::Tables(&TENSOR), Is("none"), "The tensors, inputs and outputs alike.", ""),
        Field::new("cb", Type::Tables(&BUFFER), Is("none"), "The circular buffers of the only launch.", ""),
        Field::new("kernel", Type::Tables(&KERNEL), Is("those of `[[launch]]`"), "The kernels of the only launch.", ""),
        Field::new("semaphore", Type::Tables(&SEMAPHORE), Is("none"), "The semaphores of the only launch.", ""),
        Field::new(
            "launch",
            Type::Tables(&LAUNCH),
            Is("one launch"),
            "Programs that run one after the other on the same tensors; then `cb`, `kernel` and `semaphore` stand in these alone.",
            "",
        ),
        Field::new("expect", Type::Tables(&EXPECT), Is("nothing"), "What must come out.", ""),
        Field::new("suppress", Type::Tables(&SUPPRESS), Is("nothing"), "Findings that are meant to be so.", ""),
        Field::new(
            "params",
            Named(&Any),
            Is("none"),
            "Values by name. `\"${NAME}\"` anywhere in the file stands for one, `\"${2 * NAME + 1}\"` for a whole number made of \
             some (`+ - * / %` and brackets); `--param NAME=VALUE` and `--grid` replace them.",
            "{ PAGES = 4 }",
        ),
        Field::new(
            "op",
            Text,
            Is("the file describes its program"),
            "Makes it a file that calls an op: see below.",
            "\"layernorm_bw\"",
        ),
    ],
);

/// `[[tensor]]`.
pub static TENSOR: Table = Table::new(
    "`[[tensor]]`",
    "A tensor on the device.",
    &[
        Field::new(
            "name",
            Pattern(r"^[\p{L}\p{N}_-][\p{L}\p{N}_.-]*$", "letters, digits, `_`, `-` and `.`"),
            Never,
            "What arguments and `[[expect]]` call it, and the name of its file when outputs are saved.",
            "\"out\"",
        ),
        Field::new(
            "shape",
            Called("list of 1 to 8 integers, each 1 or above", &List(&SIDE, 1, Some(8))),
            Never,
            "Its dimensions.",
            "[4, 32, 32]",
        ),
        Field::new("dtype", Words(tensor_dtypes), Never, "Its format.", "\"bfloat16\""),
        Field::new("layout", LAYOUTS, Never, "Tiles of 32 x 32, or rows one after the other.", "\"tile\""),
        Field::new(
            "memory",
            Either(&[Words(|| vec!["dram", "l1"]), Type::Table(&MEMORY)]),
            Is("\"dram\""),
            "Where it lies: its pages in turn over the banks of DRAM or L1, or in shards.",
            "\"l1\"",
        ),
        Field::new("fill", FILL, Is("undefined bytes"), "What it holds before the run.", "\"normal:0,1\""),
        Field::new(
            "padding",
            Either(&[Words(|| vec!["undefined", "zero"]), Tolerance]),
            Is("\"undefined\""),
            "What fills tiles up where the shape is no multiple of 32.",
            "\"zero\"",
        ),
        Field::new(
            "address",
            Integer(0, WORD),
            Is("the next that is free"),
            "Where it lies in each bank, or in each core's L1: behind the tensors of DRAM before it, below those of L1.",
            "1072",
        ),
        Field::new(
            "undefined_pages",
            Called(
                "list of `[first, last]`, each a page",
                &List(&Each(&[Integer(0, WORD), Integer(0, WORD)]), 0, None),
            ),
            Is("none"),
            "With `fill`, of a tensor in DRAM: pages that hold nothing all the same, both ends included.",
            "[[2, 3]]",
        ),
        Field::new("output", Flag, Is("false"), "A result: each page must be written, `--save` writes it.", "true"),
        Field::new("scratch", Flag, Is("false"), "With `output`: not every page must be written.", "true"),
    ],
);

/// `memory = { .. }`.
pub static MEMORY: Table = Table::new(
    "`memory = { .. }`",
    "Shards in the L1 of cores.",
    &[
        Field::new("buffer", Words(|| vec!["l1"]), Never, "Which memory.", "\"l1\""),
        Field::new(
            "shard_shape",
            Called("`[rows, columns]`, each 1 or above", &Each(&[SIDE, SIDE])),
            Never,
            "Rows and columns of a shard.",
            "[32, 64]",
        ),
        Field::new("core_ranges", RANGES, Never, "The cores that hold shards.", "[[[0, 0], [1, 0]]]"),
        Field::new(
            "orientation",
            Words(|| vec!["row_major", "col_major"]),
            Is("\"row_major\""),
            "Whether shards go to the cores row by row or column by column.",
            "\"col_major\"",
        ),
    ],
);

/// `[[cb]]`.
pub static BUFFER: Table = Table::new(
    "`[[cb]]`",
    "Memory of a circular buffer on some cores.",
    &[
        Field::new("total_size", Integer(1, WORD), Never, "Bytes, a multiple of the size of its pages.", "4096"),
        Field::new(
            "core_ranges",
            RANGES,
            Never,
            "The cores, as a list of [start, end] with both included.",
            "[[[0, 0], [7, 0]]]",
        ),
        Field::new(
            "format_descriptors",
            Called("list of tables, `format_descriptors`, at least one", &List(&Type::Table(&BUFFER_FORMAT), 1, None)),
            Never,
            "The buffers that share the memory, usually one.",
            "[{ buffer_index = 0, data_format = \"bfloat16\", page_size = 2048 }]",
        ),
        Field::new(
            "tensor",
            Text,
            Is("memory of its own"),
            "The sharded tensor whose shard is its memory.",
            "\"sharded\"",
        ),
        Field::new("address_offset", Integer(0, WORD), Is("0"), "With `tensor`: bytes into the shard.", "0"),
    ],
);

/// A buffer within the memory of `[[cb]]`.
pub static BUFFER_FORMAT: Table = Table::new(
    "`format_descriptors`",
    "A circular buffer, by the index that kernels use.",
    &[
        Field::new("buffer_index", CB, Never, "0 to 31, on Blackhole 0 to 63.", "16"),
        Field::new("data_format", Words(buffer_dtypes), Never, "The format of a page.", "\"bfloat16\""),
        Field::new("page_size", Integer(1, WORD), Never, "Bytes of a page: 2048 is a tile of bfloat16.", "2048"),
        Field::new(
            "tile",
            Called("`[32, 32]`", &Each(&[Integer(32, 32), Integer(32, 32)])),
            Is("[32, 32]"),
            "Height and width of a tile.",
            "[32, 32]",
        ),
    ],
);

/// `[[semaphore]]`.
pub static SEMAPHORE: Table = Table::new(
    "`[[semaphore]]`",
    "A word of L1 at the same place on some cores.",
    &[
        Field::new("id", Integer(0, LAST_SEMAPHORE), Never, "What kernels get it by.", "0"),
        Field::new("core_ranges", RANGES, Never, "The cores that have it.", "[[[0, 0], [7, 0]]]"),
        Field::new("initial_value", Integer(0, WORD), Is("0"), "What it holds when the program starts.", "0"),
        Field::new("core_type", Words(|| vec!["WORKER"]), Is("\"WORKER\""), "The kind of cores.", "\"WORKER\""),
    ],
);

/// `[[launch]]`.
pub static LAUNCH: Table = Table::new(
    "`[[launch]]`",
    "One program of several: `[[launch.cb]]`, `[[launch.kernel]]` and `[[launch.semaphore]]` follow it.",
    &[
        Field::new("cb", Type::Tables(&BUFFER), Is("none"), "Its circular buffers.", ""),
        Field::new("kernel", Type::Tables(&KERNEL), Never, "Its kernels.", ""),
        Field::new("semaphore", Type::Tables(&SEMAPHORE), Is("none"), "Its semaphores.", ""),
    ],
);

/// `[[kernel]]`.
pub static KERNEL: Table = Table::new(
    "`[[kernel]]`",
    "A kernel on some cores.",
    &[
        Field::new("kernel_source", Text, Never, "Its C++ file, as seen from the program file.", "\"reader.cpp\""),
        Field::new("core_ranges", RANGES, Never, "The cores that run it.", "[[[0, 0], [7, 0]]]"),
        Field::new(
            "config",
            Either(&[Words(|| vec!["reader", "writer"]), Type::Table(&CONFIG)]),
            Never,
            "The thread: \"reader\" is NCRISC on NoC 0, \"writer\" BRISC on NoC 1, compute is UNPACK, MATH and PACK.",
            "{ compute = { math_fidelity = \"HiFi4\" } }",
        ),
        Field::new(
            "compile_time_args",
            ARGUMENTS,
            Is("none"),
            "What `get_compile_time_arg_val` gives; an accessor takes several places.",
            "[{ tensor_accessor = \"a\" }, 4]",
        ),
        Field::new(
            "named_compile_time_args",
            Called("list of `[name, integer]`", &List(&Each(&[Text, Integer(i32::MIN as i64, WORD)]), 0, None)),
            Is("none"),
            "What `get_named_compile_time_arg_val` gives.",
            "[[\"pages\", 4]]",
        ),
        Field::new("defines", DEFINES, Is("none"), "Definitions of the preprocessor.", "[[\"FAST\", \"1\"]]"),
        Field::new(
            "include_dirs",
            Called("list of texts", &List(&Text, 0, None)),
            Is("none"),
            "Folders of headers, as seen from the program file.",
            "[\".\"]",
        ),
        Field::new(
            "runtime_args",
            Called("list of tables, `runtime_args`", &List(&Type::Table(&OF_CORE), 0, None)),
            Is("none"),
            "What `get_arg_val` gives, core by core.",
            "[{ core = [0, 0], args = [{ address = \"a\" }, 4] }]",
        ),
        Field::new(
            "common_runtime_args",
            ARGUMENTS,
            Is("none"),
            "What `get_common_arg_val` gives, on each core.",
            "[4]",
        ),
    ],
);

/// An element of `runtime_args`.
pub static OF_CORE: Table = Table::new(
    "`runtime_args`",
    "The arguments of one core.",
    &[
        Field::new("core", CORE, Never, "The core, one of the kernel's.", "[0, 0]"),
        Field::new("args", ARGUMENTS, Never, "Its arguments.", "[{ address = \"a\" }, 4]"),
    ],
);

/// An argument that is no number.
pub static ARGUMENT: Table = Table::one(
    "argument",
    "What becomes numbers when the program is set up. A plain integer is itself.",
    &[
        Field::new("tensor_accessor", Text, Is(""), "The words of `TensorAccessorArgs` for a tensor.", "\"a\""),
        Field::new("address", Text, Is(""), "The address of a tensor.", "\"a\""),
        Field::new("semaphore", Integer(0, LAST_SEMAPHORE), Is(""), "A semaphore, by its id.", "0"),
        Field::new("noc_x", CORE, Is(""), "The x of a core on the NoC, from its place in the grid.", "[1, 0]"),
        Field::new("noc_y", CORE, Is(""), "The y of a core on the NoC.", "[1, 0]"),
        Field::new("cb", CB, Is(""), "The index of a circular buffer.", "0"),
        Field::new(
            "l1",
            Integer(0, WORD),
            Is(""),
            "A place in L1, by its address, that the kernel may use as a pointer.",
            "1398784",
        ),
    ],
);

/// `config = { .. }`.
pub static CONFIG: Table = Table::one(
    "`config = { .. }`",
    "A kernel's thread with its settings.",
    &[
        Field::new(
            "data_movement",
            Type::Table(&DATA_MOVEMENT),
            Is(""),
            "A RISC-V core and its NoC.",
            "{ processor = \"RISCV_1\", noc = 0 }",
        ),
        Field::new("compute", Type::Table(&COMPUTE), Is(""), "UNPACK, MATH and PACK.", "{ math_fidelity = \"HiFi4\" }"),
    ],
);

/// `data_movement = { .. }`.
pub static DATA_MOVEMENT: Table = Table::new(
    "`data_movement = { .. }`",
    "As ttnn's `DataMovementConfigDescriptor`.",
    &[
        Field::new(
            "processor",
            Words(|| vec!["RISCV_0", "RISCV_1"]),
            Is("\"RISCV_0\""),
            "BRISC or NCRISC.",
            "\"RISCV_1\"",
        ),
        Field::new("noc", Integer(0, 1), Is("0"), "The NoC of its transfers.", "1"),
        Field::new(
            "noc_mode",
            Words(|| vec!["DM_DEDICATED_NOC", "DM_DYNAMIC_NOC"]),
            Is("\"DM_DEDICATED_NOC\""),
            "Whether it may use the other NoC too.",
            "\"DM_DYNAMIC_NOC\"",
        ),
    ],
);

/// `compute = { .. }`.
pub static COMPUTE: Table = Table::new(
    "`compute = { .. }`",
    "As ttnn's `ComputeConfigDescriptor`.",
    &[
        Field::new(
            "math_fidelity",
            FIDELITY,
            Is("\"HiFi4\""),
            "How many bits of its inputs the matrix unit multiplies.",
            "\"HiFi2\"",
        ),
        Field::new("fp32_dest_acc_en", Flag, Is("false"), "Dst holds 32 bits a datum, and half as many tiles.", "true"),
        Field::new(
            "math_approx_mode",
            Flag,
            Is("false"),
            "Faster and less exact operations of the vector unit.",
            "true",
        ),
        Field::new(
            "dst_full_sync_en",
            Flag,
            Is("false"),
            "One Dst window of all tiles, not two halves in turn.",
            "true",
        ),
        Field::new("bfp8_pack_precise", Flag, Is("false"), "The packer rounds to bfloat8_b from more bits.", "true"),
        Field::new(
            "unpack_to_dest_fp32",
            List(&CB, 0, None),
            Is("none"),
            "Circular buffers of float32 that are unpacked into Dst with all their bits.",
            "[0]",
        ),
    ],
);

/// `[[expect]]`.
pub static EXPECT: Table = Table::new(
    "`[[expect]]`",
    "What a tensor must hold at the end: `file`, `fill`, `formula` or `same_as`, and either `bits` or tolerances.",
    &[
        Field::new("tensor", Text, Never, "The tensor.", "\"out\""),
        Field::new("file", Text, Is(""), "An array of numpy.", "\"out.npy\""),
        Field::new("fill", FILL, Is(""), "A fill.", "\"constant:1\""),
        Field::new(
            "formula",
            EXPRESSION,
            Is(""),
            "What comes out of the tensors that have a fill, by their names, worked out in float64: expressions of op.toml, in which `mean`, \
             `sum`, `max` and `min` go over the last dimension.",
            "\"x * rsqrt(mean(x * x) + 1e-5)\"",
        ),
        Field::new(
            "same_as",
            Text,
            Is(""),
            "Another tensor of as many elements: what it was filled with, or came to hold.",
            "\"a\"",
        ),
        Field::new("bits", Flag, Is("false"), "Every bit must be the same.", "true"),
        Field::new("rtol", Tolerance, Is("0, with `atol`"), "Allowed is `atol + rtol * abs(expected)`.", "0.01"),
        Field::new("atol", Tolerance, Is("0, with `rtol`"), "See `rtol`.", "0.01"),
        Field::new(
            "tolerance",
            Words(|| vec!["derived"]),
            Is(""),
            "In place of `rtol` and `atol`: an element may be off by what the operations that made it may lose, by their formats, \
             fidelity, width of Dst and order. The program is run a second time for it.",
            "\"derived\"",
        ),
    ],
);

/// `[[suppress]]`.
pub static SUPPRESS: Table = Table::new(
    "`[[suppress]]`",
    "A finding that does not count for the verdict. It stays in the report.",
    &[
        Field::new(
            "code",
            Pattern("^TP[0-9]{4}$", "a code"),
            Never,
            "Its code; how a run ended cannot be suppressed.",
            "\"TP0310\"",
        ),
        Field::new("reason", Text, Never, "Why it is as it should be.", "\"alignment only\""),
        Field::new("file", Text, Is("any"), "The end of the path of the file to blame.", "\"reader.cpp\""),
        Field::new("line", Integer(1, WORD), Is("any"), "With `file`: the line.", "12"),
        Field::new("kernel", Text, Is("any"), "The end of the path of the kernel.", "\"reader.cpp\""),
    ],
);

/// A program file that calls an op.
pub static CALL: Table = Table::new(
    "call",
    "A program file with `op`: one call of an op, compared with its reference.",
    &[
        Field::new("op", Text, Never, "A shipped op, or the folder of one.", "\"layernorm_bw\""),
        Field::new("shape", List(&Integer(0, WORD), 0, None), Never, "Of the first input.", "[1, 1, 32, 64]"),
        Field::new("dtype", Words(op_dtypes), Is("the op's first"), "The format of the call.", "\"float32\""),
        Field::new("layout", LAYOUTS, Is("the op's first"), "The layout of the call.", "\"tile\""),
        Field::new("seed", Integer(0, i64::MAX), Is("0"), "Where random fills begin.", "7"),
        Field::new("params", Named(&Any), Is("none"), "As in other program files.", "{ WIDTH = 64 }"),
        Field::new(
            "attributes",
            Named(&Either(&[Number, Text, Flag])),
            Is("the op's defaults"),
            "Attributes by name.",
            "{ eps = 1e-5 }",
        ),
        Field::new("fill", Named(&FILL), Is("`uniform:-1,1`"), "Fills of inputs by name.", "{ x = \"normal:100,1\" }"),
        Field::new("rtol", Tolerance, Is("the op's"), "Relative tolerance.", "0.01"),
        Field::new("atol", Tolerance, Is("the op's"), "Absolute tolerance.", "0.01"),
    ],
);
