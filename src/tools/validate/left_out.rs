//! Predictions for a model or a GPU by a fit without it: one line for each, stored as JSON next to the report.

use super::compare::{Row, median};
use super::one_error::{OneError, one_by_one};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Medians over the experiments that a fit had not seen, as shares, without overload.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LeftOut {
    /// GPU and release of the coefficients.
    pub coefficients: String,
    /// What was left out.
    pub left_out: String,
    /// Number of these experiments.
    pub experiments: u32,
    /// Mean time per output token.
    pub tpot: Option<f64>,
    /// Mean time to first token.
    pub ttft: Option<f64>,
    /// Mean end-to-end latency.
    pub e2e: Option<f64>,
    /// The errors of each experiment by regime.
    pub errors: Vec<OneError>,
}

document::shape! { read entry LeftOut { coefficients left_out experiments tpot [default] ttft [default] e2e [default] errors [default] } }

/// The line of a part that was left out; `None` if it has no figure. Rows of engines other than vLLM are in no sum.
pub fn left_out(coefficients: &str, left_out: &str, rows: &[Row]) -> Option<LeftOut> {
    let rows: Vec<Row> = rows.iter().filter(|r| !r.is_apart()).cloned().collect();
    let errors = |metric: &str| {
        let mut by_id: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let counted = rows.iter().filter(|r| r.metric == metric && r.stat == "mean");
        for row in counted.filter(|r| r.regime.as_deref().is_none_or(|regime| regime == "below")) {
            by_id.entry(&row.source).or_default().extend(row.error.map(f64::abs));
        }
        let means = by_id.values().filter(|e| !e.is_empty());
        means.map(|e| e.iter().sum::<f64>() / e.len() as f64).collect::<Vec<f64>>()
    };
    let all = ["tpot_ms", "ttft_ms", "e2e_ms"].map(errors);
    let experiments = all[0].len().max(all[1].len()) as u32;
    let [tpot, ttft, e2e] =
        all.map(|errors| (!errors.is_empty()).then(|| (median(errors) * 1e4).round() / 1e4));
    let named = || (coefficients.to_owned(), left_out.to_owned());
    (experiments > 0).then(named).map(|(coefficients, left_out)| LeftOut {
        coefficients,
        left_out,
        experiments,
        tpot,
        ttft,
        e2e,
        errors: one_by_one(&rows),
    })
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// The lines for a terminal.
pub fn left_out_lines(lines: &[LeftOut]) -> String {
    let mut text = format!(
        "{:<18} {:<36} {:>3} {:>8} {:>8} {:>8}\n",
        "coefficients", "left out", "n", "TPOT", "TTFT", "E2E"
    );
    for l in lines {
        let [tpot, ttft, e2e] = [l.tpot, l.ttft, l.e2e].map(percent);
        let (set, left, count) = (&l.coefficients, &l.left_out, l.experiments);
        writeln!(text, "{set:<18} {left:<36} {count:>3} {tpot:>8} {ttft:>8} {e2e:>8}")
            .expect("a String takes any text");
    }
    text
}

/// The lines as a table of Markdown.
pub fn left_out_table(lines: &[LeftOut]) -> String {
    let mut text = "| coefficients | left out | experiments | tpot_ms mean | ttft_ms mean | e2e_ms mean |\n|---|---|---|---|---|---|\n".to_owned();
    for l in lines {
        let [tpot, ttft, e2e] = [l.tpot, l.ttft, l.e2e].map(percent);
        writeln!(
            text,
            "| {} | {} | {} | {tpot} | {ttft} | {e2e} |",
            l.coefficients, l.left_out, l.experiments
        )
        .expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_has_the_medians_over_experiments_and_leaves_overload_out() {
        let one = |id: &str, metric: &str, regime: Option<&str>, simulated: f64| {
            let document = json!({"id": id, "group": "B", "model": "m", "gpu": "H100", "measured": []});
            let e = super::super::read(&document.to_string()).expect("an experiment").0.remove(0);
            let row = Row::of(&e, 1, (json!(0), metric, "mean"), 10.0, simulated);
            Row { regime: regime.map(str::to_owned), ..row }
        };
        let rows = [
            one("a", "tpot_ms", Some("below"), 11.0),
            one("a", "tpot_ms", Some("below"), 7.0),
            one("b", "tpot_ms", None, 10.4),
            one("b", "tpot_ms", Some("overload"), 90.0),
            one("b", "ttft_ms", Some("below"), 9.0),
        ];
        let line = left_out("H100/ahead", "m", &rows).expect("figures");
        // 20 % in the mean of one experiment, 4 % of the other.
        assert_eq!((line.experiments, line.tpot, line.ttft, line.e2e), (2, Some(0.12), Some(0.1), None));
        assert_eq!(left_out("H100/ahead", "m", &rows[3..4]), None);
        let tree = serde_json::to_value(&line).expect("JSON");
        assert_eq!(document::data_from_value(&tree, "a line"), Ok(line.clone()));
        assert!(left_out_table(&[line]).ends_with("| H100/ahead | m | 2 | 12.0 % | 10.0 % | - |\n"));
    }
}
