//! `tileproof explain`: the page of a finding code.

use clap::Args;
use tileproof::model::finding::Code;

use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["explain", "explain TP0601"]))]
pub(crate) struct Explain {
    /// A code such as TP0601; without one, all codes are listed.
    code: Option<String>,
}

impl Explain {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let mut codes = Code::ALL.to_vec();
        codes.sort();
        let Some(wanted) = self.code else {
            let line = |code: Code| format!("{code}  {:<14}  {}\n", format!("{:?}", code.class()), code.title());
            say(codes.into_iter().map(line).collect::<String>())?;
            return Ok(Outcome::Clean);
        };
        let Some(code) = Code::parse(&wanted) else {
            let known: Vec<String> = codes.iter().map(Code::to_string).collect();
            return Err(BadInput::new(format!("there is no code {wanted}; known are {}", known.join(", "))).into());
        };
        say(code.page())?;
        Ok(Outcome::Clean)
    }
}
