//! Orders of GPUs and of configurations in tables of closed-loop points: measured, and as simulated.

use super::compare::{Row, median};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How one model was ordered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Order {
    /// What was ordered: GPUs by time per output token, or configurations by tokens per second and GPU.
    pub of: String,
    /// Model and engine.
    pub model: String,
    /// Sets of two or more with the same lengths; of GPUs with the same users and parallelism too.
    pub sets: u32,
    /// Sets whose measured best is the simulated best.
    pub best: u32,
    /// Pairs that measurements tell apart.
    pub pairs: u32,
    /// Pairs in the measured order.
    pub agree: u32,
    /// Pairs in the other order.
    pub reversed: u32,
    /// Pairs in the other order whose simulated values are further apart than the error of both.
    pub outside: u32,
}

/// Values closer than this share are ties: measured ones, and simulated ones.
const TIES: [f64; 2] = [0.03, 0.01];

/// Values behind a step time that two sides have in common, of five: two GPUs share model, release, precision and parallelism at most,
/// two configurations of one GPU all but the parallelism. The errors of the two are correlated by that share where they have one fit in
/// common; GPUs have fits of their own.
const CORRELATED: [f64; 2] = [0.0, 0.8];

/// What sets are of.
const OF: [&str; 2] = ["GPUs", "configurations"];

/// Measured and simulated values of a member, larger is better.
type Members = BTreeMap<String, Vec<[f64; 2]>>;

/// The orders that rows of tables allow.
pub fn orders(rows: &[Row]) -> Vec<Order> {
    let listed =
        |r: &&Row| matches!(r.group.as_str(), "S" | "O") && r.metric == "tpot_ms" && r.stat == "mean";
    let rows: Vec<&Row> =
        rows.iter().filter(listed).filter(|r| r.regime.as_deref() != Some("overload")).collect();
    let held: Vec<f64> = rows.iter().filter(|r| !r.fitted_on).filter_map(|r| r.error).map(f64::abs).collect();
    let error = if held.is_empty() { 0.0 } else { median(held) };
    let mut sets: BTreeMap<(usize, String, String), Members> = BTreeMap::new();
    for row in rows {
        let Some((lengths, rest)) = row.stage.as_str().and_then(|stage| stage.split_once("-tp")) else {
            continue;
        };
        let Some(users) = rest.split("-c").nth(1).and_then(|c| c.parse::<f64>().ok()) else { continue };
        let gpu = format!("-{}", row.gpu.to_lowercase());
        let source = row.source.to_lowercase();
        let Some((model, release)) = source.split_once(&gpu) else { continue };
        let engine = if row.group == "O" { row.engine.split(' ').next().unwrap_or_default() } else { "vllm" };
        let named = format!("{} ({engine})", model.trim_start_matches("s-"));
        let speeds = [row.measured, row.simulated].map(|ms| 1.0 / ms.max(1e-9));
        let of_gpus = format!("{lengths} {rest}");
        sets.entry((0, named.clone(), of_gpus)).or_default().entry(row.gpu.clone()).or_default().push(speeds);
        let release =
            release.rsplit("-tp").next().and_then(|part| part.split_once('-')).map_or("", |(_, r)| r);
        let of_configurations = format!("{} {release} {lengths}", row.gpu);
        let rates = speeds.map(|speed| speed * users / f64::from(row.tp.max(1)));
        sets.entry((1, named, of_configurations))
            .or_default()
            .entry(rest.to_owned())
            .or_default()
            .push(rates);
    }
    let mut found: BTreeMap<(usize, String), Order> = BTreeMap::new();
    for ((kind, model, _), members) in sets.into_iter().filter(|(_, members)| members.len() > 1) {
        let values: Vec<[f64; 2]> = members.values().map(|runs| middle(runs)).collect();
        let joint = error * (2.0 - 2.0 * CORRELATED[kind]).sqrt();
        let order = found.entry((kind, model.clone())).or_default();
        (order.of, order.model) = (OF[kind].to_owned(), model);
        order.count(&values, joint);
    }
    found.into_values().filter(|order| order.pairs > 0).collect()
}

