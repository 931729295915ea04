//! What flowed between replicas lately: of transfers that landed as if each had been steady, of those under way as it was.

use super::{PairFrame, PortFrame};
use crate::observe::recent::Latest;
use crate::observe::report::share;
use base::small::sort::sort_pairs;
use base::{Micros, Period, ReplicaId, units::US_PER_S};
use engine::{Cluster, Direction, Transfer};
use std::collections::BTreeMap;

/// Length of the window of the flows, in microseconds.
const WINDOW_US: u64 = 10 * US_PER_S;
/// Most pairs of a frame.
const PAIRS: usize = 256;

/// The flows of a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Flows {
    /// Length of the window in seconds.
    pub(super) seconds: f64,
    /// By pair: bytes in the window, transfers under way, and their bytes per second now.
    pairs: BTreeMap<[u32; 2], (f64, u32, u64)>,
    /// By replica: bytes that left and came in the window.
    ports: Vec<[f64; 2]>,
}

impl Flows {
    /// The flows up to `now`; the `landed` requests are the latest that have.
    pub(super) fn new(engine: &Cluster, landed: &Latest, now: Micros) -> Self {
        let mut flows = Self { ports: vec![[0.0; 2]; engine.replicas().len()], ..Self::default() };
        let ends = || {
            let handovers = landed.iter().filter_map(|request| engine.handover(request));
            handovers.filter_map(|h| Some((h, h.prefill?, h.flows.get()?, h.landed.get()?)))
        };
        let mut from = now.0.saturating_sub(WINDOW_US);
        // Where landings of the window were forgotten, it is shorter.
        if let Some((.., first)) = ends().next().filter(|_| landed.is_full()) {
            from = from.max(first.0);
        }
        flows.seconds = (now.0 - from) as f64 / US_PER_S as f64;
        for (h, source, since, until) in ends() {
            flows.add([source, h.home], (h.bytes - h.early) as f64, Period { from: since, to: until }, from);
        }
        for t in engine.network().map_or(&[][..], |network| network.under_way()) {
            if let Some(since) = t.flows_since {
                flows.add(
                    [t.from, t.to],
                    (t.arrived(now) - t.early) as f64,
                    Period { from: since, to: now },
                    from,
                );
            }
            flows.count(t);
        }
        flows
    }

    /// Bytes that moved between two replicas in a period: the part of them after `from` counts.
    fn add(&mut self, ends: [ReplicaId; 2], bytes: f64, period: Period, from: u64) {
        let (since, until) = (period.from.0, period.to.0);
        let within = until.saturating_sub(since.max(from)) as f64;
        let part = if since >= from { bytes } else { bytes * share(within, (until - since) as f64) };
        if part > 0.0 {
            self.pairs.entry(ends.map(|r| r.0)).or_default().0 += part;
            for (i, r) in ends.into_iter().enumerate() {
                self.ports[r.index()][i] += part;
            }
        }
    }

    fn count(&mut self, t: &Transfer) {
        let (_, flows, now) = self.pairs.entry([t.from.0, t.to.0]).or_default();
        *flows += 1;
        *now += t.bytes_per_s;
    }

    /// Bytes in all.
    pub(super) fn bytes(&self) -> f64 {
        self.ports.iter().map(|[out, _]| out).sum()
    }

    /// Bytes that left a replica.
    pub(super) fn out(&self, replica: ReplicaId) -> f64 {
        self.ports.get(replica.index()).map_or(0.0, |[out, _]| *out)
    }

    /// One direction of a replica's ports.
    pub(super) fn port(&self, engine: &Cluster, replica: ReplicaId, direction: Direction) -> PortFrame {
        let Some(network) = engine.network() else { return PortFrame::default() };
        let port = network.port(replica, direction);
        let bytes = self.ports.get(replica.index()).map_or(0.0, |both| both[direction as usize]);
        let here = |t: &&Transfer| match direction {
            Direction::Out => t.from == replica,
            Direction::In => t.to == replica,
        };
        PortFrame {
            capacity: port.bytes_per_s,
            // A transfer that began before the window counts as steady; a port carries no more than it can.
            used: share(bytes, self.seconds * port.bytes_per_s as f64).min(1.0),
            now_per_s: network.under_way().iter().filter(here).map(|t| t.bytes_per_s).sum(),
            flows: port.flows(),
        }
    }

    /// The pairs with the most bytes, in order of the two.
    pub(super) fn pairs(&self, engine: &Cluster) -> Vec<PairFrame> {
        let used = |replica: u32, direction| self.port(engine, ReplicaId(replica), direction).used;
        let mut rank: Vec<(u64, u64)> =
            self.pairs.values().map(|(bytes, ..)| *bytes as u64).zip(0..).collect();
        sort_pairs(&mut rank);
        let least = rank.len().checked_sub(PAIRS).map_or(0, |place| rank[place].0);
        let frame = |(&[from, to], &(bytes, flows, now_per_s)): (&[u32; 2], &(f64, u32, u64))| PairFrame {
            from,
            to,
            bytes_per_s: share(bytes, self.seconds),
            fullness: used(from, Direction::Out).max(used(to, Direction::In)),
            flows,
            now_per_s,
        };
        self.pairs.iter().filter(|(_, (bytes, ..))| *bytes as u64 >= least).take(PAIRS).map(frame).collect()
    }
}
