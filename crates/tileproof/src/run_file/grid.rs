//! A program run over a grid of its parameters, and what each cell came to.
//! It must never take a cell that could not be run for one that passes. Start reading at [`Axis::parse`] and [`cells`].

use tileproof_model::finding::Code;
use tileproof_model::record::Status;

use super::result::RunResult;

/// Cells that a grid may have.
const MOST_CELLS: usize = 10_000;

/// A parameter and the values that it goes through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Its name in `[params]`.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// Values of parameters, as `--param` gives them.
pub type Parameters = Vec<(String, String)>;

impl Axis {
    /// Reads `NAME=VALUES`: values with commas between, of which `A..B` is all integers from A to B.
    ///
    /// # Errors
    /// One sentence that names what is wrong.
    pub fn parse(text: &str) -> Result<Axis, String> {
        const EXPECTED: &str = "expected NAME=VALUES, as W=1..9,33,64 or dtype=bfloat16,float32";
        let pair = text.split_once('=').map(|(name, values)| (name.trim(), values.trim()));
        let (name, list) =
            pair.filter(|(name, _)| !name.is_empty()).ok_or_else(|| format!("grid \"{text}\": {EXPECTED}"))?;
        let mut values: Vec<String> = Vec::new();
        for item in list.split(',').map(str::trim) {
            if item.is_empty() {
                return Err(format!("grid {name}: a value is empty; {EXPECTED}"));
            }
            for value in range(name, item)? {
                if values.contains(&value) {
                    return Err(format!("grid {name}: {value} is there twice"));
                }
                values.push(value);
            }
        }
        Ok(Axis { name: name.to_string(), values })
    }
}

/// The integers of `A..B`, both included, or the item itself.
fn range(name: &str, item: &str) -> Result<Vec<String>, String> {
    let Some((first, last)) = item.split_once("..") else { return Ok(vec![item.to_string()]) };
    let end = |text: &str| text.trim_start_matches('=').trim().parse::<i64>();
    let (Ok(first), Ok(last)) = (end(first), end(last)) else {
        return Err(format!("grid {name}: range \"{item}\": expected two integers, as 1..9"));
    };
    if first > last {
        return Err(format!("grid {name}: range \"{item}\" is empty: its start is above its end"));
    }
    if last.abs_diff(first) >= MOST_CELLS as u64 {
        return Err(format!("grid {name}: range \"{item}\" has more than {MOST_CELLS} values"));
    }
    Ok((first..=last).map(|value| value.to_string()).collect())
}

/// The cells of a grid: all combinations, the last axis fastest.
///
/// # Errors
/// If an axis is there twice, or is no parameter of the program (`known`), or there are too many cells.
pub fn cells(axes: &[Axis], known: &[String]) -> Result<Vec<Parameters>, String> {
    for (i, axis) in axes.iter().enumerate() {
        if axes[..i].iter().any(|other| other.name == axis.name) {
            return Err(format!("grid {}: it is there twice; give all its values at once", axis.name));
        }
        if !known.contains(&axis.name) {
            let names = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(format!("grid {}: it is not in [params] of the program; it has {names}", axis.name));
        }
    }
    let count = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > MOST_CELLS) {
        return Err(format!("the grid has more than {MOST_CELLS} cells"));
    }
    let mut cells: Vec<Parameters> = vec![Vec::new()];
    for axis in axes {
        let with = |cell: &Parameters, value: &String| [&cell[..], &[(axis.name.clone(), value.clone())]].concat();
        cells = cells.iter().flat_map(|cell| axis.values.iter().map(move |value| with(cell, value))).collect();
    }
    Ok(cells)
}

/// What a run came to, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It completed, and all is as expected.
    Pass,
    /// It never ended.
    Hang,
    /// Something was found.
    Found,
    /// An output is not as expected, and nothing was found.
    Wrong,
}

impl RunResult {
    /// The verdict in a word: the gravest of what there is.
    pub fn verdict(&self) -> Verdict {
        let record = &self.record;
        if record.status == Status::Deadlock || record.findings.iter().any(|f| f.code == Code::STEP_LIMIT) {
            Verdict::Hang
        } else if record.status != Status::Completed || !record.findings.is_empty() {
            Verdict::Found
        } else if self.outputs.iter().any(|output| !output.pass) {
            Verdict::Wrong
        } else {
            Verdict::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_values_and_ranges_with_both_ends() {
        let axis = Axis::parse("W=1..3, 33,64").unwrap();
        assert_eq!((axis.name.as_str(), axis.values.join(" ")), ("W", "1 2 3 33 64".to_string()));
        assert_eq!(Axis::parse("n=-1..1").unwrap().values, ["-1", "0", "1"]);
        assert_eq!(Axis::parse("dtype=bfloat16,float32").unwrap().values, ["bfloat16", "float32"]);
    }

    #[test]
    fn what_is_no_axis_is_refused_by_name() {
        let refused = |text: &str, words: &str| {
            let error = Axis::parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        };
        refused("W", "grid \"W\": expected NAME=VALUES");
        refused("=1", "expected NAME=VALUES");
        refused("W=", "grid W: a value is empty");
        refused("W=1,,2", "a value is empty");
        refused("W=9..1", "range \"9..1\" is empty");
        refused("W=1..x", "range \"1..x\": expected two integers");
        refused("W=1..99999999", "more than 10000 values");
        refused("W=1..3,2", "2 is there twice");
    }

    #[test]
    fn cells_are_all_combinations_and_unknown_names_are_refused() {
        let axes = [Axis::parse("W=1,2").unwrap(), Axis::parse("dtype=a,b").unwrap()];
        let known = ["W", "dtype"].map(String::from);
        let shown: Vec<String> = cells(&axes, &known)
            .unwrap()
            .iter()
            .map(|cell| cell.iter().map(|(_, value)| value.as_str()).collect())
            .collect();
        assert_eq!(shown, ["1a", "1b", "2a", "2b"]);
        let error = cells(&axes, &known[..1]).unwrap_err();
        assert_eq!(error, "grid dtype: it is not in [params] of the program; it has W");
        let twice = [axes[0].clone(), axes[0].clone()];
        assert!(cells(&twice, &known).unwrap_err().contains("there twice"));
        let large = Axis::parse("W=1..101").unwrap();
        let larger = Axis { name: "dtype".into(), ..large.clone() };
        assert!(cells(&[large, larger], &known).unwrap_err().contains("more than 10000 cells"));
    }
}
