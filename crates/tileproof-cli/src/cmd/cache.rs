//! `tileproof cache`: where compiled kernels are kept, whether they are whole, and away with them.
//!
//! Start at [`CacheCommand::run`].

use clap::{Args, Subcommand};
use tileproof::build::{CacheCheck, CacheCleared, CacheSurvey, survey};
use tileproof_report::json::{CacheDocument, to_text};
use tileproof_report::render_cache;

use crate::arguments::{FormatArg, below};
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[PLACE], &["cache", "cache verify", "cache clear"]))]
pub(crate) struct CacheCommand {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Output format.
    #[arg(long, default_value = "human", global = true)]
    format: FormatArg,
}

#[derive(Subcommand, Clone, Copy)]
enum Verb {
    /// Say where it is and how much is in it; this is what happens without a word.
    Show,
    /// Remove all that is in it.
    Clear,
    /// Look at every byte of it; what is damaged is made again when it is needed.
    Verify,
}

const PLACE: &str = "\
The folder is TILEPROOF_CACHE_DIR, else tileproof below XDG_CACHE_HOME or ~/.cache. One that belongs to another user,
or that others can write to, is not used. TILEPROOF_CACHE_MIB is the size that it may have, 2048 when left out.
";

impl CacheCommand {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let cache = survey();
        let verb = self.verb.unwrap_or(Verb::Show);
        if let (Some(why), Verb::Clear | Verb::Verify) = (&cache.refused, verb) {
            return Err(BadInput::new(format!("cache {} is not used: {why}", cache.folder.display())).into());
        }
        let document = match verb {
            Verb::Show => document("show", cache),
            Verb::Verify => verified(document("verify", cache.clone()), cache.check()),
            Verb::Clear => {
                let cleared = cache.clear();
                after(document("clear", survey()), cleared)
            }
        };
        let pass = document.damaged.is_empty() && document.left.unwrap_or(0) == 0;
        match self.format {
            FormatArg::Json => say(to_text(&document)?)?,
            FormatArg::Human => say(render_cache(&document))?,
        }
        Ok(if pass { Outcome::Clean } else { Outcome::Found })
    }
}

fn document(action: &str, cache: CacheSurvey) -> CacheDocument {
    CacheDocument {
        action: action.into(),
        folder: cache.folder.display().to_string(),
        refused: cache.refused,
        images: cache.images,
        bytes: cache.bytes,
        most_bytes: cache.most_bytes,
        most_days: cache.most_days,
        ..CacheDocument::default()
    }
}

fn verified(document: CacheDocument, check: CacheCheck) -> CacheDocument {
    let damaged = check.damaged.iter().map(|path| path.display().to_string()).collect();
    CacheDocument { whole: Some(check.whole), stale: Some(check.stale), damaged, ..document }
}

fn after(document: CacheDocument, cleared: CacheCleared) -> CacheDocument {
    let CacheCleared { entries, bytes, left } = cleared;
    CacheDocument { removed: Some(entries), removed_bytes: Some(bytes), left: Some(left), ..document }
}
