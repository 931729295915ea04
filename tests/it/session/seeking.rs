//! Going anywhere in a run gives, byte for byte, what a run from the start gives there: whatever was shown before, whichever checkpoints
//! there are, with edits, and by instants as by single steps.

use crate::support::{edit, preset, start};
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::base::{Micros, Span};
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{self, Change, Scenario, TimedEdit};
use tokenyard::session::view::{ColumnsQuery, FrameQuery, View};
use tokenyard::session::{Budget, History, StepKind, Stop};

/// So little that many checkpoints are thinned out in a run of a minute.
const TIGHT: Budget = Budget { bytes: 12 << 20, events: 500 };

/// Goes to an instant in slices, as the page's worker does.
pub(super) fn seek(history: &mut History, until: Micros) {
    history.seek(until);
    while history.advance(until, 777) == Stop::Events {}
}

fn step(history: &mut History, kind: StepKind) -> Stop {
    let step = history.begin_step(kind);
    loop {
        let stop = history.advance_step(&step, 777);
        if stop != Stop::Events {
            return stop;
        }
    }
}

fn step_back(history: &mut History, kind: StepKind) -> Stop {
    history.begin_back(kind);
    loop {
        let stop = history.advance_back(777);
        if stop != Stop::Events {
            return stop;
        }
    }
}

/// The whole state at an instant of a run straight there.
fn straight(scenario: &Scenario, until: Micros) -> Vec<u8> {
    let mut session = start(scenario);
    session.advance(until, u64::MAX);
    session.snapshot()
}

/// Draws of one test.
struct Draws(Stream);

impl Draws {
    fn new(test: u32) -> Self {
        Self(Stream::new(7, Purpose::Arrivals, test))
    }

    fn below(&mut self, n: u32) -> u64 {
        self.0.below(n).into()
    }
}

#[test]
fn seeking_anywhere_in_any_preset_gives_what_a_run_straight_there_gives() {
    for (i, preset_of) in (0..).zip(PRESETS) {
        let scenario = preset(preset_of.name, 20.0);
        let mut draws = Draws::new(i);
        let mut history = History::new(start(&scenario), TIGHT);
        let instants: Vec<Micros> = (0..6).map(|_| Micros(draws.below(22_000_000))).collect();
        for &at in &instants {
            seek(&mut history, at);
            assert!(
                history.present().snapshot() == straight(&scenario, at),
                "{} differs at {at:?} after {instants:?}",
                preset_of.name
            );
            let bytes = history.checkpoint_bytes();
            assert!(bytes <= TIGHT.bytes, "{}: {bytes} bytes", preset_of.name);
        }
    }
}

#[test]
fn seeking_in_runs_with_edits_gives_what_the_edited_scenario_gives() {
    let base = preset("kv-pressure", 20.0);
    let changes = [(3_000_000, edit::rate(0, 30.0)), (9_000_000, edit::replicas(0, 3))];
    let edits = changes.map(|(at, change)| TimedEdit::new(at, change)).to_vec();
    let scenario = Scenario { edits, ..base };
    let mut draws = Draws::new(100);
    let mut history = History::new(start(&scenario), TIGHT);
    for k in 0..12 {
        // At an edit, just before one, and anywhere.
        let at = Micros([3_000_000, 8_999_999, 9_000_000, draws.below(21_000_000)][k % 4]);
        seek(&mut history, at);
        assert!(history.present().snapshot() == straight(&scenario, at), "it differs at {at:?}");
    }
}

fn apply(history: &mut History, change: &Change) {
    let text = format!("{{\"set\":{}}}", serde_json::to_string(&change.set).expect("plain data"));
    assert_eq!(history.apply_text(&text), []);
}

