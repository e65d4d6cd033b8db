//! The archives of `tests/golden`: `GROUP.json.xz` lists the cases, `GROUP.bin.xz` holds the arrays.
//! Reading must never give other bytes than were packed: every array is checked against its BLAKE3 on the way out.
//! Start reading at [`GroupIndex`], then [`Store::bytes`].

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::coding;
use crate::generate::Rule;
use crate::npy::Dtype;

/// What `GROUP.json.xz` says. Arrays are known by content, so a case may use those of an earlier group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct GroupIndex {
    pub(crate) group: String,
    pub(crate) cases: Vec<CaseEntry>,
    pub(crate) texts: Vec<String>,
    pub(crate) arrays: Vec<ArrayEntry>,
    /// The xz streams of `GROUP.bin.xz` in order: bytes in the file, bytes once decoded.
    pub(crate) streams: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CaseEntry {
    pub(crate) name: String,
    pub(crate) meta: serde_json::Value,
    pub(crate) files: Vec<FileEntry>,
    /// File name to position in [`GroupIndex::texts`].
    pub(crate) texts: BTreeMap<String, usize>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) file: String,
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) array: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ArrayEntry {
    /// The first 128 bits of the BLAKE3 of the elements' bytes, in hexadecimal.
    pub(crate) id: String,
    pub(crate) dtype: Dtype,
    pub(crate) length: usize,
    pub(crate) stored: Stored,
}

/// Where an array's bytes come from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Stored {
    /// In a stream, in the order of [`coding::pack`].
    Stream { stream: usize, at: usize, base: Option<String> },
    /// From a rule.
    Rule(Rule),
    /// Not in full: only each `step`th row is kept, as the array `sample`; `id` is still that of the whole.
    Rows { step: usize, sample: String },
}

pub(crate) fn content_id(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_string()
}

/// `tests/golden` of the workspace.
pub(crate) fn golden_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

struct Group {
    index: GroupIndex,
    streams: Vec<OnceLock<Vec<u8>>>,
}

/// All archives of a directory.
pub(crate) struct Store {
    directory: PathBuf,
    groups: Vec<Group>,
    arrays: HashMap<String, (usize, usize)>,
}

impl Store {
    pub(crate) fn open(directory: &Path) -> Result<Self, String> {
        let in_directory = |e: std::io::Error| format!("{}: {e}", directory.display());
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(in_directory)? {
            let path = entry.map_err(in_directory)?.path();
            if path.to_string_lossy().ends_with(".json.xz") {
                paths.push(path);
            }
        }
        paths.sort();
        let mut store = Self { directory: directory.to_path_buf(), groups: Vec::new(), arrays: HashMap::new() };
        for path in paths {
            let file = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let index: GroupIndex =
                serde_json::from_slice(&decompress(&file, 0)?).map_err(|e| format!("{}: {e}", path.display()))?;
            for (at, array) in index.arrays.iter().enumerate() {
                store.arrays.insert(array.id.clone(), (store.groups.len(), at));
            }
            let streams = index.streams.iter().map(|_| OnceLock::new()).collect();
            store.groups.push(Group { index, streams });
        }
        Ok(store)
    }

    pub(crate) fn indexes(&self) -> impl Iterator<Item = &GroupIndex> {
        self.groups.iter().map(|group| &group.index)
    }

    pub(crate) fn entry(&self, id: &str) -> Result<(usize, &ArrayEntry), String> {
        let (group, at) = *self.arrays.get(id).ok_or_else(|| format!("no array {id}"))?;
        Ok((group, &self.groups[group].index.arrays[at]))
    }

    /// The bytes of an array, checked against its content id. An array of which only rows are kept is an error.
    pub(crate) fn bytes(&self, id: &str) -> Result<Vec<u8>, String> {
        let (group, entry) = self.entry(id)?;
        let bytes = match &entry.stored {
            Stored::Rule(rule) => rule.bytes(),
            Stored::Rows { step, .. } => {
                return Err(format!("only every {step}th row of array {id} is kept, and the digest of the whole"));
            }
            Stored::Stream { stream, at, base } => {
                let packed = &self.stream(group, *stream)?[*at..*at + entry.length];
                match base {
                    None => coding::unpack(entry.dtype, packed, None),
                    Some(base) => {
                        let (_, base_entry) = self.entry(base)?;
                        let base = self.bytes(base)?;
                        coding::unpack(entry.dtype, packed, Some((base_entry.dtype, &base)))
                    }
                }
            }
        };
        if content_id(&bytes) == id { Ok(bytes) } else { Err(format!("array {id} decodes to other bytes")) }
    }

