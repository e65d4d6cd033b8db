//! Ends work that nobody waits for any more: kernels that run in a process of their own, and what would run them again.
//!
//! It must never change what work gives that is not stopped. Start at [`until`].

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tileproof_worker::interrupt;

thread_local! {
    static ASKED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Does `work` on this host thread; once `asked` is true its kernels are ended, and what it gives means nothing.
pub fn until<T>(asked: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    let before = ASKED.replace(Some(asked));
    let result = work();
    ASKED.set(before);
    result
}

/// Ctrl-C ends the work of all host threads from here on, and no longer the process. For whoever owns the process.
pub fn on_interrupt() {
    interrupt::listen();
}

/// Whether Ctrl-C has ended work: what it gives means nothing.
pub fn is_interrupted() -> bool {
    interrupt::came()
}

/// Whether Ctrl-C has ended work, for whoever looks at it again and again.
pub fn interrupts() -> &'static AtomicBool {
    interrupt::flag()
}

/// Whether the work of this host thread is to end.
pub(crate) fn is_asked_for() -> bool {
    is_interrupted() || ASKED.with_borrow(|asked| asked.as_ref().is_some_and(|asked| asked.load(Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_seen_by_the_work_that_it_is_for_alone() {
        let asked = Arc::new(AtomicBool::new(false));
        until(asked.clone(), || {
            assert!(!is_asked_for());
            asked.store(true, Relaxed);
            assert!(is_asked_for());
            assert!(!std::thread::spawn(is_asked_for).join().unwrap());
        });
        assert!(!is_asked_for());
    }
}
