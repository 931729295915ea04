//! Transfers under way, in whole numbers: exact on every platform, whenever they are settled.
//!
//! A port is shared equally by the transfers that use it, and a transfer gets the smaller of its two shares. What that leaves of
//! the other port is not given to others, so a port never carries more than it can, and a change touches only transfers that
//! share a port with the one that begins or lands.

use super::Port;
use base::queue::Queue;
use base::{Micros, ReplicaId, RequestId, Span};
use document::limits;
use serde::{Deserialize, Serialize};

/// Bytes per second times microseconds are millionths of bytes.
const MILLIONTHS: i128 = 1_000_000;

/// What a transfer does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum NetworkEvent {
    /// All bytes are there.
    Lands,
    /// The first byte moves.
    Flows,
    /// It has taken too long.
    TimesOut,
}

/// From a replica, or to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// From the replica.
    Out,
    /// To the replica.
    In,
}

/// The KV of one request that is to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shipment {
    pub(crate) request: RequestId,
    pub(crate) from: ReplicaId,
    pub(crate) to: ReplicaId,
    pub(crate) bytes: u64,
    /// Bytes of these that have left before.
    pub(crate) early: u64,
}

/// The KV of one request on its way from its prefill replica to its home.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Its number, in order of start.
    pub number: u32,
    /// The request.
    pub request: RequestId,
    /// Its prefill replica.
    pub from: ReplicaId,
    /// Its home.
    pub to: ReplicaId,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes that left while the prefill ran.
    pub early: u64,
    /// When it started.
    pub start: Micros,
    /// When its first byte moved; none before.
    pub flows_since: Option<Micros>,
    /// Bytes per second now; 0 before the first byte.
    pub bytes_per_s: u64,
    /// Millionths of bytes that were left when it was last settled.
    left: i128,
    settled: Micros,
    /// When it does what next.
    next: (Micros, NetworkEvent),
    /// When it has taken too long; [`Micros::MAX`] for never.
    deadline: Micros,
}

impl Transfer {
    /// Bytes that are there at `now`, with those that left early.
    pub fn arrived(&self, now: Micros) -> u64 {
        // A fault after the last event of a run settles it later than that.
        let since = now.max(self.settled).since(self.settled);
        let left = self.left - i128::from(self.bytes_per_s) * i128::from(since.0);
        // A byte that is on its way is not there.
        let left = (left.max(0) + MILLIONTHS - 1) / MILLIONTHS;
        self.bytes - left as u64
    }

    /// When it lands, if no other transfer begins or ends on its ports before; none before its first byte.
    pub fn lands_at(&self) -> Option<Micros> {
        (self.next.1 == NetworkEvent::Lands && self.next.0 < Micros::MAX).then_some(self.next.0)
    }

    /// What it does next, if nothing else happens: this, or it has taken too long by then.
    fn before_deadline(&self, next: (Micros, NetworkEvent)) -> (Micros, NetworkEvent) {
        if next.0 <= self.deadline { next } else { (self.deadline, NetworkEvent::TimesOut) }
    }

    fn settle(&mut self, now: Micros) {
        self.left -= i128::from(self.bytes_per_s) * i128::from(now.since(self.settled).0);
        self.settled = now;
    }
}

/// When a transfer that started then has taken too long.
fn deadline(start: Micros, timeout: Span) -> Micros {
    if timeout == Span::ZERO { Micros::MAX } else { start.saturating_add(timeout) }
}

/// What transfers go by.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rules {
    /// Bytes per second of the network port of one GPU in each direction.
    pub(crate) gpu_bytes_per_s: u64,
    /// Bytes of one token, in place of those that follow from the model.
    pub(crate) kv_bytes: Option<u64>,
    /// Share of the bytes that leaves while the prefill runs.
    pub(crate) overlap_share: f64,
}

/// The ports of all replicas, and the transfers between them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Network {
    pub(crate) rules: Rules,
    shared: bool,
    base: Span,
    outbound: Vec<Port>,
    inbound: Vec<Port>,
    /// In order of number.
    under_way: Vec<Transfer>,
    started: u32,
    landed: u32,
    flowing: u32,
    peak_flows: u32,
    /// How long a transfer may take that starts now; 0 for ever.
    timeout: Span,
    /// What comes next of each; entries that no longer hold are passed over.
    next: Queue<(Micros, NetworkEvent, u32)>,
    /// Whether transfers began or ended since their number was passed on to flows of blocks.
    changed: bool,
}

