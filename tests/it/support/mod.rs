//! What several tests share: sessions, a cluster that follows its plan, and the story of a run; files beside this one hold the rest.

pub(crate) mod command;
pub(crate) mod documents;
pub(crate) mod drawn;
pub(crate) mod edit;
pub(crate) mod flow;
pub(crate) mod gateway;
pub(crate) mod memory;
pub(crate) mod numbers;
pub(crate) mod outcomes;
pub(crate) mod repair;
pub(crate) mod rows;
pub(crate) mod scaled;
pub(crate) mod scenarios;
pub(crate) mod schema;

use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Decision, Fact, Halt, Sink};
use tokenyard::perf::Plan;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{Change, Scenario};
use tokenyard::session::{Audience, Session};
use tokenyard::workload::Source;

/// A session as the page has it; the scenario must be sound.
pub(crate) fn start(scenario: &Scenario) -> Session {
    match Session::start(scenario.clone(), None, Audience::Live) {
        Ok((session, _)) => session,
        Err(problems) => panic!("not a sound scenario: {problems:?}"),
    }
}

/// The same at an instant in microseconds.
pub(crate) fn at(scenario: &Scenario, us: u64) -> Session {
    let mut session = start(scenario);
    session.advance(Micros(us), u64::MAX);
    session
}

/// A built-in scenario that ends at another instant and is measured from its first second on.
pub(crate) fn preset(name: &str, horizon_s: f64) -> Scenario {
    let mut scenario = Preset::named(name).expect("a preset").scenario();
    scenario.run.horizon_s = horizon_s;
    scenario.run.warmup_s = 1.0;
    scenario
}

/// Everything that happened, in order, and every routing decision.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) facts: Vec<(Micros, Fact)>,
    pub(crate) decisions: Vec<Decision>,
}

impl Sink for Story {
    fn fact(&mut self, at: Micros, fact: Fact) {
        self.facts.push((at, fact));
    }

    fn wants_decision(&self, _: tokenyard::base::RequestId, _: usize) -> bool {
        true
    }

    fn decision(&mut self, _: Micros, decision: &Decision) {
        self.decisions.push(decision.clone());
    }
}

/// The plan of a sound scenario.
pub(crate) fn plan(s: &Scenario) -> Plan {
    match Plan::new(s.clone()) {
        Ok((plan, _)) => plan,
        Err(problems) => panic!("not a sound scenario: {problems:?}"),
    }
}

/// The cluster of a scenario without a trace, at time zero.
pub(crate) fn cluster(s: &Scenario) -> Cluster {
    Cluster::new(&plan(s), Source::new(s, None))
}

/// Makes a cluster that follows `plan` adopt an edit.
pub(crate) fn adopt<S: Sink>(
    cluster: &mut Cluster,
    plan: &mut Plan,
    change: &Change,
    at: Micros,
    sink: &mut S,
) {
    let (edited, _) = plan.edited(change).unwrap_or_else(|problems| panic!("{change:?}: {problems:?}"));
    cluster.adopt(plan, &edited, at, sink);
    *plan = edited;
}

/// Runs to the end with the scenario's edits, checking the invariants on the way.
pub(crate) fn run(s: &Scenario) -> (Cluster, Story) {
    let (mut plan, mut cluster, mut story) = (plan(s), cluster(s), Story::default());
    for edit in &s.edits {
        cluster.advance(Micros(edit.at_us - 1), u64::MAX, &mut story);
        adopt(&mut cluster, &mut plan, &edit.change(), Micros(edit.at_us), &mut story);
        cluster.verify(true);
    }
    while cluster.advance(Micros::MAX, 101, &mut story) == Halt::Events {
        cluster.verify(false);
    }
    cluster.verify(true);
    (cluster, story)
}