#[test]
fn an_edit_in_the_past_begins_a_line_and_leaves_the_old_one_as_it_was() {
    let scenario = preset("chat-4xh100", 30.0);
    let mut history = History::new(start(&scenario), Budget { events: 2000, ..Budget::PAGE });
    seek(&mut history, Micros(28_000_000));
    let (old, old_scenario) = (history.present().digest(), history.present().scenario());
    seek(&mut history, Micros(12_345_678));
    apply(&mut history, &edit::rate(0, 5.0));
    assert_eq!(history.computed(), Micros(12_345_678), "nothing is computed of the new course");
    seek(&mut history, Micros(28_000_000));
    let edited = history.present().scenario();
    assert_eq!(edited.edits.len(), old_scenario.edits.len() + 1);
    assert_ne!(history.present().digest(), old);
    assert!(history.present().snapshot() == straight(&edited, Micros(28_000_000)));
    // Back to the old course: nothing of it has to run again.
    history.adopt(start(&old_scenario));
    history.seek(Micros(28_000_000));
    assert_eq!((history.present().now(), history.present().digest()), (Micros(28_000_000), old));
    // A third course, which moves the edit, begins where it parts from the others.
    let mut moved = edited.clone();
    moved.edits[0] = TimedEdit { at_us: 20_000_000, after_events: None, ..moved.edits[0].clone() };
    history.adopt(start(&moved));
    history.seek(Micros(25_000_000));
    assert_ne!(history.present().now(), Micros::ZERO, "nothing that is known runs again");
    seek(&mut history, Micros(25_000_000));
    assert!(history.present().snapshot() == straight(&moved, Micros(25_000_000)));
}

#[test]
fn what_a_list_says_of_a_run_is_what_its_report_says_as_far_as_it_was_computed() {
    let scenario = preset("chat-4xh100", 60.0);
    let mut history = History::new(start(&scenario), TIGHT);
    assert_eq!(history.figures().ttft_p99_ms, None, "nothing was measured yet");
    seek(&mut history, Micros(45_000_000));
    let latency = history.present().report_data().latency_ms;
    seek(&mut history, Micros(10_000_000));
    let figures = history.figures();
    assert_eq!(figures.computed_us, 45_000_000);
    assert_eq!((figures.ttft_p99_ms, figures.e2e_p99_ms), (Some(latency.ttft.p99), Some(latency.e2e.p99)));
}

/// The whole state after so many events of a run of single steps.
fn after(scenario: &Scenario, events: u64) -> Vec<u8> {
    let mut session = start(scenario);
    while session.events() < events {
        session.advance(Micros::MAX, events - session.events());
    }
    session.snapshot()
}

#[test]
fn a_step_back_by_one_event_is_the_count_of_events_before() {
    let mut scenario = preset("kv-pressure", 20.0);
    scenario.edits = vec![TimedEdit::new(9_000_000, edit::rate(0, 30.0))];
    let mut history = History::new(start(&scenario), TIGHT);
    for until in [15_000_000, 9_000_000, 4_000_000] {
        seek(&mut history, Micros(until));
        // From between two events the way leads to the one before.
        let events = history.present().events();
        assert_eq!(step_back(&mut history, StepKind::Event), Stop::Until);
        assert!(history.present().now() < Micros(until));
        for back in 1..40 {
            assert_eq!(step_back(&mut history, StepKind::Event), Stop::Until);
            let here = history.present().events();
            assert!(
                here == events - back || here == events - back - 1,
                "{here} events {back} before {events}"
            );
            if back % 13 == 0 {
                assert!(history.present().snapshot() == after(&scenario, here), "after {here} events");
            }
        }
    }
}

#[test]
fn steps_back_undo_steps_of_every_kind() {
    let scenario = preset("kv-pressure", 40.0);
    let kinds = [
        StepKind::Event,
        StepKind::EngineStep,
        StepKind::Arrival,
        StepKind::Completion,
        StepKind::Preemption,
    ];
    let mut history = History::new(start(&scenario), TIGHT);
    for kind in kinds {
        seek(&mut history, Micros(33_000_000));
        let mut way = Vec::new();
        for _ in 0..3 {
            assert_eq!(step(&mut history, kind), Stop::Until, "{kind:?}");
            way.push((history.present().events(), history.present().digest()));
        }
        // From a later place, so that what lies ahead is known.
        let later = history.present().now() + Span(30_000);
        seek(&mut history, later);
        while history.present().events() > way[2].0 {
            assert_eq!(step_back(&mut history, kind), Stop::Until, "{kind:?}");
        }
        for known in way.into_iter().rev() {
            assert_eq!((history.present().events(), history.present().digest()), known, "{kind:?}");
            step_back(&mut history, kind);
        }
    }
}

#[test]
fn a_step_back_to_what_never_was_ends_at_the_beginning() {
    let mut scenario = preset("chat-4xh100", 20.0);
    scenario.edits.clear();
    let mut history = History::new(start(&scenario), TIGHT);
    seek(&mut history, Micros(5_000_000));
    assert_eq!(step_back(&mut history, StepKind::Preemption), Stop::Finished);
    assert_eq!((history.present().events(), history.present().now()), (0, Micros::ZERO));
    assert_eq!(step_back(&mut history, StepKind::Event), Stop::Until);
    assert_eq!((history.present().events(), history.present().now()), (0, Micros::ZERO));
    seek(&mut history, Micros(5_000_000));
    assert!(history.present().snapshot() == straight(&scenario, Micros(5_000_000)));
}

