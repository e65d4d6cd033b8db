//! What befalls a call of a program that runs with one thing wrong.

use tileproof_model::abi::Site;
use tileproof_model::mutant::Change;
use tileproof_model::observe::Observer;

use crate::core::Core;
use crate::engine::Engine;
use crate::mutation::Subject;
use crate::turns::with;

/// What befalls a call.
pub(super) fn change<O: Observer>(site: Site, subject: impl Fn(&Core) -> Subject) -> Option<Change> {
    with::<O, _>(site, |engine, by| {
        let Engine { cores, mutation, .. } = engine;
        let core = &cores[by.core];
        let mutation = mutation.as_mut()?;
        mutation.change((core.coord, by.thread, site), subject(core), || core.place(by.thread, site))
    })
}

/// A call that one of some changes can befall.
pub(super) fn subject(what: impl Into<String>, changes: &[(bool, Change)]) -> Subject {
    let changes = changes.iter().filter(|(can, _)| *can).map(|(_, change)| *change).collect();
    Subject { what: what.into(), changes }
}
