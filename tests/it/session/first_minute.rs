//! What the four steps of the first visit say of the opening preset, with twenty seeds in a row: the same edits at the playhead as the
//! page makes, and the numbers of the frames and answers that it shows. Each test takes seconds: twenty runs of two minutes or more.

use super::seeking::seek;
use crate::support::{preset, start};
use std::collections::BTreeSet;
use std::ops::Range;
use tokenyard::base::{Micros, RequestId};
use tokenyard::scenario::Scenario;
use tokenyard::session::view::{
    AttemptDetail, EventKind, EventRow, EventsQuery, Frame, FrameQuery, Mark, RequestState,
};
use tokenyard::session::{Budget, History};

const SEEDS: Range<u64> = 3..23;
/// Where the page opens, and when the second step's break comes at the latest: the instant of its picture.
const OPENS_S: u64 = 48;
/// The page says a number once it is at most half of that before and in time, or after twice the window of the key figures.
const WAITS_S: u64 = 60;

const LEAST_LOADED: &str = r#"{"set": {"cluster.routing": "least-loaded"}}"#;
const CRASH: &str = r#"{"fault": {"crash": {"replica": 0, "restart_s": 20}}}"#;

fn opening(seed: u64) -> History {
    let scenario = Scenario { seed, ..preset("slow-replica", 180.0) };
    let mut history = History::new(start(&scenario), Budget::PAGE);
    to(&mut history, OPENS_S * 1_000_000);
    history
}

fn to(history: &mut History, us: u64) -> Frame {
    seek(history, Micros(us));
    history.frame(&FrameQuery::default())
}

fn edit(history: &mut History, text: &str) {
    assert_eq!(history.apply_text(text), []);
}

/// The p99 of TTFT before a change of the router, and after it as the page says it, with the instant of that.
fn switched(history: &mut History, router: &str) -> (f64, Frame) {
    let before = history.frame(&FrameQuery::default()).key.ttft.p99_us;
    edit(history, router);
    let mut frame = to(history, OPENS_S * 1_000_000);
    for s in OPENS_S + 1..=OPENS_S + WAITS_S {
        frame = to(history, s * 1_000_000);
        if 2.0 * frame.key.ttft.p99_us <= before && frame.key.ttft_mark != Mark::Miss {
            break;
        }
    }
    (before, frame)
}

/// After the second step: r0 was broken at the returned instant, and routers know.
fn broken(seed: u64) -> (History, u64) {
    let mut history = opening(seed);
    let (_, frame) = switched(&mut history, LEAST_LOADED);
    edit(&mut history, CRASH);
    to(&mut history, frame.now_us + 500_000);
    (history, frame.now_us)
}

/// What the log says of attempts that broke at r0.
fn broke(history: &History) -> impl Iterator<Item = EventRow> {
    let kinds = vec![EventKind::Broken];
    let query = EventsQuery { kinds, replica: Some(0), limit: 500, ..EventsQuery::default() };
    history.present().event_rows(&query).rows.into_iter()
}

/// The first attempt that broke, of each request whose answer had begun.
fn moved(history: &History) -> Vec<(u32, AttemptDetail)> {
    let requests: BTreeSet<u32> = broke(history).filter_map(|row| row.request).collect();
    let of = |request: u32| history.present().inspect(request).expect("it has arrived").attempts;
    let attempts = requests.into_iter().map(|request| (request, of(request)[0]));
    attempts.filter(|(_, attempt)| attempt.shown_tokens > 0).collect()
}

#[test]
fn the_number_of_the_first_step_falls_once_the_queue_has_drained() {
    for seed in SEEDS {
        let mut history = opening(seed);
        let (before, after) = switched(&mut history, LEAST_LOADED);
        let ms = [before, after.key.ttft.p99_us].map(|us| us / 1000.0);
        assert!(ms[0] > 800.0 && ms[1] < 400.0, "seed {seed}: {ms:?} ms at {} s", after.now_us / 1_000_000);
        assert!(
            after.now_us < (OPENS_S + WAITS_S) * 1_000_000,
            "seed {seed}: it does not have to wait for long"
        );
        let r2 = after.replicas.iter().find(|replica| replica.id == 2).expect("it is there");
        assert!(r2.waiting <= 3, "seed {seed}: {} wait", r2.waiting);
    }
}

