//! Errors by regime and by how far a figure is from what coefficients were fitted to.

use super::compare::Row;
use super::left_out::LeftOut;
use super::one_error::{FIGURES, OneError, REGIMES, one_by_one, short};
use base::math::pow;
use benchmarks::import::benchmark::statistics::quantile;
use serde::Serialize;
use std::fmt::Write;

/// Errors of a figure in a regime, at a distance from the fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// seen, unseen workload, unseen model, unseen GPU or unseen precision.
    pub distance: String,
    /// below, near or over the knee.
    pub regime: String,
    /// TPOT, TTFT or E2E, means.
    pub figure: String,
    /// Number of experiments; rows of a table with one model, GPU, precision, release and parallelism count as one.
    pub n: u32,
    /// Median of their absolute errors, as a share.
    pub median: f64,
    /// Interval of the median, at least 95 %, by the ranks of a binomial; missing with fewer than six experiments.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub worst: f64,
    /// The experiment with the largest.
    pub worst_id: String,
}

const DISTANCES: [&str; 5] = ["seen", "unseen workload", "unseen model", "unseen GPU", "unseen precision"];

/// The table: of replayed rows, and of predictions by fits that left out a model, a GPU or a precision.
pub fn distances(rows: &[Row], left_out: &[(&str, &[LeftOut])]) -> Vec<Distance> {
    let mut errors: Vec<(&str, Vec<OneError>)> = vec![
        (DISTANCES[0], one_by_one(rows.iter().filter(|r| r.fitted_on))),
        (DISTANCES[1], one_by_one(rows.iter().filter(|r| !r.fitted_on))),
    ];
    for (distance, lines) in left_out {
        let of = lines.iter().flat_map(|line| line.errors.iter().cloned()).collect();
        errors.push((distance, of));
    }
    let mut found = Vec::new();
    for (distance, errors) in &errors {
        for (_, regime) in REGIMES {
            for (_, figure) in FIGURES {
                let of = errors.iter().filter(|e| e.regime == regime && e.figure == figure);
                let mut of: Vec<&OneError> = of.collect();
                of.sort_by(|a, b| a.error.total_cmp(&b.error));
                found.extend(summed((distance, regime, figure), &of));
            }
        }
    }
    found
}

fn summed((distance, regime, figure): (&str, &str, &str), sorted: &[&OneError]) -> Option<Distance> {
    let worst = sorted.last()?;
    let errors: Vec<f64> = sorted.iter().map(|e| e.error).collect();
    let ends = ranks(errors.len()).map(|[low, high]| [errors[low], errors[high]]);
    Some(Distance {
        distance: distance.to_owned(),
        regime: regime.to_owned(),
        figure: figure.to_owned(),
        n: errors.len() as u32,
        median: short(quantile(&errors, 0.5)?),
        low: ends.map(|e| e[0]),
        high: ends.map(|e| e[1]),
        mean: short(errors.iter().sum::<f64>() / errors.len() as f64),
        worst: worst.error,
        worst_id: worst.source.clone(),
    })
}

/// The ranks, from 0, of the smallest and largest of `n` sorted values between which the median is with 95 %: the number of
/// values below it is a binomial of `n` trials with probability one half (H. A. David and H. N. Nagaraja, Order Statistics, 7.1).
fn ranks(n: usize) -> Option<[usize; 2]> {
    // The probability of at most k values below the median, as long as it is below 2.5 %.
    let mut one = pow(0.5, n as f64);
    let (mut below, mut k) = (one, 0_usize);
    if below > 0.025 {
        return None;
    }
    while k + 1 < n {
        one *= (n - k) as f64 / (k + 1) as f64;
        if below + one > 0.025 {
            break;
        }
        below += one;
        k += 1;
    }
    Some([k, n - 1 - k])
}

/// The table as lines of Markdown.
pub fn distance_table(found: &[Distance]) -> String {
    let mut text = "| distance | regime | figure | experiments | median | 95 % of the median | mean | worst |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    for d in found {
        let interval = match (d.low, d.high) {
            (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
            _ => "–".to_owned(),
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {interval} | {} | {} ({}) |",
            d.distance,
            d.regime,
            d.figure,
            d.n,
            percent(d.median),
            percent(d.mean),
            percent(d.worst),
            d.worst_id
        )
        .expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_median_has_the_ranks_of_a_binomial() {
        // Five values are too few: 2 / 2^5 is 6 %. The tables have 1 and 6 of 6, 2 and 9 of 10, 6 and 15 of 20.
        assert_eq!((ranks(0), ranks(5)), (None, None));
        assert_eq!((ranks(6), ranks(10), ranks(20)), (Some([0, 5]), Some([1, 8]), Some([5, 14])));
    }

    #[test]
    fn errors_are_those_of_experiments_by_regime() {
        let error = |source: &str, figure: &str, error| OneError {
            source: source.to_owned(),
            regime: "below".to_owned(),
            figure: figure.to_owned(),
            error,
            stages: vec![error],
        };
        let line = LeftOut {
            errors: vec![error("a", "TPOT", 0.1), error("b", "TPOT", 0.3), error("a", "TTFT", 0.5)],
            ..LeftOut::default()
        };
        let found = distances(&[], &[("unseen model", &[line])]);
        let names: Vec<_> =
            found.iter().map(|d| (d.figure.as_str(), d.n, d.median, d.worst_id.as_str())).collect();
        assert_eq!(names, [("TPOT", 2, 0.2, "b"), ("TTFT", 1, 0.5, "a")]);
        assert!(
            distance_table(&found)
                .contains("| unseen model | below | TPOT | 2 | 20.0 % | – | 20.0 % | 30.0 % (b) |")
        );
    }
}
