//! Vector code that is drawn, beside what the vendor's compiler and simulator made of it.
//!
//! A digest is of three tiles, one for each pair of tiles that a function was given. Those who record take the folders that this test
//! writes. Start at [`vector_code_that_is_drawn_computes_what_was_recorded`].

mod text;

use std::fmt::Write;
use std::fs;

use tileproof_model::numerics::format::DataFormat;

use crate::recorded::{NEWEST, Program, Tensor, digest, numbers};
use crate::support;

const DIGESTS: &str = include_str!("../../../../../tests/golden/vector_digests.txt");

/// Seeds of functions on which the vendor's compiler gives up.
const NOT_COMPILED: [u32; 6] = [7, 35, 80, 147, 181, 194];
const FUNCTIONS: usize = 200;
const PAIRS: u32 = 3;

/// A program that runs the functions of some seeds.
fn program(seeds: &[u32], wide: bool, name: &str) -> Program {
    let kernel = support::folder(&format!("drawn-{name}")).join("compute.cpp");
    fs::write(&kernel, text::kernel(seeds, PAIRS)).unwrap();
    let format = if wide { DataFormat::Float32 } else { DataFormat::Float16_b };
    let tensors = vec![
        Tensor { name: "x", cb: 0, format: DataFormat::Float16_b, tiles: 2 * PAIRS, words: Some(numbers()) },
        Tensor { name: "out", cb: 16, format, tiles: PAIRS * seeds.len() as u32, words: None },
    ];
    Program { kernel: kernel.display().to_string(), defines: Vec::new(), wide, tensors }
}

#[test]
fn vector_code_that_is_drawn_computes_what_was_recorded() {
    let seeds: Vec<u32> = (0..).filter(|seed| !NOT_COMPILED.contains(seed)).take(FUNCTIONS).collect();
    let mut got = Vec::new();
    for chip in ["wormhole", "blackhole"] {
        for wide in [false, true] {
            let bits = if wide { 32 } else { 16 };
            // By turns ten for either width of Dst.
            let of_width = seeds.iter().enumerate().filter(|(at, _)| (at / 10 % 2 == 1) == wide);
            let of_width: Vec<u32> = of_width.map(|(_, seed)| *seed).collect();
            let name = format!("{chip} drawn {bits}");
            let outputs = program(&of_width, wide, &name.replace(' ', "-")).outputs(chip, NEWEST, &name);
            let (_, bytes) = &outputs[0];
            got.extend(of_width.iter().zip(bytes.chunks(bytes.len() / of_width.len())).map(|(seed, bytes)| {
                let mut line = String::new();
                let _ = write!(line, "{chip} {seed} {bits} {:016x}", digest(bytes));
                line
            }));
        }
    }
    let recorded: Vec<&str> = DIGESTS.lines().filter(|line| !line.starts_with('#')).collect();
    let wrong: Vec<&String> = got.iter().filter(|line| !recorded.contains(&line.as_str())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(recorded.len(), 2 * FUNCTIONS);
}
