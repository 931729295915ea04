//! Occasions: targets of a run, the next time that something happens or that a number is exceeded.

use super::view::{AnomalyKind, EventKind, kind_of};
use super::{Session, Stop};
use base::Micros;
use engine::{Fact, HandoverFact, RequestFact};
use serde::{Deserialize, Serialize};

/// An occasion to run to: the next time that it happens.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occasion {
    /// A request is preempted.
    Preemption,
    /// A request finishes and has missed an objective.
    Missed,
    /// A request is refused.
    Refusal,
    /// The wait queue of a replica gets longer than this.
    QueueAbove(u32),
    /// The share of a replica's KV blocks in use exceeds this percentage.
    KvAbove(f64),
    /// An anomaly of any kind is noticed.
    AnyAnomaly,
    /// An anomaly of a kind is noticed.
    Anomaly(AnomalyKind),
    /// A line of a kind is added to the event log.
    Event(EventKind),
    /// Something happens to a request.
    Request(u32),
    /// An edit applies.
    Edit,
    /// The transfer of a request's KV starts.
    Transfer,
    /// The KV of a request lands at its home.
    Landing,
}

/// The parameter of an occasion.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A count.
    Count,
    /// A share from 0 to 100.
    Percent,
    /// A kind of anomaly.
    AnomalyKind,
    /// A kind of event.
    EventKind,
    /// The number of a request.
    Request,
}

/// An occasion to choose.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OccasionChoice {
    /// Its name in an `Occasion`.
    pub name: &'static str,
    /// Its label, after `next`.
    pub label: &'static str,
    /// Its parameter.
    pub takes: Takes,
    /// The initial number.
    pub first: u32,
}

impl Occasion {
    /// All choices, in the order of lists.
    pub const CHOICES: [OccasionChoice; 12] = [
        choice("preemption", "preemption", Takes::Nothing, 0),
        choice("missed", "missed objective", Takes::Nothing, 0),
        choice("refusal", "refusal", Takes::Nothing, 0),
        choice("queue-above", "queue above", Takes::Count, 10),
        choice("kv-above", "KV in use above", Takes::Percent, 95),
        choice("any-anomaly", "anomaly", Takes::Nothing, 0),
        choice("anomaly", "anomaly of a kind", Takes::AnomalyKind, 0),
        choice("event", "event of a kind", Takes::EventKind, 0),
        choice("request", "event of request", Takes::Request, 0),
        choice("edit", "edit", Takes::Nothing, 0),
        choice("transfer", "transfer", Takes::Nothing, 0),
        choice("landing", "landing", Takes::Nothing, 0),
    ];
}

const fn choice(name: &'static str, label: &'static str, takes: Takes, first: u32) -> OccasionChoice {
    OccasionChoice { name, label, takes, first }
}

/// A run to an occasion in progress: the state after the latest event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Awaited {
    occasion: Occasion,
    /// A counter that grows each time it happens.
    times: u64,
    /// Whether the number is exceeded: it must fall below before it can be exceeded again.
    above: bool,
}

impl Session {
    /// Begins a run to the next time of an occasion; [`advance_to`](Self::advance_to) continues it.
    pub fn begin_to(&self, occasion: Occasion) -> Awaited {
        Awaited { occasion, times: self.times_of(occasion), above: self.is_above(occasion) }
    }

    /// Runs towards the next time of an occasion, but no more than `max_events` events. `Until`: it has just
    /// happened. `Events`: not yet. `Finished`: it does not happen again.
    pub fn advance_to(&mut self, awaited: &mut Awaited, max_events: u64) -> Stop {
        let mut stop = Stop::Events;
        for _ in 0..max_events {
            self.recorder.heard = Some(Vec::new());
            stop = self.advance(Micros::MAX, 1);
            if self.has_come(awaited) {
                stop = Stop::Until;
            }
            if stop != Stop::Events {
                break;
            }
        }
        self.recorder.heard = None;
        stop
    }

