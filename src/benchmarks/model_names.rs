//! Decides by name whether a file's model is the scenario's: the name of one model is written in many ways.

use crate::import::benchmark::Benchmark;
use document::Scenario;

/// A warning about a file of another model than the scenario's; `None` if they may be the same, or if the file names
/// none.
pub(super) fn another_model(b: &Benchmark, scenario: &Scenario) -> Option<String> {
    let pools = &scenario.cluster.pools;
    let told = b.model.trim();
    // A pool with its own architecture may have any name.
    let may_be = pools.iter().any(|pool| pool.architecture.is_some() || is_same(told, &pool.model));
    if squeezed(told).is_empty() || may_be {
        return None;
    }
    let own = pools.first().map(|pool| pool.model.as_str()).unwrap_or_default();
    let told: String = told.chars().take(80).collect();
    Some(format!("The file's model is {told}, the scenario's is {own}: differences may come from the model."))
}

/// Whether one name contains the other, ignoring organisation, case and punctuation.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (squeezed(one), squeezed(other));
    !one.is_empty() && !other.is_empty() && (has(&one, &other) || has(&other, &one))
}

/// Whether a name contains another that is not part of a longer number: 27b does not contain 7b.
fn has(long: &str, short: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (first, last) = (digit(short.chars().next()), digit(short.chars().next_back()));
    long.match_indices(short).any(|(at, _)| {
        let (before, after) = (long[..at].chars().next_back(), long[at + short.len()..].chars().next());
        !(first && digit(before) || last && digit(after))
    })
}

fn squeezed(name: &str) -> String {
    let name = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn a_model_is_known_by_any_of_its_names_and_others_are_not() {
        for (one, other) in [
            ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("/models/Meta-Llama-3.1-8B-Instruct-FP8/", "llama-3.1-8b"),
            ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
            ("llama_3_1_8b", "llama-3.1-8b"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("org/model", "llama-3.1-8b"),
            ("meta-llama/Meta-Llama-3-8B-Instruct", "llama-3.1-8b"),
            ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-8b"),
            ("Qwen/Qwen3-14B", "qwen3-4b"),
            ("some-27b", "7b"),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
