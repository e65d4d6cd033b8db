//! Reads the arguments of a kernel: words, or what becomes words when the program is set up.
//! It must never let one stand for what the program does not have. Start reading at [`Arguments`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tileproof_model::arch::Chip;
use tileproof_model::program::{Argument, SemaphoreDescriptor, TensorDescriptor};
use tileproof_model::thread::{CoreCoord, CoreRange};

use super::fields::Fields;
use super::tensor::no_such_tensor;
use super::value::{Kind, Problem, Value};
use crate::described::program::OF_CORE;
use crate::launch_rules::SEMAPHORES;

/// What the parts of a launch may refer to.
pub(crate) struct Surroundings<'a> {
    pub(crate) arch: &'static Chip,
    pub(crate) tensors: &'a [TensorDescriptor],
    pub(crate) folder: &'a Path,
    pub(crate) line_of: &'a dyn Fn(usize) -> usize,
    /// Names of the tensors.
    pub(crate) names: &'a BTreeSet<&'a str>,
}

/// Reads the arguments of a kernel.
pub(super) struct Arguments<'a> {
    pub(super) fields: &'a Fields<'a>,
    pub(super) around: &'a Surroundings<'a>,
    pub(super) semaphores: &'a [SemaphoreDescriptor],
}

impl Arguments<'_> {
    pub(super) fn list(&self, key: &str) -> Result<Vec<Argument>, Problem> {
        let values = self.fields.list_or_empty(key, "a list of arguments")?;
        values.iter().map(|value| self.argument(key, value)).collect()
    }

    pub(super) fn named(&self) -> Result<Vec<(String, u32)>, Problem> {
        const KEY: &str = "named_compile_time_args";
        const EXPECTED: &str = "a list of [\"name\", integer]";
        let mut named: Vec<(String, u32)> = Vec::new();
        let mut names = BTreeSet::new();
        for pair in self.fields.list_or_empty(KEY, EXPECTED)? {
            let [name, value] = self.fields.list(KEY, pair, EXPECTED)? else {
                return Err(self.fields.wrong(KEY, pair, EXPECTED));
            };
            let name = self.fields.text(KEY, name, EXPECTED)?;
            if !names.insert(name) {
                let message = format!("{}: {KEY}: \"{name}\" is there twice", self.fields.what);
                return Err(Problem::new(pair.at, message));
            }
            named.push((name.to_string(), self.word(KEY, value)?));
        }
        Ok(named)
    }

    pub(super) fn by_core(&self, core_ranges: &[CoreRange]) -> Result<BTreeMap<CoreCoord, Vec<Argument>>, Problem> {
        const KEY: &str = "runtime_args";
        let mut by_core = BTreeMap::new();
        for table in self.fields.list_or_empty(KEY, "a list of { core = [x, y], args = [..] }")? {
            let what = format!("{}: {KEY}", self.fields.what);
            let fields = Fields::new(what, table, &OF_CORE)?;
            let core_value = fields.require("core")?;
            let core = fields.core("core", core_value)?;
            if !core_ranges.iter().any(|range| range.contains(core)) {
                let message = format!("{}: core {core} is not in core_ranges", fields.what);
                return Err(Problem::new(core_value.at, message));
            }
            let values = fields.list("args", fields.require("args")?, "a list of arguments")?;
            let arguments = values.iter().map(|value| self.argument(KEY, value)).collect::<Result<_, _>>()?;
            if by_core.insert(core, arguments).is_some() {
                let message = format!("{}: core {core} is there twice", fields.what);
                return Err(Problem::new(core_value.at, message));
            }
        }
        Ok(by_core)
    }

    /// A 32-bit word; a negative number is its two's complement.
    fn word(&self, key: &str, value: &Value) -> Result<u32, Problem> {
        let number = self.fields.integer(key, value, i64::from(i32::MIN), i64::from(u32::MAX))?;
        Ok(number as u32)
    }

    fn argument(&self, key: &str, value: &Value) -> Result<Argument, Problem> {
        const EXPECTED: &str = "an integer, { tensor_accessor = \"..\" }, { address = \"..\" }, \
            { semaphore = id }, { noc_x = [x, y] }, { noc_y = [x, y] }, { cb = i } or { l1 = address }";
        let fields = self.fields;
        let Kind::Table(entries) = &value.kind else {
            if matches!(value.kind, Kind::Integer(_)) || value.from_parameter {
                return self.word(key, value).map(Argument::Word);
            }
            return Err(fields.wrong(key, value, EXPECTED));
        };
        let [entry] = entries.as_slice() else { return Err(fields.wrong(key, value, EXPECTED)) };
        let inner = &entry.value;
        match entry.key.as_str() {
            "tensor_accessor" => self.tensor(key, inner).map(Argument::TensorAccessor),
            "address" => self.tensor(key, inner).map(Argument::Address),
            "semaphore" => {
                let id = fields.integer(key, inner, 0, i64::from(SEMAPHORES) - 1)? as u32;
                if !self.semaphores.iter().any(|semaphore| semaphore.id == id) {
                    let message = format!("{}: {key}: there is no [[semaphore]] with id {id}", fields.what);
                    return Err(Problem::new(inner.at, message));
                }
                Ok(Argument::Semaphore(id))
            }
            "noc_x" | "noc_y" => {
                let core = fields.core(key, inner)?;
                let (columns, rows) = self.around.arch.grid;
                if core.x >= columns || core.y >= rows {
                    let message =
                        format!("{}: {key}: {core} is outside the grid of {columns} x {rows} cores", fields.what);
                    return Err(Problem::new(inner.at, message));
                }
                Ok(if entry.key == "noc_x" { Argument::NocX(core) } else { Argument::NocY(core) })
            }
            "cb" => {
                let last = i64::from(self.around.arch.circular_buffers) - 1;
                Ok(Argument::Cb(fields.integer(key, inner, 0, last)? as u8))
            }
            "l1" => fields.unsigned(key, inner, 0).map(Argument::L1),
            other => {
                let message = format!("{}: {key}: unknown argument {other}; expected {EXPECTED}", fields.what);
                Err(Problem::new(entry.key_at, message))
            }
        }
    }

    fn tensor(&self, key: &str, value: &Value) -> Result<String, Problem> {
        let name = self.fields.text(key, value, "the name of a tensor")?;
        if self.around.names.contains(name) {
            return Ok(name.to_string());
        }
        let what = format!("{}: {key}", self.fields.what);
        Err(no_such_tensor(&what, name, value.at, self.around.tensors))
    }
}
