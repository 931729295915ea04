//! Figures of a whole ladder of rates: the rate at its knee, and the growth of the queue above it.

use super::compare::Row;
use super::experiment::{Experiment, number_at};
use serde_json::Value;

/// The knee is where the mean time to first token is this many times that of the lowest rate.
const KNEE: f64 = 3.0;
/// A ladder has at least this many rates.
const FEWEST: usize = 4;

/// Rows of the whole ladder and of its stages in overload, from the rows of its stages.
pub(super) fn rows(e: &Experiment, rows: &[Row]) -> Vec<Row> {
    let mut more = Vec::new();
    let mut ladder: Vec<(f64, &Row)> = Vec::new();
    for measured in e.measured() {
        let Some(rate) = number_at(measured, "offered_req_per_s") else { continue };
        let stage = measured.get("stage").unwrap_or(&Value::Null);
        let of = |metric: &str, stat: &str| {
            rows.iter().find(|r| r.stage == *stage && r.metric == metric && r.stat == stat)
        };
        ladder.extend(of("ttft_ms", "mean").map(|row| (rate, row)));
        let overloaded = |r: &&Row| r.regime.as_deref() == Some("overload") && r.measured < rate;
        if let Some(row) = of("req_per_s", "value").filter(overloaded) {
            let growth = |served: f64| (rate - served).max(0.0);
            more.push(with(row, "backlog_per_s", growth(row.measured), growth(row.simulated)));
        }
    }
    ladder.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, first)) = ladder.first().filter(|_| ladder.len() >= FEWEST) {
        let of = |value: fn(&Row) -> f64| ladder.iter().map(|(rate, row)| (*rate, value(row))).collect();
        let (measured, simulated): (Vec<_>, Vec<_>) = (of(|r| r.measured), of(|r| r.simulated));
        if let Some(at) = knee(&measured) {
            let highest = ladder.last().map_or(at, |(rate, _)| *rate);
            let row = with(first, "knee_req_per_s", at, knee(&simulated).unwrap_or(highest));
            more.push(Row { stage: Value::from("all"), regime: Some("near".to_owned()), ..row });
        }
    }
    more
}

/// A row of another figure.
fn with(row: &Row, metric: &str, measured: f64, simulated: f64) -> Row {
    Row {
        metric: metric.to_owned(),
        stat: "value".to_owned(),
        measured,
        simulated,
        error: (measured > 0.0).then(|| simulated / measured - 1.0),
        lowest: simulated,
        highest: simulated,
        ..row.clone()
    }
}

/// The interpolated rate at the knee; `None` if the ladder ends before it.
fn knee(ladder: &[(f64, f64)]) -> Option<f64> {
    let limit = KNEE * ladder.first()?.1;
    let steps = ladder.windows(2).find(|two| two[1].1 > limit)?;
    let ((r0, t0), (r1, t1)) = (steps[0], steps[1]);
    Some(r0 + (limit - t0).max(0.0) / (t1 - t0).max(1e-9) * (r1 - r0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_lies_between_the_rates_around_three_times_the_first_latency() {
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0)]), Some(3.0));
        assert_eq!(knee(&[(1.0, 10.0), (2.0, 20.0), (4.0, 30.0)]), None);
        assert_eq!(knee(&[]), None);
    }
}
