//! Flows of blocks between the tiers below the GPU: reads and writes over any list of ports, by the rule of transfers. A port is
//! shared equally by the flows that use it, and the smallest share counts.

use super::NetworkEvent;
use crate::facts::{FlowKind, TierNews};
use base::queue::Queue;
use base::{Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// A byte, in the unit of what is left of a flow.
const MILLIONTHS: i128 = 1_000_000;

/// Blocks on their way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Flows are numbered through.
    pub number: u32,
    /// What it does.
    pub kind: FlowKind,
    /// The replica that reads or writes.
    pub replica: ReplicaId,
    /// Which of its tiers below CPU memory.
    pub tier: u32,
    /// Who reads.
    pub request: Option<RequestId>,
    /// The other replica from whose CPU memory it reads.
    pub source: Option<ReplicaId>,
    /// Its blocks, in order.
    pub hashes: Vec<u64>,
    /// Their bytes.
    pub bytes: u64,
    /// When it was asked for.
    pub asked: Micros,
    /// When its first byte moved.
    pub begun: Option<Micros>,
    ports: Vec<u32>,
    bytes_per_s: u64,
    /// Millionths of a byte.
    left: i128,
    settled: Micros,
    next: (Micros, NetworkEvent),
}

impl Flow {
    fn settle(&mut self, now: Micros) {
        self.left -= i128::from(self.bytes_per_s) * i128::from(now.since(self.settled).0);
        self.settled = now;
    }

    /// That it was asked for.
    pub(crate) fn news(&self) -> TierNews {
        TierNews::FlowAsked {
            flow: self.number,
            kind: self.kind,
            replica: self.replica,
            tier: self.tier,
            request: self.request,
            source: self.source,
            blocks: self.hashes.len() as u32,
            bytes: self.bytes,
        }
    }

    /// How fast its bytes move now; nothing before the first one.
    pub fn bytes_per_s(&self) -> u64 {
        if self.begun.is_some() { self.bytes_per_s } else { 0 }
    }

    /// Bytes that have come, of a flow that is settled.
    pub fn moved(&self) -> u64 {
        let moved = i128::from(self.bytes) * MILLIONTHS - self.left.max(0);
        if self.begun.is_some() { (moved / MILLIONTHS) as u64 } else { 0 }
    }
}

/// One direction of something that carries bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FlowPort {
    bytes_per_s: u64,
    users: u32,
    /// How many transfers between replicas use it.
    others: u32,
    /// The share of its speed that faults leave it.
    working: f64,
    /// Bytes that flows which are over have moved; nothing if none has begun.
    moved: Option<u64>,
}

impl FlowPort {
    fn new(bytes_per_s: u64) -> Self {
        Self { bytes_per_s: bytes_per_s.max(1), users: 0, others: 0, working: 1.0, moved: None }
    }

    /// Bytes per second that it carries now.
    fn carries(&self) -> u64 {
        if self.working < 1.0 { (self.bytes_per_s as f64 * self.working) as u64 } else { self.bytes_per_s }
    }
}

/// The use of one direction of something that carries bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortUse {
    /// How fast it is.
    pub bytes_per_s: u64,
    /// How much of that the flows under way use.
    pub used_bytes_per_s: u64,
}

/// A flow to begin.
pub(crate) struct NewFlow {
    pub(crate) kind: FlowKind,
    pub(crate) replica: ReplicaId,
    pub(crate) tier: u32,
    pub(crate) request: Option<RequestId>,
    pub(crate) source: Option<ReplicaId>,
    pub(crate) hashes: Vec<u64>,
    pub(crate) bytes: u64,
    pub(crate) ports: Vec<u32>,
}

/// The ports, and the flows over them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Flows {
    shared: bool,
    ports: Vec<FlowPort>,
    /// In order of number.
    under_way: Vec<Flow>,
    started: u32,
    flowing: u32,
    peak: u32,
    /// What comes next of each; entries that no longer hold are passed over.
    next: Queue<(Micros, NetworkEvent, u32)>,
    /// Whether flows began or ended since their number was passed on to transfers.
    changed: bool,
}

impl Flows {
    pub(crate) fn new(shared: bool) -> Self {
        Self {
            shared,
            ports: Vec::new(),
            under_way: Vec::new(),
            started: 0,
            flowing: 0,
            peak: 0,
            next: Queue::default(),
            changed: false,
        }
    }

    /// Whether flows share ports.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Adds a port of this speed; its number.
    pub(crate) fn add_port(&mut self, bytes_per_s: u64) -> u32 {
        self.ports.push(FlowPort::new(bytes_per_s));
        self.ports.len() as u32 - 1
    }

    /// How fast a port is, and how much of that its flows use now.
    pub(crate) fn port(&self, port: u32) -> PortUse {
        let its = self.under_way.iter().filter(|flow| flow.ports.contains(&port));
        let bytes_per_s = self.ports[port as usize].carries();
        PortUse { bytes_per_s, used_bytes_per_s: its.map(Flow::bytes_per_s).sum() }
    }

