//! Rankings: whether the simulation orders configurations as measurements do, by Kendall's tau-b.

use super::compare::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// How well one set of configurations was ordered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// The ordered configurations.
    pub set: String,
    /// The figure that orders them.
    pub metric: String,
    /// How many configurations.
    pub configurations: u32,
    /// Pairs that measurements distinguish.
    pub pairs: u32,
    /// Kendall's tau-b; `None` if all pairs are tied.
    pub tau_b: Option<f64>,
}

/// Measured values closer than this share are ties: of first-token times, and of others.
const TIES_OF_TTFT: f64 = 0.10;
const TIES: f64 = 0.03;
/// Simulated values closer than this share are ties: seeds differ as much.
const TIES_OF_SEEDS: f64 = 0.01;

/// All rankings that the rows allow: configurations of one group at one stage, by each metric.
pub fn rankings(rows: &[Row]) -> Vec<Ranking> {
    let mut sets: BTreeMap<(String, String), Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows {
        let ranked = match (row.group.as_str(), row.metric.as_str(), row.stat.as_str()) {
            ("H", "ttft_ms", "mean") | ("H", "out_tok_per_s", _) | ("I", "e2e_ms", "p90") => true,
            ("D", "ttft_ms" | "tpot_ms", "mean") => {
                row.id.starts_with("d-exp0") || row.id.starts_with("d-exp7")
            }
            ("F", "ttft_ms", "mean") => row.id == "f-baseline" || row.id == "f-chunk-prefix",
            _ => false,
        };
        if !ranked {
            continue;
        }
        let family = row.id.split('-').take(2).collect::<Vec<_>>().join("-");
        let stage = row.stage.as_str().map_or_else(|| row.stage.to_string(), str::to_owned);
        let set = if row.group == "F" { format!("F stage {stage}") } else { format!("{family} {stage}") };
        sets.entry((set, row.metric.clone())).or_default().push((row.measured, row.simulated));
    }
    sets.extend(throughput_sets(rows));
    let ranking = |((set, metric), pairs): ((String, String), Vec<(f64, f64)>)| {
        let ties = if metric == "ttft_ms" { TIES_OF_TTFT } else { TIES };
        let (tau_b, told_apart) = tau_b(&pairs, ties);
        Ranking { set, metric, configurations: pairs.len() as u32, pairs: told_apart, tau_b }
    };
    sets.into_iter().filter(|(_, pairs)| pairs.len() > 1).map(ranking).collect()
}

/// Group G: all parallelisms and concurrencies of one model and lengths, by tokens per second and GPU.
fn throughput_sets(rows: &[Row]) -> BTreeMap<(String, String), Vec<(f64, f64)>> {
    let mut sets: BTreeMap<(String, String), Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows.iter().filter(|r| r.group == "G" && r.metric == "tpot_ms" && r.stat == "mean") {
        let stage = row.stage.as_str().unwrap_or_default();
        let Some((lengths, rest)) = stage.split_once("-tp") else { continue };
        let concurrency: f64 = rest.split("-c").nth(1).and_then(|c| c.parse().ok()).unwrap_or(0.0);
        let rate = |tpot_ms: f64| concurrency * 1000.0 / tpot_ms.max(1e-9) / f64::from(row.tp.max(1));
        let set = (format!("{} {lengths}", row.id), "tok_per_s_per_gpu".to_owned());
        sets.entry(set).or_default().push((rate(row.measured), rate(row.simulated)));
    }
    sets
}

/// Kendall's tau-b of measured against simulated values, and the number of pairs that measurements distinguish.
/// Measured values that are closer than `ties` of the larger are equal.
fn tau_b(values: &[(f64, f64)], ties: f64) -> (Option<f64>, u32) {
    let order = |a: f64, b: f64, ties: f64| {
        if (a - b).abs() <= ties * a.abs().max(b.abs()) { 0.0 } else { (a - b).signum() }
    };
    let (mut agree, mut measured, mut simulated) = (0.0, 0u32, 0u32);
    for (i, a) in values.iter().enumerate() {
        for b in &values[i + 1..] {
            let (m, s) = (order(a.0, b.0, ties), order(a.1, b.1, TIES_OF_SEEDS));
            if m == 0.0 {
                continue;
            }
            measured += 1;
            simulated += u32::from(s != 0.0);
            agree += m * s;
        }
    }
    let scale = (f64::from(measured) * f64::from(simulated)).sqrt();
    ((scale > 0.0).then(|| agree / scale), measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tau_is_one_for_the_same_order_and_minus_one_for_the_other() {
        let up = [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)];
        assert_eq!(tau_b(&up, 0.0), (Some(1.0), 3));
        let down = [(1.0, 30.0), (2.0, 20.0), (3.0, 10.0)];
        assert_eq!(tau_b(&down, 0.0), (Some(-1.0), 3));
        assert_eq!(tau_b(&[(1.0, 5.0), (1.01, 4.0)], 0.03), (None, 0));
        // A simulated tie is neither right nor wrong.
        let tied = [(1.0, 10.0), (2.0, 20.0), (2.0, 10.05)];
        assert_eq!(tau_b(&tied, 0.0), (Some(1.0 / 2.0_f64.sqrt()), 2));
    }
}
