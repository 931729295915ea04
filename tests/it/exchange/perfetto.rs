//! A trace for Perfetto, read by a reader of its own: slices of a lane nest, events are in order, flows have both ends in a
//! slice, and its figures are those of the report.

use crate::support::memory::Memory;
use crate::support::rows::start;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokenyard::base::Micros;
use tokenyard::export::{Held, MOST_SLICES, Tables, TraceOutput};
use tokenyard::scenario::preset::Preset;
use tokenyard::session::{Session, Stop};

/// The text of the trace of a run to its end, and what is left out.
fn text_of(session: &mut Session, span: Option<[u64; 2]>, most: u32) -> (String, Option<Held>) {
    let out = Memory::default();
    let span = span.map(|s| s.map(Micros));
    let trace = TraceOutput { span, most, out: Box::new(out.clone()) };
    let mut tables = Tables::new(session, Vec::new(), 1).with_trace(session, trace);
    while tables.advance(session, Micros::MAX, 997).expect("memory takes all") != Stop::Finished {}
    while !tables.write_rest(session, 101).expect("memory takes all") {}
    (out.text(), tables.held(session))
}

fn events(text: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(text).expect("a trace is JSON");
    document["traceEvents"].as_array().expect("a list").clone()
}

fn whole(event: &Value, name: &str) -> u64 {
    event[name].as_u64().unwrap_or_else(|| panic!("{name} of {event}"))
}

/// A slice of a lane: start, end, name.
type Slice<'a> = (u64, u64, &'a str);

/// A trace, checked.
struct Checked<'a> {
    lanes: BTreeMap<(u64, u64), Vec<Slice<'a>>>,
    names: BTreeMap<(u64, u64), &'a str>,
    processes: BTreeMap<u64, &'a str>,
    flows: usize,
}

impl<'a> Checked<'a> {
    /// Checks order, nesting and flows.
    fn new(events: &'a [Value]) -> Self {
        let mut checked =
            Self { lanes: BTreeMap::new(), names: BTreeMap::new(), processes: BTreeMap::new(), flows: 0 };
        let mut open: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
        let mut begun: BTreeMap<u64, u64> = BTreeMap::new();
        let mut last = 0;
        for event in events {
            let (kind, pid) = (event["ph"].as_str().expect("a kind"), whole(event, "pid"));
            let name = event["name"].as_str().expect("a name");
            let tid = event["tid"].as_u64().unwrap_or(0);
            if kind == "M" {
                checked.meta(event, (pid, tid), name);
                continue;
            }
            let at = whole(event, "ts");
            assert!(at >= last, "{event} after {last}");
            last = at;
            assert!(checked.processes.contains_key(&pid), "{event} is of no process");
            assert!(kind == "C" || checked.names.contains_key(&(pid, tid)), "{event} is in no lane");
            let stack = open.entry((pid, tid)).or_default();
            match kind {
                "X" => {
                    let end = at + whole(event, "dur");
                    while stack.last().is_some_and(|end| *end <= at) {
                        stack.pop();
                    }
                    assert!(
                        stack.last().is_none_or(|outer| *outer >= end),
                        "{event} does not nest in {stack:?}"
                    );
                    stack.push(end);
                    checked.lanes.entry((pid, tid)).or_default().push((at, end, name));
                }
                "i" => assert_eq!(event["s"], "t", "{event}"),
                "C" => {
                    let values = event["args"].as_object().expect("values");
                    assert!(!values.is_empty() && values.values().all(Value::is_number), "{event}");
                }
                "s" => {
                    assert!(begun.insert(whole(event, "id"), at).is_none(), "{event} begins twice");
                    checked.lies_in_a_slice(event, (pid, tid), at);
                }
                "f" => {
                    let from = begun.remove(&whole(event, "id"));
                    assert!(from.is_some_and(|from| from <= at), "{event} ends what has not begun");
                    assert_eq!(event["bp"], "e");
                    checked.lies_in_a_slice(event, (pid, tid), at);
                    checked.flows += 1;
                }
                other => panic!("{other} is no kind of event"),
            }
        }
        assert!(begun.is_empty(), "flows without an end: {begun:?}");
        checked
    }

