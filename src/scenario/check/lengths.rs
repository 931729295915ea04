//! Meaning of length distributions: ranges, and bounds in order.

use crate::scenario::report::{Report, grouped};
use crate::scenario::{Lengths, WeightedLength, limits};

/// Most tokens, as a float.
const MOST: f64 = limits::REQUEST_TOKENS as f64;

/// Reports problems and returns the longest length.
pub(super) fn check_lengths(path: &str, lengths: &Lengths, r: &mut Report) -> u32 {
    let sigma = |path: &str, sigma, r: &mut Report| {
        r.float(&format!("{path}.sigma"), sigma, 0.0, limits::SIGMA, "0 is constant, 1 is a heavy tail");
    };
    match *lengths {
        Lengths::Constant { tokens } => {
            let path = format!("{path}.constant.tokens");
            r.int(&path, tokens, 1, limits::REQUEST_TOKENS, "a request has at least one token");
        }
        Lengths::Gaussian { mean_tokens, sd_tokens, min_tokens, max_tokens } => {
            let path = format!("{path}.gaussian");
            r.float(&format!("{path}.mean_tokens"), mean_tokens, 1.0, MOST, "the mean before cutting");
            r.float(&format!("{path}.sd_tokens"), sd_tokens, 0.0, MOST, "0 makes all lengths equal");
            check_bounds(&path, min_tokens, max_tokens, r);
        }
        Lengths::Lognormal { median_tokens, sigma: s, min_tokens, max_tokens } => {
            let path = format!("{path}.lognormal");
            r.float(&format!("{path}.median_tokens"), median_tokens, 1.0, MOST, "the median before cutting");
            sigma(&path, s, r);
            check_bounds(&path, min_tokens, max_tokens, r);
        }
        Lengths::Exponential { mean_tokens, min_tokens, max_tokens } => {
            let path = format!("{path}.exponential");
            r.float(&format!("{path}.mean_tokens"), mean_tokens, 1.0, MOST, "the mean before cutting");
            check_bounds(&path, min_tokens, max_tokens, r);
        }
        Lengths::ParetoLognormal {
            pareto_share,
            pareto_min_tokens,
            pareto_tail,
            median_tokens,
            sigma: s,
            min_tokens,
            max_tokens,
        } => {
            let path = format!("{path}.pareto-lognormal");
            let fix = "a share of 0 is lognormal alone, 1 is Pareto alone";
            r.float(&format!("{path}.pareto_share"), pareto_share, 0.0, 1.0, fix);
            let fix = "no length of the Pareto part is below it";
            r.float(&format!("{path}.pareto_min_tokens"), pareto_min_tokens, 1.0, MOST, fix);
            let fix = "1 to 3 is a heavy tail; the larger, the lighter";
            r.float(&format!("{path}.pareto_tail"), pareto_tail, limits::TAIL_MIN, limits::TAIL, fix);
            let fix = "the median of the lognormal part before cutting";
            r.float(&format!("{path}.median_tokens"), median_tokens, 1.0, MOST, fix);
            sigma(&path, s, r);
            check_bounds(&path, min_tokens, max_tokens, r);
        }
        Lengths::Empirical { ref lengths } => check_empirical(&format!("{path}.empirical"), lengths, r),
    }
    lengths.bounds().1
}

fn check_bounds(path: &str, min: u32, max: u32, r: &mut Report) {
    let most = limits::REQUEST_TOKENS;
    let fix = "a request has at least one token";
    let fine = r.int(&format!("{path}.min_tokens"), min, 1, most, fix)
        & r.int(&format!("{path}.max_tokens"), max, 1, most, fix);
    if fine && min > max {
        r.error(
            format!("{path}.min_tokens"),
            format!("{}, which is above max_tokens ({})", grouped(min.into()), grouped(max.into())),
            "at most max_tokens",
            "swap the two",
        );
    }
}

fn check_empirical(path: &str, lengths: &[WeightedLength], r: &mut Report) {
    let list = format!("{path}.lengths");
    r.count(&list, lengths.len(), limits::LENGTHS, "lengths");
    let mut fine = true;
    for (i, length) in lengths.iter().enumerate() {
        let (most, fix) = (limits::REQUEST_TOKENS, "a request has at least one token");
        r.int(&format!("{list}[{i}].tokens"), length.tokens, 1, most, fix);
        let fix = "a weight is a share, a percentage or a count";
        fine &= r.float(&format!("{list}[{i}].weight"), length.weight, 0.0, limits::LENGTH_WEIGHT, fix);
    }
    if fine && !lengths.iter().any(|l| l.weight > 0.0) {
        r.error(
            &list,
            if lengths.is_empty() { "no lengths" } else { "no weight above 0" },
            "at least one length with a weight above 0",
            "add what was measured: {\"tokens\": 100, \"weight\": 1}",
        );
    }
}
