//! Lists of a sweep and what stands in them, as they are written in TOML or JSON.
//!
//! What cannot be is named, with what is allowed. It must never say what a value means to an op. Start at [`List`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A list, or that none is given.
#[derive(Clone, Debug)]
pub(crate) struct List<T>(Option<Vec<T>>);

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(None)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<List<T>, D::Error> {
        Vec::deserialize(deserializer).map(|values| List(Some(values)))
    }
}

impl<T> List<T> {
    /// Why it cannot be, if `text` is how a value is written: it is empty, or has one twice.
    pub(crate) fn wrong(&self, text: impl Fn(&T) -> String) -> Option<String> {
        if self.0.as_ref().is_some_and(Vec::is_empty) {
            return Some("the list is empty; give a value, or leave it out".into());
        }
        let mut seen = BTreeSet::new();
        let twice = self.iter().map(text).find(|text| !seen.insert(text.clone()))?;
        Some(format!("{} is there twice", twice.trim_start_matches('=')))
    }
}

/// A shape, as text or side by side.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Text(String),
    Sides(Vec<u32>),
}

impl Shape {
    pub(crate) fn text(&self) -> String {
        match self {
            Shape::Text(text) => text.split(',').map(str::trim).collect::<Vec<_>>().join(","),
            Shape::Sides(sides) => sides.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        }
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        struct Written;
        impl<'de> Visitor<'de> for Written {
            type Value = Shape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a shape, as \"1,1,32,64\" or [1, 1, 32, 64]")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Shape, E> {
                Ok(Shape::Text(text.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, sides: A) -> Result<Shape, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(sides)).map(Shape::Sides)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// What inputs are filled with.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// For the first input.
    Fill(String),
    /// By input.
    Inputs(BTreeMap<String, String>),
}

impl Data {
    /// Fills by input; the empty name is the first input.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        match self {
            Data::Fill(fill) => vec![(String::new(), fill.clone())],
            Data::Inputs(inputs) => inputs.clone().into_iter().collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Data, D::Error> {
        struct Written;
        impl<'de> Visitor<'de> for Written {
            type Value = Data;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a fill, as \"normal:0,1\", or a table of fills by input, as { x = \"normal:0,1\" }")
            }

            fn visit_str<E: Error>(self, fill: &str) -> Result<Data, E> {
                Ok(Data::Fill(fill.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, inputs: A) -> Result<Data, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(inputs)).map(Data::Inputs)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// A value of a parameter or an attribute, as it is given on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Word(String);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a text, or true or false")
            }

            fn visit_bool<E: Error>(self, flag: bool) -> Result<Word, E> {
                Ok(Word(flag.to_string()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Word, E> {
                Ok(Word(format!("{number:?}")))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
                Ok(Word(text.into()))
            }
        }
        deserializer.deserialize_any(Written)
    }
}
