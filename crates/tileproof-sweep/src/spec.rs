//! Which cells a sweep has: tables of lists, whose product they are.
//!
//! It must never run anything. Start at [`Spec::read`].

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tileproof::fill::Fill;
use tileproof::kernel_folder::KernelFolder;
use tileproof::model::schedule::{DEFAULT_SCHEDULE, Schedule};
use tileproof::op::call::parse_shape;
use tileproof::op::registry;
use tileproof::run_file::ChosenChecks;

use crate::SweepError;
use crate::cell::Cell;
use crate::lists::{Data, List, Shape, Word};

/// Cells that a sweep may have.
pub const MOST_CELLS: usize = 1_000_000;

/// A sweep.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What it is called.
    #[serde(default)]
    pub name: String,
    /// What a cell may take.
    #[serde(default)]
    pub limits: Limits,
    /// Its tables; each becomes the product of its lists.
    #[serde(default)]
    cells: Vec<Product>,
    /// Where paths in it begin.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What one cell may take before its worker is ended.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Seconds.
    pub seconds: f64,
    /// Megabytes that any process of a worker may hold.
    pub memory_mb: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { seconds: 300.0, memory_mb: 8192 }
    }
}

/// `[[cells]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Product {
    op: Option<String>,
    program: Option<String>,
    #[serde(default)]
    kernels: List<String>,
    #[serde(default)]
    shapes: List<Shape>,
    #[serde(default)]
    dtypes: List<String>,
    #[serde(default)]
    layouts: List<String>,
    #[serde(default)]
    data: List<Data>,
    #[serde(default)]
    seeds: List<u64>,
    #[serde(default)]
    schedules: List<String>,
    #[serde(default)]
    attributes: BTreeMap<String, List<Word>>,
    #[serde(default)]
    parameters: BTreeMap<String, List<Word>>,
    #[serde(default)]
    explore: usize,
    checks: Option<String>,
    rtol: Option<f64>,
    atol: Option<f64>,
}

impl Spec {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or says something that no sweep has.
    pub fn read(path: &Path) -> Result<Spec, SweepError> {
        let text =
            std::fs::read_to_string(path).map_err(|error| SweepError::Read { path: path.to_path_buf(), error })?;
        let wrong = |message: String| SweepError::Spec { path: path.to_path_buf(), message };
        let spec: Spec = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(Spec { folder: folder.to_path_buf(), ..spec })
    }

    /// Reads the same as JSON, whose paths begin at a folder.
    ///
    /// # Errors
    /// If it says something that no sweep has.
    pub fn parse_json(text: &str, folder: &Path) -> Result<Spec, String> {
        let spec: Spec = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Spec { folder: folder.to_path_buf(), ..spec })
    }

    /// Its cells, in order.
    ///
    /// # Errors
    /// If there are none or too many, or a list holds what it may not; the error names the table and the field.
    pub fn cells(&self) -> Result<Vec<Cell>, String> {
        let Limits { seconds, memory_mb } = self.limits;
        if !seconds.is_finite() || seconds <= 0.0 {
            return Err(format!("limits.seconds {seconds}: must be above 0"));
        }
        if memory_mb == 0 {
            return Err("limits.memory_mb 0: must be at least 1".into());
        }
        let mut cells = Vec::new();
        let mut tables = HashMap::new();
        for (i, product) in self.cells.iter().enumerate() {
            let here = |why: String| format!("cells {}: {why}", i + 1);
            product.check(&self.folder).map_err(here)?;
            if product.count().is_none_or(|count| cells.len() + count > MOST_CELLS) {
                return Err(here(format!("the sweep has more than {MOST_CELLS} cells")));
            }
            for cell in product.cells() {
                // A cell of plain data can be written.
                let key = blake3::hash(serde_json::to_string(&cell).unwrap_or_default().as_bytes());
                if let Some(table) = tables.insert(key, i + 1) {
                    let what = format!("{} {} seed {}", cell.subject(), cell.shape, cell.seed);
                    return Err(here(format!("{what} is a cell of cells {table} too; leave one out")));
                }
                cells.push(cell);
            }
        }
        if cells.is_empty() { Err("cells: a sweep needs at least one table [[cells]]".into()) } else { Ok(cells) }
    }
}

/// The product of cells and the values of a list; an empty list leaves them as they are.
fn times<T>(cells: Vec<Cell>, values: &[T], set: impl Fn(&mut Cell, &T)) -> Vec<Cell> {
    if values.is_empty() {
        return cells;
    }
    let with = |cell: &Cell, value: &T| {
        let mut cell = cell.clone();
        set(&mut cell, value);
        cell
    };
    cells.iter().flat_map(|cell| values.iter().map(move |value| with(cell, value))).collect()
}

impl Product {
    /// Attributes of an op, or parameters of a program file.
    fn settings(&self) -> &BTreeMap<String, List<Word>> {
        if self.op.is_some() { &self.attributes } else { &self.parameters }
    }

    /// Its lists: the name, why one cannot be, and how long it is.
    fn lists(&self) -> Vec<(&str, Option<String>, usize)> {
        let mut lists = vec![
            ("kernels", self.kernels.wrong(String::clone), self.kernels.len()),
            ("shapes", self.shapes.wrong(Shape::text), self.shapes.len()),
            ("dtypes", self.dtypes.wrong(String::clone), self.dtypes.len()),
            ("layouts", self.layouts.wrong(String::clone), self.layouts.len()),
            ("data", self.data.wrong(|data| Cell::pairs(&data.pairs())), self.data.len()),
            ("seeds", self.seeds.wrong(u64::to_string), self.seeds.len()),
            ("schedules", self.schedules.wrong(String::clone), self.schedules.len()),
        ];
        lists.extend(self.settings().iter().map(|(name, values)| {
            let wrong = values.wrong(Word::to_string);
            (name.as_str(), wrong, values.len())
        }));
        lists
    }

