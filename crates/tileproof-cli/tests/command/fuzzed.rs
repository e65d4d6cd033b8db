//! The targets of `fuzz/` on their seeds, and on changes of them: the same ones in every run, so that what is found stays found.
//!
//! `cargo xtask fuzz` looks for new ones, led by what the code does; here nothing leads. What it finds is mended with a test of its
//! own, or becomes a seed. Start at [`try_all`].

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[allow(unreachable_pub, reason = "it is a library's file")]
#[path = "../../../../fuzz/src/targets.rs"]
mod targets;

/// How many changed inputs each target is given; `TILEPROOF_FUZZ` in the environment gives another number.
const ROUNDS: u64 = 600;
/// Bytes of an input.
const MOST: usize = 1 << 12;
/// An input that takes longer than this has no bound.
const SLOW: Duration = Duration::from_secs(10);

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Numbers that follow from a seed alone (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound.max(1) as u64) as usize
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Pieces that readers stumble over.
const PIECES: [&str; 24] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775808",
    "1e308",
    "nan",
    "inf",
    "\"",
    "'",
    "${N}",
    "${",
    "[",
    "]]",
    "{",
    "}",
    "\n",
    "\u{202e}",
    "\u{0}",
    "é",
];

/// A seed with some changes. `words` are those of all seeds of the target.
fn changed(seed: &[u8], others: &[Vec<u8>], words: &[&[u8]], numbers: &mut Numbers) -> Vec<u8> {
    let mut input = seed.to_vec();
    for _ in 0..1 + numbers.below(4) {
        let at = numbers.below(input.len() + 1);
        let length = numbers.below(16).min(input.len() - at);
        let place = at..at + length;
        match numbers.below(7) {
            0 if at < input.len() => input[at] ^= 1 << numbers.below(8),
            1 => drop(input.drain(place)),
            2 => {
                let piece = input[place].to_vec();
                let to = numbers.below(input.len() + 1);
                input.splice(to..to, piece);
            }
            3 => drop(input.splice(place, numbers.one_of(&PIECES).bytes())),
            4 if !words.is_empty() => drop(input.splice(place, numbers.one_of(words).iter().copied())),
            5 => {
                let other = &others[numbers.below(others.len())];
                let from = numbers.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            // A number by another.
            _ => {
                let digits = |byte: &u8| byte.is_ascii_digit();
                let Some(from) = input[at..].iter().position(digits).map(|from| at + from) else { continue };
                let to = input[from..].iter().position(|byte| !digits(byte)).map_or(input.len(), |to| from + to);
                input.splice(from..to, numbers.one_of(&PIECES[..10]).bytes());
            }
        }
    }
    input.truncate(MOST);
    input
}

/// Gives a target an input; a panic, or more time than any input may take, fails with the input.
fn try_one(name: &str, target: targets::Target, input: &[u8]) {
    let begun = Instant::now();
    let end = catch_unwind(AssertUnwindSafe(|| target(&targets::beside(fuzz().to_str().expect("a path")), input)));
    let took = begun.elapsed();
    assert!(end.is_ok() && took < SLOW, "{name}, {took:?}: {:?}", String::from_utf8_lossy(input));
}

/// A target on its seeds, and on so many changes of them.
fn try_all(name: &str) {
    let (_, target) = *targets::TARGETS.iter().find(|(known, _)| *known == name).expect("a target");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(fuzz().join("seeds").join(name))
        .expect("seeds")
        .map(|entry| entry.expect("one").path())
        .collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect();
    seeds.iter().for_each(|seed| try_one(name, target, seed));
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words: BTreeSet<&[u8]> =
        seeds.iter().flat_map(|seed| seed.split(|byte| !is_part(byte))).filter(|word| word.len() > 2).collect();
    let words: Vec<&[u8]> = words.into_iter().collect();
    let rounds = std::env::var("TILEPROOF_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    for round in 0..rounds {
        let mut numbers = Numbers(round);
        let seed = &seeds[numbers.below(seeds.len())];
        try_one(name, target, &changed(seed, &seeds, &words, &mut numbers));
    }
}

macro_rules! tests {
    ($($test:ident $target:literal)*) => {$(
        #[test]
        fn $test() {
            try_all($target);
        }
    )*};
}
tests! {
    a_program_file_is_read_or_refused_with_words_whatever_its_bytes "program_file"
    a_description_of_an_op_is_read_or_refused_with_words_whatever_its_bytes "op_file"
    an_array_is_read_or_refused_with_words_whatever_its_bytes "npy"
    the_token_of_a_schedule_is_read_or_refused_with_words_whatever_its_bytes "schedule"
    a_kernel_is_analysed_or_refused_with_words_whatever_its_bytes "analyze"
    a_document_comes_back_as_it_was_printed_whatever_its_texts "json"
}
