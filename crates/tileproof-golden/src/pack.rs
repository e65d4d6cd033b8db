//! Makes the archives of `tests/golden` from the folders in which the raw vectors were recorded.
//! It must never write an archive that does not give back the same bytes: every `.npy` file is compared on the way in.
//! Start reading at [`pack`].

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::archive::{ArrayEntry, CaseEntry, FileEntry, GroupIndex, Stored, content_id};
use crate::coding;
use crate::generate::Rule;
use crate::npy::{Array, Dtype};
use crate::program;

/// Decoded length at which a stream is closed and the next one begun: a test of one case decodes one or two streams.
const STREAM_LENGTH: usize = 4 << 20;

/// Outputs of long runs of which each seventh row is kept (and the digest of all): they are incompressible, and the
/// tile row of 32 rows is computed as a whole, so that a digest that agrees is as good as the bits.
const SAMPLED: &[(&str, &str)] = &[
    ("layernorm_fwd__32x8192__bf16_d32", "out0.npy"),
    ("layernorm_fwd__32x8192__fp32_d32", "out0.npy"),
    ("bw_fixed_dep_8448", "dx.npy"),
    ("bw_buggy_rand_8462", "dgamma_components.npy"),
    ("fw_rand_8462", "y.npy"),
];
const SAMPLE_STEP: usize = 7;

/// What says nothing about the result: how long a run took, and how the recording was arranged.
const DROPPED_META: &[&str] = &["wall_s", "timing", "walls", "kernel_api"];

/// A folder of raw vectors, by the layout it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// Single kernels and ttnn layer norms; no program files.
    Golden,
    /// Cases with program files, the group in `meta.json`.
    More,
    /// Outputs of published LayerNorm kernels.
    Public,
    /// Outputs that differ on Blackhole.
    Blackhole,
}

/// What one group came to.
pub struct Packed {
    /// The group.
    pub group: String,
    /// Cases in it.
    pub cases: usize,
    /// Arrays that the cases refer to, and different ones among them that this archive holds.
    pub arrays: (usize, usize),
    /// Bytes of these different ones.
    pub raw: usize,
    /// Bytes of `GROUP.json.xz` and of `GROUP.bin.xz`.
    pub packed: (usize, usize),
}

/// Packs the `sets` in order into `out`. An array that an earlier group holds is not stored again.
pub fn pack(out: &Path, sets: &[(Set, PathBuf)]) -> Result<Vec<Packed>, String> {
    let mut held = HashSet::new();
    let mut report = Vec::new();
    for (set, directory) in sets {
        let mut groups: BTreeMap<(usize, String), Vec<(PathBuf, Value)>> = BTreeMap::new();
        for folder in sorted(directory)? {
            let Ok(meta) = fs::read(folder.join("meta.json")) else {
                continue;
            };
            let meta: Value = serde_json::from_slice(&meta).map_err(|e| format!("{}: {e}", folder.display()))?;
            let name = group_name(*set, &file_name(&folder), &meta);
            let rank = RANKS.iter().position(|ranked| *ranked == name).unwrap_or(RANKS.len());
            groups.entry((rank, name)).or_default().push((folder, meta));
        }
        for ((_, group), folders) in groups {
            let mut packer = Packer::default();
            for (folder, meta) in folders {
                packer.case(*set, &folder, meta).map_err(|e| format!("{}: {e}", folder.display()))?;
            }
            report.push(packer.write(out, &group, &mut held)?);
        }
    }
    Ok(report)
}

/// The order in which groups may refer to one another's arrays.
const RANKS: &[&str] =
    &["base", "composite", "formats", "int", "packer", "layernorm", "sfpu", "typecast", "extra", "op"];

fn group_name(set: Set, folder: &str, meta: &Value) -> String {
    match set {
        Set::Golden if folder.contains("layernorm") => "layernorm".into(),
        Set::Golden => "base".into(),
        Set::More => meta["group"].as_str().unwrap_or("extra").into(),
        Set::Public => "public".into(),
        Set::Blackhole => "blackhole".into(),
    }
}

