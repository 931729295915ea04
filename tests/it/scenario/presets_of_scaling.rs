//! Checks in figures what the notes of presets about autoscalers say.

use super::presets::{Run, about, decisions, document, run};
use crate::support::rows::{rows, start, whole};
use serde_json::{Map, Value};
use tokenyard::base::Micros;
use tokenyard::export::Table;
use tokenyard::session::Report;

/// Seeds beside the preset's own, for claims that hold whatever is drawn.
pub(super) const OTHER_SEEDS: [&str; 2] = ["101", "102"];

/// A preset with some fields set, under each of the other seeds.
pub(super) fn under_other_seeds(name: &str, sets: &[(&str, &str)]) -> [Run; 2] {
    OTHER_SEEDS.map(|seed| run(name, &[sets, &[("seed", seed)]].concat()))
}

/// The report of a preset with some fields set.
pub(super) fn report(name: &str, sets: &[(&str, &str)]) -> Report {
    let mut session = start(&document(name, sets));
    session.advance(Micros::MAX, u64::MAX);
    session.report_data()
}

fn usd(name: &str, sets: &[(&str, &str)]) -> f64 {
    report(name, sets).cost.usd.expect("GPUs with prices")
}

/// The instants at which the number of replicas changes, in seconds, with the number before and after.
fn changes(name: &str, sets: &[(&str, &str)]) -> Vec<(u64, u64, u64)> {
    let found = rows(&mut start(&document(name, sets)), Table::Scaling);
    let number = |row: &Map<String, Value>, column: &str| whole(row, column).expect("a number");
    found
        .iter()
        .map(|row| (number(row, "time_us") / 1_000_000, number(row, "current"), number(row, "desired")))
        .filter(|(_, current, desired)| current != desired)
        .collect()
}

/// A column of the decisions between two instants, where it has a value.
fn figures(decisions: &[Map<String, Value>], column: &str, from_s: f64, to_s: f64) -> Vec<f64> {
    let here = |row: &&Map<String, Value>| {
        (from_s..=to_s).contains(&(whole(row, "time_us").expect("an instant") as f64 / 1e6))
    };
    decisions.iter().filter(here).filter_map(|row| row[column].as_f64()).collect()
}

/// The instant of the earliest first token among requests that arrived between two instants, on a replica with at least this number.
fn first_token_s(found: &Run, replica: u64, from_s: f64, to_s: f64) -> f64 {
    let rows = found.between("", from_s, to_s);
    let here = rows.iter().filter(|row| whole(row, "replica") >= Some(replica));
    let at = here.filter_map(|row| Some(whole(row, "arrival_us")? + whole(row, "ttft_us")?)).min();
    at.expect("a first token") as f64 / 1e6
}

#[test]
fn cold_replicas_come_late_and_hot_ones_sooner() {
    let name = "spike-cold-starts";
    let own = run(name, &[]);
    about(own.met("", 0.0, 420.0), 0.485, 0.5);
    about(own.met("", 120.0, 180.0), 0.015, 0.025);
    about(first_token_s(&own, 2, 90.0, 420.0), 170.5, 172.0);
    assert_eq!(
        changes(name, &[]),
        [(105, 2, 6), (120, 6, 8), (270, 8, 3), (285, 3, 2)],
        "a minute after the spike"
    );
    let sooner = ("cluster.pools[0].scaling.start", "hot");
    about(run(name, &[sooner]).met("", 0.0, 420.0), 0.73, 0.75);
    let eight = [("cluster.pools[0].scaling.policy", "none"), ("cluster.pools[0].replicas", "8")];
    about(run(name, &eight).met("", 0.0, 420.0), 1.0, 1.0);
    about(usd(name, &eight) / usd(name, &[]), 1.78, 1.86);
    for (cold, hot) in under_other_seeds(name, &[]).iter().zip(&under_other_seeds(name, &[sooner])) {
        about(cold.met("", 120.0, 180.0), 0.0, 0.2);
        about(cold.met("", 0.0, 420.0), 0.4, 0.65);
        assert!(hot.met("", 0.0, 420.0) > cold.met("", 0.0, 420.0) + 0.15);
    }
}

