//! How many orders a program leaves open: `--explore` runs each of them once, and says when it has run all.
//!
//! Programs are lists of looks at words of the first core and of changes to them. How many orders they have is counted here by going
//! through all ways to put their calls one behind the other.

use std::collections::BTreeSet;

use tileproof::run_file::Explored;
use tileproof_model::arch::Arch;
use tileproof_model::record::Status;

use crate::random_programs::calls::{Barrier, Call};
use crate::random_programs::program::{Numbers, empty};
use crate::random_programs::run;

/// Threads: the core and which of its two.
type Threads = [(u32, usize, Vec<Call>)];

fn explored(name: &str, threads: &Threads, explore: usize) -> Explored {
    let cores = threads.iter().map(|(core, ..)| core + 1).max().unwrap_or(1);
    let mut program = empty(Arch::Wormhole, cores, cores, 4);
    // There are tensors, and an output, which nobody else touches.
    program.pages(1);
    for (core, thread, calls) in threads {
        program.then(*core, *thread, 0, calls);
    }
    let result = run(name, &program, None, explore);
    assert_eq!(result.record.status, Status::Completed, "{:#?}", result.record.findings);
    result.explored.expect("it was explored")
}

/// How many orders all calls can have in which some thread sees something else, or another change is the last.
fn orders(threads: &Threads) -> usize {
    let mut found = BTreeSet::new();
    let mut at = vec![0; threads.len()];
    interleave(threads, &mut at, &mut Vec::new(), &mut found);
    found.len()
}

fn interleave(
    threads: &Threads,
    at: &mut Vec<usize>,
    done: &mut Vec<(usize, usize)>,
    found: &mut BTreeSet<BTreeSet<String>>,
) {
    let mut is_over = true;
    for thread in 0..threads.len() {
        if at[thread] < threads[thread].2.len() {
            is_over = false;
            if !can_go_on(threads, done, threads[thread].2[at[thread]]) {
                continue;
            }
            done.push((thread, at[thread]));
            at[thread] += 1;
            interleave(threads, at, done, found);
            at[thread] -= 1;
            done.pop();
        }
    }
    if is_over {
        found.insert(seen(threads, done));
    }
}

/// Whether a call would not wait behind others.
fn can_go_on(threads: &Threads, done: &[(usize, usize)], call: Call) -> bool {
    let Call::AtLeast(word, asked) = call else { return true };
    let mut value = 0;
    for (thread, at) in done {
        match threads[*thread].2[*at] {
            Call::Store(id, to) | Call::SetInline(_, id, to) if id == word => value = to,
            Call::Raise(_, id) if id == word => value += 1,
            _ => {}
        }
    }
    value >= asked
}

/// What each call of an order sees: the last call that set its word, and those that have added to it since.
fn seen(threads: &Threads, done: &[(usize, usize)]) -> BTreeSet<String> {
    let word_of = |(thread, at): (usize, usize)| match threads[thread].2[at] {
        Call::Look(id) => (id, 'l'),
        Call::Store(id, _) | Call::SetInline(_, id, _) => (id, 's'),
        Call::Raise(_, id) => (id, 'a'),
        // It sees no more than that it may go on.
        Call::AtLeast(id, _) => (id, 'w'),
        Call::Wait(_) => (u32::MAX, 'w'),
        call => panic!("{call:?}"),
    };
    let see = |(index, call): (usize, &(usize, usize))| {
        let (word, act) = word_of(*call);
        let before: Vec<_> = done[..index].iter().filter(|other| word_of(**other).0 == word).collect();
        let set = before.iter().rposition(|other| word_of(**other).1 == 's');
        let (last, since) = (set.map(|at| before[at]), &before[set.map_or(0, |at| at + 1)..]);
        let since = since.iter().filter(|other| act != 'a' && word_of(***other).1 == 'a');
        let added: BTreeSet<_> = since.collect();
        format!("{call:?} {last:?} {added:?}")
    };
    done.iter().enumerate().filter(|(_, call)| word_of(**call).1 != 'w').map(see).collect()
}

/// Whether some order comes to where nobody can go on.
fn may_hang(threads: &Threads) -> bool {
    fn hangs(threads: &Threads, at: &mut Vec<usize>, done: &mut Vec<(usize, usize)>) -> bool {
        let left: Vec<usize> = (0..threads.len()).filter(|thread| at[*thread] < threads[*thread].2.len()).collect();
        let ready = left.iter().filter(|thread| can_go_on(threads, done, threads[**thread].2[at[**thread]]));
        let ready: Vec<usize> = ready.copied().collect();
        let mut goes_on = |thread: usize| {
            done.push((thread, at[thread]));
            at[thread] += 1;
            let hangs = hangs(threads, at, done);
            at[thread] -= 1;
            done.pop();
            hangs
        };
        !left.is_empty() && (ready.is_empty() || ready.into_iter().any(&mut goes_on))
    }
    hangs(threads, &mut vec![0; threads.len()], &mut Vec::new())
}

