//! Percentiles over time are those that the key figures had at the end of each bucket.

use super::columns;
use crate::support::{preset, start};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::view::{Columns, ColumnsQuery, FrameQuery, Percentiles, View};
use tokenyard::session::{Budget, History, Stop};

/// A row: its time in seconds, the percentiles in ms, and the count.
fn row(columns: &Columns, i: usize) -> [f64; 5] {
    [0, 1, 2, 3, 4].map(|k| columns.columns[k][i])
}

/// The same of the key figures at an instant of a run of its own.
fn key(scenario: &Scenario, us: u64) -> [[f64; 5]; 2] {
    let mut session = start(scenario);
    session.advance(Micros(us), u64::MAX);
    let key = session.frame(&FrameQuery::default()).key;
    let ms = |p: &Percentiles, x: f64| if p.count == 0 { f64::NAN } else { x / 1000.0 };
    [key.ttft, key.e2e]
        .map(|p| [us as f64 / 1e6, ms(&p, p.p50_us), ms(&p, p.p90_us), ms(&p, p.p99_us), p.count as f64])
}

fn same(a: [f64; 5], b: [f64; 5]) -> bool {
    let equal = |k: usize| a[k].to_bits() == b[k].to_bits() || (a[k].is_nan() && b[k].is_nan());
    (a[0] - b[0]).abs() < 1e-9 && (1..5).all(equal)
}

#[test]
fn each_row_is_what_the_key_figures_were_at_its_instant() {
    // Buckets of 200 ms, of 500 ms, and of 100 ms that double to 800 ms.
    let mut doubling = preset("kv-pressure", 0.0);
    doubling.run.max_requests = 5000;
    doubling.observe.series_points = 60;
    for (scenario, until) in [
        (preset("kv-pressure", 40.0), 38_700_000),
        (preset("chat-4xh100", 100.0), 71_234_567),
        (doubling, 43_210_000),
    ] {
        let mut session = start(&scenario);
        session.advance(Micros(until), u64::MAX);
        let all = [View::TtftOverTime, View::E2eOverTime].map(|view| columns(&session, view, 30.0));
        let rows = all[0].columns[0].len();
        for i in [0, rows / 3, rows / 2, rows - 2, rows - 1] {
            let us = (all[0].columns[0][i] * 1e6).round() as u64;
            let expected = key(&scenario, us);
            for (columns, expected) in all.iter().zip(expected) {
                assert!(same(row(columns, i), expected), "at {us}: {:?} and {expected:?}", row(columns, i));
            }
        }
        assert_eq!(all[0].columns[0].last(), Some(&(until as f64 / 1e6)), "the last row is of the playhead");
    }
}

#[test]
fn wide_buckets_and_questions_without_a_window_are_as_before() {
    let mut scenario = preset("chat-4xh100", 100.0);
    let mut session = start(&scenario);
    session.advance(Micros(20_000_000), u64::MAX);
    let of_buckets = columns(&session, View::TtftOverTime, 0.0);
    assert_eq!(of_buckets.columns[0][..3], [0.25, 0.75, 1.25], "the middle of each bucket");
    let firsts = session
        .engine()
        .records()
        .iter()
        .filter(|r| r.ttft.get().is_some_and(|ttft| (r.arrival + ttft).0 < 20_000_000));
    assert!((of_buckets.columns[4].iter().sum::<f64>() - firsts.count() as f64).abs() <= 2.0);
    // Buckets of 50 s.
    scenario.run.horizon_s = 12_000.0;
    let mut session = start(&scenario);
    session.advance(Micros(120_000_000), u64::MAX);
    let [wide, plain] = [30.0, 0.0].map(|window_s| columns(&session, View::TtftOverTime, window_s));
    assert_eq!((wide.columns, wide.names), (plain.columns, plain.names));
}

#[test]
fn what_is_computed_ahead_has_the_same_rows() {
    let scenario = preset("kv-pressure", 40.0);
    let mut history = History::new(start(&scenario), Budget { bytes: 12 << 20, events: 500 });
    for to in [31_100_000, 12_300_000] {
        history.seek(Micros(to));
        while history.advance(Micros(to), 777) == Stop::Events {}
    }
    let query = ColumnsQuery { view: View::TtftOverTime, from_us: 0, to_us: 31_100_000, window_s: 30.0 };
    let ahead = history.columns(&query);
    let mut session = start(&scenario);
    session.advance(Micros(31_100_000), u64::MAX);
    let straight = session.columns(&query);
    let rows = ahead.columns[0].len();
    assert!(ahead.columns[0].last().is_some_and(|t| *t > 30.0), "beyond the playhead");
    for i in 0..rows.min(straight.columns[0].len() - 1) {
        assert!(same(row(&ahead, i), row(&straight, i)), "row {i}");
    }
}