impl Network {
    /// Adds the ports of a replica, with this speed in each direction.
    pub(crate) fn add(&mut self, bytes_per_s: u64) {
        self.outbound.push(Port::new(bytes_per_s));
        self.inbound.push(Port::new(bytes_per_s));
    }

    /// How many replicas have ports.
    pub(crate) fn replicas(&self) -> usize {
        self.outbound.len()
    }

    /// The ports of a replica in one direction.
    pub fn port(&self, replica: ReplicaId, direction: Direction) -> &Port {
        match direction {
            Direction::Out => &self.outbound[replica.index()],
            Direction::In => &self.inbound[replica.index()],
        }
    }

    /// Bytes that have flowed over a port up to `now`, without those that left early.
    pub fn flowed(&self, replica: ReplicaId, direction: Direction, now: Micros) -> u64 {
        let port = self.port(replica, direction);
        let so_far = |number: &u32| {
            let t = self.transfer(*number).expect("INV-9: a port with a transfer that is over");
            t.arrived(now) - t.early
        };
        port.flowed + port.flows.iter().map(so_far).sum::<u64>()
    }

    /// The sum of the times of the transfers over a port up to `now`, in microseconds: over a span it gives their mean number.
    pub fn flow_us(&self, replica: ReplicaId, direction: Direction, now: Micros) -> u64 {
        let port = self.port(replica, direction);
        let so_far = |number: &u32| {
            let since = self.transfer(*number).and_then(|t| t.flows_since);
            now.since(since.expect("INV-9: a port with a transfer that does not flow")).0
        };
        port.flow_us + port.flows.iter().map(so_far).sum::<u64>()
    }

    /// The transfers under way, in order of number.
    pub fn under_way(&self) -> &[Transfer] {
        &self.under_way
    }

    /// Transfers started so far, and of these landed.
    pub fn counts(&self) -> [u32; 2] {
        [self.started, self.landed]
    }

    /// Most transfers that flowed at one instant.
    pub fn peak_flows(&self) -> u32 {
        self.peak_flows
    }

    /// The transfers that neither land nor reach a time-out: their link carries nothing, or so little that they would be under way for
    /// longer than any run.
    pub fn stalled(&self) -> impl Iterator<Item = &Transfer> {
        self.under_way.iter().filter(|t| t.next.0 == Micros::MAX)
    }

    /// A transfer under way by its number.
    pub fn transfer(&self, number: u32) -> Option<&Transfer> {
        self.place(number).map(|at| &self.under_way[at])
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.under_way.binary_search_by_key(&number, |t| t.number).ok()
    }

    /// A transfer starts. Its number.
    pub(crate) fn start(&mut self, shipment: Shipment, now: Micros) -> u32 {
        let Shipment { request, from, to, bytes, early } = shipment;
        let number = self.started;
        self.started += 1;
        let mut transfer = Transfer {
            number,
            request,
            from,
            to,
            bytes,
            early,
            start: now,
            flows_since: None,
            bytes_per_s: 0,
            left: i128::from(bytes - early) * MILLIONTHS,
            settled: now,
            next: (now.saturating_add(self.base), NetworkEvent::Flows),
            deadline: deadline(now, self.timeout),
        };
        let next = transfer.before_deadline(transfer.next);
        transfer.next = next;
        self.under_way.push(transfer);
        self.next.push((next.0, next.1, number));
        number
    }

    /// Bytes of a transfer that have left when the prefill ends, which took `span`: as many as its share, and no more than the ports
    /// carry in that time.
    pub(crate) fn early(&self, bytes: u64, from: ReplicaId, to: ReplicaId, span: Span) -> u64 {
        let share = self.rules.overlap_share;
        if share == 0.0 {
            return 0;
        }
        let rate = self.outbound[from.index()].carries().min(self.inbound[to.index()].carries());
        let most = u128::from(rate) * u128::from(span.0) / MILLIONTHS.unsigned_abs();
        ((share * bytes as f64) as u64).min(u64::try_from(most).unwrap_or(u64::MAX))
    }

