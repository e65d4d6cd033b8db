//! Fibers: a kernel runs on a stack of its own and can wait in the middle of any call.
//!
//! A fiber is resumed with a command; `Die` makes the waiting call unwind the kernel's frames, Rust or C++, up to the
//! fiber's root. A fiber never moves between host threads. All stack switching of the project is in this file.

#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::sanitized::Seen;
use crate::trap::{self, End};

/// 256 KiB: debug builds of the engine run on these stacks, and pages are touched only as needed.
const STACK_BYTES: usize = 256 * 1024;

/// What a waiting fiber is told when it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Go,
    Die,
}

/// The payload of the unwind that ends a kernel.
struct Killed;

/// Handle by which code on a fiber suspends itself.
pub(crate) type Suspender = *const Yielder<Command, ()>;

pub(crate) struct Fiber {
    coroutine: Option<Coroutine<Command, (), End, DefaultStack>>,
    seen: Seen,
    /// How the host computed with floats when it was made.
    floats: u32,
    /// It has changed how the host computes with floats, and gone on so; that has been put right again.
    pub(crate) changed_floats: bool,
}

thread_local! {
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
    /// Set while a fiber of this host thread runs: the panic hook then records instead of printing.
    static ON_FIBER: Cell<bool> = const { Cell::new(false) };
    static PANIC: RefCell<Option<(String, String, u32)>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// A kernel's panic is a finding, not noise on stderr; anybody else's goes the usual way.
fn install_hook() {
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !ON_FIBER.get() {
                return previous(info);
            }
            let (file, line) = info.location().map_or((String::new(), 0), |l| (l.file().to_string(), l.line()));
            PANIC.set(Some((message(info.payload()), file, line)));
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a message".into())
}

impl Fiber {
    /// A fiber that will run `body`, which is given its suspender.
    ///
    /// # Errors
    /// If no stack can be had.
    pub(crate) fn new(body: impl FnOnce(Suspender) + 'static) -> std::io::Result<Fiber> {
        install_hook();
        let stack = match STACKS.with_borrow_mut(Vec::pop) {
            Some(stack) => stack,
            None => DefaultStack::new(STACK_BYTES)?,
        };
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<Command, ()>, first| {
            if first == Command::Die {
                return End::Killed;
            }
            let suspender: Suspender = yielder;
            match catch_unwind(AssertUnwindSafe(|| body(suspender))) {
                Ok(()) => End::Returned,
                Err(payload) if payload.is::<Killed>() => End::Killed,
                Err(payload) => {
                    let (text, file, line) =
                        PANIC.take().unwrap_or_else(|| (message(payload.as_ref()), String::new(), 0));
                    End::Panicked { message: text, file, line }
                }
            }
        });
        Ok(Fiber {
            coroutine: Some(coroutine),
            seen: Seen::new(),
            floats: trap::float_control(),
            changed_floats: false,
        })
    }

    /// Runs the fiber until it suspends (`None`) or ends.
    pub(crate) fn resume(&mut self, command: Command) -> Option<End> {
        let coroutine = self.coroutine.as_mut()?;
        let outer = ON_FIBER.replace(true);
        let outer_trap = trap::arm(Some(coroutine.trap_handler()));
        let result = self.seen.during(|| coroutine.resume(command));
        trap::arm(outer_trap);
        if trap::float_control() != self.floats {
            trap::set_float_control(self.floats);
            self.changed_floats = true;
        }
        ON_FIBER.set(outer);
        match result {
            CoroutineResult::Yield(()) => None,
            CoroutineResult::Return(end) => {
                if let Some(done) = self.coroutine.take() {
                    STACKS.with_borrow_mut(|pool| pool.push(done.into_stack()));
                }
                Some(end)
            }
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // A fiber that still waits is unwound so that its stack can be used again.
        while self.coroutine.is_some() && self.resume(Command::Die).is_none() {}
    }
}

/// Suspends the calling fiber; returns when it is resumed with `Go` and unwinds when with `Die`.
///
/// # Safety
/// `suspender` must belong to the fiber that calls.
#[inline]
pub(crate) unsafe fn suspend(suspender: Suspender) {
    // SAFETY: the yielder lives as long as its fiber, which is the one running (caller's promise).
    let command = unsafe { &*suspender }.suspend(());
    if command == Command::Die {
        resume_unwind(Box::new(Killed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_killed_fiber_runs_its_destructors() {
        struct Flag(Rc<Cell<bool>>);
        impl Drop for Flag {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        let dropped = Rc::new(Cell::new(false));
        let flag = Flag(dropped.clone());
        let mut fiber = Fiber::new(move |suspender| {
            let _flag = flag;
            loop {
                // SAFETY: the suspender is this fiber's own.
                unsafe { suspend(suspender) };
            }
        })
        .unwrap();
        assert!(fiber.resume(Command::Go).is_none());
        assert!(!dropped.get());
        assert!(matches!(fiber.resume(Command::Die), Some(End::Killed)));
        assert!(dropped.get());
    }

    #[test]
    fn a_fault_on_a_fiber_is_its_result() {
        let mut fiber = Fiber::new(|_| {
            let nowhere = std::hint::black_box(std::ptr::without_provenance_mut::<u32>(8));
            // SAFETY: none; the access must fault, which is what the test is about.
            unsafe { nowhere.write_volatile(1) };
        })
        .unwrap();
        match fiber.resume(Command::Go) {
            Some(End::Faulted(fault)) => assert!(fault.describe().contains("address 0x8,")),
            end => panic!("unexpected end {end:?}"),
        }
    }

    #[test]
    fn a_stack_that_runs_over_is_told() {
        #[allow(unconditional_recursion)]
        fn deeper(depth: u64) -> u64 {
            let frame = std::hint::black_box([depth; 32]);
            deeper(depth + 1) + std::hint::black_box(&frame)[7]
        }
        let mut fiber = Fiber::new(|_| {
            std::hint::black_box(deeper(0));
        })
        .unwrap();
        match fiber.resume(Command::Go) {
            Some(End::Faulted(fault)) => assert_eq!(fault.describe(), "its stack ran over"),
            end => panic!("unexpected end {end:?}"),
        }
    }

    #[test]
    fn a_panic_on_a_fiber_is_its_result() {
        let mut fiber = Fiber::new(|_| panic!("broken kernel")).unwrap();
        match fiber.resume(Command::Go) {
            Some(End::Panicked { message, file, line }) => {
                assert_eq!(message, "broken kernel");
                assert!(file.ends_with("fiber.rs") && line > 0);
            }
            end => panic!("unexpected end {end:?}"),
        }
    }
}
