//! Time series of hand-overs, by bucket of the run's timeline: requests by stage, and how much of each port was used. Without
//! ports there are none.

use base::Micros;
use base::stats::Timeline;
use document::{Role, Scenario};
use engine::{Cluster, Direction, Network};
use serde::{Deserialize, Serialize};

/// What a request does at the end of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageGauge {
    /// In the wait queue of a replica, or held at the gateway.
    Waiting,
    /// In the batch of a prefill replica.
    Prefilling,
    /// Prefilled, and its blocks are held for its home.
    Held,
    /// Of these, with a transfer under way.
    Transferring,
    /// At home with its KV, not in the batch yet.
    Landed,
    /// In the batch of its home.
    Decoding,
}

impl StageGauge {
    /// All of them, in order, with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Waiting, "waiting"),
        (Self::Prefilling, "prefilling"),
        (Self::Held, "held"),
        (Self::Transferring, "transferring"),
        (Self::Landed, "landed"),
        (Self::Decoding, "decoding"),
    ];
}

/// How much of a port was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PortUse {
    /// Bytes that had flowed over it when the latest bucket ended.
    flowed: u64,
    /// How long the whole port would have taken for these, each at the speed of its time.
    used_us: u64,
}

/// A gauge of a port counts the time that the whole port would have taken for all that flowed, in units of this many microseconds.
/// It begins again from 0 when it is full, which is no loss: only differences count.
const UNIT_US: u64 = 10;

/// The series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transit {
    /// By pool: whether it prefills for others.
    is_prefill: Vec<bool>,
    /// The stages, then for each replica its ports, from it and to it.
    gauges: Timeline,
    ports: Vec<[PortUse; 2]>,
}

impl Transit {
    /// Follows a timeline without counters.
    pub(super) fn new(scenario: &Scenario, gauges: Timeline) -> Self {
        let mut transit = Self { is_prefill: Vec::new(), gauges, ports: Vec::new() };
        transit.adopt(scenario);
        transit
    }

    /// Takes over the roles of pools after an edit.
    pub(super) fn adopt(&mut self, scenario: &Scenario) {
        self.is_prefill = scenario.cluster.pools.iter().map(|pool| pool.role == Role::Prefill).collect();
    }

    /// About how many bytes a copy takes.
    pub(super) fn bytes(&self) -> u64 {
        self.gauges.bytes() + (self.ports.len() * size_of::<[PortUse; 2]>()) as u64
    }

    /// The open bucket ends at `end`.
    pub(super) fn close(&mut self, engine: &Cluster, end: Micros) {
        let Some(network) = engine.network() else {
            self.gauges.close(std::iter::empty());
            return;
        };
        let stages = self.stages(engine, network);
        self.ports.resize(engine.replicas().len(), <[PortUse; 2]>::default());
        for (r, ports) in engine.replicas().iter().zip(&mut self.ports) {
            for (port, direction) in ports.iter_mut().zip([Direction::Out, Direction::In]) {
                let flowed = network.flowed(r.id(), direction, end);
                let more = u128::from(flowed.saturating_sub(port.flowed)) * 1_000_000;
                port.used_us +=
                    (more / u128::from(network.port(r.id(), direction).bytes_per_s.max(1))) as u64;
                port.flowed = flowed;
            }
        }
        let used = self.ports.iter().flatten().map(|port| (port.used_us / UNIT_US) as u32);
        self.gauges.close(stages.into_iter().chain(used));
    }

    fn stages(&self, engine: &Cluster, network: &Network) -> [u32; 6] {
        let mut n = [0; StageGauge::ALL.len()];
        n[StageGauge::Waiting as usize] = engine.held_back();
        n[StageGauge::Transferring as usize] = network.under_way().len() as u32;
        for r in engine.replicas() {
            let prefills = self.is_prefill.get(r.pool() as usize).copied().unwrap_or(false);
            let batch = if prefills { StageGauge::Prefilling } else { StageGauge::Decoding };
            n[batch as usize] += r.running();
            n[StageGauge::Waiting as usize] += r.waiting();
            n[StageGauge::Held as usize] += r.outgoing();
            n[StageGauge::Landed as usize] += r.landed();
        }
        n
    }

    /// Whether there are any.
    pub(crate) fn is_known(&self) -> bool {
        self.gauges.gauge(0).is_some()
    }

    /// By closed bucket: requests in that stage at its end.
    pub fn stage(&self, stage: StageGauge) -> &[u32] {
        self.gauges.gauge(stage as usize).unwrap_or(&[])
    }

    /// By closed bucket: the share of a replica's port that was used, 0 to 1.
    pub fn port(&self, replica: usize, direction: Direction) -> Vec<f64> {
        let side = usize::from(direction == Direction::In);
        let used = self.gauges.gauge(StageGauge::ALL.len() + 2 * replica + side).unwrap_or(&[]);
        let mut before = 0_u32;
        let units = self.gauges.width_us() as f64 / UNIT_US as f64;
        used.iter()
            .map(|&now| f64::from(now.wrapping_sub(std::mem::replace(&mut before, now))) / units)
            .collect()
    }

    /// The numbers of the replicas over whose ports something flowed in that direction.
    pub(crate) fn used_ports(&self, direction: Direction) -> Vec<usize> {
        let side = usize::from(direction == Direction::In);
        (0..self.ports.len()).filter(|&replica| self.ports[replica][side].flowed > 0).collect()
    }
}