#[test]
fn charts_keep_what_is_computed_ahead() {
    let scenario = preset("router-showdown", 20.0);
    let mut history = History::new(start(&scenario), TIGHT);
    seek(&mut history, Micros(16_000_000));
    let query = |view| ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 };
    let (whole, distribution) =
        (history.columns(&query(View::KvUse)), history.columns(&query(View::TtftEcdf)));
    seek(&mut history, Micros(6_000_000));
    assert_eq!(history.columns(&query(View::KvUse)), whole);
    assert_ne!(
        history.columns(&query(View::TtftEcdf)),
        distribution,
        "a distribution is that of its instant"
    );
    let frame = history.frame(&FrameQuery::default());
    assert_eq!((frame.now_us, frame.computed_us), (6_000_000, 16_000_000));
    seek(&mut history, Micros(18_000_000));
    assert_eq!(history.frame(&FrameQuery::default()).computed_us, 18_000_000);
}

#[test]
fn a_seek_runs_no_more_events_than_lie_between_two_checkpoints() {
    let scenario = preset("chat-4xh100", 120.0);
    let mut history = History::new(start(&scenario), Budget { events: 1000, ..Budget::PAGE });
    seek(&mut history, Micros(120_000_000));
    let events = history.present().events();
    let even = events / history.checkpoints() as u64;
    let mut draws = Draws::new(300);
    for _ in 0..20 {
        let at = Micros(draws.below(120_000_000));
        history.seek(at);
        let from = history.present().events();
        seek(&mut history, at);
        let ran = history.present().events() - from;
        assert!(
            ran <= 4 * even.max(1000),
            "{ran} of {events} events to {at:?}, {} checkpoints",
            history.checkpoints()
        );
    }
    assert!(history.checkpoint_bytes() <= Budget::PAGE.bytes);
}

/// Most events that going to one of many instants runs, as a part of what it runs if checkpoints are even.
fn farthest(history: &mut History, end: Micros) -> f64 {
    let even = history.present().events() as f64 / history.checkpoints() as f64;
    let mut draws = Draws::new(301);
    let mut most = 0;
    for _ in 0..30 {
        let at = Micros(draws.below(end.0 as u32));
        history.seek(at);
        let from = history.present().events();
        seek(history, at);
        most = most.max(history.present().events() - from);
    }
    most as f64 / even
}

#[test]
fn on_the_way_to_the_end_checkpoints_are_spread_evenly_over_what_there_is_room_for() {
    let end = Micros(240_000_000);
    let scenario = preset("chat-4xh100", 240.0);
    let budget = Budget { bytes: 10 << 20, events: 500 };
    let mut history = History::new(start(&scenario), budget);
    seek(&mut history, end);
    let (checkpoints, bytes) = (history.checkpoints(), history.checkpoint_bytes());
    assert!((5..40).contains(&checkpoints) && bytes <= budget.bytes, "{checkpoints} take {bytes} bytes");
    let farthest = farthest(&mut history, end);
    assert!(farthest < 2.0, "{farthest} of the distance between {checkpoints} even checkpoints");
}

#[test]
fn a_run_that_plays_as_fast_as_it_can_makes_fewer_checkpoints_than_one_that_keeps_up() {
    let scenario = preset("chat-4xh100", 480.0);
    let budget = Budget { events: 500, ..Budget::PAGE };
    let mut hurries = History::new(start(&scenario), budget);
    while hurries.advance(Micros(480_000_000), 777) == Stop::Events {}
    let mut keeps_up = History::new(start(&scenario), budget);
    for tenth in 1..=4800 {
        keeps_up.advance(Micros(tenth * 100_000), u64::MAX);
    }
    let [few, many] = [&hurries, &keeps_up].map(History::checkpoints);
    assert!(few > 2 && 3 * few < 2 * many, "{few} and {many}");
    assert!(
        hurries.present().snapshot() == keeps_up.present().snapshot(),
        "the run depends on its checkpoints"
    );
}

