//! `tileproof layernorm`: the shipped ops, from arguments to verdict.
//!
//! One file a direction; `options` and `finish` are what both take and how both end, `asked` what is asked beside a run.

mod asked;
mod backward;
mod finish;
mod forward;
mod options;
mod suite;

use clap::{Args, Subcommand};

use crate::outcome::Outcome;

#[derive(Args)]
pub(crate) struct Layernorm {
    #[command(subcommand)]
    direction: Direction,
}

#[derive(Subcommand)]
enum Direction {
    /// y, and on request mean and rstd, from x, gamma and beta.
    Forward(forward::Forward),
    /// dx, dgamma and dbeta from x, gamma, dy and the statistics of forward.
    Backward(backward::Backward),
}

impl Layernorm {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        match self.direction {
            Direction::Forward(command) => command.run(),
            Direction::Backward(command) => command.run(),
        }
    }
}
