//! Runs with autoscalers: their facts, and that they do not depend on how they are cut and saved.

use crate::support;
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Fact, ScalingRecord, Sink};
use tokenyard::scenario::Scenario;
use tokenyard::session::Session;
use tokenyard::workload::Source;

/// A session at its end; all invariants hold.
pub(crate) fn finished(scenario: &Scenario) -> Session {
    let mut session = support::start(scenario);
    session.advance(Micros::MAX, u64::MAX);
    session.engine().verify(true);
    assert!(session.requests().conserved, "{:?}", session.requests());
    session
}

/// All facts and all decisions of autoscalers.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) facts: Vec<(Micros, Fact)>,
    pub(crate) scaled: Vec<ScalingRecord>,
}

impl Sink for Heard {
    fn fact(&mut self, at: Micros, fact: Fact) {
        self.facts.push((at, fact));
    }

    fn scaled(&mut self, record: &ScalingRecord) {
        self.scaled.push(record.clone());
    }
}

/// A cluster at its end, and its facts.
pub(crate) fn heard(scenario: &Scenario) -> (Cluster, Heard) {
    let plan = support::plan(scenario);
    let mut engine = Cluster::new(&plan, Source::new(scenario, None));
    let mut heard = Heard::default();
    engine.advance(Micros::MAX, u64::MAX, &mut heard);
    engine.verify(true);
    (engine, heard)
}

/// A run of two minutes in pieces, and one that was saved, give the digest of a run straight to its end.
pub(crate) fn is_the_same_however_cut_and_saved(scenario: &Scenario, what: &str) {
    let straight = finished(scenario).digest();
    let mut sliced = support::start(scenario);
    for t in 1..170 {
        sliced.advance(Micros(t * 777_777), 1013);
        sliced.advance(Micros(t * 777_777), u64::MAX);
    }
    sliced.advance(Micros::MAX, u64::MAX);
    assert_eq!(straight, sliced.digest(), "{what}, in pieces");
    let mut saved = support::start(scenario);
    saved.advance(Micros(47_300_000), u64::MAX);
    let mut restored = support::start(scenario);
    restored.restore(&saved.snapshot()).expect("a good snapshot");
    restored.advance(Micros::MAX, u64::MAX);
    assert_eq!(straight, restored.digest(), "{what}, saved");
}