    /// When its next event runs, and what that is; [`Micros::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_event(&self) -> (Micros, NetworkEvent) {
        self.next.peek().map_or((Micros::MAX, NetworkEvent::Lands), |&(at, event, _)| (at, event))
    }

    /// Takes the next event: the transfer's number.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        let (.., number) = self.next.pop()?;
        Some(number)
    }

    /// The first byte of a transfer moves.
    pub(crate) fn begin(&mut self, number: u32, now: Micros) -> &Transfer {
        let at = self.place(number).expect("INV-9: a transfer that is over begins");
        let t = &mut self.under_way[at];
        (t.flows_since, t.settled) = (Some(now), now);
        let [from, to] = [t.from, t.to];
        self.outbound[from.index()].begin(number, now);
        self.inbound[to.index()].begin(number, now);
        self.changed = true;
        self.flowing += 1;
        self.peak_flows = self.peak_flows.max(self.flowing);
        self.rate_sharers(from, to, now);
        self.tidy();
        &self.under_way[at]
    }

    /// A transfer has landed.
    pub(crate) fn land(&mut self, number: u32, now: Micros) -> Transfer {
        let mut t = self.take(number);
        t.settle(now);
        assert!(t.left <= 0, "INV-9: {:?} landed with {} millionths of a byte left", t.request, t.left);
        self.outbound[t.from.index()].landed_bytes += t.bytes;
        self.inbound[t.to.index()].landed_bytes += t.bytes;
        self.landed += 1;
        self.stop_flow(&t, t.bytes - t.early, now);
        self.tidy();
        t
    }

    /// A transfer is given up.
    pub(crate) fn give_up(&mut self, number: u32, now: Micros) {
        let t = self.take(number);
        if t.flows_since.is_some() {
            let arrived = t.arrived(now) - t.early;
            self.stop_flow(&t, arrived, now);
        }
        self.tidy();
    }

    fn take(&mut self, number: u32) -> Transfer {
        let at = self.place(number).expect("INV-9: a transfer that is over ends");
        self.under_way.remove(at)
    }

    fn stop_flow(&mut self, t: &Transfer, flowed: u64, now: Micros) {
        let since = t.flows_since.expect("INV-9: a transfer ends that does not flow");
        self.changed = true;
        self.flowing -= 1;
        for port in [&mut self.outbound[t.from.index()], &mut self.inbound[t.to.index()]] {
            port.end(t.number, now);
            port.flowed += flowed;
            port.flow_us += now.since(since).0;
        }
        self.rate_sharers(t.from, t.to, now);
    }

    /// The transfers over either port have other shares from `now` on.
    fn rate_sharers(&mut self, from: ReplicaId, to: ReplicaId, now: Micros) {
        let [out, into] = [&self.outbound[from.index()].flows, &self.inbound[to.index()].flows];
        let others = into.iter().filter(|number| out.binary_search(number).is_err());
        let all: Vec<u32> = out.iter().chain(others).copied().collect();
        for number in all {
            self.rate(number, now);
        }
    }

    fn rate(&mut self, number: u32, now: Micros) {
        let at = self.place(number).expect("INV-9: a port with a transfer that is over");
        let t = &mut self.under_way[at];
        t.settle(now);
        let [up, down] = [&self.outbound[t.from.index()], &self.inbound[t.to.index()]];
        let stalls = up.carries() == 0 || down.carries() == 0;
        let rate = up.share(self.shared).min(down.share(self.shared)).max(u64::from(!stalls));
        t.bytes_per_s = if stalls { 0 } else { rate };
        let left = t.left.max(0);
        let span = match i128::from(t.bytes_per_s) {
            0 if left > 0 => None,
            0 => Some(0),
            rate => u64::try_from((left + rate - 1) / rate).ok().filter(|&us| us <= limits::HORIZON_US),
        };
        let lands_at = span.map_or(Micros::MAX, |us| now.saturating_add(Span(us)));
        let next = t.before_deadline((lands_at, NetworkEvent::Lands));
        if next != t.next {
            t.next = next;
            if next.0 < Micros::MAX {
                self.next.push((next.0, next.1, number));
            }
        }
    }

    /// The head of the queue of events holds, and stale ones do not pile up.
    fn tidy(&mut self) {
        while let Some(&(at, event, number)) = self.next.peek() {
            if self.transfer(number).is_some_and(|t| t.next == (at, event)) {
                break;
            }
            self.next.pop();
        }
        if self.next.len() > 64 + 4 * self.under_way.len() {
            self.next.clear();
            for t in self.under_way.iter().filter(|t| t.next.0 < Micros::MAX) {
                self.next.push((t.next.0, t.next.1, t.number));
            }
        }
    }

    /// Ports and sharing change at `now`; `base` counts for transfers that start from then on.
    pub(crate) fn change(
        &mut self,
        shared: bool,
        base: Span,
        bytes_per_s: impl Iterator<Item = u64>,
        now: Micros,
    ) {
        self.base = base;
        self.shared = shared;
        for (i, rate) in bytes_per_s.enumerate().take(self.outbound.len()) {
            self.outbound[i].bytes_per_s = rate;
            self.inbound[i].bytes_per_s = rate;
        }
        let flowing: Vec<u32> =
            self.under_way.iter().filter(|t| t.flows_since.is_some()).map(|t| t.number).collect();
        for number in flowing {
            self.rate(number, now);
        }
        self.tidy();
    }

    /// Transfers may take so long from `now` on, those under way since their start; 0 for ever.
    pub(crate) fn set_timeout(&mut self, timeout: Span, now: Micros) {
        self.timeout = timeout;
        for at in 0..self.under_way.len() {
            let t = &mut self.under_way[at];
            t.deadline = deadline(t.start, timeout).max(now);
            let (number, next) = (t.number, t.before_deadline(t.next));
            if t.flows_since.is_some() {
                self.rate(number, now);
            } else if next != t.next {
                t.next = next;
                self.next.push((next.0, next.1, number));
            }
        }
        self.tidy();
    }

    /// Transfers that start from now on may take so long.
    pub(crate) fn set_later_timeout(&mut self, timeout: Span) {
        self.timeout = timeout;
    }

    /// Whether transfers began or ended since their number was passed on to flows of blocks.
    pub(crate) fn has_changed(&self) -> bool {
        self.changed
    }

    /// Whether transfers began or ended since this was asked.
    pub(crate) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Sets the number of flows of blocks that use a port from `now` on.
    pub(crate) fn share_with(&mut self, (replica, of): (ReplicaId, Direction), others: u32, now: Micros) {
        let port = match of {
            Direction::Out => &mut self.outbound[replica.index()],
            Direction::In => &mut self.inbound[replica.index()],
        };
        if port.others == others {
            return;
        }
        port.others = others;
        for number in port.flows.clone() {
            self.rate(number, now);
        }
        self.tidy();
    }

    /// The ports of a replica carry this share of their bytes from `now` on.
    pub(crate) fn set_share(&mut self, replica: ReplicaId, share: f64, now: Micros) {
        let index = replica.index();
        self.outbound[index].working = share;
        self.inbound[index].working = share;
        let flows = self.outbound[index].flows.iter().chain(&self.inbound[index].flows);
        for number in flows.copied().collect::<Vec<u32>>() {
            self.rate(number, now);
        }
        self.tidy();
    }

    /// INV-9.4: no port carries more than it can, and a transfer under way has something left.
    pub(crate) fn verify(&self) {
        for (ports, of) in [(&self.outbound, Direction::Out), (&self.inbound, Direction::In)] {
            for (i, port) in ports.iter().enumerate() {
                let flows = || {
                    self.under_way.iter().filter(|t| {
                        let end = match of {
                            Direction::Out => t.from,
                            Direction::In => t.to,
                        };
                        t.flows_since.is_some() && end.index() == i
                    })
                };
                assert!(
                    flows().map(|t| t.number).eq(port.flows.iter().copied()),
                    "INV-9: the transfers of a port"
                );
                let carried: u64 = flows().map(|t| t.bytes_per_s).sum();
                let most = port.carries().max(u64::from(port.flows()));
                assert!(!self.shared || carried <= most, "INV-9: a port carries {carried} of {most} bytes/s");
            }
        }
        assert!(
            self.started - self.landed >= self.under_way.len() as u32,
            "INV-9: more transfers under way than started and have not landed"
        );
    }
}
