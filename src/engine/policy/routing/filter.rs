//! Filters of the weighted policy: they exclude candidates before scoring. They run in the order of the
//! configuration, each on the candidates that the one before it left.

use super::affinity::{Affinity, Known};
use super::lru::Lru;
use super::slo_headroom::SloHeadroom;
use super::{Excluded, Fleet};
use crate::policy::{Reason, ReplicaView, RequestView};
use base::lookup::LookupMap;
use base::units::US_PER_S;
use base::{Micros, ReplicaId, Span, math};
use document::{Condition, Fallback, Filter, FilterMetric, SessionFilter, UtilizationFilter};
use serde::{Deserialize, Serialize};

/// A filter with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum FilterState {
    /// See [`Filter::Utilization`].
    Utilization(UtilizationFilter),
    /// See [`Filter::Session`].
    Session(Homes),
    /// See [`Filter::PrefixAffinity`].
    PrefixAffinity(Box<Affinity>),
    /// See [`Filter::SloHeadroom`].
    SloHeadroom(Box<SloHeadroom>),
}

/// The latest replica of each session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Homes {
    max_sessions: u32,
    /// How long after its latest request a session is remembered; 0 for ever.
    ttl: Span,
    homes: Lru,
    /// When each was used, if that matters.
    used: LookupMap<u64, Micros>,
}

impl FilterState {
    /// The filter in its initial state, in a run with `seed`.
    pub(super) fn new(filter: &Filter, seed: u64) -> Self {
        match filter {
            Filter::Utilization(s) => Self::Utilization(s.clone()),
            Filter::Session(s) => Self::Session(Homes::new(s)),
            Filter::PrefixAffinity(s) => Self::PrefixAffinity(Box::new(Affinity::new(s, seed))),
            Filter::SloHeadroom(s) => Self::SloHeadroom(Box::new(SloHeadroom::new(s, seed))),
        }
    }

    /// Removes positions of `fleet` from `kept`, which holds at least one, and sets the reason in `excluded`, by
    /// position.
    pub(super) fn keep(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        known: Known<'_>,
        kept: &mut Vec<u32>,
        excluded: &mut [Option<Excluded>],
    ) -> Result<(), Reason> {
        match self {
            Self::Utilization(s) => keep_within(s, fleet, kept, excluded),
            Self::Session(homes) => {
                homes.keep(request, fleet, kept, excluded);
                Ok(())
            }
            Self::PrefixAffinity(affinity) => {
                affinity.keep(fleet, known, kept, excluded);
                Ok(())
            }
            Self::SloHeadroom(filter) => filter.keep(request, fleet, known.headroom, kept, excluded),
        }
    }

    /// Continues with the state of `before`, if it is of the same kind.
    pub(super) fn resume(&mut self, before: &Self) {
        match (self, before) {
            (Self::Session(new), Self::Session(old)) => {
                new.resume(old.clone());
            }
            (Self::PrefixAffinity(new), Self::PrefixAffinity(old)) => new.resume(old),
            (Self::SloHeadroom(new), Self::SloHeadroom(old)) => new.resume(old),
            (Self::Utilization(_) | Self::Session(_) | Self::PrefixAffinity(_) | Self::SloHeadroom(_), _) => {
            }
        }
    }

    /// The request is sent to this replica.
    pub(super) fn chosen(&mut self, request: &RequestView<'_>, replica: ReplicaId) {
        match self {
            Self::Utilization(_) | Self::PrefixAffinity(_) | Self::SloHeadroom(_) => {}
            Self::Session(homes) => homes.settle(request, replica),
        }
    }
}

impl Homes {
    pub(super) fn new(s: &SessionFilter) -> Self {
        Self {
            max_sessions: s.max_sessions,
            ttl: math::round_to_span(s.ttl_s * US_PER_S as f64),
            homes: Lru::default(),
            used: LookupMap::default(),
        }
    }

    fn keep(
        &self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        kept: &mut Vec<u32>,
        excluded: &mut [Option<Excluded>],
    ) {
        let Some(home) = self.homes.get(u64::from(request.session)) else { return };
        let used = self.used.get(u64::from(request.session));
        if self.ttl > Span::ZERO && used.is_some_and(|at| at.saturating_add(self.ttl) <= request.now) {
            return;
        }
        let is_home = |position: u32| fleet.replicas[position as usize].id.0 == home;
        if kept.iter().any(|&position| is_home(position)) {
            kept.retain(|&position| {
                if !is_home(position) {
                    excluded[position as usize] = Some(Excluded::OtherSession);
                }
                is_home(position)
            });
        }
    }

    /// The latest replica of the session.
    pub(super) fn home(&self, session: u32) -> Option<ReplicaId> {
        self.homes.get(u64::from(session)).map(ReplicaId)
    }

    /// Continues with the sessions of `before`.
    pub(super) fn resume(&mut self, before: Self) {
        self.homes = before.homes;
        self.used = before.used;
        self.forget();
    }

    pub(super) fn settle(&mut self, request: &RequestView<'_>, replica: ReplicaId) {
        let session = u64::from(request.session);
        if session == 0 {
            return;
        }
        self.homes.put(session, replica.0);
        if self.ttl > Span::ZERO {
            self.used.insert(session, request.now);
        }
        self.forget();
    }

    /// Forgets sessions above the limit, the least recently used first.
    fn forget(&mut self) {
        while self.homes.len() > self.max_sessions as usize {
            if let Some((session, _)) = self.homes.pop_oldest() {
                self.used.remove(session);
            }
        }
    }
}

/// Keeps the candidates within all limits. If none is left, the filter is skipped or the request is refused.
fn keep_within(
    s: &UtilizationFilter,
    fleet: &Fleet<'_>,
    kept: &mut Vec<u32>,
    excluded: &mut [Option<Excluded>],
) -> Result<(), Reason> {
    let over = |position: u32| {
        let view = &fleet.replicas[position as usize];
        let broken = |c: &Condition| {
            let value = value_of(c.metric, view);
            (value > c.max).then_some(Excluded::OverLimit { metric: c.metric, value, max: c.max })
        };
        s.conditions.iter().find_map(broken)
    };
    if s.fallback == Fallback::All && kept.iter().all(|&position| over(position).is_some()) {
        return Ok(());
    }
    kept.retain(|&position| {
        excluded[position as usize] = over(position);
        excluded[position as usize].is_none()
    });
    if kept.is_empty() { Err(Reason::NoCandidate) } else { Ok(()) }
}

/// The value of a filter's metric.
fn value_of(metric: FilterMetric, view: &ReplicaView) -> f64 {
    match metric {
        FilterMetric::KvUtilization => view.kv_use(),
        FilterMetric::WaitingRequests => f64::from(view.waiting),
        FilterMetric::RunningRequests => f64::from(view.running),
        FilterMetric::ActiveRequests => f64::from(view.in_flight),
    }
}
