//! Scenarios drawn from the JSON Schema, with edits at any instant and seeks back into times when nothing happens: each is refused with
//! messages or runs, loses no request, and gives the same however it was gone through.
//!
//! Hundreds of seeds in `scripts/test`, two thousand in `scripts/test --all`. `scripts/campaign schema N` runs others, each with a limit
//! of time.

use crate::support::drawn::Drawer;
use crate::support::numbers::numbers;
use crate::support::{numbers, start};
use serde_json::Value;
use tokenyard::base::Micros;
use tokenyard::base::diag::Diagnostics;
use tokenyard::scenario::{Scenario, from_value};
use tokenyard::session::view::{ColumnsQuery, FrameQuery, View};
use tokenyard::session::{Audience, Budget, History, Session, StepKind, Stop};

/// Events of one run at most.
const MOST_EVENTS: u64 = 4_000;

/// Events of one slice of a run that is gone through.
const SLICE: u64 = 333;

/// Edits, seeks and steps of one run.
const ACTS: u64 = 7;

/// Refused scenarios have the fields taken out that the messages name, this often.
const MOST_REPAIRS: u32 = 40;

/// So little that checkpoints are thinned out.
const TIGHT: Budget = Budget { bytes: 6 << 20, events: 200 };

const VIEWS: [View; 6] =
    [View::TtftOverTime, View::Throughput, View::QueueDepth, View::KvUse, View::TtftEcdf, View::Health];

fn started(document: &Value) -> Result<Session, Diagnostics> {
    let scenario = from_value(document.clone())?;
    Session::start(scenario, None, Audience::Live).map(|(session, _)| session)
}

/// The session of what was drawn, without what was refused of it; none if the whole was.
fn begun(drawer: &mut Drawer) -> Option<Session> {
    let mut document = drawer.scenario();
    for _ in 0..MOST_REPAIRS {
        let problems = match started(&document) {
            Ok(session) => return Some(session),
            Err(problems) => problems,
        };
        let told =
            problems.iter().all(|p| !p.found.is_empty() && (!p.allowed.is_empty() || !p.fix.is_empty()));
        assert!(told && !problems.is_empty(), "{problems:?}");
        if !Drawer::without(&mut document, &problems) {
            break;
        }
    }
    None
}

/// Every invariant, and every request in one place.
fn sound(session: &Session) {
    session.engine().verify(true);
    let r = session.report_data().requests;
    let places = r.in_pipeline
        + r.queued
        + r.running
        + r.completed
        + r.rejected
        + r.dropped
        + r.lost
        + r.transferring
        + r.landed;
    assert!(r.conserved && r.arrived == places, "{r:?}");
}

fn beginning(scenario: &Scenario) -> Session {
    start(scenario)
}

/// Runs up to an instant in slices, as the page's worker does, unless it takes too many events.
fn go_on(history: &mut History, until: Micros) {
    let mut left = MOST_EVENTS / SLICE;
    let mut before = history.present().events();
    while history.advance(until, SLICE) == Stop::Events && left > 0 {
        assert_eq!(history.present().events(), before + SLICE, "a slice ends before its events are run");
        before += SLICE;
        left -= 1;
    }
}

/// An instant anywhere, or near an edit: at it, just before it, or long before it where nothing happens.
fn instant(drawer: &mut Drawer, session: &Session) -> Micros {
    let end = session.now().0.max(1_000_000);
    let edits = session.edits();
    if edits.is_empty() || drawer.below(3) == 0 {
        return Micros(drawer.below(end + end / 4));
    }
    let at = edits[drawer.below(edits.len() as u64) as usize].at_us;
    let before = [0, 1, 2, at / 2, at / 100, drawer.below(at + 1)][drawer.below(6) as usize];
    Micros(at.saturating_sub(before))
}

fn step(drawer: &mut Drawer, history: &mut History) {
    let kind = [StepKind::Event, StepKind::EngineStep][drawer.below(2) as usize];
    if drawer.below(2) == 0 {
        let step = history.begin_step(kind);
        let mut left = 20;
        while history.advance_step(&step, SLICE) == Stop::Events && left > 0 {
            left -= 1;
        }
    } else {
        history.begin_back(kind);
        let mut left = 40;
        while history.advance_back(SLICE) == Stop::Events && left > 0 {
            left -= 1;
        }
    }
}

fn look(drawer: &mut Drawer, history: &mut History) {
    let frame = history.frame(&FrameQuery::default());
    assert_eq!(frame.now_us, history.present().now().0);
    let view = VIEWS[drawer.below(VIEWS.len() as u64) as usize];
    let columns = history.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 30.0 });
    assert!(columns.columns.iter().all(|c| c.len() == columns.columns[0].len()), "{view:?}");
}

