//! Every array of `tests/golden` decodes to its recorded digest, and a case laid out again is the case recorded.
//! These tests must not know how the archives are coded: they use the public loader only.
//! Start reading at `every_array_decodes`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use tileproof_golden::{Array, Case, Dtype, Mismatch, case, cases, group, groups};

#[test]
fn every_array_decodes() {
    let mut arrays = 0;
    for case in cases() {
        for file in case.file_names() {
            // `array` compares the BLAKE3 of what it decodes with the index.
            if case.is_whole(file) {
                let array = case.array(file);
                assert_eq!(array.len() * array.dtype.width(), array.bytes.len(), "{}/{file}", case.name);
            } else {
                let sample = case.sample(file).unwrap();
                assert_eq!(sample.rows.bytes.len(), sample.rows.len() * sample.rows.dtype.width());
            }
            arrays += 1;
        }
    }
    assert!(arrays > 2500, "only {arrays} arrays");
}

#[test]
fn groups_are_complete() {
    let counts: BTreeMap<&str, usize> = groups().into_iter().map(|name| (name, group(name).count())).collect();
    // The counts of the recorded folders, as PROVENANCE.md lists them.
    let recorded = [
        ("base", 290),
        ("blackhole", 56),
        ("composite", 96),
        ("extra", 74),
        ("formats", 106),
        ("int", 31),
        ("layernorm", 15),
        ("op", 148),
        ("packer", 65),
        ("public", 37),
        ("sfpu", 191),
        ("typecast", 29),
    ];
    assert_eq!(counts, BTreeMap::from(recorded));
    let names: BTreeSet<_> = cases().iter().map(|case| (&case.group, &case.name)).collect();
    assert_eq!(names.len(), cases().len());
}

#[test]
fn inputs_and_outputs_of_the_meta_are_there() {
    for case in cases().iter().filter(|case| case.kernel_source().is_some()) {
        for io in ["inputs", "outputs"].iter().flat_map(|side| case.meta[side].as_array().unwrap()) {
            let array = case.array(io["file"].as_str().unwrap());
            // A raw layout is recorded as tiles but given by pages, so the number of elements is what must agree.
            let lengths = io["shape"].as_array().unwrap().iter();
            let elements: u64 = lengths.map(|n| n.as_u64().unwrap()).product();
            assert_eq!(array.len() as u64, elements, "{}", case.name);
        }
    }
}

#[test]
fn a_program_names_only_files_laid_out() {
    let root = scratch();
    let single_kernels = cases().iter().filter(|case| case.group != "blackhole" && case.kernel_source().is_some());
    for case in single_kernels.step_by(9) {
        let folder = case.write_to(&root).unwrap();
        let program = case.program_toml().unwrap();
        let mut named = 0;
        for line in program.lines() {
            let name =
                ["fill = \"npy:", "kernel_source = \"", "file = \""].iter().find_map(|key| line.strip_prefix(key));
            if let Some(name) = name {
                assert!(folder.join(name.trim_end_matches('"')).is_file(), "{}: {line}", case.name);
                named += 1;
            }
        }
        assert!(named >= 3, "{}", case.name);
    }
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_case_laid_out_is_the_case_recorded() {
    let root = scratch();
    for case in cases().iter().step_by(13) {
        let folder = case.write_to(&root.join(&case.group)).unwrap();
        for file in case.file_names().filter(|file| case.is_whole(file)) {
            let written = fs::read(folder.join(file)).unwrap();
            let array = Array::from_npy(&written).unwrap();
            assert_eq!(case.check(file, &array.bytes), Ok(()), "{}/{file}", case.name);
            assert_eq!(array.shape, case.array(file).shape);
        }
        for file in case.text_names() {
            assert!(fs::read_to_string(folder.join(file)).is_ok_and(|text| !text.is_empty()));
        }
        assert_eq!(folder.join("kernel.cpp").exists(), case.kernel_source().is_some());
    }
    fs::remove_dir_all(root).unwrap();
}

/// Values that need no model: a copy is exact, and negation turns the sign bit.
#[test]
fn known_values() {
    let exhaustive = case("base", "exhaustive_bf16__copy_tile__bf16_d32_fp32").unwrap();
    let input = exhaustive.array("in0.npy").u16s();
    assert_eq!(input, (0..=u16::MAX).collect::<Vec<_>>());
    let output = exhaustive.array("out0.npy");
    assert_eq!(output.dtype, Dtype::F32);
    assert_eq!(output.u32s()[0x3f00], 0.5f32.to_bits());
    let negative = case("base", "negative_tile__bf16_d32_fp32").unwrap();
    let pairs = negative.array("in0.npy").as_f32_bits().unwrap().into_iter().zip(negative.array("out0.npy").u32s());
    let normal = |bits: u32| f32::from_bits(bits).is_normal();
    assert!(pairs.filter(|(a, _)| normal(*a)).all(|(a, b)| a ^ b == 1 << 31));
}

#[test]
fn check_tells_what_differs() {
    let case = case("base", "add_tiles__bf16_d32_fp32").unwrap();
    let mut bytes = case.raw("out0.npy");
    assert_eq!(case.check("out0.npy", &bytes), Ok(()));
    bytes[4 * 1025] ^= 1;
    let Err(Mismatch::Elements { differing: 1, first: 1025, got, expected, .. }) = case.check("out0.npy", &bytes)
    else {
        panic!("{:?}", case.check("out0.npy", &bytes));
    };
    assert_eq!(got ^ expected, 1);
    bytes.pop();
    assert!(matches!(case.check("out0.npy", &bytes), Err(Mismatch::Length { .. })));
}

#[test]
fn check_finds_a_flaw_in_rows_that_are_not_kept() {
    let case = case("public", "bw_fixed_dep_8448").unwrap();
    assert!(!case.is_whole("dx.npy"));
    let sample = case.sample("dx.npy").unwrap();
    assert_eq!((sample.step, sample.rows.shape.as_slice()), (7, [5, 8448].as_slice()));
    // Rows of zeros where rows are kept differ there; with the kept rows in place only the digest tells.
    let mut bytes = vec![0; 32 * 8448 * 2];
    assert!(matches!(case.check("dx.npy", &bytes), Err(Mismatch::Elements { .. })));
    let row = 8448 * 2;
    for (i, kept) in sample.rows.bytes.chunks_exact(row).enumerate() {
        bytes[i * 7 * row..][..row].copy_from_slice(kept);
    }
    assert_eq!(case.check("dx.npy", &bytes), Err(Mismatch::Digest));
}

/// A fresh folder of this test's own.
fn scratch() -> std::path::PathBuf {
    let thread = std::thread::current().name().unwrap_or_default().replace("::", "-");
    let path = std::env::temp_dir().join(format!("tileproof-golden-{}-{thread}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}

/// `Case` can be shared between test threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Case>();
};