/// The median run.
fn middle(runs: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|side| median(runs.iter().map(|run| run[side]).collect()))
}

/// The sign of a - b; 0 where they are closer than a share of the larger.
fn order_of(a: f64, b: f64, ties: f64) -> f64 {
    if (a - b).abs() <= ties * a.max(b) { 0.0 } else { (a - b).signum() }
}

impl Order {
    fn count(&mut self, values: &[[f64; 2]], joint: f64) {
        self.sets += 1;
        let best = |side: usize| values.iter().map(|v| v[side]).fold(0.0, f64::max);
        let picked = values.iter().find(|v| v[1] >= best(1));
        self.best += u32::from(picked.is_some_and(|v| order_of(best(0), v[0], TIES[0]) == 0.0));
        for (i, a) in values.iter().enumerate() {
            for b in &values[i + 1..] {
                let product = order_of(a[0], b[0], TIES[0]) * order_of(a[1], b[1], TIES[1]);
                self.pairs += u32::from(order_of(a[0], b[0], TIES[0]) != 0.0);
                self.agree += u32::from(product > 0.0);
                self.reversed += u32::from(product < 0.0);
                let apart = (a[1] - b[1]).abs() / a[1].min(b[1]).max(1e-12);
                self.outside += u32::from(product < 0.0 && apart > joint);
            }
        }
    }

    /// Kendall's tau of the pairs that measurements tell apart.
    fn tau(&self) -> f64 {
        (f64::from(self.agree) - f64::from(self.reversed)) / f64::from(self.pairs.max(1))
    }
}

/// The orders as a table of Markdown.
pub fn orders_table(orders: &[Order]) -> String {
    let mut text = "| order of | model | sets | best pick | pairs | tau | reversed | outside the error |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    for o in orders {
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            o.of,
            o.model,
            o.sets,
            o.best,
            o.pairs,
            o.tau(),
            o.reversed,
            o.outside
        )
        .expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::experiment::read;
    use super::*;
    use serde_json::json;

    fn row(gpu: &str, tp: u32, users: u32, [measured, simulated]: [f64; 2]) -> Row {
        let document = json!({"id": format!("{gpu}-{users}"), "group": "S", "model": "org/big", "gpu": gpu, "measured": []});
        let e = read(&document.to_string()).expect("an experiment").0.remove(0);
        let stage = json!(format!("isl1024-osl1024-tp{tp}-c{users}"));
        let source = format!("s-big-fp8-{}_sxm-tp{tp}-0.18.0", gpu.to_lowercase());
        Row { source, ..Row::of(&e, tp, (stage, "tpot_ms", "mean"), measured, simulated) }
    }

    #[test]
    fn a_reversed_pair_counts_and_is_outside_the_error_where_it_is_far_apart() {
        // Errors of 10 % in the median: two GPUs that are 14 % apart or less are within their joint error.
        let rows = [
            row("H100", 8, 4, [10.0, 11.0]),
            row("H200", 8, 4, [9.0, 9.9]),
            row("B200", 8, 4, [8.0, 10.5]),
            row("H100", 8, 64, [20.0, 18.0]),
            row("H200", 8, 64, [18.0, 19.8]),
            row("B200", 8, 64, [20.2, 12.0]),
        ];
        let found = orders(&rows);
        let [gpus, configurations] = &found[..] else { panic!("{found:?}") };
        let counts = |o: &Order| [o.sets, o.best, o.pairs, o.agree, o.reversed, o.outside];
        // Of 4 users B200 and H200 change places, 6 % apart; of 64 both others and H200, 10 and 65 % apart.
        assert_eq!(counts(gpus), [2, 0, 5, 2, 3, 1]);
        assert_eq!((gpus.of.as_str(), gpus.model.as_str()), ("GPUs", "big-fp8 (vllm)"));
        assert_eq!(counts(configurations), [3, 3, 3, 3, 0, 0]);
        assert!(
            orders_table(&found)
                .ends_with("| configurations | big-fp8 (vllm) | 3 | 3 | 3 | 1.00 | 0 | 0 |\n")
        );
    }
}
