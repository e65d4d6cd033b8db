//! An output that is what is expected but for what came in beside: a tile of Dst that was not clear, or a sum that was dropped.
//!
//! Both are what the kernel computes, so that exact arithmetic on the same way gives them too; but each has another reading,
//! which its share leaves out. Where the output without some of these shares is what is expected, they are the reason. Must
//! never count one that brings the output no nearer. Start at [`Case::what_came_beside`].

use std::collections::BTreeSet;

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::wording::figure;

use super::super::blame::label;
use super::super::planes::{Culprit, is_what_if};
use super::case::{Case, Question};

/// What is left of the error, where other readings explain it.
const LEFT: f64 = 0.25;
/// What one of them must take away of what is left.
const WORTH: f64 = 0.05;

/// One that explains a part: its share of the error.
struct Reading {
    who: Culprit,
    share: f64,
}

impl Case<'_> {
    /// The readings of calls that together give what is expected, largest share first; none if none do.
    fn explaining(&self) -> Vec<Reading> {
        let Question { expected, found, .. } = self.question;
        let mut left: Vec<f64> =
            self.wrong.iter().map(|wrong| found[wrong.element] - expected[wrong.element]).collect();
        let size = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
        let all = size(&left);
        let tiles = || self.wrong.iter().filter_map(|wrong| self.of.nodes.tile(Some(wrong.node)));
        let open = tiles().flat_map(|tile| tile.shares.iter().map(|(who, _)| self.of.blamed.joined(*who)));
        let mut open: BTreeSet<Culprit> = open.filter(|who| is_what_if(*who)).collect();
        let mut readings = Vec::new();
        loop {
            // The one that takes most away goes first.
            let without = |who: Culprit| -> Vec<f64> {
                let share = |(wrong, left): (&super::case::Wrong, &f64)| left - self.share(wrong, who);
                self.wrong.iter().zip(&left).map(share).collect()
            };
            let best = open.iter().map(|who| (*who, without(*who))).min_by(|a, b| size(&a.1).total_cmp(&size(&b.1)));
            let Some((who, rest)) = best.filter(|(_, rest)| size(rest) < (1.0 - WORTH) * size(&left)) else { break };
            let taken: f64 = rest.iter().zip(&left).map(|(rest, left)| (left - rest).abs()).sum();
            readings.push(Reading { who, share: taken });
            open.remove(&who);
            left = rest;
        }
        if all.is_nan() || all == 0.0 || size(&left) > LEFT * all {
            return Vec::new();
        }
        let total = readings.iter().map(|reading| reading.share).sum::<f64>() + size(&left);
        readings.iter_mut().for_each(|reading| reading.share /= total);
        readings.sort_by(|a, b| b.share.total_cmp(&a.share));
        readings
    }

    /// What came in beside, where that is all that is wrong.
    pub(super) fn what_came_beside(&self) -> Option<Raised> {
        if !self.is_followed() {
            return None;
        }
        let readings = self.explaining();
        let of_this_launch = |reading: &Reading| {
            let blame = self.of.blamed.get(reading.who).filter(|blame| blame.call.launch == self.of.launch);
            blame.map(|blame| (*blame, reading.share))
        };
        let who = readings.first().map_or(0, |reading| reading.who);
        let blamed: Vec<_> = readings.iter().filter_map(of_this_launch).collect();
        let ((first, share), others) = blamed.split_first()?;
        let wrong = self.wrong.first()?;
        let message = format!(
            "{} is off by up to {}, and {:.0} % of that comes of one call: {}",
            self.name(),
            figure(self.largest()),
            100.0 * share,
            first.loss.does()
        );
        let mut found = self.raised(first.call, Code::OTHER_FUNCTION, message).text("what is not meant comes in here");
        for (blame, share) in others {
            let text = format!("{:.0} %: {}", 100.0 * share, blame.loss.does());
            found = found.label_on(blame.call.core, label(blame.call), text);
            found = found.remark(format!("for the other {:.0} %: {}", 100.0 * share, blame.loss.remedy()));
        }
        found = found.fact("share", format!("{share:.2}")).fact("largest", figure(self.largest()));
        found = found.remark("without that the output is what is expected, as exactly as its formats allow");
        Some(self.with_recipe(self.with_cores(found, who), wrong).help(first.loss.remedy()))
    }
}
