//! Charts of gaps between tokens and of waiting times: by hand for four requests, and at any instant as the key figures and the
//! records of a run have them.

use super::columns;
use crate::support::documents::{one_at_a_time, scenario};
use crate::support::{at, preset, start};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::view::{Columns, ColumnsQuery, FrameQuery, View};
use tokenyard::session::{Audience, Budget, History, Session, Stop};

/// Steps of 1 ms that compute 10 tokens of a prompt, one request at a time; prompts of 20 tokens, answers of three. The first of two
/// that arrive together is in the batch for 4 ms, the second waits so long.
fn four() -> Scenario {
    scenario(one_at_a_time(&[0, 0, 20_000, 21_000]))
}

/// The last row: its time, the percentiles and the count.
fn last(columns: &Columns) -> Vec<f64> {
    columns.columns.iter().filter_map(|column| column.last().copied()).collect()
}

/// Percentiles 50, 90 and 99 of values in microseconds, in milliseconds: between the ranks beside them.
fn percentiles(mut values: Vec<u64>) -> [f64; 3] {
    values.sort_unstable();
    [50.0, 90.0, 99.0].map(|p| {
        let rank = p / 100.0 * (values.len() - 1) as f64;
        let (low, part) = (rank.floor() as usize, rank.fract());
        let above = values[(low + 1).min(values.len() - 1)];
        (values[low] as f64 + part * (above - values[low]) as f64) / 1000.0
    })
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn four_requests_wait_and_their_tokens_follow_as_counted_by_hand() {
    let scenario = four();
    // The fourth one arrives after 1 of 4 ms of the third, and waits for 3.
    let all = at(&scenario, 40_000);
    let waits = columns(&all, View::WaitEcdf, 30.0);
    assert_eq!(waits.names, ["wait_ms", "percent"]);
    assert_eq!(waits.columns, [vec![0.0, 3.0, 4.0], vec![50.0, 75.0, 100.0]]);
    assert_eq!(columns(&all, View::WaitEcdf, 0.0), waits, "there is no warm-up");
    let gaps = columns(&all, View::ItlEcdf, 30.0);
    assert_eq!((gaps.names[0].as_str(), gaps.columns), ("itl_ms", vec![vec![1.0], vec![100.0]]));
    assert_eq!(columns(&all, View::ItlEcdf, 0.0).columns, [[1.0], [100.0]]);
    // Ranks 1.5, 2.7 and 2.97 of 0, 0, 3 and 4 ms.
    let over_time = columns(&all, View::WaitOverTime, 30.0);
    assert_eq!(over_time.names, ["t_s", "p50_ms", "p90_ms", "p99_ms", "count"]);
    assert!(near(&last(&over_time), &[0.028, 1.5, 3.7, 3.97, 4.0]), "{over_time:?}");
    assert!(near(&last(&columns(&all, View::ItlOverTime, 30.0)), &[0.028, 1.0, 1.0, 1.0, 8.0]));
    // Before the fourth has joined it counts nowhere; before any token there is none.
    assert!(near(
        &last(&columns(&at(&scenario, 22_000), View::WaitOverTime, 30.0)),
        &[0.022, 0.0, 3.2, 3.92, 3.0]
    ));
    let early = last(&columns(&at(&scenario, 1_500), View::ItlOverTime, 30.0));
    assert!(early[1].is_nan() && near(&early[4..], &[0.0]), "{early:?}");
}

#[test]
fn each_row_is_what_key_figures_and_records_were_at_its_instant() {
    let mut doubling = preset("kv-pressure", 0.0);
    doubling.run.max_requests = 5000;
    doubling.observe.series_points = 60;
    for (scenario, until) in [
        (preset("kv-pressure", 40.0), 38_700_000),
        (preset("chat-4xh100", 100.0), 71_234_567),
        (doubling, 43_210_000),
    ] {
        let session = at(&scenario, until);
        let [itl, wait] = [View::ItlOverTime, View::WaitOverTime].map(|view| columns(&session, view, 30.0));
        let rows = itl.columns[0].len();
        assert!(rows > 20 && wait.columns[0] == itl.columns[0]);
        assert_eq!(itl.columns[0].last(), Some(&(until as f64 / 1e6)), "the last row is of the playhead");
        for i in [rows / 3, rows / 2, rows - 2, rows - 1] {
            let us = (itl.columns[0][i] * 1e6).round() as u64;
            let mut then = at(&scenario, us);
            let key = then.frame(&FrameQuery::default()).key.itl;
            let row = |c: &Columns| [1, 2, 3, 4].map(|k| c.columns[k][i]);
            let expected = [key.p50_us / 1000.0, key.p90_us / 1000.0, key.p99_us / 1000.0, key.count as f64];
            assert_eq!(row(&itl).map(f64::to_bits), expected.map(f64::to_bits), "at {us}");
            // The whole seconds of the latest thirty, the running one included.
            let first = (us / 1_000_000).saturating_sub(29) * 1_000_000;
            let joined = |r: &tokenyard::engine::Record| {
                let at = r.first_scheduled.get()?;
                (at.0 >= first && at.0 <= us).then(|| at.0 - r.arrival.0)
            };
            let waits: Vec<u64> = then.engine().records().iter().filter_map(|r| joined(&r)).collect();
            let [p50, p90, p99] = percentiles(waits.clone());
            assert!(near(&row(&wait), &[p50, p90, p99, waits.len() as f64]), "at {us}: {:?}", row(&wait));
        }
        let report = session.report_data();
        let all = columns(&session, View::WaitEcdf, 0.0);
        assert_eq!(all.columns[0].last().copied(), Some(report.latency_ms.scheduling_delay.max));
    }
}

#[test]
fn what_is_computed_ahead_has_the_same_rows() {
    let scenario = preset("kv-pressure", 40.0);
    let mut history = History::new(start(&scenario), Budget { bytes: 12 << 20, events: 500 });
    for to in [31_100_000, 12_300_000] {
        history.seek(Micros(to));
        while history.advance(Micros(to), 777) == Stop::Events {}
    }
    let straight = at(&scenario, 31_100_000);
    for view in [View::ItlOverTime, View::WaitOverTime] {
        let query = ColumnsQuery { view, from_us: 0, to_us: 31_100_000, window_s: 30.0 };
        let (ahead, expected) = (history.columns(&query), straight.columns(&query));
        let rows = ahead.columns[0].len();
        assert!(ahead.columns[0].last().is_some_and(|t| *t > 30.0), "beyond the playhead");
        for k in 0..5 {
            let both = ahead.columns[k].iter().zip(&expected.columns[k]).take(rows - 1);
            for (i, (a, b)) in both.enumerate() {
                assert!(a.to_bits() == b.to_bits() || (k == 0 && (a - b).abs() < 1e-9), "{k} {i}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_run_without_a_screen_has_none() {
    let started = Session::start(preset("chat-4xh100", 20.0), None, Audience::Batch);
    let mut session = started.expect("a sound scenario").0;
    session.advance(Micros(20_000_000), u64::MAX);
    assert_eq!(columns(&session, View::ItlOverTime, 30.0), Columns::default());
}
