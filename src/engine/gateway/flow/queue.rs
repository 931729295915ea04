//! The gateway's queue: the lanes of bands, the gauge, and when something can change.

use super::gauge::Gauge;
use super::lane::{Band, Lane, Served, Waiting, over};
use crate::policy::flow::Accounts;
use crate::replica::Replica;
use crate::request::{Book, Record};
use base::{Micros, RequestId, Span};
use document::{ClassPriorities, Fairness, FlowControl, FlowKey, ProgramAware, Scenario, Slo, SloClass};
use serde::{Deserialize, Serialize};

/// A band of the gateway's queue, to be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandSight {
    /// Its priority.
    pub priority: i32,
    /// Requests that wait in it.
    pub waiting: u32,
    /// Their prompt tokens.
    pub prompt_tokens: u64,
    /// Since when the one waits that has waited longest.
    pub since: Option<Micros>,
    /// The saturation up to which it sends requests on.
    pub ceiling: f64,
}

/// Time between two looks for requests that have waited too long: a second, as in llm-d's router.
const SWEEP: u64 = 1_000_000;

/// The gateway's queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FlowQueue {
    pub(super) settings: FlowControl,
    /// By number of an SLO class, then for all others: the time to first token that its objective allows.
    deadlines: [Span; SloClass::ALL.len() + 1],
    /// How long clients wait for an answer; 0 for ever.
    pub(super) timeout: Span,
    pub(super) gauge: Gauge,
    /// One for each set of pools that requests can go to, in order of first use.
    pub(super) lanes: Vec<Lane>,
    pub(super) accounts: Accounts,
    /// Requests that wait in all lanes, and their prompt tokens.
    pub(super) waiting: u32,
    pub(super) tokens: u64,
    /// The number of the latest that joined.
    pub(super) seq: u64,
    /// When the next attempt is; [`Micros::MAX`] if another attempt would change nothing.
    pub(super) attempt_at: Micros,
    /// When the next look for requests that have waited too long is; [`Micros::MAX`] if there are none.
    pub(super) sweep_at: Micros,
    /// Requests in flight that can be evicted, in order of being sent, with their priority.
    pub(super) evictable: Vec<(i32, RequestId)>,
    /// The request that is being evicted, until it has left.
    pub(super) evicting: Option<RequestId>,
    /// The priorities of all bands there were, in the order in which they came to be.
    pub(super) known: Vec<i32>,
    /// Buffer for the ceilings of an attempt.
    #[serde(skip)]
    pub(super) ceilings: Vec<f64>,
}

/// How long requests of a class may wait for their first token.
fn deadlines(slo: &Slo) -> [Span; SloClass::ALL.len() + 1] {
    let span = |ms: f64| if ms > 0.0 { base::math::round_to_span(ms * 1000.0) } else { Span(u64::MAX) };
    let mut all = [span(slo.ttft_ms); SloClass::ALL.len() + 1];
    for own in &slo.classes {
        all[own.class.rank() as usize] = span(own.ttft_ms);
    }
    all
}

impl FlowQueue {
    /// An empty queue.
    pub(in crate::gateway) fn new(
        settings: &FlowControl,
        scenario: &Scenario,
        timeout: Span,
        replicas: &[Replica],
    ) -> Self {
        Self {
            deadlines: deadlines(&scenario.slo),
            timeout,
            gauge: Gauge::new(&settings.detector, replicas),
            settings: settings.clone(),
            lanes: Vec::new(),
            accounts: Accounts::default(),
            waiting: 0,
            tokens: 0,
            seq: 0,
            attempt_at: Micros::MAX,
            sweep_at: Micros::MAX,
            evictable: Vec::new(),
            evicting: None,
            known: settings.bands.iter().map(|band| band.priority).collect(),
            ceilings: Vec::new(),
        }
    }

