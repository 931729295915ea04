//! Checks length distributions: bounds in order, and lengths that occur.

use crate::Lengths;
use crate::table::report::{Report, grouped};

/// Reports problems and returns the longest length.
pub(super) fn check_lengths(path: &str, lengths: &Lengths, r: &mut Report) -> u32 {
    let family = match lengths {
        Lengths::Constant { .. } => "constant",
        Lengths::Gaussian { .. } => "gaussian",
        Lengths::Lognormal { .. } => "lognormal",
        Lengths::Uniform { .. } => "uniform",
        Lengths::List { .. } => "list",
        Lengths::Exponential { .. } => "exponential",
        Lengths::ParetoLognormal { .. } => "pareto-lognormal",
        Lengths::Empirical { .. } => "empirical",
    };
    let (min, max) = lengths.bounds();
    let fine = r.is_fine(&format!("{path}.{family}.min_tokens"))
        && r.is_fine(&format!("{path}.{family}.max_tokens"));
    if fine && min > max {
        r.error(
            format!("{path}.{family}.min_tokens"),
            format!("{}, which is above max_tokens ({})", grouped(min.into()), grouped(max.into())),
            "at most max_tokens",
            "swap the two",
        );
    }
    if let Lengths::Empirical { lengths } = lengths
        && !lengths.iter().any(|l| l.weight > 0.0)
        && r.is_fine(path)
    {
        r.error(
            format!("{path}.empirical.lengths"),
            if lengths.is_empty() { "no lengths" } else { "no weight above 0" },
            "at least one length with a weight above 0",
            "add the measured lengths: {\"tokens\": 100, \"weight\": 1}",
        );
    }
    if let Lengths::List { lengths_tokens } = lengths
        && lengths_tokens.is_empty()
        && r.is_fine(path)
    {
        r.error(
            format!("{path}.list.lengths_tokens"),
            "no lengths",
            "at least one length",
            "add the lengths: [128, 512, 2048]",
        );
    }
    max
}
