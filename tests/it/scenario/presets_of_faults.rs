//! Checks what the notes of the built-in scenarios about faults say, in figures.

use super::presets::{Run, about, run};
use super::presets_of_scaling::{OTHER_SEEDS, report, under_other_seeds};

/// The share of requests that were sent to a replica.
pub(super) fn sent_to(found: &Run, replica: u64, from_s: f64, to_s: f64) -> f64 {
    let all = found.between("", from_s, to_s);
    all.iter().filter(|row| row["replica"].as_u64() == Some(replica)).count() as f64 / all.len() as f64
}

/// The share of prompt tokens that came from the cache.
fn cached(found: &Run, from_s: f64, to_s: f64) -> f64 {
    let all = found.between("", from_s, to_s);
    let begun = || all.iter().filter(|row| row["ttft_us"].is_u64());
    let sum = |of: &str| begun().filter_map(|row| row[of].as_u64()).sum::<u64>() as f64;
    sum("cached_tokens") / sum("prompt_tokens")
}

#[test]
fn a_replica_that_lost_its_cache_is_not_needed_again_by_affinity_alone() {
    let found = run("crash-cold-cache", &[]);
    about(found.met("", 40.0, 60.0), 0.99, 1.0);
    about(cached(&found, 40.0, 75.0), 0.87, 0.89);
    about(cached(&found, 80.5, 85.0), 0.72, 0.8);
    about(cached(&found, 100.0, 120.0), 0.87, 0.89);
    about(sent_to(&found, 1, 125.0, 210.0), 0.0, 0.0);
    about(found.met("", 130.0, 210.0), 0.28, 0.4);
    let faults = report("crash-cold-cache", &[]).faults.expect("a crash");
    assert_eq!(faults.lost, 32);
    // Each of these broke three times, and no other request broke after the first time.
    let refused = faults.broken.iter().find(|b| b.reason == "refused").expect("before routers knew");
    assert_eq!((refused.attempts, refused.lost), (64, 32));

    let weighed = [("cluster.routing.weighted.profile", "llm-d-default")];
    let other = run("crash-cold-cache", &weighed);
    about(sent_to(&other, 1, 125.0, 210.0), 0.2, 0.27);
    about(other.met("", 130.0, 210.0), 0.99, 1.0);
    let known = [("cluster.resilience.discovery_ms", "10")];
    assert_eq!(report("crash-cold-cache", &known).faults.expect("a crash").lost, 0);
    for (found, other) in under_other_seeds("crash-cold-cache", &[])
        .iter()
        .zip(&under_other_seeds("crash-cold-cache", &weighed))
    {
        about(sent_to(found, 1, 125.0, 210.0), 0.0, 0.0);
        about(found.met("", 130.0, 210.0), 0.2, 0.65);
        about(sent_to(other, 1, 125.0, 210.0), 0.2, 0.3);
        about(other.met("", 130.0, 210.0), 0.98, 1.0);
        assert!(cached(found, 80.5, 85.0) < cached(found, 40.0, 75.0) - 0.05);
    }
}

#[test]
fn a_slow_node_ruins_round_robin_and_hardly_shows_with_four_others() {
    let found = run("slow-node-five-routers", &[]);
    let begins = [20.0, 100.0, 180.0, 260.0, 340.0];
    let p99 = begins.map(|at| found.ttft(99, "", at, at + 30.0));
    let met = begins.map(|at| found.met("", at, at + 30.0));
    let sent = begins.map(|at| sent_to(&found, 2, at, at + 30.0));
    about(p99[0], 12_000.0, 15_000.0);
    about(met[0], 0.73, 0.77);
    about(found.met("", 50.0, 60.0), 0.7, 0.8);
    about(sent[0], 0.24, 0.26);
    for i in [1, 2, 4] {
        about(p99[i], 100.0, 500.0);
        about(met[i], 0.99, 1.0);
    }
    about(p99[3], 600.0, 1000.0);
    about(met[3], 0.97, 0.98);
    about(met[4], 1.0, 1.0);
    for share in &sent[1..4] {
        about(*share, 0.07, 0.095);
    }
    about(sent[4], 0.05, 0.065);
    // Each of them is as it was soon after.
    for at in &begins[1..] {
        about(found.ttft(99, "", at + 30.0, at + 50.0), 50.0, 200.0);
    }
    for other in under_other_seeds("slow-node-five-routers", &[]) {
        let met = begins.map(|at| other.met("", at, at + 30.0));
        about(met[0], 0.7, 0.8);
        assert!(met[1..].iter().all(|share| *share > 0.95), "{met:?}");
        assert!(met[3] < met[1].min(met[2]), "{met:?}");
    }
}

/// Arrivals per second between two instants, and the share of them that completed.
fn arrived(found: &Run, from_s: f64, to_s: f64) -> (f64, f64) {
    let all = found.between("", from_s, to_s);
    let done = all.iter().filter(|row| row["state"] == "completed").count();
    (all.len() as f64 / (to_s - from_s), done as f64 / all.len() as f64)
}

