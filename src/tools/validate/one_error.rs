//! The errors of single experiments by regime and figure.

use super::compare::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// The absolute error of one experiment in a regime: the mean over its stages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneError {
    /// The experiment.
    pub source: String,
    /// below, near or over.
    pub regime: String,
    /// TPOT, TTFT or E2E.
    pub figure: String,
    /// As a share.
    pub error: f64,
    /// Those of its stages, in ascending order.
    pub stages: Vec<f64>,
}

document::shape! { read entry OneError { source regime figure error stages [default] } }

pub(super) const FIGURES: [(&str, &str); 3] = [("tpot_ms", "TPOT"), ("ttft_ms", "TTFT"), ("e2e_ms", "E2E")];
pub(super) const REGIMES: [(&str, &str); 3] = [("below", "below"), ("near", "near"), ("overload", "over")];

/// The errors of each experiment; a stage without a regime counts as below the knee.
pub(super) fn one_by_one<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<OneError> {
    let mut found: BTreeMap<(&str, &str, &str), Vec<f64>> = BTreeMap::new();
    for row in rows.into_iter().filter(|r| r.stat == "mean") {
        let figure = FIGURES.iter().find(|(metric, _)| *metric == row.metric);
        let regime = row.regime.as_deref().unwrap_or("below");
        let regime = REGIMES.iter().find(|(of, _)| *of == regime);
        if let (Some((_, figure)), Some((_, regime)), Some(error)) = (figure, regime, row.error) {
            found.entry((&row.source, regime, figure)).or_default().push(error.abs());
        }
    }
    let one = |((source, regime, figure), mut errors): ((&str, &str, &str), Vec<f64>)| {
        errors.sort_by(f64::total_cmp);
        OneError {
            source: source.to_owned(),
            regime: regime.to_owned(),
            figure: figure.to_owned(),
            error: short(errors.iter().sum::<f64>() / errors.len() as f64),
            stages: errors.into_iter().map(short).collect(),
        }
    };
    found.into_iter().map(one).collect()
}

pub(super) fn short(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
