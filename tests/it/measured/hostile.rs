//! Samples that break off or have bytes changed are read or refused with a message, and never end the program.

use super::benchmark_files::{SAMPLES, cluster, sample};
use tokenyard::benchmarks::import::benchmark::read;
use tokenyard::benchmarks::{ToldLoad, compare, replay};

/// Samples of every format that is read.
fn samples() -> impl Iterator<Item = &'static str> {
    SAMPLES.into_iter().chain(["range-query.json"])
}

/// What stands in place of a piece of a sample.
const PIECES: [&str; 12] = [
    "-1",
    "1e308",
    "NaN",
    "Infinity",
    "\"\"",
    "null",
    "{}",
    "[]",
    "\u{1F600}",
    "99999999999999999999",
    "}",
    "\n",
];

/// The next of a sequence of numbers.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

/// Reads a text; what is read must be describable, and problems must have a remedy.
fn take(text: &str) -> usize {
    match read(text) {
        Ok((runs, _)) => {
            for mut b in runs.iter().cloned() {
                let told = ToldLoad { rate_per_s: Some(1.0), ..ToldLoad::default() };
                // Refused where the file says it.
                told.add_to(&mut b).ok();
                assert!(!replay(&b, &cluster()).says.is_empty());
            }
            runs.len()
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!(!problem.found.is_empty() && !problem.fix.is_empty(), "{problem}");
            }
            0
        }
    }
}

#[test]
fn samples_cut_and_changed_anywhere_are_read_or_refused() {
    let mut state = 41;
    let mut taken = 0;
    for name in samples() {
        let text = sample(name);
        let ends: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
        for _ in 0..60 {
            let (from, length) = (ends[next(&mut state) % ends.len()], 1 + next(&mut state) % 12);
            take(&text[..from]);
            let to = ends.iter().copied().find(|end| *end >= from + length).unwrap_or(text.len());
            let piece = PIECES[next(&mut state) % PIECES.len()];
            taken += take(&format!("{}{piece}{}", &text[..from], &text[to..]));
        }
        // Numbers alone, which are read more often than texts that break off.
        let digits: Vec<usize> =
            text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
        for _ in 0..60 {
            let at = digits[next(&mut state) % digits.len()];
            let piece = ["0", "9e99", "-7", "1e-9", "9999999999"][next(&mut state) % 5];
            taken += take(&format!("{}{piece}{}", &text[..at], &text[at + 1..]));
        }
    }
    assert!(taken > 300, "{taken}");
}

#[test]
fn changed_series_are_compared_or_refused() {
    let text = sample("range-query.json");
    let digits: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
    let mut scenario = cluster();
    scenario.run.horizon_s = 5.0;
    let mut state = 7;
    for _ in 0..12 {
        let at = digits[next(&mut state) % digits.len()];
        let changed =
            format!("{}{}{}", &text[..at], ["0", "3", "77", "-1"][next(&mut state) % 4], &text[at + 1..]);
        let Ok((runs, _)) = read(&changed) else { continue };
        if let Err(problems) = compare(&runs[0], &replay(&runs[0], &scenario)) {
            assert!(problems.iter().all(|p| !p.fix.is_empty()), "{problems:?}");
        }
    }
}
