//! Gate: compares the errors of a replay with the recorded table of a release.

use super::compare::Aggregate;
use serde::Serialize;

/// Allowed increase of a median: 2 points.
const ALLOWED: f64 = 0.02;

/// One recorded median.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recorded {
    /// Group of experiments.
    pub group: String,
    /// GPU.
    pub gpu: String,
    /// Regime.
    pub regime: String,
    /// Metric.
    pub metric: String,
    /// Statistic.
    pub stat: String,
    /// Median of the absolute error, as a fraction.
    pub median: f64,
}

document::shape! { read entry Recorded { group gpu regime metric stat median } }

/// The rows of these groups that a table records: figures with a target.
pub fn recorded(groups: &[Aggregate]) -> Vec<Recorded> {
    let has_target = |g: &&Aggregate| {
        let figure = (g.metric.as_str(), g.stat.as_str());
        let target = [
            ("ttft_ms", "mean"),
            ("tpot_ms", "mean"),
            ("e2e_ms", "mean"),
            ("e2e_ms", "p99"),
            ("itl_ms", "p50"),
        ];
        target.contains(&figure) && g.regime != "overload"
    };
    let record = |g: &Aggregate| Recorded {
        group: g.group.clone(),
        gpu: g.gpu.clone(),
        regime: g.regime.clone(),
        metric: g.metric.clone(),
        stat: g.stat.clone(),
        median: (g.median * 1e4).round() / 1e4,
    };
    groups.iter().filter(has_target).map(record).collect()
}

/// One line for each figure that is missing, or worse than recorded by more than allowed.
pub fn worse(table: &[Recorded], groups: &[Aggregate]) -> Vec<String> {
    let mut lines = Vec::new();
    for r in table {
        let name = format!("group {} {} {} {} {}", r.group, r.gpu, r.regime, r.metric, r.stat);
        let same = |g: &&Aggregate| {
            (&g.group, &g.gpu, &g.regime, &g.metric, &g.stat)
                == (&r.group, &r.gpu, &r.regime, &r.metric, &r.stat)
        };
        match groups.iter().find(same) {
            None => lines.push(format!("{name}: recorded, and not there now")),
            Some(g) if g.median > r.median + ALLOWED => lines.push(format!(
                "{name}: median error {:.1} %, recorded {:.1} %",
                g.median * 100.0,
                r.median * 100.0
            )),
            Some(_) => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(median: f64) -> Aggregate {
        Aggregate {
            group: "B".to_owned(),
            gpu: "H100".to_owned(),
            regime: "below".to_owned(),
            metric: "tpot_ms".to_owned(),
            stat: "mean".to_owned(),
            experiments: 3,
            median,
            signed: 0.0,
            worst: median,
            worst_id: String::new(),
        }
    }

    #[test]
    fn two_points_are_allowed_and_no_more_and_nothing_may_go_missing() {
        let table = recorded(&[group(0.03)]);
        assert_eq!(worse(&table, &[group(0.0499)]), [] as [&str; 0]);
        assert_eq!(worse(&table, &[group(0.0501)]).len(), 1);
        assert!(worse(&table, &[])[0].contains("not there"));
    }
}