#[test]
fn a_router_that_is_worse_makes_the_number_of_the_first_step_rise() {
    for seed in SEEDS {
        let (before, after) =
            switched(&mut opening(seed), r#"{"set": {"cluster.routing": "always-busiest"}}"#);
        assert_eq!(after.now_us, (OPENS_S + WAITS_S) * 1_000_000, "seed {seed}: it is never in time");
        assert!(after.key.ttft.p99_us > 2.0 * before, "seed {seed}");
    }
}

#[test]
fn a_break_of_the_second_step_moves_requests_and_as_good_as_never_loses_one() {
    let mut kept = 0;
    for seed in SEEDS {
        let (mut history, at_us) = broken(seed);
        let soon = history.frame(&FrameQuery::default());
        let fault = soon.faults.last().expect("r0 is broken");
        assert_eq!((fault.kind, fault.replica, fault.at_us), ("crash", Some(0), at_us));
        assert!(fault.known_s.is_some(), "seed {seed}");
        let crash = soon.replicas[0].crash.expect("r0 is down");
        assert!(crash.inside >= 5, "seed {seed}: {crash:?}");
        kept += u32::from(crash.lost == 0);
        // Each of the requests is counted once, though some were sent to r0 again before routers knew.
        let once: BTreeSet<u32> =
            broke(&history).filter(|row| row.at_us == at_us).filter_map(|row| row.request).collect();
        assert_eq!(crash.inside as usize, once.len(), "seed {seed}");
        let later = to(&mut history, at_us + 19_000_000);
        assert_eq!(later.replicas[0].crash, soon.replicas[0].crash, "seed {seed}: the number stays");
        assert_eq!(to(&mut history, 180_000_000).counts.lost, crash.lost, "seed {seed}: as the line says");
    }
    // A request that is sent to the empty r0 again and again before routers know has no attempt left.
    assert!(kept >= 19, "{kept} of 20");
}

#[test]
fn an_answer_that_moved_in_the_third_step_has_one_pause() {
    for seed in SEEDS {
        let (mut history, at_us) = broken(seed);
        let requests = moved(&history);
        assert!(!requests.is_empty(), "seed {seed}");
        let frame = history.frame(&FrameQuery::default());
        let runs = |id: u32| frame.replicas.iter().any(|r| r.id != 0 && r.batch.requests.contains(&id));
        assert!(requests.iter().any(|(id, _)| runs(*id)), "seed {seed}: one to click is on the stage");
        to(&mut history, at_us + 20_000_000);
        for (request, attempt) in moved(&history).into_iter().filter(|(_, attempt)| attempt.broke_us == at_us)
        {
            let detail = history.present().inspect(request).expect("it is there");
            assert_eq!(detail.state, RequestState::Completed, "seed {seed}: #{request}");
            let all = detail.attempts.iter().filter_map(|attempt| attempt.pause_us);
            assert_eq!(all.count(), 1, "seed {seed}: #{request}");
            let pause_us = attempt.pause_us.expect("it went on");
            assert!((1_000..10_000_000).contains(&pause_us), "seed {seed}: #{request} {pause_us} µs");
            // It is the longest of the gaps between its tokens.
            let record = history.present().engine().records().at(RequestId(request).index());
            assert!(record.itl_sum.0 > pause_us, "seed {seed}: #{request}");
            assert!(detail.e2e_us.is_some_and(|e2e| e2e > detail.ttft_us.unwrap_or(0) + pause_us));
        }
    }
}

#[test]
fn before_the_break_the_fourth_step_finds_the_same_requests_at_the_same_instants() {
    /// When a request arrived, was routed and had its first token.
    type Instants = (Micros, Option<u64>, Option<u64>);
    /// All that the run did, without what is known of edits to come.
    fn past(history: &mut History) -> (u64, Frame, Vec<Instants>) {
        let frame = history.frame(&FrameQuery::default());
        let session = history.present();
        let records = session.engine().records().iter();
        let rows = records.map(|r| (r.arrival, r.routed.get().map(|at| at.0), r.ttft.get().map(|t| t.0)));
        (
            session.events(),
            Frame { flags: Vec::new(), computed_us: 0, moves: Vec::new(), ..frame },
            rows.collect(),
        )
    }
    for seed in SEEDS {
        let (mut history, at_us) = broken(seed);
        to(&mut history, at_us + 12_000_000);
        to(&mut history, at_us - 1_000_000);
        let mut never = opening(seed);
        edit(&mut never, LEAST_LOADED);
        to(&mut never, at_us - 1_000_000);
        assert_eq!(past(&mut history), past(&mut never), "seed {seed}");
    }
}
