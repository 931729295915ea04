//! Splits a burst into two halves by arrival time (group C): coefficients may be fitted to the first, and the second
//! is predicted.

use super::Files;
use super::experiment::Experiment;
use super::recorded::{self, Row};
use super::sample::{Finished, Sample};
use benchmarks::import::benchmark::statistics::STATISTICS;
use serde_json::{Map, Value, json};

/// Names of the halves, as stages.
pub(super) const HALVES: [&str; 2] = ["first half", "second half"];

/// The measurements of each half, as stages of the measured format; none for other groups, or for rows without
/// latencies.
pub(super) fn stages(e: &Experiment, files: &Files<'_>) -> Vec<Value> {
    if e.group != "C" {
        return Vec::new();
    }
    let rows = files(e.text("/workload/requests_file")).and_then(|bytes| recorded::rows(&bytes));
    measured(&rows.unwrap_or_default())
}

fn measured(rows: &[Row]) -> Vec<Value> {
    let halves = halves(rows);
    let mut sample = Sample::default();
    for (row, half) in rows.iter().zip(&halves) {
        if let (Some(ttft_us), Some(e2e_us)) = (row.ttft_us, row.e2e_us) {
            sample.finished.push(Finished {
                stage: *half,
                arrival_us: row.arrival_us,
                ttft_us,
                e2e_us: e2e_us.max(ttft_us),
                queue_us: 0,
                prompt_tokens: row.input,
                output_tokens: row.output.unwrap_or(0),
            });
        }
    }
    let stage = |(half, name): (u32, &&str)| {
        let mut of_half = Map::new();
        for metric in ["ttft_ms", "tpot_ms", "e2e_ms"] {
            let statistic =
                |stat: &&str| Some(((*stat).to_owned(), json!(sample.statistic(metric, stat, Some(half))?)));
            let statistics: Map<String, Value> = STATISTICS.iter().filter_map(statistic).collect();
            of_half.insert(metric.to_owned(), Value::Object(statistics));
        }
        of_half.insert("stage".to_owned(), json!(name));
        Value::Object(of_half)
    };
    if sample.finished.is_empty() { Vec::new() } else { (0..).zip(&HALVES).map(stage).collect() }
}

/// The half of each row.
pub(super) fn halves(rows: &[Row]) -> Vec<u32> {
    let mut arrivals: Vec<u64> = rows.iter().map(|r| r.arrival_us).collect();
    arrivals.sort_unstable();
    let middle = arrivals.get(rows.len() / 2).copied().unwrap_or(0);
    rows.iter().map(|r| u32::from(r.arrival_us >= middle)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_halved_by_arrival_and_each_half_has_its_own_figures() {
        let text = "arrival_us,input_tokens,output_tokens,ttft_us,e2e_us\n\
                    30,9,11,4000,14000\n0,9,11,1000,11000\n20,9,11,3000,13000\n10,9,11,2000,12000\n";
        let rows = recorded::rows(text.as_bytes()).unwrap();
        assert_eq!(halves(&rows), [1, 0, 1, 0]);
        let found = measured(&rows);
        assert_eq!(found[0]["stage"], HALVES[0]);
        assert_eq!((&found[0]["ttft_ms"]["mean"], &found[1]["ttft_ms"]["mean"]), (&json!(1.5), &json!(3.5)));
        assert_eq!(found[1]["tpot_ms"]["p50"], 1.0);
        let without = recorded::rows(b"arrival_us,input_tokens,output_tokens\n0,9,2\n1,9,2\n").unwrap();
        assert!(measured(&without).is_empty());
    }
}
