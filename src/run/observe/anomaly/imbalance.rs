//! Load imbalance: the coefficient of variation of the requests present on each serving replica stays high. Replicas that answer
//! clients are compared with each other, and prefill replicas with each other.
//!
//! With S the sum of the loads x of n replicas and Q the sum of their squares, cov² = n Q / S² - 1, so both sums are
//! kept up to date without a pass over the replicas. The state lasts from one change to the next, so it is judged
//! before each change.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, Proof};
use base::multiply::{is_larger_product, times};
use base::{Micros, RequestId, Span};
use document::Cluster;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// It begins above a coefficient of variation of 1/2: n Q > 5/4 S².
const HIGH: (u64, u64) = (5, 4);
/// It ends below 2/5: n Q < 29/25 S².
const LOW: (u64, u64) = (29, 25);
/// Mean load below which nothing is reported: a handful of requests cannot be spread evenly.
const MEAN: u32 = 2;
/// How long it must last.
const LASTING: Span = Span(5_000_000);

/// The loads of all replicas: requests sent there that are still present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Imbalance {
    /// Load, and whether it gets new requests.
    loads: Vec<(u64, bool)>,
    /// By replica: the latest requests sent there.
    latest: Vec<VecDeque<Proof>>,
    n: u64,
    sum: u64,
    squares: u64,
    since: Option<Micros>,
    open: Option<AnomalyIndex>,
    /// Largest value of the open anomaly so far, in thousandths.
    peak: u64,
}

/// The two sides of a cluster, by whether a pool answers clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sides {
    homes: Imbalance,
    prefills: Imbalance,
    /// By pool: whether it answers clients.
    is_home: Vec<bool>,
    /// By replica: its pool, whether it is among the homes, and whether it gets new requests.
    replicas: Vec<(u32, bool, bool)>,
}

impl Sides {
    pub(super) fn new(cluster: &Cluster, replicas: usize) -> Self {
        let is_home: Vec<bool> = cluster.pools.iter().map(|pool| pool.role.is_home()).collect();
        let pools = cluster.pools.iter().zip(0..).flat_map(|(pool, i)| (0..pool.replicas).map(move |_| i));
        let replicas: Vec<(u32, bool, bool)> =
            pools.take(replicas).map(|pool: u32| (pool, is_home[pool as usize], true)).collect();
        let of = |home| Imbalance::new(replicas.iter().map(|&(_, is_home, _)| is_home == home));
        Self { homes: of(true), prefills: of(false), is_home, replicas }
    }

    fn side(&mut self, replica: usize) -> &mut Imbalance {
        let home = self.replicas.get(replica).is_none_or(|&(_, home, _)| home);
        if home { &mut self.homes } else { &mut self.prefills }
    }

    pub(super) fn came(&mut self, request: RequestId, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.side(replica).came(request, replica, now, log);
    }

    pub(super) fn left(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.side(replica).left(replica, now, log);
    }

    pub(super) fn serving(&mut self, replica: usize, pool: u32, now: Micros, log: &mut AnomalyLog) {
        let home = self.is_home.get(pool as usize).copied().unwrap_or(true);
        super::entry(&mut self.replicas, replica).0 = pool;
        self.shift(replica, home, now, log);
        self.replicas[replica].2 = true;
        self.side(replica).serving(replica, now, log);
    }

    pub(super) fn draining(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        if let Some(known) = self.replicas.get_mut(replica) {
            known.2 = false;
        }
        self.side(replica).draining(replica, now, log);
    }

    /// Reports imbalances that have lasted until `now`.
    #[inline]
    pub(super) fn report(&mut self, now: Micros, log: &mut AnomalyLog) {
        self.homes.report(now, log);
        self.prefills.report(now, log);
    }

    /// Takes over the roles of pools after an edit: a replica changes sides with the requests that it has.
    pub(super) fn adopt(&mut self, cluster: &Cluster, now: Micros, log: &mut AnomalyLog) {
        self.is_home = cluster.pools.iter().map(|pool| pool.role.is_home()).collect();
        for replica in 0..self.replicas.len() {
            let home = self.is_home.get(self.replicas[replica].0 as usize).copied().unwrap_or(true);
            self.shift(replica, home, now, log);
        }
    }

