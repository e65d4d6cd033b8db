//! The matrix unit, the unpackers and the packers against bit-exact golden vectors.
//!
//! Each case composes unpack, matrix-unit operation and pack as its kernel did and compares every
//! output byte. Which cases belong here is decided by name; the count is checked so that a lost
//! folder cannot pass. Start at [`run`].
#![cfg(feature = "golden")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tileproof_numerics::format::{DataFormat, pack_source_format, unpack_register_format};
use tileproof_numerics::fpu::{
    self, BroadcastType, Fidelity, FpuArch, FpuMode, PoolType, ReduceDim,
};
use tileproof_numerics::host;
use tileproof_numerics::pack::{
    EdgeMask, PackMode, Relu, accumulate_l1, pack_tile, pack_untilize_rows,
};
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
    fidelity: Fidelity,
    dst_32: bool,
    precise: bool,
    unpack_to_dest: bool,
    inputs: Vec<Pages>,
    outputs: Vec<Pages>,
}

/// The folders that hold cases: `TILEPROOF_GOLDEN`, separated by colons.
fn case_folders() -> Vec<PathBuf> {
    let roots = std::env::var("TILEPROOF_GOLDEN").expect(
        "set TILEPROOF_GOLDEN to the folder of golden vectors (several: separate with ':')",
    );
    let mut folders: Vec<PathBuf> = roots
        .split(':')
        .flat_map(|root| fs::read_dir(root).unwrap_or_else(|e| panic!("{root}: {e}")))
        .map(|entry| entry.expect("readable entry").path())
        .filter(|path| path.join("meta.json").is_file())
        .collect();
    folders.sort();
    folders
}

/// Data of an npy file; the shape is known from elsewhere.
fn npy(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(&bytes[..6], b"\x93NUMPY", "{}", path.display());
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[10 + header..].to_vec()
}

/// Every value of `key` in the text of a meta.json, in order.
fn values<'a>(json: &'a str, key: &str) -> Vec<&'a str> {
    let quoted = format!("\"{key}\": ");
    json.match_indices(&quoted)
        .map(|(at, _)| {
            let rest = &json[at + quoted.len()..];
            let end = if rest.starts_with('"') {
                rest[1..].find('"').map(|e| e + 2)
            } else {
                rest.find([',', '\n'])
            };
            rest[..end.expect("a terminated value")].trim_matches('"')
        })
        .collect()
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

/// The pages of one array of a case, in the order of L1.
fn pages(folder: &Path, block: &str) -> Pages {
    let format = format_of(values(block, "format")[0]);
    let file = values(block, "file")[0];
    if let Some(raw) = values(block, "raw_file").first() {
        return Pages {
            format,
            bytes: npy(&folder.join(raw)),
        };
    }
    let data = if folder.join(file).is_file() {
        npy(&folder.join(file))
    } else {
        (0..=u16::MAX).flat_map(u16::to_le_bytes).collect()
    };
    let bytes = if values(block, "layout")[0].starts_with("raw") {
        data
    } else {
        let datum = format.tile_bytes() as usize / 1024;
        data.chunks_exact(1024 * datum)
            .flat_map(|t| host::tilize(datum, t, 32, 32))
            .collect()
    };
    Pages { format, bytes }
}