    fn stream(&self, group: usize, stream: usize) -> Result<&[u8], String> {
        let group = &self.groups[group];
        if let Some(bytes) = group.streams[stream].get() {
            return Ok(bytes);
        }
        let path = self.directory.join(format!("{}.bin.xz", group.index.group));
        let file = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let start: usize = group.index.streams[..stream].iter().map(|s| s.0).sum();
        let (packed, decoded) = group.index.streams[stream];
        let packed = file.get(start..start + packed).ok_or_else(|| format!("{}: cut short", path.display()))?;
        let bytes = decompress(packed, decoded)?;
        Ok(group.streams[stream].get_or_init(|| bytes))
    }
}

fn decompress(xz: &[u8], expected: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(expected);
    lzma_rust2::XzReader::new(xz, false).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::Array;
    use crate::pack::{Set, compress, pack};

    /// Packs two cases that share their input, the second's output being the first's rounded to bf16.
    fn packed(root: &Path) -> PathBuf {
        let single: Vec<u32> = (0..4096).map(|i: u32| 0x3f80_0000 + i.wrapping_mul(0x9e37_79b9) % 0x80_0000).collect();
        let half: Vec<u16> = single.iter().map(|b| ((b + 0x7fff + (b >> 16 & 1)) >> 16) as u16).collect();
        let array = |dtype, bytes| Array { dtype, shape: vec![4, 32, 32], bytes }.to_npy();
        let input = array(Dtype::U16, (0..8192).map(|i| (i % 251) as u8).collect());
        let outputs = [
            array(Dtype::F32, single.iter().flat_map(|b| b.to_le_bytes()).collect()),
            array(Dtype::U16, half.iter().flat_map(|b| b.to_le_bytes()).collect()),
        ];
        for (name, output) in ["copy_fp32", "copy_rounded"].into_iter().zip(outputs) {
            let folder = root.join("raw").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("meta.json"), r#"{"group": "tiny", "wall_s": 1.5}"#).unwrap();
            std::fs::write(folder.join("in0.npy"), &input).unwrap();
            std::fs::write(folder.join("out0.npy"), output).unwrap();
        }
        let out = root.join("packed");
        std::fs::create_dir_all(&out).unwrap();
        let report = pack(&out, &[(Set::More, root.join("raw"))]).unwrap();
        assert_eq!((report[0].cases, report[0].arrays), (2, (4, 3)));
        out
    }

    fn scratch(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("tileproof-golden-{}-{name}", std::process::id()))
    }

    #[test]
    fn what_is_packed_comes_back() {
        let root = scratch("archive");
        let store = Store::open(&packed(&root)).unwrap();
        let index = store.indexes().next().unwrap();
        assert_eq!(index.cases[0].meta, serde_json::json!({ "group": "tiny" }));
        for case in &index.cases {
            for entry in &case.files {
                let file = std::fs::read(root.join("raw").join(&case.name).join(&entry.file)).unwrap();
                let array = Array::from_npy(&file).unwrap();
                assert_eq!(store.bytes(&entry.array).unwrap(), array.bytes);
            }
        }
        let differences = index.arrays.iter().filter(|a| matches!(&a.stored, Stored::Stream { base: Some(_), .. }));
        assert_eq!(differences.count(), 1, "the rounded output is kept as a difference");
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn other_bytes_are_refused() {
        let root = scratch("refused");
        let out = packed(&root);
        let path = out.join("tiny.json.xz");
        let json = decompress(&std::fs::read(&path).unwrap(), 0).unwrap();
        let mut index: GroupIndex = serde_json::from_slice(&json).unwrap();
        let Stored::Stream { at, .. } = &mut index.arrays[1].stored else { panic!("not in a stream") };
        *at += 1;
        std::fs::write(&path, compress(&serde_json::to_vec(&index).unwrap(), 3).unwrap()).unwrap();
        let store = Store::open(&out).unwrap();
        assert!(store.bytes(&index.arrays[0].id).is_ok());
        assert!(store.bytes(&index.arrays[1].id).is_err());
        std::fs::remove_dir_all(root).unwrap();
    }
}