    /// Approximate size of a copy in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let joined: usize = self.lanes.iter().map(|lane| lane.joined.len()).sum();
        self.gauge.bytes() + self.accounts.bytes() + (joined * 2 * size_of::<Waiting>()) as u64
    }

    /// Requests that wait.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Requests that wait and can go to a pool.
    pub(crate) fn waiting_for(&self, pool: u32) -> u32 {
        let of = self.lanes.iter().filter(|lane| lane.pools >> pool & 1 == 1);
        of.map(Lane::waiting).sum()
    }

    /// Its bands, the highest priority first, while the replicas are as saturated as that.
    pub(crate) fn bands(&self, saturation: f64, book: &Book) -> Vec<BandSight> {
        let mut all: Vec<BandSight> = Vec::new();
        for lane in &self.lanes {
            let mut ceilings = Vec::new();
            lane.ceilings.show(saturation, lane.bands.iter().map(Band::priority), &mut ceilings);
            for (band, ceiling) in lane.bands.iter().zip(ceilings) {
                let priority = band.priority();
                let of_band = |w: &&Waiting| w.priority == priority && w.waits(book);
                let since = lane.joined.iter().find(of_band).map(|w| w.since);
                let place = all.partition_point(|b| b.priority > priority);
                if all.get(place).is_none_or(|b| b.priority != priority) {
                    all.insert(
                        place,
                        BandSight { priority, waiting: 0, prompt_tokens: 0, since: None, ceiling },
                    );
                }
                all[place].waiting += band.waiting;
                all[place].prompt_tokens += band.tokens;
                all[place].since = all[place].since.into_iter().chain(since).min();
            }
        }
        all
    }

    /// How many requests wait in each band, in the order in which the bands came to be.
    pub(crate) fn waiting_by_band(&self) -> impl Iterator<Item = (i32, u32)> + '_ {
        let of = |priority: i32| {
            let bands = self.lanes.iter().flat_map(|lane| &lane.bands);
            bands.filter(|band| band.priority() == priority).map(|band| band.waiting).sum()
        };
        self.known.iter().map(move |&priority| (priority, of(priority)))
    }

    /// The requests that wait, in order of joining.
    pub(crate) fn requests<'a>(&'a self, book: &'a Book) -> impl Iterator<Item = RequestId> + 'a {
        let joined = self.lanes.iter().flat_map(|lane| &lane.joined);
        joined.filter(|w| w.waits(book)).map(|w| w.request)
    }

    /// The requests that wait in the bands of a priority, in order of joining.
    pub(crate) fn in_band<'a>(
        &'a self,
        priority: i32,
        book: &'a Book,
    ) -> impl Iterator<Item = RequestId> + 'a {
        let joined = self.lanes.iter().flat_map(|lane| &lane.joined);
        joined.filter(move |w| w.priority == priority && w.waits(book)).map(|w| w.request)
    }

    /// How saturated an attempt at `now` would find all replicas.
    pub(crate) fn saturation(&self, in_flight: &[u32], replicas: &[Replica], now: Micros) -> f64 {
        self.gauge.would_find(u64::MAX, in_flight, replicas, now)
    }

    /// The priority of a class.
    pub(super) fn priority(&self, class: u32) -> i32 {
        ClassPriorities::of(&self.settings.priorities, class)
    }

    /// The flow of a request.
    pub(super) fn flow_of(&self, r: &Record) -> u32 {
        match self.settings.flow {
            FlowKey::Tenant => r.tenant,
            FlowKey::Client => r.client,
            FlowKey::Session => r.session,
        }
    }

    /// When the objective of a request says that it should have its first token.
    pub(super) fn deadline(&self, r: &Record) -> Micros {
        let class = (r.class as usize).wrapping_sub(1).min(SloClass::ALL.len());
        r.arrival.saturating_add(self.deadlines[class])
    }

    /// When a request that joined a lane at `since` has waited for too long.
    pub(super) fn expires(&self, served: Served, since: Micros) -> Micros {
        let s = &self.settings;
        let ttl_s = if served.now { s.ttl_s } else { s.no_replica_ttl_s };
        let ttl = base::math::round_to_span(ttl_s * 1e6);
        if ttl == Span::ZERO { Micros::MAX } else { since.max(served.since).saturating_add(ttl) }
    }

    /// The lane of requests that `pools` can serve.
    pub(super) fn lane_of(&mut self, pools: u64, now: Micros) -> usize {
        self.lanes.iter().position(|lane| lane.pools == pools).unwrap_or_else(|| {
            let served = Served { now: self.gauge.any_serves(pools), since: now };
            self.lanes.push(Lane::new(pools, &self.settings, served));
            self.lanes.len() - 1
        })
    }

    /// Whether a further request with this number of tokens is over a limit of all bands together.
    pub(super) fn is_full(&self, tokens: u32) -> bool {
        let s = &self.settings;
        over(s.max_requests.into(), u64::from(self.waiting) + 1)
            || over(s.max_prompt_tokens, self.tokens + u64::from(tokens))
    }

    /// How the fairness policy of a band accounts for service, if it does.
    pub(super) fn accounting(&self, priority: i32) -> Option<ProgramAware> {
        match self.settings.band(priority).fairness {
            Fairness::ProgramAware(s) => Some(s),
            Fairness::GlobalStrict | Fairness::RoundRobin => None,
        }
    }

    /// Another attempt makes sense from the first tick after `now` on.
    pub(in crate::gateway) fn try_soon(&mut self, now: Micros) {
        if self.waiting > 0 {
            let tick = self.settings.tick_us;
            self.try_at(Micros((now.0 / tick + 1).saturating_mul(tick)));
        }
    }

    /// Another attempt makes sense from the first tick at or after `at`, and after `now`, on.
    pub(super) fn try_from(&mut self, at: Micros, now: Micros) {
        let tick = self.settings.tick_us;
        self.try_at(Micros(at.0.max(now.0 + 1).div_ceil(tick).saturating_mul(tick)));
    }

    fn try_at(&mut self, at: Micros) {
        self.attempt_at = self.attempt_at.min(at);
    }

    /// Looks at whole seconds for requests that have waited too long, as long as there are any that will have.
    pub(super) fn plan_sweep(&mut self, now: Micros, book: &Book) {
        let mut next = Micros::MAX;
        for at in 0..self.lanes.len() {
            let lane = &mut self.lanes[at];
            while lane.joined.front().is_some_and(|w| !w.waits(book)) {
                lane.joined.pop_front();
            }
            let lane = &self.lanes[at];
            let first = lane.joined.front().map_or(Micros::MAX, |w| self.expires(lane.served, w.since));
            next = next.min(first);
        }
        self.sweep_at = if next == Micros::MAX {
            next
        } else {
            Micros(next.0.max(now.0 + 1).div_ceil(SWEEP).saturating_mul(SWEEP))
        };
    }

    /// INV-1: the counts are those of the lanes.
    pub(crate) fn verify(&self, book: &Book) {
        let waiting: u32 = self.lanes.iter().map(Lane::waiting).sum();
        assert!(waiting == self.waiting, "INV-1: {waiting} requests wait in lanes, not {}", self.waiting);
        let joined = self.requests(book).count();
        assert!(joined as u32 == waiting, "INV-1: {waiting} requests wait in lanes, and {joined} say so");
        for lane in &self.lanes {
            lane.verify(book);
        }
    }
}
