//! What each replica did in the measurement window, integrated over time from the stream of facts: how long it existed and
//! was busy, and the areas under its queue, batch and KV use.

use crate::base::multiply::wide_product;
use crate::base::{Micros, ReplicaId, Span};
use crate::engine::{Fact, FleetFact, ReplicaFact, RequestFact};
use crate::stats::Coverage;
use serde::{Deserialize, Serialize};

/// A step of the engine as it began; its counts hold until it ends or the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MeteredStep {
    began: Micros,
    span: Span,
    running: u32,
    kv_used: u32,
}

/// The requests present somewhere, from the start of the run: the two sides of Little's law. The integral of their
/// number is updated at every change; the times of the requests come from their instants of entering and leaving.
/// Both are exact, so they are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// How many requests entered.
    pub(crate) came: u32,
    inside: u32,
    since: Micros,
    area: u128,
    /// Sums of the instants at which they entered and left.
    coming: u128,
    going: u128,
}

impl Presence {
    fn change(&mut self, now: Micros) {
        self.area += area(self.inside, now.since(self.since).0);
        self.since = now;
    }

    fn comes(&mut self, now: Micros) {
        self.change(now);
        self.came += 1;
        self.inside += 1;
        self.coming += u128::from(now.0);
    }

    fn goes(&mut self, now: Micros) {
        self.change(now);
        self.inside = self.inside.saturating_sub(1);
        self.going += u128::from(now.0);
    }

    /// Up to `now`: how many are present, the integral of their number, and the total time of all requests, those
    /// still present included; both in request-microseconds.
    pub(crate) fn read(&self, now: Micros) -> (u32, u128, u128) {
        let number = self.area + area(self.inside, now.0.saturating_sub(self.since.0));
        (self.inside, number, (self.going + area(self.inside, now.0)).saturating_sub(self.coming))
    }
}

/// One replica. Areas are wide: the largest cache in use for as long as the clock runs is 2^74 block-microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Meter {
    /// The intervals in which it existed, in order; the last has no end while it does.
    existed: Vec<(Micros, Option<Micros>)>,
    draining: bool,
    /// Requests sent to it that have not left it.
    presence: Presence,
    waiting: u32,
    waiting_since: Micros,
    waiting_area: u128,
    step: Option<MeteredStep>,
    /// The steps it ran, and how much of them lies before the measurement window.
    busy: Coverage,
    busy_before: u64,
    running_area: u128,
    kv_area: u128,
    /// Its prices in US dollars per hour before the present one, each with the instant up to which it held.
    prices: Vec<(Micros, Option<f64>)>,
}

/// All replicas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Meters {
    replicas: Vec<Meter>,
    /// Requests that have arrived and have not left.
    system: Presence,
    /// Where the measurement window begins.
    from: Micros,
}

/// One replica over the measurement window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// How long it existed: from when it was added until it was drained and empty.
    pub(crate) up_us: u64,
    /// How long at least one step ran.
    pub(crate) busy_us: u64,
    /// Requests waiting, times microseconds.
    pub(crate) waiting_area: u128,
    /// Requests in the batch, times microseconds.
    pub(crate) running_area: u128,
    /// KV blocks in use, times microseconds.
    pub(crate) kv_area: u128,
}

/// Microseconds in an hour.
const US_PER_HOUR: f64 = 3.6e9;

/// A count that held for some microseconds.
fn area(count: u32, us: u64) -> u128 {
    wide_product(us, count.into())
}

impl Meter {
    fn new(now: Micros) -> Self {
        Self {
            existed: vec![(now, None)],
            draining: false,
            presence: Presence::default(),
            waiting: 0,
            waiting_since: now,
            waiting_area: 0,
            step: None,
            busy: Coverage::default(),
            busy_before: 0,
            running_area: 0,
            kv_area: 0,
            prices: Vec::new(),
        }
    }

    /// Drops everything before `from`; no fact is later than `from` yet.
    fn restart(&mut self, from: Micros) {
        self.waiting_since = from;
        self.waiting_area = 0;
        self.busy_before = self.busy.before(from);
        (self.running_area, self.kv_area) = (0, 0);
        if let Some(step) = &mut self.step {
            let end = step.began.saturating_add(step.span).max(from);
            step.began = step.began.max(from);
            step.span = end.since(step.began);
        }
    }