#[test]
fn a_retry_storm_goes_on_after_its_cause_and_a_budget_of_the_clients_ends_it() {
    let name = "retry-storm";
    let found = run(name, &[]);
    about(found.ttft(50, "", 245.0, 290.0) / found.ttft(50, "", 20.0, 50.0), 0.9, 1.1);
    let anomalies = report(name, &[]).anomalies.expect("they are watched");
    let storm = anomalies.first.iter().find(|a| a.text.contains("retries")).expect("a storm");
    about(storm.start_us as f64 / 1e6, 85.0, 110.0);
    about(storm.end_us.expect("it ends") as f64 / 1e6, 200.0, 211.0);
    assert_eq!((anomalies.count("retry-storm"), anomalies.count("slow-recovery")), (1, 1));

    // Without the budget it never ends; with the budget from the beginning it never begins.
    let crash = r#"[{"at_us": 60000000, "fault": {"crash": {"replica": 2, "restart_s": 60}}}]"#;
    for seed in ["12", OTHER_SEEDS[0], OTHER_SEEDS[1]].map(|seed| ("seed", seed)) {
        let found = run(name, &[seed]);
        about(found.met("", 10.0, 55.0), 0.999, 1.0);
        let (per_s, done) = arrived(&found, 150.0, 200.0);
        about(per_s, 300.0, 500.0);
        about(done, 0.0, 0.01);
        let (per_s, done) = arrived(&found, 240.0, 290.0);
        about(per_s, 40.0, 48.0);
        about(done, 0.995, 1.0);
        about(arrived(&run(name, &[seed, ("edits", crash)]), 240.0, 290.0).1, 0.0, 0.01);
        let early = [seed, ("workload.client_retry_share", "0.1"), ("edits", crash)];
        about(arrived(&run(name, &early), 150.0, 195.0).1, 0.98, 1.0);
        assert_eq!(report(name, &early).anomalies.expect("watched").count("retry-storm"), 0);
    }
}

#[test]
fn a_replica_out_of_reach_looks_idle_and_ejecting_it_ends_the_herd() {
    let found = run("partition-stale-signals", &[]);
    about(found.met("", 30.0, 60.0), 0.99, 1.0);
    let met = |from_s: f64, to_s: f64| {
        let all = found.between("", from_s, to_s);
        all.iter().filter(|row| row["slo_met"] == true).count() as f64 / all.len() as f64
    };
    about(met(60.0, 90.0), 0.2, 0.3);
    about(met(150.0, 152.0), 0.7, 0.9);
    about(met(152.0, 180.0), 0.99, 1.0);
    let faults = report("partition-stale-signals", &[]).faults.expect("partitions");
    let [first, second] = faults.each.as_slice() else { panic!("{:?}", faults.each) };
    assert_eq!((first.kind, first.lost, second.broken, second.lost), ("unreachable", 493, 19, 0));
    assert_eq!(faults.ejections, 1);
    let counted = report("partition-stale-signals", &[("cluster.routing", "\"least-loaded\"")]);
    assert_eq!(counted.faults.expect("partitions").each[0].lost, 112);
    for seed in OTHER_SEEDS {
        let faults = report("partition-stale-signals", &[("seed", seed)]).faults.expect("partitions");
        let [first, second] = faults.each.as_slice() else { panic!("{:?}", faults.each) };
        assert!(first.lost > 100 && second.lost == 0 && second.broken < 60, "{:?}", faults.each);
    }
}

#[test]
fn a_rolling_restart_loses_no_request_and_crashes_or_haste_do() {
    let found = run("rolling-restart", &[]);
    about(found.met("", 30.0, 60.0), 0.999, 1.0);
    about(found.met("", 60.0, 250.0), 0.99, 1.0);
    let faults = report("rolling-restart", &[]).faults.expect("restarts");
    assert_eq!((faults.lost, faults.broken.len(), faults.each.len()), (0, 0, 4));
    // Each drains within eight seconds.
    for (one, at_s) in faults.each.iter().zip([60.0, 110.0, 160.0, 210.0]) {
        about(one.at_us as f64 / 1e6 - at_s, 4.0, 8.0);
    }
    let edits = |fault: &dyn Fn(u64) -> (u64, String)| {
        let one = |i: u64| {
            let (at_s, fault) = fault(i);
            format!(r#"{{"at_us": {}, "fault": {fault}}}"#, at_s * 1_000_000)
        };
        format!("[{}]", (0..4).map(one).collect::<Vec<_>>().join(","))
    };
    let crashes = edits(&|i| (60 + 50 * i, format!(r#"{{"crash": {{"replica": {i}, "restart_s": 28}}}}"#)));
    assert_eq!(report("rolling-restart", &[("edits", &crashes)]).faults.expect("crashes").lost, 191);
    let restart = |i: u64| format!(r#"{{"restart": {{"replica": {i}, "drain_s": 30, "restart_s": 28}}}}"#);
    let hasty = edits(&|i| (60 + 5 * i, restart(i)));
    let late = run("rolling-restart", &[("edits", &hasty)]);
    about(late.met("", 100.0, 120.0), 0.2, 0.6);
    about(late.met("", 130.0, 250.0), 0.99, 1.0);
    for seed in ["8", OTHER_SEEDS[0], OTHER_SEEDS[1]].map(|seed| ("seed", seed)) {
        let faults = report("rolling-restart", &[seed]).faults.expect("restarts");
        assert_eq!((faults.lost, faults.broken.len()), (0, 0));
        about(run("rolling-restart", &[seed]).met("", 60.0, 250.0), 0.96, 1.0);
        let hasty = report("rolling-restart", &[seed, ("edits", &hasty)]);
        assert!(hasty.faults.expect("restarts").lost > 200);
        let anomalies = hasty.anomalies.expect("watched");
        assert_eq!(anomalies.count("unavailable-pool"), 1);
        let nobody = anomalies.first.iter().find(|a| a.text.contains("served for")).expect("an outage");
        about(nobody.start_us as f64 / 1e6, 74.0, 84.0);
        about(nobody.end_us.expect("it ends") as f64 / 1e6, 91.0, 98.0);
    }
}