fn sorted(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// An array on its way into an archive.
struct Pending {
    id: String,
    dtype: Dtype,
    bytes: Vec<u8>,
    source: Source,
}

#[derive(Clone, PartialEq)]
enum Source {
    Bytes,
    Rule(Rule),
    Rows(String),
}

#[derive(Default)]
struct Packer {
    cases: Vec<CaseEntry>,
    texts: Vec<String>,
    arrays: Vec<Pending>,
    by_id: HashMap<String, usize>,
    references: usize,
}

impl Packer {
    fn add(&mut self, dtype: Dtype, bytes: Vec<u8>, source: Source) -> String {
        let id = content_id(&bytes);
        if !self.by_id.contains_key(&id) {
            self.by_id.insert(id.clone(), self.arrays.len());
            self.arrays.push(Pending { id: id.clone(), dtype, bytes, source });
        }
        id
    }

    fn text(&mut self, text: String) -> usize {
        self.texts.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.texts.push(text);
            self.texts.len() - 1
        })
    }

    fn file(&mut self, case: &str, file: &str, array: Array) -> FileEntry {
        self.references += 1;
        let source = match rule(case, file, &array) {
            Some(rule) => Source::Rule(rule),
            None if SAMPLED.contains(&(case, file)) => Source::Rows(self.sample(&array)),
            None => Source::Bytes,
        };
        let Array { dtype, shape, bytes } = array;
        FileEntry { file: file.into(), dtype, shape, array: self.add(dtype, bytes, source) }
    }

    fn sample(&mut self, array: &Array) -> String {
        let row = array.shape.last().copied().unwrap_or(1) * array.dtype.width();
        let rows = array.bytes.chunks_exact(row).step_by(SAMPLE_STEP).flatten().copied().collect();
        self.add(array.dtype, rows, Source::Bytes)
    }

    fn case(&mut self, set: Set, folder: &Path, mut meta: Value) -> Result<(), String> {
        let name = file_name(folder);
        let mut files: BTreeMap<String, Array> = BTreeMap::new();
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        let mut wanted: Vec<String> = strings(&meta).filter(|s| s.starts_with("../") && s.ends_with(".npy")).collect();
        for path in sorted(folder)? {
            let file = file_name(&path);
            if file.ends_with(".npy") {
                wanted.push(file);
            } else if file != "meta.json" {
                texts.insert(file, read_text(&path)?);
            }
        }
        for file in wanted {
            files.insert(file.clone(), read_npy(&folder.join(&file))?);
        }
        let mut outside: Vec<String> = Vec::new();
        for input in meta["inputs"].as_array().into_iter().flatten() {
            let Some(file) = input["file"].as_str() else {
                continue;
            };
            if !files.contains_key(file) {
                let shape = input["shape"].as_array().into_iter().flatten().filter_map(Value::as_u64);
                let array = Array {
                    dtype: Dtype::U16,
                    shape: shape.map(|n| n as usize).collect(),
                    bytes: Rule::Arange.bytes(),
                };
                if array.len() * 2 != array.bytes.len() {
                    return Err(format!("no {file}"));
                }
                files.insert(file.into(), array);
                outside.push(file.into());
            }
        }
        if set == Set::Golden && texts.contains_key("kernel.cpp") {
            let find = |file: &str| Some((files.get(file)?.clone(), !outside.iter().any(|o| o == file)));
            let program = program::program(&meta, &find)?;
            texts.insert("program.toml".into(), program.toml);
            files.extend(program.files);
        }
        let kernels: Vec<String> = texts
            .get("program.toml")
            .into_iter()
            .flat_map(|toml| toml.lines())
            .filter_map(|line| line.strip_prefix("kernel_source = \"")?.strip_suffix('"'))
            .filter(|source| source.starts_with("../"))
            .map(String::from)
            .collect();
        for kernel in kernels {
            let text = read_text(&folder.join(&kernel))?;
            texts.insert(kernel, text);
        }
        drop_noise(&mut meta);
        let files = files.into_iter().map(|(file, array)| self.file(&name, &file, array)).collect();
        let texts = texts.into_iter().map(|(file, text)| (file, self.text(text))).collect();
        self.cases.push(CaseEntry { name, meta, files, texts });
        Ok(())
    }

    /// Writes the archive, with differences to similar arrays if that makes it smaller.
    fn write(self, out: &Path, group: &str, held: &mut HashSet<String>) -> Result<Packed, String> {
        let new: Vec<&Pending> = self.arrays.iter().filter(|array| !held.contains(&array.id)).collect();
        let plain = encode(&new, false)?;
        let with_bases = encode(&new, true)?;
        let (arrays, streams, binary) = if with_bases.2.len() < plain.2.len() { with_bases } else { plain };
        let raw = new.iter().map(|array| array.bytes.len()).sum();
        let stored = arrays.len();
        held.extend(new.iter().map(|array| array.id.clone()));
        let cases = self.cases.len();
        let index = GroupIndex { group: group.into(), cases: self.cases, texts: self.texts, arrays, streams };
        let json = serde_json::to_vec(&index).map_err(|e| e.to_string())?;
        let json = compress(&json, 3)?;
        let write = |name: String, bytes: &[u8]| fs::write(out.join(&name), bytes).map_err(|e| format!("{name}: {e}"));
        write(format!("{group}.json.xz"), &json)?;
        write(format!("{group}.bin.xz"), &binary)?;
        Ok(Packed {
            group: group.into(),
            cases,
            arrays: (self.references, stored),
            raw,
            packed: (json.len(), binary.len()),
        })
    }
}