#[test]
fn a_morning_outruns_an_autoscaler_for_a_minute() {
    let name = "day-in-ten-minutes";
    let own = run(name, &[]);
    about(own.met("", 0.0, 150.0), 0.999, 1.0);
    about(own.met("", 150.0, 200.0), 0.22, 0.28);
    about(own.met("", 200.0, 600.0), 0.999, 1.0);
    about(own.met("", 0.0, 600.0), 0.955, 0.965);
    let per_s = |from_s: f64| own.between("", from_s, from_s + 30.0).len() as f64 / 30.0;
    about(per_s(45.0), 13.0, 18.0);
    about(per_s(345.0), 114.0, 126.0);
    let eight = [("cluster.pools[0].scaling.policy", "none"), ("cluster.pools[0].replicas", "8")];
    about(usd(name, &[]) / usd(name, &eight), 0.74, 0.78);
    let afternoon: Vec<_> =
        changes(name, &[]).into_iter().filter(|(at_s, ..)| (200..400).contains(at_s)).collect();
    assert_eq!(afternoon, [(270, 8, 6), (285, 6, 7), (300, 7, 8)]);
    assert!(report(name, &[]).anomalies.expect("they are watched").count("oscillation") >= 1);
    for other in under_other_seeds(name, &[]) {
        let tens = (0..60).map(|i| 10 * i);
        let late: Vec<u32> =
            tens.filter(|at_s| other.met("", f64::from(*at_s), f64::from(at_s + 10)) < 0.5).collect();
        assert!(!late.is_empty() && late.iter().all(|at_s| (140..=210).contains(at_s)), "{late:?}");
    }
}

#[test]
fn thresholds_too_near_to_each_other_cost_waiting_time_and_wider_ones_stand_still() {
    let name = "flapping-threshold";
    let wider = ("cluster.pools[0].scaling.policy.threshold.down", "0.2");
    about(run(name, &[]).met("", 20.0, 600.0), 0.73, 0.77);
    let directions = changes(name, &[]);
    let up = directions.iter().filter(|(_, current, desired)| desired > current).count();
    assert_eq!((up, directions.len() - up), (10, 10));
    assert!(changes(name, &[wider]).is_empty());
    about(run(name, &[wider]).met("", 20.0, 600.0), 0.9999, 1.0);
    about(usd(name, &[wider]) / usd(name, &[]), 1.08, 1.1);
    for (count, from, to) in [("1", 0.9, 0.97), ("2", 0.3, 0.4)] {
        let stays = [("replicas", count), ("scaling.min", count), ("scaling.max", count)];
        let stays = stays.map(|(field, value)| (format!("cluster.pools[0].{field}"), value));
        let stays: Vec<(&str, &str)> = stays.iter().map(|(path, value)| (path.as_str(), *value)).collect();
        let found = rows(&mut start(&document(name, &stays)), Table::Scaling);
        let used = figures(&found, "utilization", 45.0, 600.0);
        about(used.iter().sum::<f64>() / used.len() as f64, from, to);
    }
    for seed in OTHER_SEEDS {
        assert!(changes(name, &[("seed", seed)]).len() >= 18);
        assert!(changes(name, &[("seed", seed), wider]).is_empty());
        about(run(name, &[("seed", seed)]).met("", 20.0, 600.0), 0.65, 0.92);
    }
}

#[test]
fn a_change_within_the_tolerance_is_not_answered_and_fills_the_queue() {
    let name = "hpa-swallows-a-change";
    let tight = ("cluster.pools[0].scaling.policy.hpa.behavior.rules.up.tolerance", "0.05");
    about(run(name, &[]).met("", 30.0, 600.0), 0.16, 0.18);
    about(run(name, &[tight]).met("", 30.0, 600.0), 0.87, 0.89);
    for seed in ["5", OTHER_SEEDS[0], OTHER_SEEDS[1]] {
        let seed = ("seed", seed);
        let (own, other) = (run(name, &[seed]), run(name, &[seed, tight]));
        about(own.met("", 30.0, 120.0), 0.99, 1.0);
        about(own.met("", 200.0, 600.0), 0.0, 0.2);
        assert!(own.ttft(50, "", 500.0, 600.0) > 2.0 * own.ttft(50, "", 220.0, 320.0), "it grows");
        assert!(changes(name, &[seed]).is_empty());
        about(other.met("", 30.0, 600.0), 0.85, 1.0);
        assert_eq!(changes(name, &[seed, tight])[0].2, 4);
    }
    let found = decisions(name);
    let measured = figures(&found, "rate_per_s", 180.0, 600.0);
    about(measured.iter().sum::<f64>() / measured.len() as f64 / 51.0, 1.07, 1.09);
}