    /// Bytes that flows which are over have moved over a port; nothing if none has begun.
    pub(crate) fn moved_over(&self, port: u32) -> Option<u64> {
        self.ports[port as usize].moved
    }

    /// Most flows at one instant.
    pub(crate) fn peak(&self) -> u32 {
        self.peak
    }

    /// The flows under way, in order of number.
    pub(crate) fn under_way(&self) -> &[Flow] {
        &self.under_way
    }

    /// A flow that is under way.
    pub(crate) fn flow(&self, number: u32) -> &Flow {
        &self.under_way[self.place(number).expect("INV-13: a flow that is over")]
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.under_way.binary_search_by_key(&number, |flow| flow.number).ok()
    }

    /// A flow is asked for: its first byte moves after `base`.
    pub(crate) fn start(&mut self, new: NewFlow, base: Span, now: Micros) -> &Flow {
        let number = self.started;
        self.started += 1;
        let next = (now.saturating_add(base), NetworkEvent::Flows);
        let NewFlow { kind, replica, tier, request, source, hashes, bytes, ports } = new;
        self.under_way.push(Flow {
            number,
            kind,
            replica,
            tier,
            request,
            source,
            hashes,
            bytes,
            asked: now,
            begun: None,
            ports,
            bytes_per_s: 0,
            left: i128::from(bytes) * MILLIONTHS,
            settled: now,
            next,
        });
        self.next.push((next.0, next.1, number));
        &self.under_way[self.under_way.len() - 1]
    }

