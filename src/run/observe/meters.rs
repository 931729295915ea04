//! What each replica did in the measurement window, integrated over time from the stream of facts: how long it existed and
//! was busy, and the areas under its queue, batch and KV use.

mod handover;
mod moving;
mod ports;

use crate::observe::trips::Trips;
use base::multiply::area;
use base::stats::Coverage;
use base::{Micros, Period, ReplicaId, RequestId, Span};
use engine::{Fact, FaultFact, FleetFact, ReplicaFact, RequestFact};
pub(crate) use moving::MovingAreas;
use moving::MovingBlocks;
use ports::PortMeter;
pub(crate) use ports::{PortReading, within};
use serde::{Deserialize, Serialize};

/// A step of the engine as it began; its counts hold until it ends or the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MeteredStep {
    began: Micros,
    span: Span,
    running: u32,
    kv_used: u32,
    /// Of these, blocks of requests between their prefill replica and their home.
    kv_moving: u32,
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
    /// The part of `kv_area` that is of requests between their prefill replica and their home.
    kv_moving_area: u128,
    moving: MovingBlocks,
    /// From it, and to it.
    ports: [PortMeter; 2],
    /// Its prices in US dollars per hour before the present one, each with the instant up to which it held.
    prices: Vec<(Micros, Option<f64>)>,
}

/// All replicas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Meters {
    replicas: Vec<Meter>,
    /// Requests that have arrived and have not left.
    system: Presence,
    /// Requests that are not all at their home.
    trips: Trips,
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
    /// KV blocks in use while a step runs, times microseconds.
    pub(crate) kv_area: u128,
    /// The part of it that is not of requests between their prefill replica and their home.
    pub(crate) kv_running_area: u128,
    /// Blocks of requests between their prefill replica and their home, times microseconds, whether a step runs or not.
    pub(crate) moving: MovingAreas,
    /// From it, and to it.
    pub(crate) ports: [PortReading; 2],
}

/// Microseconds in an hour.
const US_PER_HOUR: f64 = 3.6e9;

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
            kv_moving_area: 0,
            moving: MovingBlocks::new(now),
            ports: [PortMeter::default(); 2],
            prices: Vec::new(),
        }
    }

    /// Drops everything before `from`; no fact is later than `from` yet.
    fn restart(&mut self, from: Micros) {
        self.waiting_since = from;
        self.waiting_area = 0;
        self.busy_before = self.busy.before(from);
        (self.running_area, self.kv_area, self.kv_moving_area) = (0, 0, 0);
        self.moving.restart(from);
        for port in &mut self.ports {
            port.restart(from);
        }
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

    /// What the latest step adds before `end` to the areas under batch, KV use and the part of it that is moving.
    fn of_step(&self, end: Micros) -> [u128; 3] {
        let Some(step) = &self.step else { return [0; 3] };
        let us = step.span.0.min(end.0.saturating_sub(step.began.0));
        [step.running, step.kv_used, step.kv_moving].map(|count| area(count, us))
    }

    /// The running step ends before its time.
    fn cut_step(&mut self, now: Micros) {
        if let Some(step) = &mut self.step {
            step.span = step.span.min(Span(now.0.saturating_sub(step.began.0)));
        }
        self.busy.cut(now);
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
        Self { replicas, system: Presence::default(), trips: Trips::default(), from: Micros::ZERO }
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
            Fact::Handover(fact) => self.handover(now, fact),
            Fact::Fault(fact) => self.fault(now, fact),
            Fact::Cache(_) => {}
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
            RequestFact::Dropped { request, replica, waiting, .. } => {
                self.unfinished(request, replica, waiting, now);
            }
            RequestFact::Completed { request, replica, .. }
            | RequestFact::Rejected { request, replica: Some(replica), .. } => {
                self.leaves(request, replica, now);
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
                let [running_area, kv_area, kv_moving_area] = m.of_step(now);
                m.running_area += running_area;
                m.kv_area += kv_area;
                m.kv_moving_area += kv_moving_area;
                m.busy.add(now, span);
                let kv_moving = m.moving.blocks().min(kv_used);
                m.step = Some(MeteredStep { began: now, span, running, kv_used, kv_moving });
            }
            ReplicaFact::StepEnded { .. } | ReplicaFact::Tokens { .. } => {}
        }
    }

    fn fleet(&mut self, now: Micros, fact: FleetFact) {
        match fact {
            FleetFact::Redirected { request, replica, waiting, .. } => {
                self.unfinished(request, replica, waiting, now);
            }
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

    /// Time that a replica is down counts as its existence: it is paid for.
    #[cold]
    fn fault(&mut self, now: Micros, fact: FaultFact) {
        match fact {
            FaultFact::Broken { request, replica: Some(replica), waiting, .. } => {
                self.unfinished(request, replica, waiting, now);
            }
            FaultFact::Lost { .. } => self.system.goes(now),
            FaultFact::Down { replica, planned, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, 0);
                m.cut_step(now);
                // It has drained to be restarted, not to leave.
                if planned {
                    m.come_back(now);
                }
            }
            FaultFact::Broken { replica: None, .. }
            | FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. }
            | FaultFact::CameAgain { .. }
            | FaultFact::Retried { .. } => {}
        }
    }

    /// A request leaves a replica unfinished; `waiting` others wait there.
    fn unfinished(&mut self, request: RequestId, replica: ReplicaId, waiting: u32, now: Micros) {
        self.replicas[replica.index()].set_waiting(now, waiting);
        self.leaves(request, replica, now);
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
        self.usd_between(replica, Period { from: self.from, to: end }, usd_per_hour)
    }

    /// The same over another period.
    pub(crate) fn usd_between(
        &self,
        replica: usize,
        Period { mut from, to }: Period,
        usd_per_hour: Option<f64>,
    ) -> Option<f64> {
        let meter = &self.replicas[replica];
        let mut usd = Some(0.0);
        for &(until, price) in &meter.prices {
            let until = until.min(to).max(from);
            let up_us = meter.up_us(from, until);
            if up_us > 0 {
                usd = usd.zip(price).map(|(usd, price)| usd + price * up_us as f64 / US_PER_HOUR);
            }
            from = until;
        }
        let up_us = meter.up_us(from, to);
        usd.zip(usd_per_hour).map(|(usd, price)| usd + price * up_us as f64 / US_PER_HOUR)
    }

    /// How long a replica existed in a period, in microseconds.
    pub(crate) fn up_between(&self, replica: usize, period: Period) -> u64 {
        self.replicas[replica].up_us(period.from, period.to)
    }

    /// Whether a replica existed at any time in a period.
    pub(crate) fn existed(&self, replica: usize, period: Period) -> bool {
        self.up_between(replica, period) > 0
    }

    /// The bytes of its list of requests on their way that are not shared with `later`.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.trips.bytes_beside(later.map(|l| &l.trips))
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
            let [running_area, kv_area, kv_moving_area] = m.of_step(end);
            let kv_area = m.kv_area + kv_area;
            Reading {
                up_us: m.up_us(self.from, end),
                busy_us: m.busy.before(end).saturating_sub(m.busy_before),
                waiting_area: m.waiting_area + area(m.waiting, end.0.saturating_sub(m.waiting_since.0)),
                running_area: m.running_area + running_area,
                kv_area,
                kv_running_area: kv_area - (m.kv_moving_area + kv_moving_area),
                moving: m.moving.read(end),
                ports: m.ports.map(|port| port.read(end)),
            }
        };
        self.replicas.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests;
