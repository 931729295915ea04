//! How many generated cases a test looks at: few each time, and as many as the environment asks for in a campaign.

#![expect(clippy::print_stdout, reason = "a campaign says how far it is")]

use std::ops::Range;

/// The cases of one test: `usual` from 0 on, or as many as `TOKENYARD_CASES` says from `TOKENYARD_FIRST_CASE` on.
pub(crate) fn numbers(usual: u64) -> Range<u64> {
    let read = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is \"{text}\"; allowed: a whole number")))
    };
    let first = read("TOKENYARD_FIRST_CASE").unwrap_or(0);
    first..first + read("TOKENYARD_CASES").unwrap_or(usual)
}

/// Says how far a campaign is, now and then.
pub(crate) fn tell(all: &Range<u64>, at: u64) {
    let (done, of) = (at - all.start, all.end - all.start);
    if of > 5000 && done.is_multiple_of(5000) {
        println!("{done} of {of} cases");
    }
}

/// Names the case that begins, so that one that never ends is known.
pub(crate) fn say(case: u64) {
    println!("case {case}");
}
