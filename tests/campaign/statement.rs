//! What a run says of itself holds: each statement about a random run at several instants is read as a reader would, and held against
//! what the frame beside it shows. Five hundred runs each time.

use super::document::{document, scenario};
use super::ways::begun;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokenyard::base::Micros;
use tokenyard::scenario::to_json;
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Stop};

/// Random runs.
const RUNS: u64 = 500;

/// Events between two instants that are looked at, and instants of a run.
const EVENTS: u64 = 700;
const INSTANTS: usize = 12;

const NUMBERS: [&str; 13] =
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The number that a word of the statement stands for.
fn number(word: &str) -> Option<usize> {
    word.parse().ok().or_else(|| NUMBERS.iter().position(|name| *name == word))
}

/// Replicas named by a clause such as `r0 and r3 are down`.
fn named(clause: &str) -> Vec<u64> {
    clause.split(' ').filter_map(|word| word.strip_prefix('r')?.parse().ok()).collect()
}

/// The replicas of a frame.
fn replicas(frame: &Value) -> &Vec<Value> {
    frame["replicas"].as_array().expect("replicas")
}

/// Whether a replica gets requests: it serves, and is in no phase but the first requests of a cold start.
fn gets_requests(replica: &Value) -> bool {
    replica["serving"] == true && (replica["life"].is_null() || replica["life"]["phase"] == "cold")
}

/// Whether a replica is what the statement says of it.
fn is(replica: &Value, state: &str) -> bool {
    let fault = |kind: &str| {
        let all = replica["faults"].as_array().into_iter().flatten();
        gets_requests(replica) && all.clone().any(|fault| fault["kind"] == kind)
    };
    match state {
        "down" | "ejected" | "starting" | "draining" => replica["life"]["phase"] == state,
        "slow" | "stuck" => fault(state),
        "seen late" => fault("signals"),
        "cut off" => fault("unreachable"),
        "behind a thin link" => fault("transfer-link"),
        other => panic!("unknown state {other}"),
    }
}

/// Holds the clause about how requests are dealt out against the frame and the scenario.
fn cluster_holds(clause: &str, frame: &Value, document: &Value) {
    let serving = replicas(frame).iter().filter(|replica| gets_requests(replica)).count();
    if clause == "no replica serves" {
        return assert_eq!(serving, 0);
    }
    if clause.contains("prefill") || clause.contains("decode") || clause.contains(" both") {
        assert!(document["cluster"].to_string().contains("\"role\""), "roles");
        let said: usize = clause.split(' ').filter_map(number).sum();
        return assert_eq!(said, serving, "of all roles together");
    }
    if let [only] = named(clause)[..] {
        assert_eq!((clause, serving), (&*format!("r{only} gets every request"), 1));
        return assert!(gets_requests(&replicas(frame)[only as usize]));
    }
    let numbers: Vec<usize> = clause.split(' ').filter_map(number).filter(|n| *n > 1).collect();
    assert_eq!(numbers.last(), Some(&serving), "the last number is that of replicas that serve");
    assert_eq!(
        clause.contains("looked"),
        document["cluster"]["snapshot_refresh_us"] != 0
            && clause.contains("loaded")
            && !clause.contains("drawn")
    );
}

/// Holds the clause about what stands out against the frame.
fn seen_holds(clause: &str, frame: &Value) {
    let of = |id: u64| &replicas(frame)[id as usize];
    let waiting = |replica: &Value| replica["waiting"].as_u64().expect("a number");
    let serving = || replicas(frame).iter().filter(|replica| gets_requests(replica));
    if let Some((who, state)) = clause.split_once(" is ").or_else(|| clause.split_once(" are "))
        && (who.starts_with('r') || who.ends_with(" replicas"))
    {
        let all: Vec<&Value> = replicas(frame).iter().filter(|replica| is(replica, state)).collect();
        let said = number(who.split(' ').next().expect("a word")).unwrap_or(named(who).len());
        assert_eq!(all.len(), said);
        return named(who).into_iter().for_each(|id| assert!(is(of(id), state)));
    }
    match clause {
        "the run is over" => assert_eq!(frame["finished"], true),
        "no request has arrived yet" => assert_eq!(frame["counts"]["arrived"], 0),
        "requests wait" => assert!(frame["counts"]["held"] != 0 || frame["counts"]["waiting"] != 0),
        "all of them have a queue" | "it has a queue" => {
            assert!(serving().count() > 0 && serving().all(|replica| waiting(replica) > 1));
        }
        "requests queue at the gateway" => {
            let bands = frame["gateway"]["bands"].as_array().expect("bands");
            assert!(bands.iter().map(waiting).sum::<u64>() > 1);
        }
        "first tokens come in time" => {
            assert!(frame["key"]["ttft"]["p99_us"].as_f64() <= frame["key"]["slo_ttft_us"].as_f64());
        }
        "the slowest first tokens come too late" => {
            assert!(frame["key"]["ttft"]["p99_us"].as_f64() > frame["key"]["slo_ttft_us"].as_f64());
        }
        _ if clause.ends_with(" falls behind") => {
            let id = named(clause)[0];
            assert_eq!(clause.starts_with("slow "), is(of(id), "slow"));
            let more = |other: &Value| waiting(of(id)) >= 2 * waiting(other);
            assert!(waiting(of(id)) > 3 && serving().filter(|other| other["id"] != id).all(more));
        }
        _ if clause.ends_with(" preempts requests and finishes none") => {
            let marks = frame["anomalies"].as_array().expect("anomalies");
            let lasts = |mark: &Value| mark["kind"] == "livelock" && mark["end_us"].is_null();
            assert!(marks.iter().any(|mark| lasts(mark) && mark["replica"] == named(clause)[0]));
        }
        other => panic!("unknown clause {other}"),
    }
}

#[test]
fn what_a_run_says_of_itself_holds_in_random_runs() {
    let mut said: BTreeMap<String, u32> = BTreeMap::new();
    for case in 0..RUNS {
        let Some(document) = document(case) else { continue };
        let mut session = begun(&scenario(&document).expect("a scenario that runs"), Audience::Live);
        for _ in 0..INSTANTS {
            let stop = session.advance(Micros::MAX, EVENTS);
            let frame = serde_json::to_value(session.frame(&FrameQuery::default())).expect("JSON");
            let [cluster, seen] = ["cluster", "seen"].map(|part| frame["says"][part].as_str().expect("text"));
            if !cluster.is_empty() {
                let now = serde_json::from_str(&to_json(session.plan().scenario())).expect("JSON");
                cluster_holds(cluster, &frame, &now);
            }
            if !seen.is_empty() {
                seen_holds(seen, &frame);
            }
            let kind = |word: &str| if named(word).is_empty() { word.to_owned() } else { "R".to_owned() };
            *said.entry(seen.split(' ').map(kind).collect::<Vec<_>>().join(" ")).or_default() += 1;
            if stop != Stop::Events {
                break;
            }
        }
    }
    let met = said.keys().filter(|clause| !clause.is_empty()).count();
    assert!(met >= 12, "{met} of the clauses were said: {}", json!(said));
}