#[test]
fn orders_that_were_counted_by_hand_are_all_found() {
    let store = |value| vec![Call::Look(0), Call::Store(0, value)];
    // Look and store, twice: six ways, in two of which the looks alone have changed places, twice.
    let increments: Box<Threads> = Box::new([(0, 0, store(1)), (0, 1, store(2))]);
    let one_look: Box<Threads> = Box::new([(0, 0, vec![Call::Look(0)]), (0, 1, vec![Call::Store(0, 1)])]);
    // Three threads set a word to different values, in any order.
    let set = |value| vec![Call::SetInline(0, 0, value)];
    let three_sets: Box<Threads> = Box::new([(1, 0, set(1)), (2, 0, set(2)), (3, 0, set(3))]);
    // A look before, between or behind two that set the word, in either order.
    let sets_and_look: Box<Threads> = Box::new([(0, 0, vec![Call::Look(0)]), (1, 0, set(1)), (2, 0, set(2))]);
    // Additions change places without anybody's seeing it.
    let add = || vec![Call::Raise(0, 0)];
    let additions: Box<Threads> = Box::new([(1, 0, add()), (2, 0, add()), (3, 0, add())]);
    // A look sees each set of them.
    let counts: Box<Threads> = Box::new([(0, 0, vec![Call::Look(0)]), (1, 0, add()), (2, 0, add())]);
    // One thread waits for any addition and looks at what one of two adders has set before: the other's may have been the one.
    let told = |value| vec![Call::SetInline(0, 1, value), Call::Wait(Barrier::Writes), Call::Raise(0, 0)];
    let any_of_two: Box<Threads> =
        Box::new([(0, 0, vec![Call::AtLeast(0, 1), Call::Look(1)]), (1, 0, told(1)), (2, 0, told(2))]);
    for (by_hand, threads) in [
        (4, increments),
        (2, one_look),
        (6, three_sets),
        (6, sets_and_look),
        (1, additions),
        (4, counts),
        (4, any_of_two),
    ] {
        assert_eq!(orders(&threads), by_hand, "{threads:?}");
        let explored = explored("by-hand", &threads, 100);
        assert_eq!((explored.schedules + 1, explored.are_all), (by_hand, true), "{explored:?} {threads:?}");
    }
}

#[test]
fn where_nothing_is_open_one_order_is_all() {
    let threads = [
        (1, 0, vec![Call::Raise(0, 0), Call::Wait(Barrier::Atomics)]),
        (2, 0, vec![Call::Raise(0, 0), Call::Wait(Barrier::Atomics)]),
        (0, 0, vec![Call::AtLeast(0, 2), Call::Raise(3, 1), Call::Wait(Barrier::Atomics)]),
        (3, 1, vec![Call::AtLeast(1, 1), Call::Store(2, 7)]),
        (3, 0, vec![Call::Look(3)]),
    ];
    let explored = explored("nothing-open", &threads, 200);
    assert_eq!((explored.schedules, explored.runs, explored.are_all), (0, 0, true), "{explored:?}");
}

#[test]
fn no_order_is_counted_twice_and_not_more_than_were_asked_for() {
    let looks = || (0..3).map(|_| Call::Look(0)).collect();
    let threads = [(0, 0, looks()), (0, 1, (1..4).map(|value| Call::Store(0, value)).collect())];
    let all = orders(&threads);
    assert_eq!(all, 20);
    let few = explored("few", &threads, 12);
    assert_eq!((few.schedules, few.are_all), (12, false), "{few:?}");
    let many = explored("many", &threads, 200);
    assert_eq!((many.schedules + 1, many.are_all), (all, true), "{many:?}");
}

#[test]
fn all_orders_of_random_programs_are_found_and_no_more() {
    let mut numbers = Numbers(3);
    let mut sizes = BTreeSet::new();
    for index in 0..30 {
        let mut threads = Vec::new();
        for (core, thread) in [(0, 0), (0, 1), (1, 0), (2, 0)].into_iter().take(numbers.one(2, 4) as usize) {
            let call = |numbers: &mut Numbers| {
                let (word, value) = (numbers.one(0, 1), numbers.one(1, 9));
                match (core, numbers.one(0, 2)) {
                    (0, 0) if thread == 0 => Call::AtLeast(word, numbers.one(1, 2)),
                    (0, 0) => Call::Store(word, value),
                    (0, _) => Call::Look(word),
                    (_, 0) => Call::SetInline(0, word, value),
                    _ => Call::Raise(0, word),
                }
            };
            threads.push((core, thread, (0..numbers.one(1, 3)).map(|_| call(&mut numbers)).collect()));
        }
        // One that may hang has no order in which all ends.
        let all = orders(&threads);
        if may_hang(&threads) {
            continue;
        }
        let explored = explored("random-orders", &threads, 300);
        assert!(explored.schedules < all, "{index}: {explored:?}, {all} orders of {threads:?}");
        if explored.are_all {
            assert_eq!(explored.schedules + 1, all, "{index}: {explored:?} of {threads:?}");
            sizes.insert(all);
        }
    }
    assert!(sizes.len() > 6 && sizes.last() > Some(&20), "{sizes:?}");
}