    fn shift(&mut self, replica: usize, home: bool, now: Micros, log: &mut AnomalyLog) {
        let (_, was, serving) = self.replicas[replica];
        if was == home {
            return;
        }
        self.replicas[replica].1 = home;
        let sides = (&mut self.prefills, &mut self.homes);
        let (from, to) = if home { sides } else { (sides.1, sides.0) };
        from.draining(replica, now, log);
        super::entry(&mut to.loads, replica).0 += std::mem::take(&mut from.loads[replica].0);
        if serving {
            to.serving(replica, now, log);
        }
    }
}

impl Imbalance {
    /// Replicas, by whether they are on this side.
    fn new(replicas: impl Iterator<Item = bool>) -> Self {
        let loads: Vec<(u64, bool)> = replicas.map(|here| (0, here)).collect();
        Self {
            n: loads.iter().filter(|(_, here)| *here).count() as u64,
            loads,
            latest: Vec::new(),
            sum: 0,
            squares: 0,
            since: None,
            open: None,
            peak: 0,
        }
    }

    pub(super) fn came(&mut self, request: RequestId, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        super::keep_latest(super::entry(&mut self.latest, replica), Proof { request, at: now });
        let (load, serving) = &mut self.loads[replica];
        *load += 1;
        if *serving {
            self.sum += 1;
            self.squares += 2 * *load - 1;
        }
        self.look(now, log);
    }

    pub(super) fn left(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        let (load, serving) = &mut self.loads[replica];
        *load -= 1;
        if *serving {
            self.sum -= 1;
            self.squares -= 2 * *load + 1;
        }
        self.look(now, log);
    }

    pub(super) fn serving(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        let (load, serving) = super::entry(&mut self.loads, replica);
        if !*serving {
            *serving = true;
            self.n += 1;
            self.sum += *load;
            self.squares += *load * *load;
        }
        self.look(now, log);
    }

    pub(super) fn draining(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.report(now, log);
        let (load, serving) = super::entry(&mut self.loads, replica);
        if *serving {
            *serving = false;
            self.n -= 1;
            self.sum -= *load;
            self.squares -= *load * *load;
        }
        self.look(now, log);
    }

    /// Reports an imbalance that has lasted until `now`, before the loads change.
    #[inline]
    pub(super) fn report(&mut self, now: Micros, log: &mut AnomalyLog) {
        if let Some(since) = self.since
            && self.open.is_none()
        {
            self.report_since(since, now, log);
        }
    }

    fn report_since(&mut self, since: Micros, now: Micros, log: &mut AnomalyLog) {
        if now.since(since) >= LASTING {
            let most = self.loads.iter().enumerate().filter(|(_, (_, serving))| *serving);
            let most = most.max_by_key(|(i, (load, _))| (*load, std::cmp::Reverse(*i)));
            let busiest = most.map_or(0, |(i, _)| i);
            self.peak = 0;
            self.open = Some(log.open(Anomaly {
                kind: AnomalyKind::LoadImbalance,
                start: since,
                end: None,
                replica: busiest as u32,
                proofs: self.latest.get(busiest).into_iter().flatten().copied().collect(),
                figure: 0,
                measure: None,
                of: None,
            }));
            self.grow(log);
        }
    }

    /// Raises the largest value of the open anomaly.
    fn grow(&mut self, log: &mut AnomalyLog) {
        if let Some(place) = self.open {
            let squared = self.n as f64 * self.squares as f64 / (self.sum as f64 * self.sum as f64) - 1.0;
            self.peak = self.peak.max((libm::sqrt(squared) * 1000.0) as u64);
            if let Some(anomaly) = log.at(place) {
                anomaly.figure = self.peak;
            }
        }
    }

    /// Begins or ends an imbalance after the loads have changed.
    fn look(&mut self, now: Micros, log: &mut AnomalyLog) {
        let (over, of) = if self.since.is_some() { LOW } else { HIGH };
        let uneven = self.sum >= times(self.n.max(1), MEAN)
            && is_larger_product([of, self.n, self.squares], [over, self.sum, self.sum]);
        if uneven {
            self.since.get_or_insert(now);
            self.grow(log);
        } else {
            self.since = None;
            if let Some(place) = self.open.take() {
                log.close(place, now);
            }
        }
    }
}
