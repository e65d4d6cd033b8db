//! The matrix unit, the unpackers and the packers against bit-exact golden vectors.
//!
//! Each case composes unpack, matrix-unit operation and pack as its kernel did and compares every
//! output byte. What kernels do, by name, is in [`crate::kernels`]: a case that it does not name is not one of
//! the matrix unit alone. Their count is checked so that lost ones cannot pass. Start at [`Kernel::run`].

use std::collections::BTreeMap;

use crate::kernels::{Loop, Op, Reused, Step, kernels};
use tileproof_golden as golden;
use tileproof_numerics::chip::{Arithmetic, BLACKHOLE, WORMHOLE};
use tileproof_numerics::format::{DataFormat, pack_source_format, unpack_register_format};
use tileproof_numerics::fpu::{self, BroadcastType, Fidelity, FpuMode, PoolType, ReduceDim};
use tileproof_numerics::host;
use tileproof_numerics::pack::{EdgeMask, PackMode, Relu, accumulate_l1, pack_tile, pack_untilize_rows};
use tileproof_numerics::tile::{TILE_DATUMS, Tile};
use tileproof_numerics::unpack::{self, unpack_tile, unpack_tilize};

/// Pages of one circular buffer.
struct Pages {
    format: DataFormat,
    /// Recorded as they lie in L1, and not by rows and columns of tiles.
    is_raw: bool,
    bytes: Vec<u8>,
}

impl Pages {
    fn page(&self, i: usize) -> &[u8] {
        let size = self.format.tile_bytes() as usize;
        &self.bytes[i * size..(i + 1) * size]
    }

    fn count(&self) -> usize {
        self.bytes.len() / self.format.tile_bytes() as usize
    }
}

struct Case {
    /// What it does, which is the first word of its name unless that says that all patterns of bf16 go in.
    kernel: String,
    transposes_b: bool,
    chip: Arithmetic,
    fidelity: Fidelity,
    dst_32: bool,
    precise: bool,
    unpack_to_dest: bool,
    inputs: Vec<Pages>,
    outputs: Vec<Pages>,
}

fn format_of(name: &str) -> DataFormat {
    match name {
        "bf16" => DataFormat::Float16_b,
        "fp32" => DataFormat::Float32,
        "bfp8" => DataFormat::Bfp8_b,
        "bfp4" => DataFormat::Bfp4_b,
        "int8" => DataFormat::Int8,
        "uint8" => DataFormat::UInt8,
        "uint16" => DataFormat::UInt16,
        "int32" => DataFormat::Int32,
        "uint32" => DataFormat::UInt32,
        _ => panic!("format {name}"),
    }
}

/// The pages of the inputs or outputs of a case, in the order of L1; their data come from `case`.
fn pages(case: &golden::Case, described: &golden::Case, list: &str) -> Vec<Pages> {
    let arrays = described.meta[list].as_array().expect("a list of arrays");
    let text = |array: &serde_json::Value, key: &str| array[key].as_str().map(str::to_owned);
    arrays
        .iter()
        .map(|array| {
            let format = format_of(&text(array, "format").expect("a format"));
            if let Some(raw) = text(array, "raw_file") {
                return Pages { format, is_raw: true, bytes: case.raw(&raw) };
            }
            let data = case.raw(&text(array, "file").expect("a file"));
            let raw = text(array, "layout").is_some_and(|layout| layout.starts_with("raw"));
            let datum = format.tile_bytes() as usize / 1024;
            let bytes = if raw {
                data
            } else {
                let tiles = data.chunks_exact(1024 * datum);
                tiles.flat_map(|t| host::tilize(datum, t, 32, 32)).collect()
            };
            Pages { format, is_raw: raw, bytes }
        })
        .collect()
}

fn kernel_of(name: &str) -> &str {
    let mut words = name.split("__").skip_while(|word| word.starts_with("exhaustive_bf16"));
    words.next().expect("a name")
}

