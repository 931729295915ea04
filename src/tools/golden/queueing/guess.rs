//! Cases of the first guess, by the published program.

use super::figures::{self, Tolerance, numbers};
use super::lines::Lines;
use super::reader::Reader;
use queueing::published_guess;
use serde_json::json;

/// All cases of a file.
pub(super) fn check(file: &Reader<'_>, lines: &mut Lines<'_>) {
    if !lines.wants("bootstrap") {
        return;
    }
    for case in file.list("cases") {
        let (input, expect) = (case.get("input"), case.get("expect"));
        let guess = published_guess(
            input.number("TTFT"),
            input.number("ITL"),
            input.number("In"),
            input.number("Out"),
        );
        match (expect.maybe("error"), guess.params(), guess.failure) {
            (None, Some(p), _) => {
                let mut got = numbers([]);
                got.insert("state".into(), json!([p.alpha, p.beta, p.gamma]));
                figures::compare(&expect, &got, &|_| Tolerance::relative(1e-9), lines);
            }
            (Some(error), None, Some(failure)) => {
                // The first quoted word of the message is the quantity.
                let text = error.value().as_str().unwrap_or_default();
                let named = text.split(" (").next().unwrap_or_default();
                if !named.contains(failure.quantity()) {
                    lines.add(error.path(), &format!("expected {text:?}, got a bad {}", failure.quantity()));
                }
            }
            (Some(_), ..) => lines.add(expect.path(), "expected an error, got a guess"),
            (None, ..) => lines.add(expect.path(), "expected a guess, got an error"),
        }
    }
}

/// The result of a case.
pub(super) fn result(input: &Reader<'_>) -> serde_json::Value {
    let guess =
        published_guess(input.number("TTFT"), input.number("ITL"), input.number("In"), input.number("Out"));
    match (guess.params(), guess.failure) {
        (Some(p), _) => json!({ "state": [p.alpha, p.beta, p.gamma] }),
        (None, failure) => json!({ "error": failure.map(|f| format!("bad {}", f.quantity())) }),
    }
}
