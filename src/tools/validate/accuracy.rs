//! The accuracy of the simulation by version: how the medians of its errors moved. `accuracy_page` shows it with every row.

use super::compare::Row;
use benchmarks::import::benchmark::statistics::quantile;
use serde::Serialize;

/// The errors of a version, over the rows that nothing was fitted to, below and near the knee.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfVersion {
    /// Version of Tokenyard.
    pub version: String,
    /// Day of the measurement, as the caller gives it.
    pub day: String,
    /// Rows, fitted ones included.
    pub rows: u32,
    /// Rows that nothing was fitted to, without those that are compared apart: the errors are theirs.
    pub held_back: u32,
    /// Median and 90th percentile of the absolute error of the mean time per output token.
    pub tpot: [f64; 2],
    /// The same of the mean time to first token.
    pub ttft: [f64; 2],
    /// The same of the mean end-to-end latency.
    pub e2e: [f64; 2],
}

document::shape! { read entry OfVersion { version day rows held_back tpot ttft e2e } }

/// The figures of the page.
pub(super) const FIGURES: [(&str, &str); 3] = [("tpot_ms", "TPOT"), ("ttft_ms", "TTFT"), ("e2e_ms", "E2E")];

/// The rows of the page: means that are not over the knee.
pub(super) fn shown(rows: &[Row]) -> impl Iterator<Item = &Row> {
    let is = |r: &&Row| {
        r.stat == "mean"
            && FIGURES.iter().any(|(metric, _)| *metric == r.metric)
            && r.regime.as_deref() != Some("overload")
    };
    rows.iter().filter(is)
}

/// The errors of this version.
pub fn of_version(rows: &[Row], day: &str) -> OfVersion {
    let figure = |metric: &str| {
        let held = shown(rows).filter(|r| r.metric == metric && !r.fitted_on && !r.is_apart());
        let mut errors: Vec<f64> = held.filter_map(|r| r.error).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        [0.5, 0.9].map(|share| (quantile(&errors, share).unwrap_or(0.0) * 1e4).round() / 1e4)
    };
    OfVersion {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        day: day.to_owned(),
        rows: shown(rows).count() as u32,
        held_back: shown(rows).filter(|r| !r.fitted_on && !r.is_apart()).count() as u32,
        tpot: figure("tpot_ms"),
        ttft: figure("ttft_ms"),
        e2e: figure("e2e_ms"),
    }
}

/// The list of versions with this one, which takes the place of an earlier list of the same version and day.
pub fn with_version(mut all: Vec<OfVersion>, new: OfVersion) -> Vec<OfVersion> {
    all.retain(|of| (&of.version, &of.day) != (&new.version, &new.day));
    all.push(new);
    all
}

#[cfg(test)]
mod tests {
    use super::super::experiment::read;
    use super::*;
    use serde_json::json;

    fn row(id: &str, fitted_on: bool, simulated: f64) -> Row {
        let document = json!({"id": id, "group": "B", "model": "org/m", "gpu": "H100", "measured": [],
            "engine": {"version": "0.15.1"}});
        let e = read(&document.to_string()).expect("an experiment").0.remove(0);
        Row { fitted_on, ..Row::of(&e, 2, (json!("0"), "tpot_ms", "mean"), 10.0, simulated) }
    }

    #[test]
    fn a_version_counts_what_was_not_fitted_and_takes_the_place_of_its_earlier_list() {
        let of = of_version(&[row("a", true, 99.0), row("b", false, 11.0)], "2026-11-30");
        assert_eq!((of.rows, of.held_back, of.tpot, of.ttft), (2, 1, [0.1, 0.1], [0.0, 0.0]));
        let older = OfVersion { version: "0.0.1".to_owned(), ..of.clone() };
        let all = with_version(vec![older.clone(), of.clone()], of.clone());
        assert_eq!(all, [older, of.clone()]);
        let tree = serde_json::to_value(&of).expect("JSON");
        assert_eq!(document::data_from_value(&tree, "a version"), Ok(of));
    }
}