/// A case of the groups that one operation of the matrix unit makes. Those of the group of Blackhole take their inputs from
/// the case of the same name on Wormhole.
fn load(recorded: &'static golden::Case, chip: Arithmetic) -> Case {
    let described = match recorded.group == "blackhole" {
        true => golden::case("base", &recorded.name).expect("Wormhole's case"),
        false => recorded,
    };
    let meta = &described.meta;
    Case {
        kernel: kernel_of(&recorded.name).to_owned(),
        transposes_b: recorded.name.contains("transposeB"),
        chip,
        fidelity: match meta["fidelity"].as_str().expect("a fidelity") {
            "LoFi" => Fidelity::LoFi,
            "HiFi2" => Fidelity::HiFi2,
            "HiFi3" => Fidelity::HiFi3,
            "HiFi4" => Fidelity::HiFi4,
            other => panic!("fidelity {other}"),
        },
        dst_32: meta["fp32_dest_acc_en"].as_bool().expect("a width of Dst"),
        precise: meta["bfp8_pack_precise"].as_bool() == Some(true),
        unpack_to_dest: meta["unpack_to_dest_fp32_cbs"].as_array().is_some_and(|l| !l.is_empty()),
        inputs: pages(described, described, "inputs"),
        outputs: pages(recorded, described, "outputs"),
    }
}

/// A compute kernel in the making: Dst tiles with their valid flags, and what it has packed.
struct Kernel<'a> {
    case: &'a Case,
    dst: Vec<Tile>,
    valid: Vec<u64>,
    relu: Relu,
    edge: EdgeMask,
    out: Vec<Vec<u8>>,
}

impl<'a> Kernel<'a> {
    fn new(case: &'a Case) -> Self {
        Kernel {
            case,
            dst: vec![Tile::ZERO; 16],
            valid: vec![0; 16],
            relu: Relu::None,
            edge: EdgeMask::None,
            out: vec![Vec::new(); case.outputs.len()],
        }
    }

    /// The output pages of a case.
    fn run(case: &'a Case, loops: &[Loop]) -> Vec<Vec<u8>> {
        let mut kernel = Kernel::new(case);
        for (over, steps) in loops {
            for i in over(case.inputs[0].count(), case.outputs[0].count()) {
                for step in *steps {
                    kernel.step(*step, i);
                }
            }
        }
        kernel.out
    }

    fn step(&mut self, step: Step, i: usize) {
        let n = self.case.inputs[0].count();
        match step {
            Step::CopyTile(input, page, to) => {
                let src = self.src(input, page(i, n));
                self.copy(input, &src, to(i, n));
            }
            Step::Tilize => {
                let src = self.tilized(i, n);
                self.copy(0, &src, 0);
            }
            Step::Transpose => self.transpose(i),
            Step::UnaryBroadcast => {
                let (mode, kind, b) = (self.mode(0, 0), broadcast_of(&self.case.kernel), self.src(0, i));
                fpu::move_b_to_dst(mode, kind, &b, self.define(0), 0);
            }
            Step::Binary(op, a, b, to) => {
                let kind = broadcast_of(&self.case.kernel);
                self.binary(op, kind, (a(i, n), b(i, n)), to);
            }
            Step::BinaryOnDst(op, reused) => self.binary_on_dst(op, reused, i),
            Step::Matmul(b, a, to) => self.matmul(b(i, n), a(i, n), to(i, n)),
            Step::Reduce(page) => self.reduce(page(i, n)),
            Step::Relu(relu) => self.relu = relu,
            Step::EndOfReduce => self.edge = EdgeMask::None,
            Step::Pack(from) => self.pack(from(i, n), 0),
            Step::PackToAll => (0..self.out.len()).for_each(|output| self.pack(0, output)),
            Step::PackAndAdd(from, to) => self.pack_and_add(from, to(i, n)),
            Step::PackUntilized => self.pack_untilized(n),
            Step::Release => self.valid.fill(0),
        }
    }

    fn register(&self, input: usize) -> DataFormat {
        let format = self.case.inputs[input].format;
        unpack_register_format(format, self.case.dst_32, self.case.unpack_to_dest).expect("a register format")
    }

    fn mode(&self, a: usize, b: usize) -> FpuMode {
        FpuMode {
            src_a: self.register(a),
            src_b: self.register(b),
            dst_32: self.case.dst_32,
            fidelity: self.case.fidelity,
            rules: self.case.chip.fpu,
        }
    }