type Encoded = (Vec<ArrayEntry>, Vec<(usize, usize)>, Vec<u8>);

fn encode(arrays: &[&Pending], with_bases: bool) -> Result<Encoded, String> {
    let mut entries = Vec::new();
    let mut streams = Vec::new();
    let mut binary = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    let mut close = |open: &mut Vec<u8>| {
        let packed = compress(open, 0)?;
        streams.push((packed.len(), open.len()));
        binary.extend(packed);
        open.clear();
        Ok::<_, String>(())
    };
    let mut stream = 0;
    for (i, array) in arrays.iter().enumerate() {
        let stored = match &array.source {
            Source::Rule(rule) => Stored::Rule(rule.clone()),
            Source::Rows(sample) => Stored::Rows { step: SAMPLE_STEP, sample: sample.clone() },
            Source::Bytes => {
                let base = if with_bases { similar(array, &arrays[..i]) } else { None };
                let packed =
                    coding::pack(array.dtype, &array.bytes, base.map(|base| (base.dtype, base.bytes.as_slice())));
                if open.len() + packed.len() > STREAM_LENGTH && !open.is_empty() {
                    close(&mut open)?;
                    stream += 1;
                }
                let at = open.len();
                open.extend(packed);
                Stored::Stream { stream, at, base: base.map(|base| base.id.clone()) }
            }
        };
        entries.push(ArrayEntry { id: array.id.clone(), dtype: array.dtype, length: array.bytes.len(), stored });
    }
    if !open.is_empty() {
        close(&mut open)?;
    }
    Ok((entries, streams, binary))
}

/// The array before this one whose difference to it costs least, if clearly less than the array itself.
fn similar<'a>(array: &Pending, before: &[&'a Pending]) -> Option<&'a Pending> {
    if array.dtype.width() == 1 || array.bytes.len() < 4096 {
        return None;
    }
    let count = array.bytes.len() / array.dtype.width();
    let cost = |base| entropy(&coding::pack(array.dtype, &array.bytes, base), array.dtype.width());
    let plain = cost(None);
    before
        .iter()
        .rev()
        .filter(|base| base.dtype.width() > 1 && base.bytes.len() == count * base.dtype.width())
        .filter(|base| !matches!(base.source, Source::Rows(_)))
        .take(40)
        .map(|base| (cost(Some((base.dtype, base.bytes.as_slice()))), *base))
        .filter(|(cost, _)| *cost < 0.85 * plain)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, base)| base)
}