    /// When its next event runs, and what that is; [`Micros::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_event(&self) -> (Micros, NetworkEvent) {
        self.next.peek().map_or((Micros::MAX, NetworkEvent::Lands), |&(at, event, _)| (at, event))
    }

    /// Takes the next event: the flow's number.
    pub(crate) fn pop(&mut self) -> u32 {
        let (.., number) = self.next.pop().expect("INV-13: no flow has an event");
        number
    }

    /// The first byte of a flow moves.
    pub(crate) fn begin(&mut self, number: u32, now: Micros) {
        let at = self.place(number).expect("INV-13: a flow that is over begins");
        let flow = &mut self.under_way[at];
        (flow.begun, flow.settled) = (Some(now), now);
        let ports = flow.ports.clone();
        for &port in &ports {
            self.ports[port as usize].users += 1;
        }
        self.changed = true;
        self.flowing += 1;
        self.peak = self.peak.max(self.flowing);
        self.rate_sharers(&ports, now);
        self.tidy();
    }

    /// A flow ends, however. It is settled.
    pub(crate) fn end(&mut self, number: u32, now: Micros) -> Flow {
        let at = self.place(number).expect("INV-13: a flow that is over ends");
        let mut flow = self.under_way.remove(at);
        if flow.begun.is_some() {
            flow.settle(now);
            self.changed = true;
            self.flowing -= 1;
            for &port in &flow.ports {
                let port = &mut self.ports[port as usize];
                port.users -= 1;
                port.moved = Some(port.moved.unwrap_or(0) + flow.moved());
            }
            self.rate_sharers(&flow.ports, now);
        }
        self.tidy();
        flow
    }

    /// The share that one more, or no more, flow over these ports would have.
    fn share(&self, ports: &[u32], more: u32) -> u64 {
        let of = |port: &u32| {
            let port = &self.ports[*port as usize];
            let users = u64::from((port.users + port.others + more).max(1));
            if self.shared { port.carries() / users } else { port.carries() }
        };
        ports.iter().map(of).min().unwrap_or(1).max(1)
    }

    /// How long a flow would take that began now, if nothing changed.
    pub(crate) fn estimate(&self, ports: &[u32], bytes: u64) -> Span {
        let micros = (u128::from(bytes) * MILLIONTHS.unsigned_abs()).div_ceil(self.share(ports, 1).into());
        Span(u64::try_from(micros).unwrap_or(u64::MAX / 4))
    }

    /// The flows over any of these ports have other shares from `now` on.
    fn rate_sharers(&mut self, ports: &[u32], now: Micros) {
        for at in 0..self.under_way.len() {
            let flow = &self.under_way[at];
            if flow.begun.is_none() || !flow.ports.iter().any(|port| ports.contains(port)) {
                continue;
            }
            let rate = self.share(&flow.ports, 0);
            let flow = &mut self.under_way[at];
            flow.settle(now);
            flow.bytes_per_s = rate;
            let left = flow.left.max(0);
            let span = (left + i128::from(rate) - 1) / i128::from(rate);
            let lands = now.saturating_add(Span(u64::try_from(span).unwrap_or(u64::MAX / 4)));
            let next = (lands, NetworkEvent::Lands);
            if next != flow.next {
                flow.next = next;
                let number = flow.number;
                self.next.push((next.0, next.1, number));
            }
        }
    }

    /// Whether flows began or ended since this was asked.
    pub(crate) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Whether flows began or ended since their number was passed on to transfers.
    pub(crate) fn has_changed(&self) -> bool {
        self.changed
    }

    /// How many transfers between replicas use a port.
    pub(crate) fn others(&self, port: u32) -> u32 {
        self.ports[port as usize].others
    }

    /// How many flows use a port now.
    pub(crate) fn users(&self, port: u32) -> u32 {
        self.ports[port as usize].users
    }

    /// Sets the number of transfers between replicas that use a port from `now` on.
    pub(crate) fn share_with(&mut self, port: u32, others: u32, now: Micros) {
        let of = &mut self.ports[port as usize];
        if of.others != others {
            of.others = others;
            self.rate_sharers(&[port], now);
            self.tidy();
        }
    }

    /// A port carries this share of its bytes from `now` on.
    pub(crate) fn set_working(&mut self, port: u32, share: f64, now: Micros) {
        self.ports[port as usize].working = share;
        self.rate_sharers(&[port], now);
        self.tidy();
    }

    /// Other speeds, or another rule of sharing, from `now` on.
    pub(crate) fn change(&mut self, shared: bool, speeds: impl Iterator<Item = (u32, u64)>, now: Micros) {
        self.shared = shared;
        for (port, bytes_per_s) in speeds {
            self.ports[port as usize].bytes_per_s = bytes_per_s.max(1);
        }
        let all: Vec<u32> = (0..self.ports.len() as u32).collect();
        self.rate_sharers(&all, now);
        self.tidy();
    }

    /// The head of the queue of events holds, and stale ones do not pile up.
    fn tidy(&mut self) {
        while let Some(&(at, event, number)) = self.next.peek() {
            if self.place(number).is_some_and(|place| self.under_way[place].next == (at, event)) {
                break;
            }
            self.next.pop();
        }
        if self.next.len() > 64 + 4 * self.under_way.len() {
            self.next.clear();
            for flow in &self.under_way {
                self.next.push((flow.next.0, flow.next.1, flow.number));
            }
        }
    }

    /// INV-13.4: no port carries more than it can.
    pub(crate) fn verify(&self) {
        for (number, port) in (0u32..).zip(&self.ports) {
            let flows = || self.under_way.iter().filter(|f| f.begun.is_some() && f.ports.contains(&number));
            assert!(flows().count() as u32 == port.users, "INV-13: the flows of a port");
            let carried: u64 = flows().map(|f| f.bytes_per_s).sum();
            let most = port.carries().max(port.users.into());
            assert!(!self.shared || carried <= most, "INV-13: a port carries {carried} of {most} bytes/s");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all flows of these tests have.
    const BYTES: u64 = 32_000;

    fn flow(bytes: u64, ports: &[u32]) -> NewFlow {
        NewFlow {
            kind: FlowKind::Read,
            replica: ReplicaId(0),
            tier: 0,
            request: None,
            source: None,
            hashes: vec![1],
            bytes,
            ports: ports.to_vec(),
        }
    }

    /// Runs all events; the instants at which flows landed, by number.
    fn landings(flows: &mut Flows) -> Vec<(u32, u64)> {
        let mut all = Vec::new();
        while let (at, event) = flows.next_event()
            && at < Micros::MAX
        {
            let number = flows.pop();
            if event == NetworkEvent::Flows {
                flows.begin(number, at);
            } else {
                assert_eq!(flows.end(number, at).moved(), BYTES);
                all.push((number, at.0));
            }
            flows.verify();
        }
        all
    }

    #[test]
    fn flows_share_a_port_and_the_slowest_port_counts() {
        // 100 bytes/us shared by two readers whose own ports are fast: 50 + 640 us each.
        let mut flows = Flows::new(true);
        let ports = [100, 1000, 1000].map(|rate| flows.add_port(rate * 1_000_000));
        for own in [1, 2] {
            flows.start(flow(BYTES, &[ports[0], ports[own]]), Span(50), Micros(1000));
        }
        assert_eq!(landings(&mut flows), [(0, 1690), (1, 1690)]);
        assert_eq!((flows.moved_over(0), flows.moved_over(1), flows.peak()), (Some(64_000), Some(32_000), 2));
        // Without sharing each has the whole port.
        let mut flows = Flows::new(false);
        let port = flows.add_port(100_000_000);
        for _ in 0..2 {
            flows.start(flow(BYTES, &[port]), Span(50), Micros(0));
        }
        assert_eq!(landings(&mut flows), [(0, 370), (1, 370)]);
    }

    #[test]
    fn a_flow_speeds_up_as_another_ends() {
        let mut flows = Flows::new(true);
        let port = flows.add_port(100_000_000);
        flows.start(flow(BYTES, &[port]), Span(0), Micros(0));
        flows.start(flow(BYTES, &[port]), Span(160), Micros(0));
        // Alone for 160 us, then half as fast: the first has 160 us left of itself, which take 320.
        assert_eq!(landings(&mut flows), [(0, 480), (1, 640)]);
        assert_eq!(flows.estimate(&[port], 1000), Span(10));
    }
}
