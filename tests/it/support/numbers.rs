//! How many cases a test looks at: a representative part, or all of them with `TOKENYARD_TESTS=all`, which `scripts/test --all` sets.
//! In a campaign the environment says which generated cases run.

#![expect(clippy::print_stdout, reason = "a campaign says how far it is")]

use std::io::Write as _;
use std::ops::Range;

/// The number of cases of this test that run now: `few`, or `all` with `TOKENYARD_TESTS=all`.
pub(crate) fn cases(few: u64, all: u64) -> u64 {
    match std::env::var("TOKENYARD_TESTS").unwrap_or_default().as_str() {
        "all" => return all,
        "" => {}
        other => panic!("TOKENYARD_TESTS is \"{other}\"; allowed: all, or nothing"),
    }
    left(few, all);
    few.min(all)
}

/// The cases of a list that run now: the first `few`, or all with `TOKENYARD_TESTS=all`.
pub(crate) fn part<T>(all: &[T], few: usize) -> &[T] {
    &all[..cases(few as u64, all.len() as u64) as usize]
}

/// Writes what this test leaves out into the file `TOKENYARD_LEFT`, from which `scripts/test` prints it.
fn left(few: u64, all: u64) {
    let (Some(file), true) = (std::env::var_os("TOKENYARD_LEFT"), few < all) else { return };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).expect("a file");
    let thread = std::thread::current();
    let line = format!("{}: {few} of {all}\n", thread.name().unwrap_or("a test"));
    file.write_all(line.as_bytes()).expect("a line is written");
}

/// The generated cases of one test: `few` or `all` from 0 on. `TOKENYARD_CASES` sets another number of them, `TOKENYARD_FIRST_CASE`
/// the first one.
pub(crate) fn numbers(few: u64, all: u64) -> Range<u64> {
    let read = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is \"{text}\"; allowed: a whole number")))
    };
    let first = read("TOKENYARD_FIRST_CASE").unwrap_or(0);
    first..first + read("TOKENYARD_CASES").unwrap_or_else(|| cases(few, all))
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
