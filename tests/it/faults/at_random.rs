//! Crashes at random: exponential times of service, a stream of each replica, and a limit.

use super::{in_turn, run};
use crate::support::start;
use tokenyard::base::Micros;
use tokenyard::scenario::{Change, Scenario, TimedEdit, limits};

fn crashes(replicas: u32, mtbf_s: f64, restart_s: f64, horizon_s: f64) -> Scenario {
    let mut s = in_turn(replicas, &[(0, 1)]);
    s.run.horizon_s = horizon_s;
    s.cluster.faults.crash_mtbf_s = mtbf_s;
    s.cluster.faults.restart_s = restart_s;
    s
}

/// Instant and replica of each crash, in seconds.
fn of(s: &Scenario) -> Vec<(f64, u32)> {
    let mut session = start(s);
    session.advance(Micros::MAX, u64::MAX);
    let faults = session.report_data().faults;
    faults.map_or(Vec::new(), |f| {
        f.each.iter().map(|e| (e.at_us as f64 / 1e6, e.replica.expect("of one replica"))).collect()
    })
}

#[test]
fn replicas_serve_for_exponential_times_between_crashes() {
    let (mtbf, restart) = (100.0, 30.0);
    let all = of(&crashes(8, mtbf, restart, 20_000.0));
    let of_one = |replica| all.iter().filter(move |c| c.1 == replica).map(|c| c.0).collect::<Vec<_>>();
    let served: Vec<f64> = (0..8)
        .flat_map(|replica| of_one(replica).windows(2).map(|w| w[1] - w[0] - restart).collect::<Vec<_>>())
        .collect();
    let mean = served.iter().sum::<f64>() / served.len() as f64;
    let squares = served.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / served.len() as f64;
    assert!(served.len() > 1000 && served.iter().all(|&x| x >= 0.0), "{}", served.len());
    assert!((mean / mtbf - 1.0).abs() < 0.08, "mean {mean}");
    assert!(
        (squares / (mean * mean) - 1.0).abs() < 0.2,
        "squared coefficient of variation {}",
        squares / (mean * mean)
    );
    // Up for 100 of 130 seconds.
    let mut session = start(&crashes(8, mtbf, restart, 20_000.0));
    session.advance(Micros::MAX, u64::MAX);
    let availability = session.report_data().faults.expect("crashes").availability;
    assert!((availability - mtbf / (mtbf + restart)).abs() < 0.03, "{availability}");
}

#[test]
fn crashes_of_a_replica_do_not_depend_on_how_many_others_there_are_or_on_the_traffic() {
    let two = of(&crashes(2, 50.0, 10.0, 2_000.0));
    let five = of(&crashes(5, 50.0, 10.0, 2_000.0));
    let first = |all: &[(f64, u32)]| all.iter().filter(|c| c.1 < 2).copied().collect::<Vec<_>>();
    assert_eq!(first(&two), first(&five));
    let mut busy = crashes(2, 50.0, 10.0, 2_000.0);
    busy.workload.requests =
        in_turn(2, &(0..500).map(|i| (i * 1_000_000, 2)).collect::<Vec<_>>()).workload.requests;
    assert_eq!(of(&busy), two);
    let mut other = crashes(2, 50.0, 10.0, 2_000.0);
    other.seed += 1;
    assert_ne!(of(&other), two);
}

#[test]
fn an_edit_begins_and_ends_them_and_a_run_has_a_limited_number() {
    let mut s = crashes(2, 0.0, 1.0, 1_000.0);
    s.edits.push(TimedEdit::new(300_000_000, Change::set("cluster.faults.crash_mtbf_s", 20.0)));
    s.edits.push(TimedEdit::new(600_000_000, Change::set("cluster.faults.crash_mtbf_s", 0.0)));
    let at = of(&s);
    assert!(at.len() > 10 && at.iter().all(|c| (300.0..600.0).contains(&c.0)), "{at:?}");
    let many = of(&crashes(64, limits::CRASH_MTBF_S, 0.001, 1_000.0));
    assert_eq!(many.len() as u32, limits::RANDOM_CRASHES);
    // Without a horizon a run ends with its requests.
    let session = run(&crashes(2, 5.0, 1.0, 0.0));
    assert!(session.engine().records().iter().all(|r| r.left.get().is_some()));
}
