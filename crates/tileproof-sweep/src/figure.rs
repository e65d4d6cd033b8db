//! A figure that may be missing or infinite, for which JSON has no number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const INFINITE: &str = "inf";

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Figure {
    Number(f64),
    Word(String),
}

pub(crate) fn serialize<S: Serializer>(figure: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    let figure =
        figure.map(|figure| if figure.is_finite() { Figure::Number(figure) } else { Figure::Word(INFINITE.into()) });
    figure.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<Figure>::deserialize(deserializer)?.map(|figure| match figure {
        Figure::Number(figure) => figure,
        Figure::Word(_) => f64::INFINITY,
    }))
}