fn load(folder: &Path) -> Case {
    let json = fs::read_to_string(folder.join("meta.json")).expect("meta.json");
    let section = |from: &str, to: &str| {
        let start = json.find(from).expect("section") + from.len();
        let end = json[start..].find(to).map_or(json.len(), |e| start + e);
        json[start..end]
            .split("\"file\"")
            .skip(1)
            .map(|s| format!("\"file\"{s}"))
            .collect()
    };
    let inputs: Vec<String> = section("\"inputs\": [", "\"outputs\": [");
    let outputs: Vec<String> = section("\"outputs\": [", "\"versions\": {");
    Case {
        name: folder
            .file_name()
            .expect("a folder")
            .to_string_lossy()
            .into_owned(),
        fidelity: match values(&json, "fidelity")[0] {
            "LoFi" => Fidelity::LoFi,
            "HiFi2" => Fidelity::HiFi2,
            "HiFi3" => Fidelity::HiFi3,
            _ => Fidelity::HiFi4,
        },
        dst_32: values(&json, "fp32_dest_acc_en")[0] == "true",
        precise: values(&json, "bfp8_pack_precise").first() == Some(&"true")
            || folder.to_string_lossy().contains("pack_precise"),
        unpack_to_dest: !json.contains("\"unpack_to_dest_fp32_cbs\": []"),
        inputs: inputs.iter().map(|b| pages(folder, b)).collect(),
        outputs: outputs.iter().map(|b| pages(folder, b)).collect(),
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
        Kernel {
            case,
            dst: vec![Tile::ZERO; 16],
            valid: vec![0; 16],
            relu: Relu::None,
            edge: EdgeMask::None,
        }
    }

    fn release(&mut self) {
        self.valid.fill(0);
    }

    fn register(&self, input: usize) -> DataFormat {
        let format = self.case.inputs[input].format;
        unpack_register_format(format, self.case.dst_32, self.case.unpack_to_dest)
            .expect("a register format")
    }

    fn mode(&self, a: usize, b: usize) -> FpuMode {
        FpuMode {
            src_a: self.register(a),
            src_b: self.register(b),
            dst_32: self.case.dst_32,
            fidelity: self.case.fidelity,
            arch: FpuArch::Wormhole,
        }
    }

    fn src(&self, input: usize, page: usize) -> Tile {
        let mut tile = Tile::ZERO;
        let pages = &self.case.inputs[input];
        unpack_tile(
            pages.format,
            self.register(input),
            pages.page(page),
            &mut tile,
        );
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
        let straight = matches!(
            mode.src_a,
            DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32
        );
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

    fn binary(
        &mut self,
        op: &str,
        kind: BroadcastType,
        pages: (usize, usize),
        idst: usize,
        accumulate: bool,
    ) {
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
            source: pack_source_format(out, self.case.dst_32, self.case.precise)
                .expect("a pack source"),
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
    let base = base.strip_prefix("exhaustive_bf16").map_or(base, |_| {
        case.name.split("__").nth(1).expect("an operation")
    });
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
                fpu::move_b_to_dst(mode, broadcast_of(base), &b, k.define(0));
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
                let (a, b) = if base.ends_with("SRCA") {
                    (&from_dst, &other)
                } else {
                    (&other, &from_dst)
                };
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
        "untilize_block"
        | "pack_untilize_block"
        | "pack_untilize_dest_w3"
        | "pack_untilize_dest_w4" => {
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
    let mode = if fpu::scaler_goes_to_src_a(pool, dim) {
        k.mode(1, 0)
    } else {
        k.mode(0, 1)
    };
    let (data, scaler) = (k.src(0, page), k.src(1, 0));
    fpu::reduce(
        mode,
        pool,
        dim,
        &data,
        &scaler,
        &mut k.dst[0],
        &mut k.valid[0],
    );
}

fn broadcast_of(base: &str) -> BroadcastType {
    match base
        .rsplit('_')
        .next()
        .expect("a word")
        .to_lowercase()
        .as_str()
    {
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

/// Cases of the first set that this file must find and run.
const EXPECTED_CASES: usize = 180;

#[test]
fn every_case_of_the_matrix_unit_is_bit_exact() {
    let mut ran: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for folder in case_folders() {
        let name = folder
            .file_name()
            .expect("a folder")
            .to_string_lossy()
            .into_owned();
        let skip = ["op_", "flow_", "layernorm", "moreh", "typecast", "sfpu"];
        if skip.iter().any(|s| name.starts_with(s)) || name.contains("sfpu") {
            continue;
        }
        let case = load(&folder);
        let Some(out) = run(&case) else { continue };
        *ran.entry(name.split("__").next().expect("a name").to_owned())
            .or_default() += 1;
        for (o, (ours, theirs)) in out.iter().zip(&case.outputs).enumerate() {
            let wrong = ours
                .iter()
                .zip(&theirs.bytes)
                .filter(|(a, b)| a != b)
                .count();
            if ours.len() != theirs.bytes.len() || wrong != 0 {
                let first = ours.iter().zip(&theirs.bytes).position(|(a, b)| a != b);
                failures.push(format!(
                    "{name} out{o}: {} of {} bytes, {wrong} wrong, first at {first:?}",
                    ours.len(),
                    theirs.bytes.len()
                ));
            }
        }
    }
    let total: usize = ran.values().sum();
    println!("{total} cases: {ran:?}");
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(total >= EXPECTED_CASES, "only {total} cases found");
}
