//! Lanes of replicas: what each was, and when.

use super::columns::{column, columns, watched};
use super::{breaks, crash};
use crate::support::scenarios::started;
use tokenyard::base::Micros;
use tokenyard::scenario::{Fault, Slow};
use tokenyard::session::view::{Columns, View};
use tokenyard::session::{Audience, Session};

/// A row: lane, replica, its state, from and to.
type Row = (f64, f64, String, f64, f64);

fn rows(session: &Session) -> Vec<Row> {
    let all = columns(session, View::ReplicaLanes);
    let of = |name: &str, i: usize| column(&all, name)[i];
    (0..column(&all, "lane").len())
        .map(|i| {
            let mut states = all.names[4..].iter().filter(|name| of(name, i) > 0.0);
            let state = states.next().expect("a state").clone();
            assert_eq!(states.next(), None, "one state");
            (of("lane", i), of("replica", i), state, of("from_s", i), of("to_s", i))
        })
        .collect()
}

/// Its rows as "state from–to".
fn told(rows: &[Row], replica: f64) -> String {
    let its = rows.iter().filter(|row| row.1.total_cmp(&replica).is_eq());
    its.map(|(_, _, state, from, to)| format!("{state} {from}–{to}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_lane_says_what_its_replica_was_and_what_is_known_of_its_fault() {
    let mut s = crate::support::preset("chat-4xh100", 150.0);
    s.edits.clear();
    let slow = Slow { replica: Some(0), factor: 2.0, for_s: 60.0, ..Default::default() };
    let s = breaks(breaks(s, 60.0, Fault::Slow(slow)), 70.0, crash(1, 20.0));
    let after = rows(&watched(&s));
    assert_eq!(told(&after, 0.0), "serving 0–60, slow 60–120, serving 120–150");
    assert_eq!(told(&after, 1.0), "serving 0–70, down 70–90, serving 90–150");
    assert_eq!(told(&after, 2.0), "serving 0–150");
    assert!(after.iter().all(|(lane, replica, ..)| lane.total_cmp(replica).is_eq()), "{after:?}");
    // While it lasts a fault is as long as it will be, all else up to the playhead.
    let mut during = started(&s, Audience::Live);
    during.advance(Micros(75_000_000), u64::MAX);
    let during = rows(&during);
    assert_eq!(told(&during, 0.0), "serving 0–60, slow 60–120");
    assert_eq!(told(&during, 1.0), "serving 0–70, down 70–90");
    assert_eq!(told(&during, 3.0), "serving 0–75");
}

#[test]
fn a_crash_hides_what_else_is_wrong_with_a_replica() {
    let mut s = crate::support::preset("chat-4xh100", 150.0);
    s.edits.clear();
    let slow = Slow { replica: Some(1), factor: 2.0, for_s: 60.0, ..Default::default() };
    let s = breaks(breaks(s, 60.0, Fault::Slow(slow)), 70.0, crash(1, 20.0));
    let all = told(&rows(&watched(&s)), 1.0);
    assert!(all.starts_with("serving 0–60, slow 60–70, down 70–90, "), "{all}");
}

/// How many rows of these states there are at an instant.
fn there(rows: &[Row], at_s: f64, states: &[&str]) -> usize {
    rows.iter()
        .filter(|(_, _, state, from, to)| states.contains(&&**state) && (*from..*to).contains(&at_s))
        .count()
}

#[test]
fn lanes_and_counts_of_replicas_agree_and_lanes_do_not_overlap() {
    const UP: [&str; 8] =
        ["serving", "cold", "draining", "slow", "stuck", "signals", "unreachable", "transfer-link"];
    let names = [
        "rolling-restart",
        "spike-cold-starts",
        "day-in-ten-minutes",
        "slow-node-five-routers",
        "crash-cold-cache",
    ];
    let mut scaled = false;
    for name in names {
        let s = crate::support::preset(name, 240.0);
        let session = watched(&s);
        let lanes = rows(&session);
        assert!(!lanes.is_empty(), "{name}");
        for (i, one) in lanes.iter().enumerate() {
            assert!(one.3 < one.4, "{name}: {one:?}");
            let apart =
                |other: &Row| other.0.total_cmp(&one.0).is_ne() || other.4 <= one.3 || other.3 >= one.4;
            assert!(lanes[i + 1..].iter().all(apart), "{name}: {one:?} in {lanes:?}");
        }
        let counts: Columns = columns(&session, View::Replicas);
        let times = column(&counts, "t_s");
        let end_s = session.now().0 as f64 / 1e6;
        for (i, &t) in times.iter().enumerate().filter(|(_, t)| **t < end_s) {
            let of = |which: &str| column(&counts, which)[i];
            let up: f64 = ["serving", "cold", "draining"].into_iter().map(of).sum();
            assert_eq!(there(&lanes, t, &UP).to_string(), up.to_string(), "{name}, up at {t} s");
            assert_eq!(
                there(&lanes, t, &["starting"]).to_string(),
                of("starting").to_string(),
                "{name} at {t} s"
            );
            scaled |= of("starting") > 0.0;
            if counts.names.iter().any(|one| one == "down") {
                assert_eq!(
                    there(&lanes, t, &["down"]).to_string(),
                    of("down").to_string(),
                    "{name} at {t} s"
                );
                let broken = there(&lanes, t, &UP[3..]);
                assert_eq!(broken.to_string(), of("degraded").to_string(), "{name}, degraded at {t} s");
            }
        }
    }
    assert!(scaled, "a replica starts");
}

#[test]
fn a_fleet_of_more_replicas_than_lanes_has_none() {
    let session = watched(&crate::support::preset("fleet-256", 5.0));
    assert_eq!(rows(&session), []);
}