    fn meta(&mut self, event: &'a Value, (pid, tid): (u64, u64), name: &str) {
        match name {
            "process_name" => {
                let name = event["args"]["name"].as_str().expect("a name");
                assert!(self.processes.insert(pid, name).is_none(), "{event} twice");
            }
            "thread_name" => {
                assert!(
                    self.names.keys().all(|(_, other)| *other != tid),
                    "{event}: the lane has two processes"
                );
                self.names.insert((pid, tid), event["args"]["name"].as_str().expect("a name"));
            }
            "process_sort_index" | "thread_sort_index" => {
                whole(&event["args"], "sort_index");
            }
            other => panic!("{other} says nothing of a process or a lane"),
        }
    }

    /// A flow begins and ends where the slice written last in its lane begins.
    fn lies_in_a_slice(&self, event: &Value, lane: (u64, u64), at: u64) {
        let latest = self.lanes.get(&lane).and_then(|slices| slices.last());
        assert!(latest.is_some_and(|(start, ..)| *start == at), "{event} lies in no slice: {latest:?}");
    }

    /// The slices of a replica whose lanes begin with a name.
    fn of(&self, replica: u32, lane: &str) -> Vec<Slice<'a>> {
        let is_replica =
            |pid: u64| self.processes[&pid].split(' ').next() == Some(format!("r{replica}").as_str());
        let lanes = self.lanes.iter().filter(|((pid, tid), _)| {
            is_replica(*pid) && self.names[&(*pid, *tid)].split(' ').next() == Some(lane)
        });
        lanes.flat_map(|(_, slices)| slices.iter().copied()).collect()
    }
}

/// A preset that ends after so many seconds, without warm-up.
fn short(name: &str, seconds: u32) -> Session {
    let mut document: Value =
        serde_json::from_str(Preset::named(name).expect("a preset").text).expect("JSON");
    document["run"]["horizon_s"] = json!(seconds);
    document["run"]["warmup_s"] = json!(0);
    let edits = document["edits"].as_array().cloned().unwrap_or_default();
    let in_time = |edit: &Value| edit["at_us"].as_u64().is_some_and(|at| at < u64::from(seconds) * 1_000_000);
    document["edits"] = edits.into_iter().filter(in_time).collect();
    start(&document)
}