    fn src(&self, input: usize, page: usize) -> Tile {
        let mut tile = Tile::ZERO;
        let pages = &self.case.inputs[input];
        unpack_tile(pages.format, self.register(input), pages.page(page), &mut tile);
        tile
    }

    fn tilized(&self, i: usize, count: usize) -> Tile {
        let mut src = Tile::ZERO;
        let Pages { format, bytes, .. } = &self.case.inputs[0];
        let row = format.tile_bytes() as usize / 32;
        unpack_tilize(*format, self.register(0), &bytes[i * row..], count * row, &mut src);
        src
    }

    /// The Dst tile as the matrix unit reads it: undefined rows are zero.
    fn define(&mut self, idst: usize) -> &mut Tile {
        for row in 0..64 {
            if self.valid[idst] >> row & 1 == 0 {
                self.dst[idst].0[16 * row..16 * (row + 1)].fill(0);
            }
        }
        self.valid[idst] = u64::MAX;
        &mut self.dst[idst]
    }

    fn copy(&mut self, input: usize, src: &Tile, idst: usize) {
        let mode = self.mode(input, input);
        let straight = matches!(mode.src_a, DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32);
        let dst = self.define(idst);
        if straight {
            *dst = src.clone();
        } else {
            fpu::move_a_to_dst(mode, src, dst);
        }
    }

    fn transpose(&mut self, i: usize) {
        let src = self.src(0, i);
        if self.case.unpack_to_dest || self.register(0).is_32_bit_integer() {
            self.copy(0, &src, 0);
            fpu::transpose_dest(self.define(0));
        } else {
            let mut turned = Tile::ZERO;
            unpack::transpose(&src, &mut turned);
            self.copy(0, &turned, 0);
        }
    }

    fn binary(&mut self, op: Op, kind: BroadcastType, pages: (usize, usize), idst: usize) {
        let mode = self.mode(0, 1);
        let a = self.src(0, pages.0);
        let mut b = Tile::ZERO;
        fpu::broadcast(kind, &self.src(1, pages.1), &mut b);
        let untouched = self.valid[idst] == 0;
        // Products always add to what Dst holds; sums only where the init says so.
        let accumulate = self.case.kernel.ends_with("acc_to_dest");
        let dst = self.define(idst);
        match op {
            Op::Add => fpu::eltwise_add(mode, &a, &b, dst, accumulate),
            Op::Sub => fpu::eltwise_sub(mode, &a, &b, dst, accumulate),
            Op::Mul => fpu::eltwise_mul(mode, &a, &b, dst, untouched),
        }
    }

    fn binary_on_dst(&mut self, op: Op, reused: Reused, i: usize) {
        let mode = self.mode(0, 1);
        let mut from_dst = Tile::ZERO;
        fpu::dst_to_src(mode, self.define(0), &mut from_dst);
        let other = self.src(1, i);
        let (a, b) = match reused {
            Reused::SrcA => (&from_dst, &other),
            Reused::SrcB => (&other, &from_dst),
        };
        let dst = self.define(0);
        match op {
            Op::Add => fpu::eltwise_add(mode, a, b, dst, false),
            Op::Sub => fpu::eltwise_sub(mode, a, b, dst, false),
            // ELWMUL accumulates, so the LLK clears the face first.
            Op::Mul => fpu::eltwise_mul(mode, a, b, dst, true),
        }
    }

    fn matmul(&mut self, b: usize, a: usize, idst: usize) {
        let (mode, b, mut a) = (self.mode(1, 0), self.src(0, b), self.src(1, a));
        if self.case.transposes_b {
            let straight = a.clone();
            unpack::transpose(&straight, &mut a);
        }
        fpu::matmul(mode, &a, &b, self.define(idst));
    }

    fn reduce(&mut self, page: usize) {
        let (pool, dim) = pool_and_dim(&self.case.kernel);
        self.edge = EdgeMask::of_reduce(dim, self.case.chip.pack);
        let mode = if fpu::scaler_goes_to_src_a(pool, dim) { self.mode(1, 0) } else { self.mode(0, 1) };
        let (data, scaler) = (self.src(0, page), self.src(1, 0));
        fpu::reduce(mode, pool, dim, &data, &scaler, &mut self.dst[0], &mut self.valid[0]);
    }