    fn set_waiting(&mut self, now: Micros, waiting: u32) {
        self.waiting_area += area(self.waiting, now.since(self.waiting_since).0);
        self.waiting_since = now;
        self.waiting = waiting;
    }

    /// What the latest step adds before `end` to the areas under batch and KV use.
    fn of_step(&self, end: Micros) -> (u128, u128) {
        let Some(step) = &self.step else { return (0, 0) };
        let us = step.span.0.min(end.0.saturating_sub(step.began.0));
        (area(step.running, us), area(step.kv_used, us))
    }

    fn left(&mut self, now: Micros) {
        self.presence.goes(now);
        self.go_if_empty(now);
    }

    /// Ends a draining replica once it is empty and its last step is over.
    fn go_if_empty(&mut self, now: Micros) {
        if self.draining
            && self.presence.inside == 0
            && let Some((_, end @ None)) = self.existed.last_mut()
        {
            *end = Some(now.max(self.busy.until()));
        }
    }

    /// Ends its existence.
    fn end(&mut self, now: Micros) {
        if let Some((_, end @ None)) = self.existed.last_mut() {
            *end = Some(now);
        }
    }

    fn come_back(&mut self, now: Micros) {
        self.draining = false;
        if let Some((_, end @ Some(_))) = self.existed.last_mut() {
            if end.is_some_and(|end| end >= now) {
                *end = None;
            } else {
                self.existed.push((now, None));
            }
        }
    }

    /// How long it existed between two instants.
    fn up_us(&self, from: Micros, to: Micros) -> u64 {
        let within = |&(since, end): &(Micros, Option<Micros>)| {
            let end = end.unwrap_or(Micros::MAX).min(to);
            end.0.saturating_sub(since.max(from).0)
        };
        self.existed.iter().map(within).sum()
    }
}

impl Meters {
    /// A fleet of `replicas` that exist from the start.
    pub(crate) fn new(replicas: usize) -> Self {
        let replicas = vec![Meter::new(Micros::ZERO); replicas];
        Self { replicas, system: Presence::default(), from: Micros::ZERO }
    }

    /// Starts the measurement window at `from`: earlier values do not count.
    pub(crate) fn restart(&mut self, from: Micros) {
        self.from = from;
        for meter in &mut self.replicas {
            meter.restart(from);
        }
    }

    pub(crate) fn fact(&mut self, now: Micros, fact: &Fact) {
        match *fact {
            Fact::Request(fact) => self.request(now, fact),
            Fact::Replica(fact) => self.replica(now, fact),
            Fact::Fleet(fact) => self.fleet(now, fact),
            Fact::Cache(_) | Fact::Handover(_) => {}
        }
    }

    fn request(&mut self, now: Micros, fact: RequestFact) {
        if let RequestFact::Dropped { .. } | RequestFact::Completed { .. } | RequestFact::Rejected { .. } =
            fact
        {
            self.system.goes(now);
        }
        match fact {
            RequestFact::Arrived { .. } => self.system.comes(now),
            RequestFact::Routed { replica, .. } => self.replicas[replica.index()].presence.comes(now),
            RequestFact::Queued { replica, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, m.waiting + 1);
            }
            RequestFact::Dropped { replica, waiting, .. } => self.unfinished(replica, waiting, now),
            RequestFact::Completed { replica, .. } | RequestFact::Rejected { replica: Some(replica), .. } => {
                self.replicas[replica.index()].left(now);
            }
            RequestFact::Rejected { replica: None, .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Scheduled { .. }
            | RequestFact::Prefilled { .. }
            | RequestFact::FirstToken { .. }
            | RequestFact::Preempted { .. } => {}
        }
    }