    fn count(&self) -> Option<usize> {
        let mut lengths = self.lists().into_iter().map(|(_, _, length)| length);
        lengths.try_fold(1_usize, |all, length| all.checked_mul(length.max(1)))
    }

    fn cells(&self) -> Vec<Cell> {
        let cell = Cell {
            op: self.op.clone().unwrap_or_default(),
            program: self.program.clone().unwrap_or_default(),
            explore: self.explore,
            checks: self.checks.clone().unwrap_or_else(|| "all".into()),
            rtol: self.rtol,
            atol: self.atol,
            ..Cell::default()
        };
        let mut cells = times(vec![cell], &self.kernels, |cell, folder| {
            cell.kernels = if folder == SHIPPED { String::new() } else { folder.clone() };
        });
        cells = times(cells, &self.shapes, |cell, shape| cell.shape = shape.text());
        cells = times(cells, &self.dtypes, |cell, dtype| cell.dtype.clone_from(dtype));
        cells = times(cells, &self.layouts, |cell, layout| cell.layout.clone_from(layout));
        for (name, values) in self.settings() {
            cells = times(cells, values, |cell, value| cell.settings.push((name.clone(), value.to_string())));
        }
        cells = times(cells, &self.data, |cell, data| cell.data = data.pairs());
        cells = times(cells, &self.seeds, |cell, seed| cell.seed = *seed);
        times(cells, &self.schedules, |cell, schedule| {
            cell.schedule = if schedule == DEFAULT_SCHEDULE { String::new() } else { schedule.clone() };
        })
    }

    /// Refuses what no cell could be; what depends on the op is for the op to refuse, cell by cell.
    fn check(&self, folder: &Path) -> Result<(), String> {
        match (&self.op, &self.program) {
            (Some(op), None) => self.check_op(op, folder)?,
            (None, Some(program)) => self.check_program(program, folder)?,
            _ => return Err("give op or program, one of the two".into()),
        }
        if let Some((name, why)) = self.lists().into_iter().find_map(|(name, wrong, _)| Some((name, wrong?))) {
            return Err(format!("{name}: {why}"));
        }
        for schedule in self.schedules.iter() {
            let schedule = Schedule::parse(schedule).map_err(|error| format!("schedules \"{schedule}\": {error}"))?;
            if self.explore > 0 && !schedule.is_default() {
                return Err("explore: it departs from the default schedule; leave out schedules".into());
            }
        }
        if let Some(checks) = &self.checks {
            ChosenChecks::parse(checks)?;
        }
        for (name, value) in [("rtol", self.rtol), ("atol", self.atol)] {
            if value.is_some_and(|value| !value.is_finite() || value < 0.0) {
                return Err(format!("{name} {}: must be a finite number, 0 or above", value.unwrap_or_default()));
            }
        }
        Ok(())
    }

    fn check_op(&self, op: &str, folder: &Path) -> Result<(), String> {
        let found = registry::find(op, folder).map_err(|error| format!("op: {error}"))?;
        if self.shapes.is_empty() {
            return Err("shapes: an op needs at least one, as \"1,1,32,64\"".into());
        }
        if !self.parameters.is_empty() {
            return Err("parameters: they are those of a program file; an op has attributes".into());
        }
        for shape in self.shapes.iter() {
            parse_shape(&shape.text()).map_err(|why| format!("shapes: {why}"))?;
        }
        let inputs: Vec<String> = found.op.describe().inputs.into_iter().map(|input| input.name).collect();
        for (name, fill) in self.data.iter().flat_map(Data::pairs) {
            if !name.is_empty() && !inputs.contains(&name) {
                return Err(format!("data: {name} is no input of {op}; the inputs are {}", inputs.join(", ")));
            }
            Fill::parse(&fill).map_err(|error| format!("data: {error}"))?;
        }
        if self.kernels.iter().any(|kernels| kernels != SHIPPED) {
            if found.folder.is_some() {
                return Err(format!(
                    "kernels: those of {op} are in its folder; kernels of other folders are for shipped ops"
                ));
            }
            if self.explore > 0 || self.schedules.iter().any(|schedule| schedule != DEFAULT_SCHEDULE) {
                return Err(
                    "kernels: those of a folder run on the default schedule; leave out schedules and explore".into()
                );
            }
        }
        for kernels in self.kernels.iter().filter(|kernels| *kernels != SHIPPED) {
            KernelFolder::find(&folder.join(kernels)).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn check_program(&self, program: &str, folder: &Path) -> Result<(), String> {
        if !folder.join(program).is_file() {
            return Err(format!("program {}: there is no such file", folder.join(program).display()));
        }
        let of_ops = [
            ("kernels", self.kernels.is_empty()),
            ("shapes", self.shapes.is_empty()),
            ("dtypes", self.dtypes.is_empty()),
            ("layouts", self.layouts.is_empty()),
            ("data", self.data.is_empty()),
            ("seeds", self.seeds.is_empty()),
            ("attributes", self.attributes.is_empty()),
            ("rtol", self.rtol.is_none()),
            ("atol", self.atol.is_none()),
        ];
        let given = of_ops.into_iter().find(|(_, is_empty)| !is_empty);
        given.map_or(Ok(()), |(field, _)| Err(format!("{field}: the program file says it; parameters may change it")))
    }
}

/// The word for the kernels that an op is shipped with.
const SHIPPED: &str = "shipped";
