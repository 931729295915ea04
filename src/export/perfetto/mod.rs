//! Export of a run as a trace for Perfetto: JSON in the format of Chrome's trace events, times in whole microseconds.
//!
//! One process is the gateway, one is each replica, one has the edits, anomalies and changes of the fleet. A replica has
//! a lane of steps, and packed lanes of requests: a request takes the first lane that is free when it joins the wait
//! queue, and keeps it until it leaves. Slices of a lane nest. A flow leads from a routing decision to the first piece of
//! the prompt that the chosen replica computes.
//!
//! A file has at most [`MOST_SLICES`] slices. What overlaps the span that is asked for is written whole, with its own
//! begin and end; nothing is cut.

mod event;
mod held;
mod lanes;
mod stays;
mod write;

pub use held::Held;

use super::rows::{Destination, Rows};
use base::Micros;
use document::{Compat, Scenario, edit_label};
use engine::policy::routing::Part;
use engine::{Decision, Fact, FaultFact, FleetFact};
use event::{Best, Decided, Lane, Process, What};
use run::session::Session;
use stays::Stays;
use std::io::Write;
use write::File;

/// Largest number of slices of a file, and of values of counters.
pub const MOST_SLICES: u32 = 1_000_000;

/// A trace that is asked for.
pub struct TraceOutput {
    /// The part of the run: what overlaps it is written. All of it by default.
    pub span: Option<[Micros; 2]>,
    /// Largest number of slices; [`MOST_SLICES`] unless a test wants fewer.
    pub most: u32,
    /// Where to.
    pub out: Box<dyn Write>,
}

/// Candidates of a decision whose scores are written.
const CANDIDATES: usize = 4;

/// A trace being made.
pub(super) struct Trace {
    file: File,
    log: event::Log,
    stays: Stays,
    /// Number of the next decision.
    decisions: u32,
    written: bool,
}

impl Trace {
    /// The trace of a run that has not begun, with the names of its pools by number.
    pub(super) fn new(course: &[Scenario], pools: Vec<String>, asked: TraceOutput) -> Self {
        let TraceOutput { span, most, out } = asked;
        let blis = course.iter().any(|s| s.cluster.compat == Compat::Blis);
        let [from, to] = span.unwrap_or([Micros::ZERO, Micros::MAX]);
        Self {
            file: File::new(out, pools),
            log: event::Log::new(from, to, most),
            stays: Stays::new(blis),
            decisions: 0,
            written: false,
        }
    }

    fn fleet(&mut self, at: Micros, fact: FleetFact) {
        if let FleetFact::Redirected { request, .. } = fact {
            self.stays.leave(at, request, "redirected", &mut self.log);
            self.stays.hold(at, request, &mut self.log);
            return;
        }
        let place = (Process::Edits, Lane::Fleet);
        self.log.instant(at, place, What::Fleet(fact));
    }

    fn fault(&mut self, at: Micros, fact: FaultFact) {
        match fact {
            FaultFact::Broken { request, .. } => {
                self.stays.leave(at, request, "broken", &mut self.log);
                self.stays.hold(at, request, &mut self.log);
            }
            FaultFact::Lost { request, .. } => self.stays.give_up(at, request, &mut self.log),
            FaultFact::Down { .. }
            | FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. }
            | FaultFact::CameAgain { .. }
            | FaultFact::Retried { .. } => {}
        }
        self.log.instant(at, (Process::Edits, Lane::Fleet), What::Fault(fact));
    }

    /// Instants that are known at the end: edits and anomalies.
    fn marks(&mut self, session: &Session) {
        for edit in session.edits().iter().filter(|edit| !edit.off && edit.at_us <= session.now().0) {
            let text = edit_label::label(&edit.change());
            self.log.late(Micros(edit.at_us), (Process::Edits, Lane::Edits), What::Edit(text));
        }
        let Some(detectors) = session.recorder().detectors.as_deref() else { return };
        for anomaly in detectors.kept() {
            let what = What::Anomaly {
                kind: anomaly.kind,
                replica: anomaly.replica,
                request: anomaly.proofs.first().map(|p| p.request),
                text: anomaly.sentence(),
            };
            self.log.late(anomaly.start, (Process::Edits, Lane::Anomalies), what);
        }
    }
}

impl Rows for Trace {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.file
    }

    fn takes_decisions(&self) -> bool {
        true
    }

    fn fact(&mut self, at: Micros, fact: &Fact) {
        match *fact {
            Fact::Request(fact) => self.stays.request(at, fact, &mut self.log),
            Fact::Replica(fact) => self.stays.step(at, fact, &mut self.log),
            Fact::Cache(fact) => self.stays.cache(at, fact, &mut self.log),
            Fact::Fleet(fact) => self.fleet(at, fact),
            Fact::Fault(fact) => self.fault(at, fact),
            Fact::Handover(fact) => self.stays.handover(at, fact, &mut self.log),
        }
    }

    fn decision(&mut self, at: Micros, decision: &Decision) {
        let number = self.decisions;
        self.decisions += 1;
        let Some(request) = decision.request else { return };
        let ranking = decision.best(CANDIDATES.min(decision.seen.len()));
        let mut best: Vec<Best> = ranking
            .into_iter()
            .map(|i| Best { replica: decision.seen[i].id.0, score: decision.score(i) })
            .collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.replica.cmp(&b.replica)));
        let parts = decision.chosen.map_or_else(Vec::new, |chosen| {
            let of = |part: &Part| Some((part.term.name(), part.values.get(chosen).copied()?));
            decision.scores.parts.iter().filter_map(of).collect()
        });
        let chosen = decision.target();
        let class = self.stays.class_of(request);
        let what =
            What::Decision(Box::new(Decided { request, class, stage: decision.stage, chosen, best, parts }));
        let seq = self.log.instant(at, (Process::Gateway, Lane::Decisions), what);
        if let (Some(seq), Some(chosen)) = (seq, chosen) {
            self.stays.expect(request, chosen, (number, seq));
        }
    }

    fn more(&mut self, session: &Session, most: usize) -> bool {
        if !self.written {
            self.stays.end(session.now(), &mut self.log);
            self.marks(session);
            self.log.sort();
            self.file.begin(session, &self.log);
            self.written = true;
        }
        self.file.write(&self.log, most)
    }

    fn held(&self, session: &Session) -> Option<Held> {
        let full = self.log.full()?;
        let asked_to = self.log.to.min(session.now());
        Some(Held { from: self.log.from, to: full, asked_to, most: self.log.most })
    }
}
