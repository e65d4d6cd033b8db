//! A measure as JSON: a number, or `null` where it is not finite.
//!
//! Read back, `null` is NaN, so that a document survives the round trip without passing for exact.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

pub(super) mod optional {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::json) fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.filter(|v| v.is_finite()).serialize(serializer)
    }

    pub(in crate::json) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Option::deserialize(deserializer)
    }
}