#[test]
fn requests_without_a_replica_wait_for_one_to_start() {
    let name = "scale-to-zero";
    let own = run(name, &[]);
    about(own.met("", 0.0, 1080.0), 0.78, 0.8);
    about(first_token_s(&own, 0, 600.0, 720.0), 641.0, 642.5);
    about(own.between("", 600.0, 630.0).len() as f64, 190.0, 230.0);
    let warm = ("cluster.pools[0].scaling.start", "warm");
    about(run(name, &[warm]).met("", 0.0, 1080.0), 0.57, 0.59);
    let stays = ("cluster.pools[0].scaling.min", "1");
    about(usd(name, &[stays]) / usd(name, &[]), 1.95, 2.05);
    for seed in ["11", OTHER_SEEDS[0], OTHER_SEEDS[1]] {
        let seed = ("seed", seed);
        assert_eq!(changes(name, &[seed]), [(195, 1, 0), (615, 0, 1), (630, 1, 2), (795, 2, 0)]);
        about(run(name, &[seed, stays]).met("", 0.0, 1080.0), 0.999, 1.0);
        let (hot, warm) = (run(name, &[seed]), run(name, &[seed, warm]));
        about(hot.met("", 0.0, 1080.0) - warm.met("", 0.0, 1080.0), 0.12, 0.3);
    }
}

#[test]
fn a_filter_that_rejects_everything_never_learns_and_its_rule_never_asks_for_more() {
    let found = decisions("filter-locked-out");
    let first = |column: &str| figures(&found, column, 15.0, 15.0)[0];
    about(first("gamma_ms") / first("true_gamma_ms"), 13.5, 14.5);
    about(first("replica_per_s"), 1.6, 1.75);
    about(first("true_replica_per_s"), 8.8, 9.4);
    about(figures(&found, "updates_accepted", 0.0, 150.0).iter().sum(), 1.0, 1.0);
    about(figures(&found, "updates_rejected", 0.0, 150.0).iter().sum(), 19.0, 19.0);
    let own = run("filter-locked-out", &[]);
    about(own.ttft(50, "", 328.0, 332.0), 11_500.0, 12_500.0);
    about(own.met("", 0.0, 480.0), 0.38, 0.42);
    for seed in ["11", OTHER_SEEDS[0], OTHER_SEEDS[1]] {
        let found = rows(&mut start(&document("filter-locked-out", &[("seed", seed)])), Table::Scaling);
        assert!(figures(&found, "nis", 165.0, 435.0).is_empty(), "nothing is measured against them any more");
        assert!(figures(&found, "desired", 0.0, 480.0).iter().all(|n| *n <= 2.0));
        about(figures(&found, "updates_accepted", 0.0, 150.0).iter().sum(), 0.0, 1.0);
    }
}

#[test]
fn a_filter_that_learns_asks_for_replicas_in_time() {
    let found = decisions("filter-mended");
    about(figures(&found, "updates_rejected", 0.0, 195.0).iter().sum(), 0.0, 0.0);
    assert_eq!(figures(&found, "desired", 180.0, 195.0), [2.0, 3.0]);
    assert_eq!(figures(&found, "desired", 270.0, 270.0), [6.0]);
    assert!(figures(&found, "updates_rejected", 210.0, 260.0).iter().all(|n| *n > 0.0));
    let last = |column: &str| figures(&found, column, 480.0, 480.0)[0];
    about(last("replica_per_s") / last("true_replica_per_s"), 0.9, 0.92);
    about(run("filter-mended", &[]).met("", 0.0, 480.0), 0.994, 0.998);
    about(usd("filter-mended", &[]) / usd("filter-locked-out", &[]), 1.6, 1.75);
    for seed in OTHER_SEEDS {
        assert_eq!(changes("filter-mended", &[("seed", seed)])[0], (195, 2, 3));
        about(run("filter-mended", &[("seed", seed)]).met("", 0.0, 480.0), 0.97, 1.0);
    }
}
