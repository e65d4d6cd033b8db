//! One call of an op: shape, formats and attributes, however it was written down.
//!
//! It must never know what an op does with it. Start at [`Call`].

use crate::dtypes::{OF_OPS, dtype_words};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

/// What an op is called with.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Shape of the first input.
    pub shape: Vec<u32>,
    /// Element format of the tensors that may have several.
    pub dtype: DataFormat,
    /// Layout of the tensors that may have several.
    pub layout: Layout,
    /// Shapes of other inputs, where they are not what the op makes of the first.
    pub shapes: Vec<(String, Vec<u32>)>,
    /// Attributes that are given; the others have their defaults.
    pub attributes: Vec<(String, Setting)>,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// One of a few words.
    Word(String),
}

impl Setting {
    /// Reads a number, or else a word.
    pub fn parse(text: &str) -> Setting {
        text.parse().map_or_else(|_| Setting::Word(text.to_string()), Setting::Number)
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Setting::Number(number) => f.write_str(&plain(*number)),
            Setting::Word(word) => f.write_str(word),
        }
    }
}

/// A number as people write it: 1e-5, not 0.00001.
pub(crate) fn plain(number: f64) -> String {
    let small = number != 0.0 && number.abs() < 1e-3 || number.abs() >= 1e7;
    if small && number.is_finite() { format!("{number:e}") } else { format!("{number}") }
}

/// A number as a count, if it is whole and from `least` on. `as` would make counts of 2.7, of -1 and of what is no number.
pub(crate) fn whole(number: f64, least: u32) -> Option<u32> {
    let fits = number.fract() == 0.0 && (f64::from(least)..=f64::from(u32::MAX)).contains(&number);
    fits.then_some(number as u32)
}

/// Why a call is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The condition that does not hold, as the op's description lists it.
    pub condition: String,
    /// One sentence, naming the argument, its value and what is allowed.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(condition: impl Into<String>, message: impl Into<String>) -> Refusal {
        Refusal { condition: condition.into(), message: message.into() }
    }
}

impl Call {
    /// A call with a shape alone.
    pub fn new(shape: &[u32], dtype: DataFormat, layout: Layout) -> Call {
        Call { shape: shape.to_vec(), dtype, layout, shapes: Vec::new(), attributes: Vec::new() }
    }

    /// An attribute, if it is given; `epsilon` is `eps`.
    pub fn attribute(&self, name: &str) -> Option<&Setting> {
        self.attributes.iter().find(|(known, _)| same_attribute(known, name)).map(|(_, value)| value)
    }

    /// Accepts attributes that an op has, each once.
    ///
    /// # Errors
    /// If one is none of those that are known, or stands there twice.
    pub(crate) fn check_attributes(&self, op: &str, known: &[&str]) -> Result<(), Refusal> {
        for (i, (name, _)) in self.attributes.iter().enumerate() {
            if !known.iter().any(|known| same_attribute(known, name)) {
                let known =
                    if known.is_empty() { "it has none".into() } else { format!("it has {}", known.join(", ")) };
                let message = format!("{name}: {op} has no such attribute; {known}");
                return Err(Refusal::new("every attribute is known", message));
            }
            if let Some((first, _)) = self.attributes[..i].iter().find(|(first, _)| same_attribute(first, name)) {
                let also = if first == name { String::new() } else { format!(", as {first}") };
                return Err(Refusal::new("every attribute is given once", format!("{name}: is given twice{also}")));
            }
        }
        Ok(())
    }

    /// The same with an attribute.
    pub fn with(mut self, name: &str, value: Setting) -> Call {
        self.attributes.retain(|(known, _)| known != name);
        self.attributes.push((name.to_string(), value));
        self
    }
}

/// Whether two names are those of one attribute: ttnn says both `eps` and `epsilon`.
fn same_attribute(a: &str, b: &str) -> bool {
    fn short(name: &str) -> &str {
        if name == "epsilon" { "eps" } else { name }
    }
    short(a) == short(b)
}

/// Reads a shape as command lines have it: `1,1,32,64`.
///
/// # Errors
/// If a dimension is no whole number.
pub fn parse_shape(text: &str) -> Result<Vec<u32>, String> {
    let side = |word: &str| {
        word.trim().parse::<u32>().map_err(|_| format!("\"{word}\" is not a whole number from 0 to {}", u32::MAX))
    };
    text.split(',').map(side).collect()
}

/// A shape as reports show it.
pub fn shape_name(shape: &[u32]) -> String {
    let sides: Vec<String> = shape.iter().map(u32::to_string).collect();
    sides.join("x")
}

/// The names of layouts.
pub(crate) const LAYOUTS: [(&str, Layout); 2] = [("tile", Layout::Tile), ("row_major", Layout::RowMajor)];

/// The name of a layout.
pub fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Tile => "tile",
        Layout::RowMajor => "row_major",
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", shape_name(&self.shape), self.dtype.dtype_name(), layout_name(self.layout))?;
        for (name, shape) in &self.shapes {
            write!(f, ", {name} {}", shape_name(shape))?;
        }
        for (name, value) in &self.attributes {
            write!(f, ", {name} {value}")?;
        }
        Ok(())
    }
}

/// A call as the words of a command line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CallWords {
    /// `--shape`, as `1,1,32,64`.
    pub shape: String,
    /// `--dtype`.
    pub dtype: String,
    /// `--layout`.
    pub layout: String,
    /// `--set NAME=VALUE`.
    pub settings: Vec<(String, String)>,
}

impl Call {
    /// The words that make this call.
    pub fn words(&self) -> CallWords {
        CallWords {
            shape: self.shape.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            dtype: self.dtype.dtype_name().into(),
            layout: layout_name(self.layout).into(),
            settings: self.attributes.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
        }
    }

    /// Reads the words of a command line.
    ///
    /// # Errors
    /// If a word is none of those that are allowed; the error names them.
    pub fn from_words(words: &CallWords) -> Result<Call, String> {
        let shape = parse_shape(&words.shape).map_err(|why| format!("shape: {why}"))?;
        let dtype = dtype_words(&OF_OPS).into_iter().find(|(word, _)| *word == words.dtype).map(|(_, format)| format);
        let dtype =
            dtype.ok_or_else(|| format!("dtype {}: must be bfloat16 (or bf16) or float32 (or fp32)", words.dtype))?;
        let layout = LAYOUTS.iter().find(|(name, _)| *name == words.layout).map(|(_, layout)| *layout);
        let layout = layout.ok_or_else(|| format!("layout {}: must be tile or row_major", words.layout))?;
        let mut call = Call::new(&shape, dtype, layout);
        // Whether one stands there twice is for the op to say.
        call.attributes = words.settings.iter().map(|(name, value)| (name.clone(), Setting::parse(value))).collect();
        Ok(call)
    }
}
