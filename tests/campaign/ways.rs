//! The ways through a run: straight, with every output, cut and saved, sought, by link, and edited while it runs. All give one run.

use super::document::scenario;
use super::draw::Draw;
use super::memory::Memory;
use serde_json::Value;
use tokenyard::base::Micros;
use tokenyard::engine::{Location, Replica, RequestState};
use tokenyard::export::{
    Format, MOST_SLICES, MOST_VALUES, MetricsOutput, Output, Table, Tables, TraceOutput, page,
};
use tokenyard::scenario::link::{Link, make};
use tokenyard::scenario::{Scaling, Scenario, TimedEdit, parse, to_json};
use tokenyard::session::view::{ColumnsQuery, FrameQuery, View};
use tokenyard::session::{Audience, Budget, History, Session, Stop};

/// More events than any case has.
const MOST_EVENTS: u64 = 400_000;

/// So little that checkpoints are thinned out.
const TIGHT: Budget = Budget { bytes: 6 << 20, events: 150 };

pub(crate) fn begun(scenario: &Scenario, audience: Audience) -> Session {
    match Session::start(scenario.clone(), None, audience) {
        Ok((session, _)) => session,
        Err(problems) => panic!("the scenario of a run is refused: {problems:?}"),
    }
}

/// Runs to the end in slices of `slice` events, within the bound of all cases.
pub(crate) fn finish(session: &mut Session, slice: u64) {
    while session.advance(Micros::MAX, slice) == Stop::Events {
        assert!(session.events() < MOST_EVENTS, "a run of more than {MOST_EVENTS} events");
    }
}

/// Every invariant, and every request and block in one place.
fn sound(session: &Session) {
    let engine = session.engine();
    engine.verify(true);
    let r = session.report_data().requests;
    let mut seen = [0_u32; 9];
    for record in engine.records() {
        seen[record.state() as usize] += 1;
    }
    let told = [
        r.in_pipeline,
        r.queued,
        r.running,
        r.completed,
        r.rejected,
        r.dropped,
        r.transferring,
        r.landed,
        r.lost,
    ];
    assert_eq!(seen, told, "INV-1");
    assert!(r.conserved && r.arrived == told.iter().sum::<u32>(), "INV-1: {r:?}");
    let replicas = engine.replicas();
    let listed = |of: fn(&Replica) -> u32| replicas.iter().map(of).sum::<u32>();
    let at = |state: RequestState| seen[state as usize];
    assert_eq!(at(RequestState::Queued), listed(Replica::waiting), "waiting");
    assert_eq!(at(RequestState::Running), listed(Replica::running), "running");
    assert_eq!(at(RequestState::Landed), listed(Replica::landed), "landed");
    let under_way = engine.network().map_or(0, |network| network.under_way().len() as u32);
    assert_eq!(at(RequestState::Transferring), under_way, "under way");
    // Where attempts broke, blocks are held for a lease, too.
    let unbroken = engine.network().is_some() && engine.attempt_counts().broken.iter().sum::<u64>() == 0;
    for replica in replicas.iter().filter(|_| unbroken) {
        let handed = replica.incoming() + replica.landed() + replica.outgoing();
        let loading = replica.loading_or_loaded() + replica.kv().prefetching();
        let holders = replica.running() + handed + loading;
        assert!(holders > 0 || replica.kv().used() == 0, "{:?}: blocks without a holder", replica.id());
    }
}

/// A broken attempt is followed by another, or lost.
fn attempts_add_up(session: &Session) {
    let (engine, scenario) = (session.engine(), session.scenario());
    let c = engine.attempt_counts();
    let lost = c.lost.iter().sum::<u64>();
    assert_eq!(c.broken.iter().sum::<u64>(), c.retried + lost, "broken attempts");
    assert_eq!(lost, u64::from(engine.census().lost), "lost requests");
    // Requests go back to the router where an autoscaler or an edit takes replicas away.
    let moved = scenario.cluster.pools.iter().any(|p| p.scaling != Scaling::default())
        || scenario.edits.iter().any(|edit| edit.fault.is_none());
    let most = u64::from(engine.census().arrived) * u64::from(1 + scenario.cluster.resilience.retries);
    assert!(moved || c.attempts <= most, "{} attempts", c.attempts);
}