/// Bits that the bytes of each plane would take, were they independent of one another.
fn entropy(planes: &[u8], width: usize) -> f64 {
    let plane = |bytes: &[u8]| {
        let mut counts = [0u32; 256];
        bytes.iter().for_each(|b| counts[usize::from(*b)] += 1);
        let total = bytes.len() as f64;
        counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) * (total / f64::from(*n)).log2()).sum::<f64>()
    };
    planes.chunks_exact(planes.len() / width).map(plane).sum()
}

/// The rule that makes exactly this array, if there is one.
fn rule(case: &str, file: &str, array: &Array) -> Option<Rule> {
    let count = array.len();
    let mut candidates = Vec::new();
    if count == 1 << 16 {
        candidates.push(Rule::Arange);
    }
    // The seeds of the published-kernel runs: 20260000 + N for `rand`, 77 + N for `dep`, 99 + N for the forward pass.
    let columns = case.rsplit('_').next().and_then(|n| n.parse::<usize>().ok());
    if let Some(n) = columns.filter(|_| array.dtype == Dtype::U16 && count > 0) {
        let uniform = |seed: usize, rows: usize, low| {
            let size = if rows == 64 || count == n { n } else { 32 * n };
            Rule::UniformBf16 { seed: seed as u32, skip: rows * n, count: size, low, high: 1.0 }
        };
        for seed in [20_260_000 + n, 77 + n, 99 + n] {
            candidates.push(match file.rsplit('/').next()? {
                "x.npy" => uniform(seed, 0, -1.0),
                "dy.npy" if seed == 77 + n => Rule::HalfPlusNoiseBf16 { seed: seed as u32, count },
                "dy.npy" => uniform(seed, 32, -1.0),
                "gamma.npy" if seed == 99 + n => uniform(seed, 32, 0.0),
                "gamma.npy" => uniform(seed, 64, 0.0),
                "beta.npy" => Rule::UniformBf16 { seed: seed as u32, skip: 33 * n, count, low: -1.0, high: 1.0 },
                _ => continue,
            });
        }
        candidates.push(Rule::UniformBf16 { seed: (99 + n) as u32, skip: 33 * n, count, low: 0.0, high: 1.0 });
    }
    candidates.into_iter().find(|rule| rule.bytes() == array.bytes)
}

pub(crate) fn compress(bytes: &[u8], literal_context: u32) -> Result<Vec<u8>, String> {
    let mut options = lzma_rust2::XzOptions::with_preset(9);
    options.lzma_options.lc = literal_context;
    options.lzma_options.pb = 0;
    options.lzma_options.nice_len = 273;
    options.lzma_options.depth_limit = 512;
    options.lzma_options.dict_size = (bytes.len() as u32).next_power_of_two().clamp(1 << 16, 1 << 26);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).map_err(|e| e.to_string())?;
    writer.write_all(bytes).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())
}

fn read_text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn read_npy(path: &Path) -> Result<Array, String> {
    let in_file = |e: String| format!("{}: {e}", path.display());
    let file = fs::read(path).map_err(|e| in_file(e.to_string()))?;
    let array = Array::from_npy(&file).map_err(in_file)?;
    if array.to_npy() == file { Ok(array) } else { Err(in_file("the header is not NumPy's usual one".into())) }
}

fn strings(value: &Value) -> Box<dyn Iterator<Item = String> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.clone())),
        Value::Array(values) => Box::new(values.iter().flat_map(strings)),
        Value::Object(values) => Box::new(values.values().flat_map(strings)),
        _ => Box::new(std::iter::empty()),
    }
}

fn drop_noise(meta: &mut Value) {
    if let Value::Object(fields) = meta {
        fields.retain(|key, value| {
            let arrangement = key == "note" && value.as_str().is_some_and(|note| note.contains("stand-ins"));
            !DROPPED_META.contains(&key.as_str()) && !arrangement
        });
        fields.values_mut().for_each(drop_noise);
    }
}