    fn pack_mode(&self, output: usize) -> PackMode {
        let out = self.case.outputs[output].format;
        PackMode {
            dst_32: self.case.dst_32,
            source: pack_source_format(out, self.case.dst_32, self.case.precise).expect("a pack source"),
            out,
            relu: self.relu,
            edge: self.edge,
        }
    }

    fn packed(&mut self, idst: usize, output: usize) -> Vec<u8> {
        let mode = self.pack_mode(output);
        let mut page = vec![0xA5; mode.out.tile_bytes() as usize];
        let tile = self.define(idst);
        assert_eq!(pack_tile(&mode, tile, &mut page), page.len());
        page
    }

    fn pack(&mut self, idst: usize, output: usize) {
        let page = self.packed(idst, output);
        self.out[output].extend(page);
    }

    fn pack_and_add(&mut self, idst: usize, to: usize) {
        let page = self.packed(idst, 0);
        let at = to * page.len();
        match self.out[0].get_mut(at..at + page.len()) {
            Some(sum) => accumulate_l1(self.case.outputs[0].format, sum, &page),
            None => self.out[0].extend(page),
        }
    }

    fn pack_untilized(&mut self, count: usize) {
        let tiles: Vec<&Tile> = self.dst[..count].iter().collect();
        let mode = self.pack_mode(0);
        let stride = count * mode.out.tile_bytes() as usize / 32;
        let mut rows = vec![0xA5; 32 * stride];
        pack_untilize_rows(&mode, &tiles, &mut rows, stride);
        self.out[0] = rows;
    }
}

fn broadcast_of(base: &str) -> BroadcastType {
    match base.rsplit('_').next().expect("a word").to_lowercase().as_str() {
        "cols" | "col" => BroadcastType::Col,
        "rows" | "row" => BroadcastType::Row,
        "scalar" => BroadcastType::Scalar,
        _ => BroadcastType::None,
    }
}

fn pool_and_dim(base: &str) -> (PoolType, ReduceDim) {
    let words: Vec<&str> = base.split('_').skip_while(|word| *word != "reduce").collect();
    let pool = match words[1] {
        "SUM" => PoolType::Sum,
        "AVG" => PoolType::Avg,
        "MAX" => PoolType::Max,
        other => panic!("pool {other}"),
    };
    let dim = match words[2] {
        "ROW" => ReduceDim::Row,
        "COL" => ReduceDim::Col,
        "SCALAR" => ReduceDim::Scalar,
        other => panic!("dimension {other}"),
    };
    (pool, dim)
}

/// What a recorded case does, if it is one of the matrix unit alone. Blackhole's without an array gave Wormhole's bits, on a patched
/// simulator only. 16-bit integers in a 32-bit Dst are moved by the vector unit.
fn steps(recorded: &golden::Case) -> Option<&'static [Loop]> {
    let name = &recorded.name;
    let other = name.contains("sfpu") || name.contains("uint16_d32") || recorded.file_names().next().is_none();
    kernels(kernel_of(name)).filter(|_| !other)
}

/// Groups whose cases are one operation each, and how many cases of each this file must find and run.
const GROUPS: [(&str, usize); 5] = [("base", 221), ("formats", 106), ("packer", 59), ("extra", 33), ("blackhole", 2)];