    fn replica(&mut self, now: Micros, fact: ReplicaFact) {
        match fact {
            ReplicaFact::StepStarted { replica, span, running, waiting, kv_used, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, waiting);
                let (running_area, kv_area) = m.of_step(now);
                m.running_area += running_area;
                m.kv_area += kv_area;
                m.busy.add(now, span);
                m.step = Some(MeteredStep { began: now, span, running, kv_used });
            }
            ReplicaFact::StepEnded { .. } | ReplicaFact::Tokens { .. } => {}
        }
    }

    fn fleet(&mut self, now: Micros, fact: FleetFact) {
        match fact {
            FleetFact::Redirected { replica, waiting, .. } => self.unfinished(replica, waiting, now),
            FleetFact::Starting { replica, .. } | FleetFact::Serving { replica, .. } => {
                self.exists(replica.index(), now);
            }
            FleetFact::StartGivenUp { replica } => self.replicas[replica.index()].end(now),
            FleetFact::Draining { replica } => {
                let m = &mut self.replicas[replica.index()];
                m.draining = true;
                m.go_if_empty(now);
            }
            FleetFact::Scaled { .. } | FleetFact::Cold { .. } | FleetFact::Warm { .. } => {}
        }
    }

    /// A request leaves a replica unfinished; `waiting` others wait there.
    fn unfinished(&mut self, replica: ReplicaId, waiting: u32, now: Micros) {
        let m = &mut self.replicas[replica.index()];
        m.set_waiting(now, waiting);
        m.left(now);
    }

    fn exists(&mut self, index: usize, now: Micros) {
        if index == self.replicas.len() {
            self.replicas.push(Meter::new(now));
            return;
        }
        self.replicas[index].come_back(now);
    }

    /// Changes the price of a replica from `now` on.
    pub(crate) fn reprice(&mut self, replica: usize, now: Micros, before: Option<f64>) {
        self.replicas[replica].prices.push((now, before));
    }

    /// Cost of a replica in US dollars for its existence in the measurement window until `end`, each hour at the
    /// price of that time; `None` without a price.
    pub(crate) fn usd(&self, replica: usize, end: Micros, usd_per_hour: Option<f64>) -> Option<f64> {
        self.usd_between(replica, [self.from, end], usd_per_hour)
    }

    /// The same between two instants.
    pub(crate) fn usd_between(
        &self,
        replica: usize,
        [mut from, end]: [Micros; 2],
        usd_per_hour: Option<f64>,
    ) -> Option<f64> {
        let meter = &self.replicas[replica];
        let mut usd = Some(0.0);
        for &(until, price) in &meter.prices {
            let until = until.min(end).max(from);
            let up_us = meter.up_us(from, until);
            if up_us > 0 {
                usd = usd.zip(price).map(|(usd, price)| usd + price * up_us as f64 / US_PER_HOUR);
            }
            from = until;
        }
        let up_us = meter.up_us(from, end);
        usd.zip(usd_per_hour).map(|(usd, price)| usd + price * up_us as f64 / US_PER_HOUR)
    }

    /// Whether a replica existed at any time between two instants.
    pub(crate) fn existed(&self, replica: usize, [from, end]: [Micros; 2]) -> bool {
        self.replicas[replica].up_us(from, end) > 0
    }

    /// The requests in the whole system; then, for each replica, since when it exists and its requests.
    pub(crate) fn presence(&self) -> impl Iterator<Item = (Micros, &Presence)> {
        let each = self.replicas.iter().map(|m| (m.existed[0].0, &m.presence));
        std::iter::once((Micros::ZERO, &self.system)).chain(each)
    }

    /// By replica: when it ceased to exist, until it came back.
    pub(crate) fn ends(&self) -> Vec<Vec<Micros>> {
        let ends = |m: &Meter| {
            let last = m.existed.last().and_then(|(_, end)| *end);
            last.into_iter().collect()
        };
        self.replicas.iter().map(ends).collect()
    }

    /// Each replica over the measurement window until `end`.
    pub(crate) fn read(&self, end: Micros) -> Vec<Reading> {
        let read = |m: &Meter| {
            let (running_area, kv_area) = m.of_step(end);
            Reading {
                up_us: m.up_us(self.from, end),
                busy_us: m.busy.before(end).saturating_sub(m.busy_before),
                waiting_area: m.waiting_area + area(m.waiting, end.0.saturating_sub(m.waiting_since.0)),
                running_area: m.running_area + running_area,
                kv_area: m.kv_area + kv_area,
            }
        };
        self.replicas.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::RequestId;

    const R: ReplicaId = ReplicaId(0);

    fn step(span: u64, running: u32, waiting: u32, kv_used: u32) -> Fact {
        Fact::Replica(ReplicaFact::StepStarted {
            replica: R,
            span: Span(span),
            prefill: 0,
            decode: 0,
            running,
            waiting,
            kv_used,
        })
    }

    fn queued() -> Fact {
        Fact::Request(RequestFact::Queued { request: RequestId(0), replica: R, class: 0, urgency: 0 })
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
    fn what_lies_before_the_measurement_window_does_not_count() {
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
        m.fact(Micros(5), &Fact::Fleet(FleetFact::Serving { replica: ReplicaId(1), pool: 0 }));
        m.fact(Micros(6), &Fact::Request(RequestFact::Routed { request, replica: R }));
        m.fact(Micros(10), &Fact::Fleet(FleetFact::Draining { replica: R }));
        let done = Fact::Request(RequestFact::Completed {
            request,
            replica: R,
            class: 0,
            ttft: Span(1),
            e2e: Span(2),
            tokens: 1,
        });
        m.fact(Micros(25), &done);
        m.fact(Micros(40), &Fact::Fleet(FleetFact::Serving { replica: R, pool: 0 }));
        let up = |m: &Meters, end| -> Vec<u64> { m.read(Micros(end)).iter().map(|r| r.up_us).collect() };
        assert_eq!(up(&m, 100), [25 + 60, 95]);
        // What an edit did after an instant does not count up to it.
        assert_eq!([up(&m, 30), up(&m, 3)], [[25, 25], [3, 0]]);
    }

    #[test]
    fn hours_cost_what_they_cost_when_they_passed() {
        let hour = 3_600_000_000;
        let mut m = Meters::new(1);
        let usd = |m: &Meters, hours: u64, price| m.usd(0, Micros(hours * hour), price);
        assert_eq!(usd(&m, 3, Some(2.0)), Some(6.0));
        assert_eq!(usd(&m, 3, None), None);
        m.reprice(0, Micros(2 * hour), Some(2.0));
        assert_eq!([1, 2, 5].map(|hours| usd(&m, hours, Some(10.0))), [Some(2.0), Some(4.0), Some(34.0)]);
        m.restart(Micros(hour));
        assert_eq!(usd(&m, 5, Some(10.0)), Some(32.0));
        // Hours without a known price make the sum unknown, unless they lie before the window.
        m.reprice(0, Micros(3 * hour), None);
        assert_eq!(usd(&m, 5, Some(1.0)), None);
        m.restart(Micros(4 * hour));
        assert_eq!(usd(&m, 5, Some(1.0)), Some(1.0));
    }

    #[test]
    fn overlapping_steps_are_busy_once_and_last_as_long_as_their_replica() {
        let mut m = Meters::new(1);
        m.fact(Micros(0), &Fact::Request(RequestFact::Routed { request: RequestId(0), replica: R }));
        m.fact(Micros(10), &step(50, 1, 0, 7));
        // Its only request is done at once, so the next one need not wait.
        let done = |e2e| {
            Fact::Request(RequestFact::Completed {
                request: RequestId(0),
                replica: R,
                class: 0,
                ttft: Span(1),
                e2e: Span(e2e),
                tokens: 1,
            })
        };
        m.fact(Micros(10), &done(50));
        m.fact(Micros(20), &Fact::Request(RequestFact::Routed { request: RequestId(1), replica: R }));
        m.fact(Micros(20), &step(60, 2, 0, 9));
        m.fact(Micros(20), &Fact::Fleet(FleetFact::Draining { replica: R }));
        m.fact(Micros(20), &done(60));
        let r = m.read(Micros(100))[0];
        assert_eq!((r.up_us, r.busy_us, r.running_area), (80, 70, 10 + 2 * 60));
        let r = m.read(Micros(40))[0];
        assert_eq!((r.up_us, r.busy_us, r.running_area), (40, 30, 10 + 2 * 20));
        // It comes back before its last step is over: it was never away.
        m.fact(Micros(70), &Fact::Fleet(FleetFact::Serving { replica: R, pool: 0 }));
        assert_eq!(m.read(Micros(100))[0].up_us, 100);
    }

    #[test]
    fn the_largest_counts_for_the_longest_time_add_up() {
        let mut m = Meters::new(1);
        let long = Micros::END.0 / 4;
        for k in 0..4 {
            m.fact(Micros(k * long), &step(long, u32::MAX, u32::MAX, u32::MAX));
        }
        let r = m.read(Micros::END)[0];
        let most = u128::from(u32::MAX) << 52;
        assert_eq!((r.kv_area, r.running_area, r.waiting_area), (most, most, most));
    }
}