/// Runs straight to the end and looks at everything on the way.
fn straight(scenario: &Scenario, draw: &mut Draw) -> Session {
    let mut session = begun(scenario, Audience::Batch);
    session.advance(Micros::MAX, draw.below(300));
    sound(&session);
    session.advance(Micros::MAX, draw.below(3000));
    sound(&session);
    finish(&mut session, 5000);
    sound(&session);
    attempts_add_up(&session);
    session
}

/// Whichever way a run was gone through, it is the same run.
fn is(session: &Session, whole: &Session, how: &str) {
    let (there, here) = (whole.report(), session.report());
    let differs = there.lines().zip(here.lines()).find(|(there, here)| there != here);
    assert!(there == here, "{how}: another report: {differs:?}");
    assert_eq!(
        (session.digest(), session.events()),
        (whole.digest(), whole.events()),
        "{how}: digest and events"
    );
}

/// Every output at once, and the page.
fn with_outputs(scenario: &Scenario, draw: &mut Draw, whole: &Session) {
    let mut session = begun(scenario, Audience::Batch);
    let files: Vec<Memory> = (0..7).map(|_| Memory::default()).collect();
    let format = draw.of(&Format::ALL);
    let out = |i: usize| Box::new(files[i].clone());
    let tables = if session.keeps_rows() { &Table::ALL[..] } else { &[Table::Scaling, Table::Series][..] };
    let outputs =
        tables.iter().enumerate().map(|(i, &table)| Output { table, format, out: out(i) }).collect();
    let (perfetto, metrics) = (
        TraceOutput { span: None, most: MOST_SLICES, out: out(5) },
        MetricsOutput { start_s: 0, most: MOST_VALUES, out: out(6) },
    );
    let mut tables = Tables::new(&session, outputs, 3);
    if session.keeps_rows() {
        tables = tables.with_trace(&session, perfetto);
    }
    tables = tables.with_metrics(&session, metrics);
    while tables.advance(&mut session, Micros::MAX, 997).expect("memory takes all") != Stop::Finished {
        assert!(session.events() < MOST_EVENTS, "a run of more than {MOST_EVENTS} events, with outputs");
    }
    while !tables.write_rest(&session, 50).expect("memory takes all") {}
    is(&session, whole, "with every output");
    if draw.one_in(4) {
        let page = page(&session, None);
        assert!(page.contains(&whole.digest()), "the page of the run");
    }
}

/// The rows of the requests of a run, as CSV.
pub(crate) fn request_rows(document: &Value) -> String {
    let scenario = scenario(document).unwrap_or_else(|problems| panic!("refused: {problems:?}"));
    let mut session = begun(&scenario, Audience::Batch);
    let file = Memory::default();
    let output = Output { table: Table::Requests, format: Format::Csv, out: Box::new(file.clone()) };
    let mut tables = Tables::new(&session, vec![output], 0);
    while tables.advance(&mut session, Micros::MAX, 997).expect("memory takes all") != Stop::Finished {
        assert!(session.events() < MOST_EVENTS, "a run of more than {MOST_EVENTS} events");
    }
    while !tables.write_rest(&session, 50).expect("memory takes all") {}
    file.text()
}

/// Cut anywhere, looked at, saved and gone on with elsewhere.
fn cut_and_saved(scenario: &Scenario, draw: &mut Draw, whole: &Session) {
    let mut session = begun(scenario, Audience::Live);
    let end = whole.now().0.saturating_add(1);
    for _ in 0..4 {
        session.advance(Micros(draw.below(end.min(u64::from(u32::MAX)))), 1 + draw.below(700));
        session.frame(&FrameQuery::default());
        session.inspect(draw.below(20) as u32);
    }
    sound(&session);
    let bytes = session.snapshot();
    let mut elsewhere = begun(&Scenario::default(), Audience::Live);
    assert_eq!(elsewhere.restore(&bytes), Ok(()));
    assert!(elsewhere.snapshot() == bytes, "a snapshot of what was restored");
    finish(&mut session, 1 + draw.below(900));
    finish(&mut elsewhere, 5000);
    is(&session, whole, "cut");
    is(&elsewhere, whole, "restored");
}

