//! Mistakes of host programs: each is refused at the line that made it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::built::{PLAIN, Program, root};

const SOURCE: &str = "crates/tileproof-host/tests/cpp/bad_use.cpp";

/// A mistake, and words of what is said of it.
const MISTAKES: [(&str, &str); 53] = [
    ("no_kernel", "there is no kernel file cpp/there_is_none.cpp"),
    ("same_index", "cb 0 is on"),
    ("uneven_pages", "total_size 64 is not a multiple of page_size 48"),
    ("no_index", "cb 3: no data format was given"),
    ("core_range", "lies before start"),
    ("off_the_grid", "outside the compute grid"),
    ("too_large", "out of memory"),
    ("uneven_buffer", "size 100 must be a multiple of page_size 64"),
    ("dram_shards", "a sharded buffer in DRAM is not modelled"),
    ("no_shard_cores", "a sharded buffer needs cores"),
    // Four times as many wrap around to the four pages that there are.
    ("wide_shards", "of a buffer of 4 x 1073741825: it has 4 pages"),
    ("other_core", "core (x=1,y=0) has no kernel"),
    ("other_count", "their number cannot change"),
    ("too_many", "342 runtime args, and a kernel may have 341"),
    ("no_handle", "kernel 7: the program has 0 kernels"),
    ("two_on_a_thread", "has a kernel on NCRISC already"),
    ("closed_run", "the device is closed"),
    ("closed_buffer", "the device is closed"),
    ("closed_read", "the device is closed"),
    ("freed", "was deallocated"),
    ("dram_cb", "a circular buffer lies in L1"),
    ("dram_cb_at_once", "a circular buffer lies in L1"),
    ("dram_cb_described", "a circular buffer lies in L1"),
    ("freed_cb", "was deallocated before the program ran"),
    ("freed_before_cb", "the buffer of 4096 B was deallocated"),
    ("more_than_it_has", "65 bytes are written to a buffer that has 64 B"),
    ("null_write", "128 bytes are to be written, and where they are is a null pointer"),
    ("null_read", "128 bytes are to be read, and where they go is a null pointer"),
    ("null_shard", "is a null pointer"),
    ("beyond", "bytes 64 to 192 are meant, of a buffer of 128 B"),
    ("open_twice", "device 0 is open already"),
    ("no_device", "device 9: there are 1"),
    ("larger_mesh", "a mesh of 8 devices"),
    ("remote_cb", "remote_format_descriptors are not modelled"),
    ("transposed_tile", "cb 0: transpose of its tile is not modelled"),
    ("transposed_described", "cb 1: transpose of its tile is not modelled"),
    ("ethernet_semaphore", "semaphore: core_type 1 is not modelled"),
    ("ethernet_described", "semaphore: core_type 1 is not modelled"),
    ("ethernet", "ethernet cores are not modelled"),
    ("early_release", "trace 1 is still being taken by command queue 0"),
    ("early_replay", "trace 1 is still being taken by command queue 1"),
    ("replay_in_capture", "command queue 0, which is taking a trace"),
    ("two_captures", "command queue 0 takes a trace already"),
    ("released", "there is no trace 1, or it was released"),
    ("no_queue", "command queue 5"),
    ("moved", "the program was moved from"),
    ("semaphores", "a core has 16 semaphores"),
    ("tensor_count", "5 elements for Shape([2, 3]), which has 6"),
    ("tensor_type", "UINT32 elements are given as FLOAT32"),
    ("tensor_block", "the elements of BFLOAT8_B have no bytes of their own: sixteen share an exponent"),
    ("tensor_twice", "the tensor is on the device already"),
    ("tensor_reshaped", "Shape([3, 3]) has 9 elements, Shape([2, 3]) has 6"),
    ("tensor_on_host", "the tensor is on the host: it has no buffer"),
];

#[test]
fn each_mistake_is_refused_at_the_line_that_made_it() {
    let program = Program::build(SOURCE, "bad_use", &[]);
    let text = std::fs::read_to_string(root().join(SOURCE)).unwrap();
    let marked = text.lines().filter(|line| line.contains("// HERE ")).count();
    assert_eq!(marked, MISTAKES.len());
    for (mistake, words) in MISTAKES {
        let ran = program.run(&[mistake], PLAIN);
        let is_here = |line: &str| line.ends_with(&format!("// HERE {mistake}"));
        let line = text.lines().position(is_here).unwrap() + 1;
        assert!(ran.stdout.contains(&format!("bad_use.cpp:{line}: ")), "{mistake}, line {line}: {ran:?}");
        assert!(ran.stdout.contains(words), "{mistake}: {ran:?}");
        assert_eq!(ran.code, Some(4), "{mistake}: {ran:?}");
    }
    a_setting_that_is_wrong_is_named_where_the_device_is_opened(&program);
}

fn a_setting_that_is_wrong_is_named_where_the_device_is_opened(program: &Program) {
    for (name, value, words) in [
        ("TILEPROOF_CHECKS", "everything", "expected all, none"),
        ("TILEPROOF_EXPLORE", "many", "expected a whole number"),
        ("TILEPROOF_ARCH", "quasar", "expected one of wormhole"),
        ("TILEPROOF_FORMAT", "xml", "expected one of human"),
        ("TILEPROOF_EXIT", "no", "expected 0 or 1"),
        ("TILEPROOF_DEVICES", "65", "expected a whole number from 1 to 64"),
        ("TILEPROOF_DEVICES", "0", "expected a whole number from 1 to 64"),
    ] {
        let ran = program.run(&["no_queue"], &[(name, value)]);
        assert!(ran.stderr.contains(name) && ran.stderr.contains(words), "{name}: {ran:?}");
    }
    let ran = program.run(&["no_queue"], &[("TILEPROOF_EXIT", OsStr::from_bytes(b"0\xff"))]);
    assert!(ran.stderr.contains("TILEPROOF_EXIT: \"0\\xFF\" is not UTF-8"), "{ran:?}");
}