#[test]
fn every_case_of_the_matrix_unit_is_bit_exact() {
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for (group, expected) in GROUPS {
        for recorded in golden::group(group) {
            let name = &recorded.name;
            let Some(loops) = steps(recorded) else { continue };
            let case = load(recorded, if group == "blackhole" { BLACKHOLE } else { WORMHOLE });
            let out = Kernel::run(&case, loops);
            *ran.entry(group).or_default() += 1;
            for (o, (ours, theirs)) in out.iter().zip(&case.outputs).enumerate() {
                let wrong = ours.iter().zip(&theirs.bytes).filter(|(a, b)| a != b).count();
                if ours.len() != theirs.bytes.len() || wrong != 0 {
                    let first = ours.iter().zip(&theirs.bytes).position(|(a, b)| a != b);
                    failures.push(format!(
                        "{group}/{name} out{o}: {} of {} bytes, {wrong} wrong, first at {first:?}",
                        ours.len(),
                        theirs.bytes.len()
                    ));
                }
            }
        }
        assert_eq!(ran.get(group), Some(&expected), "cases of {group}");
    }
    println!("{ran:?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Digests of what ttsim for Blackhole gave for cases of the other groups than `base`, one line a case (`tests/golden/PROVENANCE.md`).
const DIGESTS: &str = include_str!("../../../../tests/golden/matrix_digests.txt");

/// FNV-1a over the outputs of a case, in the order of its arrays.
fn digest(case: &Case, out: &[Vec<u8>]) -> u64 {
    let arrays = out.iter().zip(&case.outputs).flat_map(|(ours, theirs)| {
        let datum = theirs.format.tile_bytes() as usize / TILE_DATUMS;
        let tiles = ours.chunks(TILE_DATUMS * datum.max(1));
        if theirs.is_raw { ours.clone() } else { tiles.flat_map(|tile| host::untilize(datum, tile, 32, 32)).collect() }
    });
    arrays.fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// What Blackhole's simulator gave for a case, as a digest: of `base` the arrays of Wormhole, but for the cases of which the group of
/// Blackhole has others.
fn on_blackhole(recorded: &'static golden::Case, digests: &BTreeMap<&str, u64>) -> Option<u64> {
    if recorded.group != "base" {
        return digests.get(recorded.name.as_str()).copied();
    }
    let differing = golden::case("blackhole", &recorded.name).filter(|case| case.file_names().next().is_some());
    let case = load(differing.unwrap_or(recorded), BLACKHOLE);
    let theirs: Vec<Vec<u8>> = case.outputs.iter().map(|pages| pages.bytes.clone()).collect();
    Some(digest(&case, &theirs))
}

#[test]
fn every_case_of_the_matrix_unit_is_bit_exact_on_blackhole() {
    let lines = DIGESTS.lines().filter(|line| !line.starts_with('#'));
    let of_line = |line: &'static str| {
        let (name, digest) = line.split_once(' ').expect("a name and a digest");
        (name, u64::from_str_radix(digest, 16).expect("a digest"))
    };
    let digests: BTreeMap<&str, u64> = lines.map(of_line).collect();
    let (mut wrong, mut of_no_case) = (Vec::new(), digests.clone());
    let groups = GROUPS.iter().filter(|(group, _)| *group != "blackhole");
    for of_wormhole in groups.flat_map(|(group, _)| golden::group(group)) {
        let name = of_wormhole.name.as_str();
        let Some(loops) = steps(of_wormhole) else { continue };
        let case = load(of_wormhole, BLACKHOLE);
        of_no_case.remove(name);
        let recorded = on_blackhole(of_wormhole, &digests);
        if recorded != Some(digest(&case, &Kernel::run(&case, loops))) {
            wrong.push(format!("{name}, recorded: {}", recorded.is_some()));
        }
    }
    assert!(wrong.is_empty(), "{} differ, or are not recorded:\n{}", wrong.len(), wrong.join("\n"));
    assert!(of_no_case.is_empty(), "{of_no_case:?}");
}

/// Decoded values and page bytes of every block float, and whether the host encodes the former to the
/// latter.
#[test]
fn the_host_codecs_agree_with_the_vectors() {
    let (mut decoded, mut encoded) = (0, 0);
    for case in golden::cases() {
        for list in ["inputs", "outputs"] {
            for array in case.meta[list].as_array().into_iter().flatten() {
                let (Some(raw), Some(file)) = (array["raw_file"].as_str(), array["file"].as_str()) else {
                    continue;
                };
                let format = format_of(array["format"].as_str().expect("a format"));
                let (raw, floats) = (case.raw(raw), case.array(file).f32s());
                let rows = 32 * (raw.len() / format.tile_bytes() as usize);
                let ours = host::decode_tiles(format, &raw, rows, 32).expect("a block float");
                let name = format!("{}/{}/{file}", case.group, case.name);
                assert!(ours.iter().zip(&floats).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
                decoded += 1;
                if array["re_encodes_to_raw"].as_bool() == Some(true) {
                    assert!(host::encode_tiles(format, &floats, rows, 32) == Some(raw), "{name}");
                    encoded += 1;
                }
            }
        }
    }
    assert!(decoded >= 200 && encoded >= 50, "{decoded} arrays decoded, {encoded} encoded");
}