/// One of what a person does: an edit, a seek, a step, playing on.
fn act(drawer: &mut Drawer, history: &mut History) {
    match drawer.below(6) {
        0 | 1 => {
            let scenario = serde_json::to_value(history.present().scenario()).expect("a scenario is JSON");
            let edit = drawer.edit(&scenario).to_string();
            let before = history.present().edits().len();
            let problems = history.apply_text(&edit);
            let applied = history.present().edits().len() > before;
            assert!(applied || !problems.is_empty(), "{edit} changed nothing and nothing is said");
        }
        2 | 3 => {
            let until = instant(drawer, history.present());
            history.seek(until);
            go_on(history, until);
        }
        4 => step(drawer, history),
        _ => {
            let until = Micros(history.present().now().0 + drawer.below(3_000_000));
            go_on(history, until);
        }
    }
    look(drawer, history);
}

/// Everything that a page can show of a run.
fn shown(session: &mut Session) -> String {
    let mut all = vec![session.digest(), session.report()];
    all.push(serde_json::to_string(&session.frame(&FrameQuery::default())).expect("a frame is JSON"));
    for view in VIEWS {
        let columns = session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 30.0 });
        all.push(format!("{view:?} {columns:?}"));
    }
    all.join("\n")
}

/// What was gone through in any order is what a run straight there gives, there and further on.
fn is_a_straight_run(history: &mut History) {
    // A step back leads before the edits of its instant, and a slice may end among the events of one.
    let now = history.present().now();
    // Clients that begin with their bound of requests send them all at one instant: more events than a run has elsewhere.
    while history.advance(now, SLICE) == Stop::Events {}
    // A frame takes the moves since the frame before.
    history.frame(&FrameQuery::default());
    let mut gone = history.present().clone();
    let (now, events) = (gone.now(), gone.events());
    let mut straight = beginning(&gone.scenario());
    straight.advance(now, u64::MAX);
    straight.frame(&FrameQuery::default());
    assert_eq!((straight.now(), straight.events()), (now, events));
    assert_eq!(shown(&mut straight), shown(&mut gone), "at {now:?}");
    for session in [&mut straight, &mut gone] {
        session.advance(Micros::MAX, SLICE * 3);
    }
    assert_eq!(shown(&mut straight), shown(&mut gone), "further on than {now:?}");
    sound(&gone);
}

/// Slices of any length change nothing.
fn slices_change_nothing(drawer: &mut Drawer, scenario: &Scenario) {
    let (mut whole, mut sliced) = (beginning(scenario), beginning(scenario));
    whole.advance(Micros::MAX, MOST_EVENTS);
    sound(&whole);
    while sliced.events() < whole.events() {
        let until = Micros(drawer.below(whole.now().0 + 1));
        let events = 1 + drawer.below(MOST_EVENTS / 3);
        sliced.advance(until, events.min(whole.events() - sliced.events()));
        let events = 1 + drawer.below(MOST_EVENTS / 3);
        sliced.advance(Micros::MAX, events.min(whole.events() - sliced.events()));
    }
    sliced.advance(Micros::MAX, MOST_EVENTS - whole.events().min(MOST_EVENTS));
    assert_eq!((sliced.now(), sliced.digest()), (whole.now(), whole.digest()));
}

/// Whether it ran.
fn case(seed: u64) -> bool {
    let mut drawer = Drawer::new(seed);
    let Some(session) = begun(&mut drawer) else { return false };
    slices_change_nothing(&mut drawer, &session.scenario());
    let mut history = History::new(session, TIGHT);
    for _ in 0..ACTS {
        act(&mut drawer, &mut history);
    }
    sound(history.present());
    is_a_straight_run(&mut history);
    true
}

/// A quarter of the seeds, so that the cores share them.
fn quarter(part: u64) {
    let all = numbers(360, 2000);
    let (mut ran, mut tried) = (0, 0);
    for seed in all.clone().filter(|seed| seed % 4 == part) {
        // The last line before a panic or a run without an end names its seed.
        if std::env::var_os("TOKENYARD_CASES").is_some() {
            numbers::say(seed);
        }
        tried += 1;
        ran += u64::from(case(seed));
    }
    assert!(tried < 100 || ran * 10 > tried * 7, "only {ran} of {tried} ran");
}

#[test]
fn what_the_schema_allows_runs_as_it_is_gone_through_first_quarter() {
    quarter(0);
}

#[test]
fn what_the_schema_allows_runs_as_it_is_gone_through_second_quarter() {
    quarter(1);
}

#[test]
fn what_the_schema_allows_runs_as_it_is_gone_through_third_quarter() {
    quarter(2);
}

#[test]
fn what_the_schema_allows_runs_as_it_is_gone_through_fourth_quarter() {
    quarter(3);
}
