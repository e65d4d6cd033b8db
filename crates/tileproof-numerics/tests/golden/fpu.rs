//! The matrix unit, the unpackers and the packers against bit-exact golden vectors.
//!
//! Each case composes unpack, matrix-unit operation and pack as its kernel did and compares every
//! output byte. Which cases belong here is decided by name; their count is checked so
//! that lost ones cannot pass. Start at [`run`].

use std::collections::BTreeMap;

use tileproof_golden as golden;
use tileproof_numerics::chip::{BLACKHOLE, FpuRules, WORMHOLE};
use tileproof_numerics::format::{DataFormat, pack_source_format, unpack_register_format};
use tileproof_numerics::fpu::{self, BroadcastType, Fidelity, FpuMode, PoolType, ReduceDim};
use tileproof_numerics::host;
use tileproof_numerics::pack::{EdgeMask, PackMode, Relu, accumulate_l1, pack_tile, pack_untilize_rows};
use tileproof_numerics::tile::Tile;
use tileproof_numerics::unpack::{self, unpack_tile, unpack_tilize};

/// Pages of one circular buffer.
struct Pages {
    format: DataFormat,
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
    name: String,
    rules: FpuRules,
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
                return Pages { format, bytes: case.raw(&raw) };
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
            Pages { format, bytes }
        })
        .collect()
}

