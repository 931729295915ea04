//! What frames and lanes show of ranks in lock step: by hand, after going back, and beside the report.

use super::lockstep::server;
use crate::support::documents::scenario;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::session::closeup::LanesQuery;
use tokenyard::session::view::{FrameQuery, RankFrame, ServerFrame};
use tokenyard::session::{Audience, Budget, History, Session, Stop};

fn watched(document: &Value) -> Session {
    Session::start(scenario(document), None, Audience::Live).expect("a sound scenario").0
}

fn at(session: &mut Session, us: u64) -> Vec<ServerFrame> {
    while session.advance(Micros(us), 64) == Stop::Events {}
    session.frame(&FrameQuery::default()).servers
}

fn go(history: &mut History, us: u64) {
    history.seek(Micros(us));
    while history.advance(Micros(us), 77) == Stop::Events {}
}

/// A prompt takes 5 ms more in a step of 1 ms.
const REQUESTS: [[u64; 2]; 3] = [[0, 5], [0, 5], [6500, 1]];

#[test]
fn a_frame_says_which_rank_the_others_wait_for_and_for_how_long() {
    let mut session = watched(&server(true, &REQUESTS));
    // From 7 to 13 ms the first rank has a prompt; the second waits for 5 ms of these 6.
    let [one] = at(&mut session, 8000).try_into().expect("one server");
    assert_eq!((one.id, one.step_us, one.slowest), (0, 6000, Some(0)));
    let own = |r: &RankFrame| (r.replica, r.own_us, r.wait_us);
    assert_eq!(one.ranks.iter().map(own).collect::<Vec<_>>(), [(0, 6000, 0), (1, 1000, 5000)]);
    // Steps of 6, 1 and 6 ms so far.
    assert_eq!((one.ranks[1].wait_prompts, one.ranks[1].wait_share), (5.0 / 13.0, 5.0 / 13.0));
    assert_eq!((one.ranks[0].wait_share, one.wait_share), (0.0, 5.0 / 26.0));
    assert_eq!((one.running, one.waiting, one.cpu_used), (3, 0, None));
    // Equal batches wait for nobody.
    let [one] = at(&mut session, 14_500).try_into().expect("one server");
    assert_eq!((one.step_us, one.slowest, one.ranks[1].wait_us), (1000, None, 0));
}

#[test]
fn a_rank_without_work_waits_for_the_whole_step_and_computes_padding() {
    let mut document = server(true, &[[0, 3]]);
    document["cluster"]["pools"][0]["ranks"] = json!({"padding": "max"});
    let mut session = watched(&document);
    let [one] = at(&mut session, 500).try_into().expect("one server");
    assert_eq!((one.slowest, one.ranks[0].own_us, one.ranks[1].own_us), (Some(0), 6000, 0));
    assert_eq!((one.ranks[1].wait_us, one.ranks[1].wait_empty, one.ranks[1].wait_share), (6000, 1.0, 1.0));
    assert_eq!(one.padding_tokens, 0, "a step with a prompt is not padded");
    // Two steps with one token each are.
    let [one] = at(&mut session, 60_000).try_into().expect("one server");
    assert_eq!((one.ranks[0].padding_tokens, one.ranks[1].padding_tokens, one.padding_tokens), (0, 2, 2));
}

#[test]
fn lanes_have_the_waits_of_ranks_and_none_where_replicas_step_by_themselves() {
    let query =
        LanesQuery { from_us: 0, to_us: 20_000, replica: None, most: 1000, requests: 0, first: 0, count: 2 };
    let mut session = watched(&server(true, &REQUESTS));
    at(&mut session, 20_000);
    let waits = |session: &Session| {
        session.lanes(&query).lanes.into_iter().map(|lane| lane.steps.wait_us).collect::<Vec<_>>()
    };
    assert_eq!(waits(&session), [vec![0; 5], vec![0, 0, 5000, 0, 0]]);
    let mut alone = watched(&server(false, &REQUESTS));
    assert_eq!(at(&mut alone, 20_000), []);
    assert_eq!(waits(&alone), [Vec::<u64>::new(), Vec::new()]);
}

#[test]
fn servers_are_the_same_after_going_back_and_agree_with_the_report() {
    let mut listed: Vec<[u64; 2]> = (0..60).map(|i| [i * i * 137 % 90_000, 1 + i * 7 % 13]).collect();
    listed.sort_unstable();
    let document = server(true, &listed);
    let mut history = History::new(watched(&document), Budget { bytes: 12 << 20, events: 40 });
    let mut seen = Vec::new();
    for us in (0..40).map(|i| 2_500 * i) {
        go(&mut history, us);
        let servers = history.frame(&FrameQuery::default()).servers;
        for server in &servers {
            let whole = |r: &RankFrame| r.own_us + r.wait_us == server.step_us;
            assert!(server.ranks.iter().all(whole), "INV-13.3: at {us}: {server:?}");
        }
        seen.push((us, servers));
    }
    assert!(seen.iter().any(|(_, servers)| servers[0].slowest == Some(1)), "the other rank is slowest too");
    for (us, servers) in seen.into_iter().rev() {
        go(&mut history, us);
        assert_eq!(history.frame(&FrameQuery::default()).servers, servers, "back at {us}");
    }
    let mut session = watched(&document);
    let [one] = at(&mut session, u64::MAX - 1).try_into().expect("one server");
    let report = session.report_data().pools[0].ranks.clone().expect("ranks");
    let steps: f64 = session.engine().replicas().iter().map(|r| r.totals().step_time.0 as f64 / 1e6).sum();
    let waits = report.wait_prompts_s + report.wait_decodes_s + report.wait_empty_s;
    let found = one.wait_share * (steps + report.wait_empty_s);
    assert!((found - waits).abs() < 1e-9, "{found} s, and {waits} s by the report");
}
