//! What clients want of the KV of their requests and sessions, as numbers.

use crate::kv::Directive;
use crate::request::record::Record;
use base::Span;
use document::{
    CpuEviction, EvictionOrder, PrefetchTo, PrefetchWhen, Retention, Scenario, SessionKv, Workload,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// When the context of a session comes back, and where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PrefetchRules {
    pub(crate) when: PrefetchWhen,
    pub(crate) lead: Span,
    pub(crate) gap: Span,
    pub(crate) weight_milli: u64,
    pub(crate) to: PrefetchTo,
    pub(crate) reserve_blocks: u32,
    pub(crate) hold: Span,
}

/// What becomes of the KV of a session between two turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionRules {
    pub(crate) supersede: bool,
    pub(crate) demote_after: Option<Span>,
    pub(crate) prefetch: Option<PrefetchRules>,
}

/// What all clients want.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Rules {
    /// Of requests in the scenario's list.
    listed: Option<SessionRules>,
    /// By client; a trace is one.
    clients: Vec<Option<SessionRules>>,
    /// By position in the list, and by client.
    wanted_by_listed: BTreeMap<u32, Vec<Directive>>,
    wanted_by_client: Vec<Vec<Directive>>,
    /// By client: blocks that end within this token may leave the GPU.
    offload: Vec<Option<u32>>,
}

fn micros(s: f64) -> Span {
    base::math::round_to_span(s * 1e6)
}

fn directives(all: &[Retention]) -> Vec<Directive> {
    let one = |r: &Retention| Directive {
        start: r.start,
        end: r.end.unwrap_or(u32::MAX),
        priority: r.priority,
        duration: r.duration_s.map(micros),
    };
    all.iter().map(one).collect()
}

fn session_rules(kv: &SessionKv) -> SessionRules {
    SessionRules {
        supersede: kv.supersede,
        demote_after: kv.demote_after_s.map(micros),
        prefetch: kv.prefetch.as_ref().map(|p| PrefetchRules {
            when: p.when,
            lead: micros(p.lead_s),
            gap: micros(p.gap_s),
            weight_milli: base::math::round_to_span(p.weight * 1000.0).0,
            to: p.to,
            reserve_blocks: p.reserve_blocks,
            hold: micros(p.hold_s),
        }),
    }
}

impl Rules {
    pub(super) fn new(workload: &Workload) -> Self {
        if let Some(trace) = &workload.trace {
            return Self { clients: vec![trace.session_kv.as_ref().map(session_rules)], ..Self::default() };
        }
        let listed = (0..).zip(&workload.requests).filter(|(_, r)| !r.retention.is_empty());
        Self {
            listed: workload.session_kv.as_ref().map(session_rules),
            clients: workload.clients.iter().map(|c| c.session_kv.as_ref().map(session_rules)).collect(),
            wanted_by_listed: listed.map(|(i, r)| (i, directives(&r.retention))).collect(),
            wanted_by_client: workload.clients.iter().map(|c| directives(&c.retention)).collect(),
            offload: workload.clients.iter().map(|c| c.max_offload_tokens).collect(),
        }
    }

    /// Whether nothing is wanted.
    pub(super) fn is_nothing(&self) -> bool {
        self.listed.is_none()
            && self.clients.iter().all(Option::is_none)
            && self.wanted_by_listed.is_empty()
            && self.wanted_by_client.iter().all(Vec::is_empty)
            && self.offload.iter().all(Option::is_none)
    }

    /// What becomes of the KV of a request's session.
    pub(super) fn of(&self, record: &Record) -> Option<SessionRules> {
        if record.is_listed() { self.listed } else { *self.clients.get(record.client as usize)? }
    }

    /// What a request wants kept.
    pub(super) fn wanted(&self, record: &Record) -> &[Directive] {
        let of = if record.is_listed() {
            self.wanted_by_listed.get(&record.listed)
        } else {
            self.wanted_by_client.get(record.client as usize)
        };
        of.map_or(&[], Vec::as_slice)
    }

    pub(super) fn may_leave_to(&self, record: &Record) -> u32 {
        let of = self.offload.get(record.client as usize).copied().flatten();
        of.filter(|_| !record.is_listed()).unwrap_or(u32::MAX)
    }
}

/// Sizes of blocks of pools with an oracle.
pub(super) fn followed(scenario: &Scenario) -> Vec<u32> {
    let kvs = scenario.cluster.pools.iter().map(|pool| &pool.kv);
    let oracles = kvs.filter(|kv| {
        let has = kv.eviction_order == EvictionOrder::Belady || kv.cpu_eviction == CpuEviction::Belady;
        has && kv.prefix_caching
    });
    let mut sizes: Vec<u32> = oracles.map(|kv| kv.block_tokens).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
