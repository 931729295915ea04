//! What each replica did in the measured stretch, integrated over time from the stream of facts: how long it existed and
//! was busy, and the areas under its queue, batch and KV use.

use crate::base::{Micros, Span};
use crate::engine::Fact;
use serde::{Deserialize, Serialize};

/// A step as it began; its counts hold until it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    began: Micros,
    span: Span,
    running: u32,
    kv_used: u32,
}

/// One replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Meter {
    /// Since when it exists; `None` once it is gone.
    up_since: Option<Micros>,
    up_us: u64,
    draining: bool,
    in_flight: u32,
    waiting: u32,
    waiting_since: Micros,
    waiting_area: u64,
    step: Option<Step>,
    busy_us: u64,
    running_area: u64,
    kv_area: u64,
}

/// All replicas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Meters {
    replicas: Vec<Meter>,
}

/// One replica over the measured stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// How long it existed: from when it was added until it was drained and empty.
    pub(super) up_us: u64,
    /// How long a step ran.
    pub(super) busy_us: u64,
    /// Requests waiting, times microseconds.
    pub(super) waiting_area: u64,
    /// Requests in the batch, times microseconds.
    pub(super) running_area: u64,
    /// KV blocks in use, times microseconds.
    pub(super) kv_area: u64,
}

impl Meter {
    fn new(now: Micros) -> Self {
        Self {
            up_since: Some(now),
            up_us: 0,
            draining: false,
            in_flight: 0,
            waiting: 0,
            waiting_since: now,
            waiting_area: 0,
            step: None,
            busy_us: 0,
            running_area: 0,
            kv_area: 0,
        }
    }

    /// Forgets everything before `from`, which no fact has passed.
    fn restart(&mut self, from: Micros) {
        self.up_us = 0;
        self.up_since = self.up_since.map(|since| since.max(from));
        self.waiting_since = from;
        self.waiting_area = 0;
        (self.busy_us, self.running_area, self.kv_area) = (0, 0, 0);
        if let Some(step) = &mut self.step {
            let end = (step.began + step.span).max(from);
            step.began = step.began.max(from);
            step.span = end.since(step.began);
        }
    }

    fn set_waiting(&mut self, now: Micros, waiting: u32) {
        self.waiting_area += u64::from(self.waiting) * now.since(self.waiting_since).0;
        self.waiting_since = now;
        self.waiting = waiting;
    }

    /// Adds the latest step, as far as it lies before `end`.
    fn settle(&mut self, end: Micros) {
        let Some(step) = self.step.take() else { return };
        let us = step.span.0.min(end.0.saturating_sub(step.began.0));
        self.busy_us += us;
        self.running_area += u64::from(step.running) * us;
        self.kv_area += u64::from(step.kv_used) * us;
    }

    fn left(&mut self, now: Micros) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.go_if_empty(now);
    }

    fn go_if_empty(&mut self, now: Micros) {
        if self.draining
            && self.in_flight == 0
            && let Some(since) = self.up_since.take()
        {
            self.up_us += now.since(since).0;
        }
    }
}

impl Meters {
    /// A fleet of `replicas` that exist from the start.
    pub(super) fn new(replicas: usize) -> Self {
        Self { replicas: vec![Meter::new(Micros::ZERO); replicas] }
    }

    /// The measured stretch begins at `from`: what came before does not count.
    pub(super) fn restart(&mut self, from: Micros) {
        for meter in &mut self.replicas {
            meter.restart(from);
        }
    }

    pub(super) fn fact(&mut self, now: Micros, fact: &Fact) {
        match *fact {
            Fact::Routed { replica, .. } => self.replicas[replica.index()].in_flight += 1,
            Fact::Queued { replica, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, m.waiting + 1);
            }
            Fact::StepStarted { replica, span, running, waiting, kv_used, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, waiting);
                m.settle(Micros::MAX);
                m.step = Some(Step { began: now, span, running, kv_used });
            }
            Fact::Dropped { replica, waiting, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, waiting);
                m.left(now);
            }
            Fact::Completed { replica, .. } => self.replicas[replica.index()].left(now),
            Fact::Serving { replica, .. } => self.serving(replica.index(), now),
            Fact::Draining { replica } => {
                let m = &mut self.replicas[replica.index()];
                m.draining = true;
                m.go_if_empty(now);
            }
            _ => {}
        }
    }

    fn serving(&mut self, index: usize, now: Micros) {
        if index == self.replicas.len() {
            self.replicas.push(Meter::new(now));
            return;
        }
        let m = &mut self.replicas[index];
        m.draining = false;
        m.up_since = m.up_since.or(Some(now));
    }

    /// Each replica over the measured stretch until `end`.
    pub(super) fn read(&self, end: Micros) -> Vec<Reading> {
        let read = |m: &Meter| {
            let mut m = *m;
            m.settle(end);
            let since = |t: Micros| end.0.saturating_sub(t.0);
            Reading {
                up_us: m.up_us + m.up_since.map_or(0, since),
                busy_us: m.busy_us,
                waiting_area: m.waiting_area + u64::from(m.waiting) * since(m.waiting_since),
                running_area: m.running_area,
                kv_area: m.kv_area,
            }
        };
        self.replicas.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{ReplicaId, RequestId};

    const R: ReplicaId = ReplicaId(0);

    fn step(span: u64, running: u32, waiting: u32, kv_used: u32) -> Fact {
        Fact::StepStarted { replica: R, span: Span(span), prefill: 0, decode: 0, running, waiting, kv_used }
    }

    fn queued() -> Fact {
        Fact::Queued { request: RequestId(0), replica: R, class: 0, urgency: 0 }
    }

    #[test]
    fn areas_are_those_under_the_curves() {
        let mut m = Meters::new(1);
        m.fact(Micros(10), &queued());
        m.fact(Micros(20), &step(50, 1, 0, 7));
        m.fact(Micros(30), &queued());
        let r = m.read(Micros(40))[0];
        assert_eq!((r.up_us, r.busy_us, r.waiting_area), (40, 20, 10 + 10));
        assert_eq!((r.running_area, r.kv_area), (20, 140));
        m.fact(Micros(70), &step(30, 2, 0, 9));
        let r = m.read(Micros(200))[0];
        assert_eq!((r.busy_us, r.waiting_area, r.running_area), (80, 50, 50 + 60));
    }

    #[test]
    fn what_lies_before_the_stretch_does_not_count() {
        let mut m = Meters::new(1);
        m.fact(Micros(0), &queued());
        m.fact(Micros(0), &step(100, 3, 2, 5));
        m.restart(Micros(60));
        let r = m.read(Micros(100))[0];
        assert_eq!((r.up_us, r.busy_us, r.waiting_area, r.running_area, r.kv_area), (40, 40, 80, 120, 200));
    }

    #[test]
    fn a_replica_exists_until_it_is_drained_and_empty() {
        let mut m = Meters::new(1);
        let request = RequestId(0);
        m.fact(Micros(5), &Fact::Serving { replica: ReplicaId(1), pool: 0 });
        m.fact(Micros(6), &Fact::Routed { request, replica: R });
        m.fact(Micros(10), &Fact::Draining { replica: R });
        let done = Fact::Completed { request, replica: R, class: 0, ttft: Span(1), e2e: Span(2), tokens: 1 };
        m.fact(Micros(25), &done);
        m.fact(Micros(40), &Fact::Serving { replica: R, pool: 0 });
        let up: Vec<u64> = m.read(Micros(100)).iter().map(|r| r.up_us).collect();
        assert_eq!(up, [25 + 60, 95]);
    }
}