/// A request now and then, and nothing in between.
fn sparse(horizon_s: f64, more: &str) -> Scenario {
    let text = format!(
        r#"{{ "run": {{ "horizon_s": {horizon_s}, "warmup_s": 0, "max_requests": 4 }},
             "workload": {{ "clients": [{{ "name": "c", "arrivals": {{ "constant": {{ "rate_per_s": 0.05 }} }},
                 "output_tokens": {{ "constant": {{ "tokens": 20 }} }} }}] }}{more} }}"#
    );
    scenario::parse(&text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Goes to an instant in slices of `max_events` events; fails after 2,000 slices.
fn seek_by(history: &mut History, until: Micros, max_events: u64) {
    history.seek(until);
    let slices = (0..2000).find(|_| history.advance(until, max_events) != Stop::Events);
    assert!(slices.is_some(), "no end on the way to {until:?}");
}

/// What the run looks like from instants before, at and after each edit, gone to in any order and with any budget.
fn quiet_times_are_reached(scenario: &Scenario, history: &mut History) {
    let edits = scenario.edits.iter().flat_map(|edit| {
        [3_000_000, 1_000_000, 1, 0].map(|before| Micros(edit.at_us.saturating_sub(before)))
    });
    let instants: Vec<Micros> =
        [0, 19_999_999, 110_000_000, 5_000_000].map(Micros).into_iter().chain(edits).collect();
    for budget in [1, 2, 7, u64::MAX] {
        for &at in instants.iter().chain(instants.iter().rev()) {
            seek_by(history, at, budget);
            assert!(history.present().snapshot() == straight(scenario, at), "by {budget} to {at:?}");
        }
    }
}

#[test]
fn quiet_times_before_edits_are_reached_whatever_the_budget() {
    for horizon_s in [120.0, 0.0] {
        let mut history = History::new(start(&sparse(horizon_s, "")), TIGHT);
        // Before the first arrival, between two requests, in the same silence again, and after the traffic.
        for (at, change) in [
            (10_000_000, edit::replicas(0, 5)),
            (33_000_000, edit::snapshot_refresh(1000)),
            (34_000_000, edit::max_num_seqs(0, 3)),
            (95_000_000, edit::replicas(0, 1)),
        ] {
            seek_by(&mut history, Micros(at), 64);
            apply(&mut history, &change);
        }
        let edited = history.present().scenario();
        assert!(edited.edits.iter().all(|edit| edit.after_events.is_some()), "{:?}", edited.edits);
        quiet_times_are_reached(&edited, &mut history);
        // An edit before the others, at an instant that is itself in a quiet time before one.
        seek_by(&mut history, Micros(8_000_000), 64);
        apply(&mut history, &edit::max_num_seqs(0, 9));
        quiet_times_are_reached(&history.present().scenario(), &mut history);
    }
}

#[test]
fn quiet_times_before_the_edits_of_a_document_are_reached_whatever_number_of_events_it_gives() {
    for after_events in [0, 1, 1_000_000] {
        let edits = format!(
            r#", "edits": [
                {{ "at_us": 10000000, "after_events": {after_events}, "set": {{ "cluster.pools[0].replicas": 5 }} }},
                {{ "at_us": 10000000, "set": {{ "cluster.pools[0].replicas": 4 }} }},
                {{ "at_us": 20000000, "after_events": {after_events}, "set": {{ "cluster.pools[0].replicas": 3 }} }},
                {{ "at_us": 99000000, "after_events": {after_events}, "set": {{ "cluster.pools[0].replicas": 2 }} }}]"#
        );
        for horizon_s in [120.0, 0.0] {
            let scenario = sparse(horizon_s, &edits);
            quiet_times_are_reached(&scenario, &mut History::new(start(&scenario), TIGHT));
        }
    }
}

#[test]
fn steps_in_quiet_times_before_edits_come_to_an_end() {
    let edits =
        r#", "edits": [{ "at_us": 10000000, "after_events": 0, "set": { "cluster.pools[0].replicas": 5 } }]"#;
    let scenario = sparse(120.0, edits);
    let mut history = History::new(start(&scenario), TIGHT);
    for at in [8_000_000, 10_000_000, 60_000_000, 3_000_000] {
        seek_by(&mut history, Micros(at), 64);
        let here = history.present().events();
        assert_eq!(step(&mut history, StepKind::Event), Stop::Until);
        assert_eq!(history.present().events(), here + 1);
        assert_eq!(step_back(&mut history, StepKind::Event), Stop::Until);
        assert_eq!(history.present().events(), here);
    }
}