/// A case of the groups that one operation of the matrix unit makes. Blackhole's take their inputs from
/// the case of the same name on Wormhole.
fn load(recorded: &'static golden::Case) -> Case {
    let blackhole = recorded.group == "blackhole";
    let described = match blackhole {
        true => golden::case("base", &recorded.name).expect("Wormhole's case"),
        false => recorded,
    };
    let meta = &described.meta;
    Case {
        name: recorded.name.clone(),
        rules: if blackhole { BLACKHOLE.fpu } else { WORMHOLE.fpu },
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

/// A compute kernel in the making: Dst tiles with their valid flags.
struct Kernel<'a> {
    case: &'a Case,
    dst: Vec<Tile>,
    valid: Vec<u64>,
    relu: Relu,
    edge: EdgeMask,
}

impl<'a> Kernel<'a> {
    fn new(case: &'a Case) -> Self {
        Kernel { case, dst: vec![Tile::ZERO; 16], valid: vec![0; 16], relu: Relu::None, edge: EdgeMask::None }
    }

    fn release(&mut self) {
        self.valid.fill(0);
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
            rules: self.case.rules,
        }
    }

    fn src(&self, input: usize, page: usize) -> Tile {
        let mut tile = Tile::ZERO;
        let pages = &self.case.inputs[input];
        unpack_tile(pages.format, self.register(input), pages.page(page), &mut tile);
        tile
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

    fn copy_of(&mut self, input: usize, src: &Tile, idst: usize) {
        let mode = self.mode(input, input);
        let straight = matches!(mode.src_a, DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32);
        let dst = self.define(idst);
        if straight {
            *dst = src.clone();
        } else {
            fpu::move_a_to_dst(mode, src, dst);
        }
    }

    fn copy(&mut self, input: usize, page: usize, idst: usize) {
        let src = self.src(input, page);
        self.copy_of(input, &src, idst);
    }

    fn binary(&mut self, op: &str, kind: BroadcastType, pages: (usize, usize), idst: usize, accumulate: bool) {
        let mode = self.mode(0, 1);
        let a = self.src(0, pages.0);
        let mut b = Tile::ZERO;
        fpu::broadcast(kind, &self.src(1, pages.1), &mut b);
        let untouched = self.valid[idst] == 0;
        let dst = self.define(idst);
        match op {
            "add" => fpu::eltwise_add(mode, &a, &b, dst, accumulate),
            "sub" => fpu::eltwise_sub(mode, &a, &b, dst, accumulate),
            _ => fpu::eltwise_mul(mode, &a, &b, dst, untouched),
        }
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

    fn pack(&mut self, idst: usize, output: usize) -> Vec<u8> {
        let mode = self.pack_mode(output);
        let mut page = vec![0xA5; mode.out.tile_bytes() as usize];
        let tile = self.define(idst);
        assert_eq!(pack_tile(&mode, tile, &mut page), page.len());
        page
    }
}

/// The output pages of the case, or None when its kernel is not one of the matrix unit alone.
fn run(case: &Case) -> Option<Vec<Vec<u8>>> {
    let mut k = Kernel::new(case);
    let base = case.name.split("__").next().expect("a name");
    let base =
        base.strip_prefix("exhaustive_bf16").map_or(base, |_| case.name.split("__").nth(1).expect("an operation"));
    let mut out = vec![Vec::new(); case.outputs.len()];
    let count = case.inputs[0].count();
    if case.name.contains("uint16_d32") {
        return None;
    }
    match base {
        "copy_tile" | "copy_tile_pack_precise" | "copy_tile_unpackToDest" => {
            for i in 0..count {
                k.copy(0, i, 0);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        _ if base.starts_with("pack_relu") => {
            let relu = match base {
                "pack_relu_zero" => Relu::Zero,
                "pack_relu_min_0p5" => Relu::MinThreshold(0x3F00),
                "pack_relu_max_1p0" => Relu::MaxThreshold(0x3F80),
                "pack_relu_max_0p75_fp16enc" => Relu::MaxThreshold(0x3A00),
                _ => return None,
            };
            k.relu = relu;
            for i in 0..count {
                k.copy(0, i, 0);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "pack_reconfig" => {
            for i in 0..count {
                k.copy(0, i, 0);
                for (o, pages) in out.iter_mut().enumerate() {
                    pages.extend(k.pack(0, o));
                }
                k.release();
            }
        }
        "pack_block_4" | "pack_block_8" | "pack_block_8_fullsync" | "pack_block_16_fullsync" => {
            for i in 0..count {
                k.copy(0, i, count - 1 - i);
            }
            for i in 0..count {
                out[0].extend(k.pack(i, 0));
            }
        }
        "pack_out_of_order" => {
            for page in [1, 3, 0, 2] {
                k.copy(0, page, page);
                out[0].extend(k.pack(page, 0));
            }
        }
        "transpose_tile" => {
            for i in 0..count {
                if case.unpack_to_dest || k.register(0).is_32_bit_integer() {
                    k.copy(0, i, 0);
                    fpu::transpose_dest(k.define(0));
                } else {
                    let mut turned = Tile::ZERO;
                    unpack::transpose(&k.src(0, i), &mut turned);
                    k.copy_of(0, &turned, 0);
                }
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "unary_bcast_COL" | "unary_bcast_ROW" | "unary_bcast_SCALAR" => {
            let mode = k.mode(0, 0);
            for i in 0..count {
                let b = k.src(0, i);
                fpu::move_b_to_dst(mode, broadcast_of(base), &b, k.define(0), 0);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "add_tiles"
        | "sub_tiles"
        | "mul_tiles"
        | "add_tiles_bcast_cols"
        | "add_tiles_bcast_rows"
        | "add_tiles_bcast_scalar"
        | "sub_tiles_bcast_cols"
        | "sub_tiles_bcast_rows"
        | "sub_tiles_bcast_scalar"
        | "mul_tiles_bcast_cols"
        | "mul_tiles_bcast_rows"
        | "mul_tiles_bcast_scalar"
        | "add_block"
        | "sub_block" => {
            for i in 0..count {
                k.binary(&base[..3], broadcast_of(base), (i, i), 0, false);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "add_tiles_twice_same_dst"
        | "mul_tiles_twice_same_dst"
        | "add_tiles_twice_acc_to_dest"
        | "sub_tiles_twice_acc_to_dest" => {
            let accumulate = base.ends_with("acc_to_dest");
            for i in 0..count {
                k.binary(&base[..3], BroadcastType::None, (i, i), 0, accumulate);
                k.binary(&base[..3], BroadcastType::None, (i, i), 0, accumulate);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "mul_tiles_two_pairs_same_dst" => {
            for i in 0..count {
                k.binary("mul", BroadcastType::None, (i, i), 0, false);
                k.binary("mul", BroadcastType::None, ((i + 3) % 4, i), 0, false);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "mul_tiles_three_releases_same_dst" | "mul_tiles_three_releases_same_dst_fullsync" => {
            for _ in 0..case.outputs[0].count() {
                k.binary("mul", BroadcastType::None, (0, 0), 0, false);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "copy_then_add_same_dst" | "copy_then_mul_same_dst" => {
            for i in 0..count {
                k.copy(0, i, 0);
                k.binary(&base[10..13], BroadcastType::None, (i, i), 0, false);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "mul_then_copy_same_dst" => {
            for i in 0..count {
                k.binary("mul", BroadcastType::None, (i, i), 0, false);
                k.copy(0, i, 0);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        _ if base.contains("_reuse_dest_") => {
            let mode = k.mode(0, 1);
            for i in 0..count {
                k.copy(0, i, 0);
                let mut from_dst = Tile::ZERO;
                fpu::dst_to_src(mode, k.define(0), &mut from_dst);
                let other = k.src(1, i);
                let (a, b) = if base.ends_with("SRCA") { (&from_dst, &other) } else { (&other, &from_dst) };
                let dst = k.define(0);
                match &base[..3] {
                    "add" => fpu::eltwise_add(mode, a, b, dst, false),
                    "sub" => fpu::eltwise_sub(mode, a, b, dst, false),
                    // ELWMUL accumulates, so the LLK clears the face first.
                    _ => fpu::eltwise_mul(mode, a, b, dst, true),
                }
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "pack_never_written_dst" => {
            for i in 0..count {
                k.binary("mul", BroadcastType::None, (i, i), 0, false);
                out[0].extend(k.pack(0, 0));
                out[0].extend(k.pack(1, 0));
                k.release();
            }
        }
        "pack_stale_dst_after_release" => {
            for i in 0..count {
                k.binary("add", BroadcastType::None, (i, i), 0, false);
                if i < 2 {
                    k.binary("add", BroadcastType::None, (i, i), 1, false);
                }
                out[0].extend(k.pack(0, 0));
                out[0].extend(k.pack(1, 0));
                k.release();
            }
        }
        "pack_l1_acc" | "pack_l1_acc4" => {
            let mut sums: Vec<Vec<u8>> = Vec::new();
            let passes: Vec<(usize, usize, usize)> = if base == "pack_l1_acc" {
                (0..count).flat_map(|i| [(0, i, i), (1, i, i)]).collect()
            } else {
                (0..count).map(|i| (0, i, 0)).collect()
            };
            for (input, page, to) in passes {
                k.copy(input, page, 0);
                let packed = k.pack(0, 0);
                match sums.get_mut(to) {
                    Some(sum) => accumulate_l1(case.outputs[0].format, sum, &packed),
                    None => sums.push(packed),
                }
                k.release();
            }
            out[0] = sums.concat();
        }
        "pack_l1_acc4_mul_two_pages" => {
            let mut sums: Vec<Vec<u8>> = Vec::new();
            for i in 0..count {
                k.binary("mul", BroadcastType::None, (i, i), 0, false);
                k.binary("mul", BroadcastType::None, (i, 3 - i), 1, false);
                for idst in 0..2 {
                    let packed = k.pack(idst, 0);
                    match sums.get_mut(idst) {
                        Some(sum) => accumulate_l1(case.outputs[0].format, sum, &packed),
                        None => sums.push(packed),
                    }
                }
                k.release();
            }
            out[0] = sums.concat();
        }
        "matmul_tiles" => {
            let mode = k.mode(1, 0);
            for i in 0..count {
                let b = k.src(0, i);
                let mut a = k.src(1, i);
                if case.name.contains("transposeB") {
                    let straight = a.clone();
                    unpack::transpose(&straight, &mut a);
                }
                fpu::matmul(mode, &a, &b, k.define(0));
            }
            out[0] = k.pack(0, 0);
        }
        "matmul_block_2x2x2" => {
            let mode = k.mode(1, 0);
            for inner in 0..2 {
                for (r, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let (b, a) = (k.src(0, 2 * r + inner), k.src(1, 2 * inner + c));
                    fpu::matmul(mode, &a, &b, k.define(2 * r + c));
                }
            }
            for i in 0..4 {
                out[0].extend(k.pack(i, 0));
            }
        }
        "tilize_block" | "tilize_block_w3" | "tilize_block_w4" | "tilize_block_w8" => {
            let format = case.inputs[0].format;
            let datum = format.tile_bytes() as usize / 1024;
            for i in 0..count {
                let mut src = Tile::ZERO;
                unpack_tilize(
                    format,
                    k.register(0),
                    &case.inputs[0].bytes[i * 32 * datum..],
                    count * 32 * datum,
                    &mut src,
                );
                k.copy_of(0, &src, 0);
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        "untilize_block" | "pack_untilize_block" | "pack_untilize_dest_w3" | "pack_untilize_dest_w4" => {
            for i in 0..count {
                k.copy(0, i, i);
            }
            let tiles: Vec<&Tile> = k.dst[..count].iter().collect();
            let mode = k.pack_mode(0);
            let stride = count * mode.out.tile_bytes() as usize / 32;
            out[0] = vec![0xA5; 32 * stride];
            pack_untilize_rows(&mode, &tiles, &mut out[0], stride);
        }
        _ if base.starts_with("reduce_") => {
            let (pool, dim) = pool_and_dim(base);
            k.edge = edge_of(dim);
            let group = if base.ends_with("acc3") { 3 } else { 1 };
            for first in (0..count).step_by(group).take(case.outputs[0].count()) {
                for i in first..first + group {
                    reduce_into(&mut k, pool, dim, i);
                }
                out[0].extend(k.pack(0, 0));
                k.release();
            }
        }
        _ if base.starts_with("pack_after_reduce_") => {
            let (pool, dim) = pool_and_dim(&base["pack_after_".len()..]);
            k.edge = edge_of(dim);
            reduce_into(&mut k, pool, dim, 0);
            out[0].extend(k.pack(0, 0));
            k.release();
            if !base.ends_with("no_uninit") {
                k.edge = EdgeMask::None;
            }
            k.copy(0, 1, 0);
            out[0].extend(k.pack(0, 0));
        }
        _ => return None,
    }
    Some(out)
}

fn reduce_into(k: &mut Kernel, pool: PoolType, dim: ReduceDim, page: usize) {
    let mode = if fpu::scaler_goes_to_src_a(pool, dim) { k.mode(1, 0) } else { k.mode(0, 1) };
    let (data, scaler) = (k.src(0, page), k.src(1, 0));
    fpu::reduce(mode, pool, dim, &data, &scaler, &mut k.dst[0], &mut k.valid[0]);
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
    let words: Vec<&str> = base.split('_').collect();
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

fn edge_of(dim: ReduceDim) -> EdgeMask {
    match dim {
        ReduceDim::Row => EdgeMask::Row,
        ReduceDim::Col => EdgeMask::Col,
        ReduceDim::Scalar => EdgeMask::Scalar,
    }
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
            // Blackhole's cases without an array gave Wormhole's bits, on a patched simulator only.
            let vector_unit = name.contains("sfpu") || recorded.file_names().next().is_none();
            if vector_unit || !is_matrix_unit(name) {
                continue;
            }
            let case = load(recorded);
            let Some(out) = run(&case) else { continue };
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
        let found = ran.get(group).copied().unwrap_or(0);
        assert!(found >= expected, "{group}: {found} cases of {expected}");
    }
    println!("{ran:?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Names that [`run`] knows; loading the others would decode arrays for nothing.
fn is_matrix_unit(name: &str) -> bool {
    let starts = [
        "add_",
        "sub_",
        "mul_",
        "copy_",
        "pack_",
        "matmul_",
        "reduce_",
        "tilize_",
        "untilize_",
        "transpose_",
        "unary_bcast",
        "exhaustive_bf16__copy",
    ];
    starts.iter().any(|start| name.starts_with(start))
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