/// Forward and back, as a page goes.
fn sought(scenario: &Scenario, draw: &mut Draw, whole: &Session) {
    let mut history = History::new(begun(scenario, Audience::Live), TIGHT);
    let end = whole.now().0.saturating_add(1).min(u64::from(u32::MAX));
    let at_edits: Vec<u64> = scenario.edits.iter().map(|edit| edit.at_us.min(end)).collect();
    for _ in 0..5 {
        let anywhere = draw.below(end);
        let until = if at_edits.is_empty() || draw.one_in(2) { anywhere } else { draw.of(&at_edits) };
        let until = Micros(until.saturating_sub(draw.below(2)));
        history.seek(until);
        while history.advance(until, 1 + draw.below(500)) == Stop::Events {}
        history.frame(&FrameQuery::default());
        let view = draw.of(&[View::TtftOverTime, View::QueueDepth, View::KvUse]);
        history.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 30.0 });
    }
    while history.advance(Micros::MAX, 900) == Stop::Events {
        assert!(history.present().events() < MOST_EVENTS, "a run of more than {MOST_EVENTS} events, sought");
    }
    is(history.present(), whole, "sought");
}

/// As a file, and as a link if it is not too long for one.
fn carried(scenario: &Scenario, whole: &Session) {
    let same_run = |there: &Scenario, how: &str| {
        let mut session = begun(there, Audience::Batch);
        finish(&mut session, 5000);
        is(&session, whole, how);
    };
    let file = parse(&to_json(scenario)).unwrap_or_else(|problems| panic!("as a file: {problems:?}"));
    assert_eq!(file, *scenario, "as a file");
    let Some(made) = make(&Link { scenario: scenario.clone(), ..Link::default() }) else { return };
    for text in [Some(made.packed), made.readable].into_iter().flatten() {
        let opened = Session::open_link(&text, Audience::Batch);
        assert!(opened.problems.is_empty(), "by link: {:?}", opened.problems);
        same_run(&opened.link.scenario, "by link");
    }
}

/// Edits made while the run goes on are the log that is saved with it.
fn edited_live(scenario: &Scenario, draw: &mut Draw) {
    let first = Scenario { edits: Vec::new(), ..scenario.clone() };
    let Ok((mut session, _)) = Session::start(first, None, Audience::Live) else { return };
    for edit in scenario.edits.iter().filter(|edit: &&TimedEdit| !edit.off) {
        session.advance(Micros(edit.at_us), draw.of(&[u64::MAX, 40]).min(MOST_EVENTS));
        // What cannot be done at that instant is refused.
        session.apply(edit.change());
    }
    finish(&mut session, 5000);
    let mut replayed = begun(&session.scenario(), Audience::Live);
    finish(&mut replayed, 5000);
    is(&replayed, &session, "replayed edits");
}

/// Without a horizon and faults a run is over when no request is left but those at the gateway that no replica can take.
fn none_is_stuck(session: &Session) {
    let engine = session.engine();
    let scenario = session.scenario();
    if scenario.run.horizon_s > 0.0 || engine.gave_up() || scenario.edits.iter().any(|e| e.fault.is_some()) {
        return;
    }
    for (i, record) in engine.records().iter().enumerate() {
        let place = record.location();
        assert!(place.is_gone() || place == Location::Gateway, "request {i} is stuck: {place:?}");
    }
}

/// All ways through the run of a document.
pub(crate) fn hold(document: &Value, case: u64) {
    let scenario = scenario(document).unwrap_or_else(|problems| panic!("refused: {problems:?}"));
    let draw = &mut Draw::new(!case);
    let whole = straight(&scenario, draw);
    none_is_stuck(&whole);
    with_outputs(&scenario, draw, &whole);
    cut_and_saved(&scenario, draw, &whole);
    sought(&scenario, draw, &whole);
    carried(&scenario, &whole);
    edited_live(&scenario, draw);
}