fn sum(slices: &[Slice<'_>], name: &str) -> u64 {
    slices.iter().filter(|(.., n)| n.split(' ').next() == Some(name)).map(|(a, b, _)| b - a).sum()
}

#[test]
fn slices_nest_and_flows_have_two_ends_whatever_the_cluster_is() {
    for (name, seconds) in [
        ("kv-pressure", 60),
        ("cache-livelock", 70),
        ("llm-d-prefill-decode", 6),
        ("prompts-among-decodes", 6),
        ("scale-to-zero", 400),
        ("queue-at-the-gateway", 20),
        ("priority-inversion", 20),
        ("clients-give-up", 20),
    ] {
        let mut session = short(name, seconds);
        let (text, held) = text_of(&mut session, None, MOST_SLICES);
        assert_eq!(held, None, "{name}");
        let events = events(&text);
        let checked = Checked::new(&events);
        assert!(checked.flows > 0, "{name}: no flow");
        let report = session.report_data();
        for replica in &report.replicas {
            let steps = checked.of(replica.replica, "steps");
            assert_eq!(steps.len() as u64, replica.steps, "{name}: steps of r{}", replica.replica);
        }
        let again = text_of(&mut short(name, seconds), None, MOST_SLICES).0;
        assert!(again == text, "{name}: the same run gives other bytes");
    }
}

#[test]
fn its_figures_are_those_of_the_report() {
    let mut session = short("kv-pressure", 60);
    let (text, _) = text_of(&mut session, None, MOST_SLICES);
    let (report, events) = (session.report_data(), events(&text));
    let checked = Checked::new(&events);
    let stays: Vec<&Value> = events.iter().filter(|e| e["args"]["end"].is_string()).collect();
    let ended = |how: &str| stays.iter().filter(|e| e["args"]["end"] == how).count() as u32;
    assert_eq!(ended("completed"), report.requests.completed);
    assert_eq!(ended("unfinished"), report.requests.running + report.requests.queued);
    let (mut queue, mut preempted) = (0, 0);
    for replica in &report.replicas {
        queue += sum(&checked.of(replica.replica, "requests"), "queue");
        preempted +=
            checked.of(replica.replica, "requests").iter().filter(|(.., name)| *name == "preempted").count();
    }
    // Those that never ran wait in the trace, too, and in no figure of the report.
    let records = session.engine().records();
    let waited = |r: tokenyard::engine::Record| match (r.queued.get(), r.first_scheduled.get()) {
        (Some(queued), None) => session.now().since(queued).0,
        (Some(_), Some(_)) | (None, _) => 0,
    };
    let never: u64 = records.iter().map(waited).sum();
    let wait = report.latency_ms.queue_wait;
    let told = (wait.mean * wait.count as f64 * 1000.0).round() as u64;
    assert!((queue - never).abs_diff(told) <= 1, "queue {queue} − {never} is not {told}");
    assert!(preempted as u64 <= report.requests.preemptions && preempted > 0, "{preempted}");
    let tokens: u64 = stays.iter().map(|e| whole(&e["args"], "output_tokens")).sum();
    assert_eq!(tokens, report.clients.iter().map(|c| c.output_tokens).sum::<u64>());
    let of_steps = |name: &str| events.iter().filter_map(|e| e["args"].get(name)?.as_u64()).sum::<u64>();
    let chunks = of_steps("tokens");
    let steps: u64 = events
        .iter()
        .filter(|e| e["args"]["decode"].is_u64())
        .map(|e| whole(&e["args"], "prompt_tokens"))
        .sum();
    // The step under way at the end computes what no piece has told yet.
    assert!(chunks <= steps && steps - chunks < 20_000, "{chunks} of pieces, {steps} of steps");
    let arrived =
        events.iter().filter(|e| e["name"] == "arrived").map(|e| whole(&e["args"], "requests")).max();
    assert_eq!(arrived, Some(u64::from(report.requests.arrived)));
}

#[test]
fn a_full_trace_says_what_it_holds_and_a_span_gives_the_rest() {
    let all = text_of(&mut short("kv-pressure", 60), None, MOST_SLICES).0;
    let slices = |text: &str| events(text).iter().filter(|e| e["ph"] == "X" || e["ph"] == "i").count();
    assert!(slices(&all) > 2000);
    let (text, held) = text_of(&mut short("kv-pressure", 60), None, 500);
    let held = held.expect("it has no room for all");
    assert_eq!((held.from, held.most), (Micros::ZERO, 500));
    assert!(held.to > Micros::ZERO && held.to < held.asked_to && held.asked_to <= Micros(60_000_000));
    assert!(held.sentence().ends_with(" s: it has at most 500 slices."), "{}", held.sentence());
    assert!(slices(&text) <= 500, "{}", slices(&text));
    Checked::new(&events(&text));
    // What overlaps a span is written with its own begin and end.
    let (text, held) = text_of(&mut short("kv-pressure", 60), Some([20_000_000, 25_000_000]), MOST_SLICES);
    assert_eq!(held, None);
    let part = events(&text);
    Checked::new(&part);
    let timed = |e: &&Value| e["ph"] == "X";
    let of_all = events(&all);
    let overlaps = |e: &&Value| {
        let at = whole(e, "ts");
        at <= 25_000_000 && at + whole(e, "dur") >= 20_000_000
    };
    let expected = of_all.iter().filter(timed).filter(overlaps).count();
    assert_eq!(part.iter().filter(timed).count(), expected);
    assert!(part.iter().filter(timed).all(|e| overlaps(&e)));
}

#[test]
fn edits_and_anomalies_are_instants_of_their_own_process() {
    let mut session = short("cache-livelock", 70);
    let events = events(&text_of(&mut session, None, MOST_SLICES).0);
    let checked = Checked::new(&events);
    let of = |lane: &str| {
        let found = checked.names.iter().find(|(_, name)| **name == lane);
        let found = found.map(|((pid, tid), _)| (*pid, *tid));
        events.iter().filter(|e| e["ph"] == "i" && Some((whole(e, "pid"), whole(e, "tid"))) == found).count()
    };
    let counts = session.report_data().anomalies.expect("they are watched").counts;
    let anomalies: u32 = counts.0.iter().map(|(_, n)| (*n).min(64)).sum();
    assert_eq!(of("anomalies") as u32, anomalies);
    assert!(anomalies > 0);
    assert_eq!(of("fleet"), 0, "nothing scales");
    assert_eq!(of("edits"), session.edits().iter().filter(|e| e.at_us <= session.now().0).count());
    assert_eq!(checked.processes[&1], "Edits and anomalies");
}