    fn has_come(&self, awaited: &mut Awaited) -> bool {
        let occasion = awaited.occasion;
        let facts = self.recorder.heard.as_deref().unwrap_or_default();
        match occasion {
            Occasion::Preemption => {
                facts.iter().any(|f| matches!(f, Fact::Request(RequestFact::Preempted { .. })))
            }
            Occasion::Refusal => {
                facts.iter().any(|f| matches!(f, Fact::Request(RequestFact::Rejected { .. })))
            }
            Occasion::Transfer => {
                let starts = |f: &Fact| matches!(f, Fact::Handover(HandoverFact::TransferStarted { .. }));
                facts.iter().any(starts)
            }
            Occasion::Landing => {
                facts.iter().any(|f| matches!(f, Fact::Handover(HandoverFact::Landed { .. })))
            }
            Occasion::Request(request) => facts.iter().any(|f| f.request().is_some_and(|r| r.0 == request)),
            Occasion::Missed => {
                let missed = |request| self.recorder.met(request).is_some_and(|met| !met.all());
                facts.iter().any(|f| matches!(f, Fact::Request(RequestFact::Completed { request, .. }) if missed(*request)))
            }
            Occasion::Event(kind) if facts.iter().any(|f| kind_of(f) == kind) => true,
            Occasion::AnyAnomaly | Occasion::Anomaly(_) | Occasion::Event(_) | Occasion::Edit => {
                let before = std::mem::replace(&mut awaited.times, self.times_of(occasion));
                awaited.times > before
            }
            Occasion::QueueAbove(_) | Occasion::KvAbove(_) => {
                let before = std::mem::replace(&mut awaited.above, self.is_above(occasion));
                awaited.above && !before
            }
        }
    }

    /// How often an occasion that is not a fact of the engine has happened so far.
    fn times_of(&self, occasion: Occasion) -> u64 {
        let anomalies = |wanted: Option<AnomalyKind>| {
            let counts = self.recorder.detectors.iter().flat_map(|d| d.counts());
            counts.filter(|(kind, _)| wanted.is_none_or(|w| w == *kind)).map(|(_, n)| u64::from(n)).sum()
        };
        let edits = || {
            let applied = &self.edits.all()[..self.edits.applied()];
            applied.iter().filter(|edit| !edit.off).count() as u64
        };
        match occasion {
            Occasion::AnyAnomaly | Occasion::Event(EventKind::Anomaly) => anomalies(None),
            Occasion::Anomaly(kind) => anomalies(Some(kind)),
            Occasion::Edit | Occasion::Event(EventKind::Edit) => edits(),
            Occasion::Preemption
            | Occasion::Missed
            | Occasion::Refusal
            | Occasion::QueueAbove(_)
            | Occasion::KvAbove(_)
            | Occasion::Event(_)
            | Occasion::Transfer
            | Occasion::Landing
            | Occasion::Request(_) => 0,
        }
    }

    /// Whether a number is exceeded on any replica.
    fn is_above(&self, occasion: Occasion) -> bool {
        let mut replicas = self.engine.replicas().iter();
        match occasion {
            Occasion::QueueAbove(most) => replicas.any(|r| r.waiting() > most),
            Occasion::KvAbove(percent) => {
                replicas.any(|r| f64::from(r.kv().used()) * 100.0 > percent * f64::from(r.kv().total()))
            }
            Occasion::Preemption
            | Occasion::Missed
            | Occasion::Refusal
            | Occasion::AnyAnomaly
            | Occasion::Anomaly(_)
            | Occasion::Event(_)
            | Occasion::Request(_)
            | Occasion::Transfer
            | Occasion::Landing
            | Occasion::Edit => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_choice_is_an_occasion_and_every_occasion_a_choice() {
        for choice in Occasion::CHOICES {
            let value = match choice.takes {
                Takes::Nothing => json!(choice.name),
                Takes::Count | Takes::Request => json!({ choice.name: 7 }),
                Takes::Percent => json!({ choice.name: 95.5 }),
                Takes::AnomalyKind => json!({ choice.name: "livelock" }),
                Takes::EventKind => json!({ choice.name: "dropped" }),
            };
            let found: Result<Occasion, _> = serde_json::from_value(value);
            assert!(found.is_ok(), "{}: {found:?}", choice.name);
        }
        let error = serde_json::from_value::<Occasion>(json!("none of them")).expect_err("no occasion");
        let known = error.to_string().matches('`').count() / 2 - 1;
        assert_eq!(known, Occasion::CHOICES.len(), "{error}");
    }
}
