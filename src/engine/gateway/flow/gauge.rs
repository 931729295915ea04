//! The gauge of a saturation detector: what it sees of the replicas, and what the gateway itself counts.

use crate::gateway::ejection::{Takers, any_serves};
use crate::gateway::picture::{PhaseTurn, Picture, RouterWants};
use crate::policy::flow::{Load, saturation};
use crate::policy::{ReplicaPhase, ReplicaView};
use crate::replica::Replica;
use base::lookup::LookupMap;
use base::{Micros, ReplicaId, RequestId, Span};
use document::{ConcurrencyMode, Detector};
use serde::{Deserialize, Serialize};

/// Looks go on while a replica has an event within this time.
const SOON: Span = Span(60_000_000);

/// A detector with what it knows of the replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gauge {
    detector: Detector,
    picture: Picture,
    /// The pools whose replicas answer clients and those that prefill for others, as bits by number.
    stages: [u64; 2],
    /// Whether tokens are counted.
    counts_tokens: bool,
    /// By replica: uncached prompt tokens of requests in flight without a first token.
    uncached: Vec<u64>,
    /// By request: its replica, and its part of them.
    parts: LookupMap<u32, (u32, u32)>,
}

impl Gauge {
    /// A gauge of replicas of which nothing has been sent anything by its count.
    pub(in crate::gateway) fn new(detector: &Detector, replicas: &[Replica]) -> Self {
        let refresh = match detector {
            Detector::Utilization(s) => Span(s.refresh_us),
            // They look at nothing but the gateway's own counts.
            Detector::Concurrency(_) | Detector::Never => Span(u64::MAX),
        };
        let counts_tokens =
            matches!(detector, Detector::Concurrency(s) if s.mode != ConcurrencyMode::Requests);
        let mut gauge = Self {
            detector: detector.clone(),
            picture: Picture::new(Vec::new(), refresh),
            stages: [u64::MAX, 0],
            counts_tokens,
            uncached: Vec::new(),
            parts: LookupMap::default(),
        };
        for replica in replicas {
            gauge.see_phase(replica, replica.phase());
        }
        gauge
    }

    /// Approximate size of a copy in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (64 * self.uncached.len() + 24 * self.parts.len()) as u64
    }

    /// Goes on with the counts of `before`, if both count them.
    pub(in crate::gateway) fn resume(&mut self, before: Self) {
        if self.counts_tokens && before.counts_tokens {
            (self.uncached, self.parts) = (before.uncached, before.parts);
        }
    }

    /// A replica was added or is in another phase.
    pub(in crate::gateway) fn see_phase(&mut self, replica: &Replica, phase: ReplicaPhase) {
        if replica.id().index() == self.uncached.len() {
            self.picture.add(replica);
            self.uncached.push(0);
        }
        self.picture.set_phase(replica.id(), phase);
    }

    /// A replica turns from one phase to another if it was in the first.
    pub(in crate::gateway) fn turn(&mut self, replica: ReplicaId, turn: PhaseTurn) {
        self.picture.turn(replica, turn);
    }

    /// An event of a replica has run at `now`, which has `in_flight` requests now.
    #[inline]
    pub(in crate::gateway) fn see(&mut self, replica: &Replica, in_flight: u32, now: Micros) {
        self.picture.see(replica, in_flight, now, RouterWants::default());
    }

    /// The signals of a replica are that late from now on; not any more if that is 0.
    pub(in crate::gateway) fn set_late(&mut self, replica: &Replica, delay: Span, now: Micros) {
        self.picture.set_late(replica, delay, now);
    }

    /// A request is sent to a replica, with `uncached` tokens of its prompt to compute there.
    pub(in crate::gateway) fn sent(
        &mut self,
        request: RequestId,
        to: ReplicaId,
        uncached: impl FnOnce() -> u32,
    ) {
        if self.counts_tokens {
            let tokens = uncached();
            self.uncached[to.index()] += u64::from(tokens);
            self.parts.insert(request.0, (to.0, tokens));
        }
    }

    /// A request has its first token, or has left.
    pub(in crate::gateway) fn computed(&mut self, request: RequestId) {
        if self.counts_tokens
            && let Some((replica, tokens)) = self.parts.remove(request.0)
        {
            self.uncached[replica as usize] -= u64::from(tokens);
        }
    }

    /// How saturated those of `pools` are that serve.
    pub(in crate::gateway) fn saturation(
        &mut self,
        pools: u64,
        in_flight: &[u32],
        replicas: &[Replica],
        now: Micros,
    ) -> f64 {
        self.picture.observe(replicas, now);
        self.of(self.picture.views(), pools, in_flight, |i| self.picture.age(i, now))
    }

    /// What it would find at `now`: nothing changes by asking.
    pub(crate) fn would_find(&self, pools: u64, in_flight: &[u32], replicas: &[Replica], now: Micros) -> f64 {
        let views: Vec<ReplicaView> = replicas.iter().map(|r| self.picture.would_see(r, now)).collect();
        let age = |i: usize| if self.picture.is_due(i, now) { Span::ZERO } else { self.picture.age(i, now) };
        self.of(&views, pools, in_flight, age)
    }

    fn of(&self, views: &[ReplicaView], pools: u64, in_flight: &[u32], age: impl Fn(usize) -> Span) -> f64 {
        let of_stage = |pools: u64| {
            let takers = Takers::of(views, pools);
            let views = views.iter().enumerate().filter(|(_, view)| takers.has(view));
            let loads = views.map(|(i, view)| Load {
                view,
                age_us: age(i).0,
                in_flight: in_flight[i],
                uncached_tokens: self.uncached[i],
            });
            saturation(&self.detector, loads)
        };
        let [homes, prefills] = self.stages.map(|stage| stage & pools);
        // Where prefill is apart, the more saturated of the two stages counts.
        let any_prefills = prefills != 0 && any_serves(views, prefills);
        if any_prefills { of_stage(homes).max(of_stage(prefills)) } else { of_stage(homes) }
    }

    /// The pools of each stage, where they differ. Whether they are others than before.
    pub(in crate::gateway) fn set_stages(&mut self, stages: [u64; 2]) -> bool {
        std::mem::replace(&mut self.stages, stages) != stages
    }

    /// Whether it shows at once that a request has left or has its first token.
    pub(super) fn follows_requests(&self) -> bool {
        match self.detector {
            Detector::Utilization(_) | Detector::Never => false,
            Detector::Concurrency(_) => true,
        }
    }

    /// When a later look can show something else although nothing was sent and nothing left; `None` if only then.
    pub(super) fn looks_again_at(&self, now: Micros) -> Option<Micros> {
        self.looks().then(|| self.picture.next_look(now))
    }

    /// Whether further looks show nothing new until something happens: the picture is as fresh as it gets, and no replica has an event
    /// soon.
    pub(super) fn is_still(&self, replicas: &[Replica], now: Micros) -> bool {
        let soon = now.saturating_add(SOON);
        replicas.iter().all(|r| r.next_at() > soon)
            && (!self.looks() || self.picture.shows_all(replicas, now))
    }

    /// Whether it looks at replicas from time to time.
    pub(super) fn looks(&self) -> bool {
        match self.detector {
            Detector::Utilization(_) => true,
            Detector::Concurrency(_) | Detector::Never => false,
        }
    }

    /// Whether any of `pools` serves.
    pub(super) fn any_serves(&self, pools: u64) -> bool {
        any_serves(self.picture.views(), pools & self.stages[0])
    }
}
