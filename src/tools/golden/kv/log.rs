//! What requests found in each tier, and when they asked for blocks and had them.

use super::super::file::{Config, Request};
use base::{Micros, ReplicaId, RequestId};
use engine::{CacheFact, FlowKind, FlowOutcome, TierNews};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const GIVEN_BACK: &str = "given back";

/// What a request did: when it asked, and when that was done or given up.
#[derive(Clone, Debug)]
struct Line {
    what: &'static str,
    asked: Micros,
    done: Option<Micros>,
}

/// A flow of blocks.
#[derive(Clone, Debug)]
pub(super) struct FlowLine {
    pub(super) kind: FlowKind,
    pub(super) replica: ReplicaId,
    pub(super) tier: u32,
    pub(super) request: Option<RequestId>,
    pub(super) source: Option<ReplicaId>,
    pub(super) blocks: u32,
    pub(super) bytes: u64,
    pub(super) asked: Micros,
    pub(super) begun: Option<Micros>,
    pub(super) ended: Option<(Micros, FlowOutcome)>,
}

/// All of it.
#[derive(Default)]
pub(in crate::golden) struct TierLog {
    /// By request and level, the GPU's first: blocks found as it last joined.
    found: BTreeMap<RequestId, BTreeMap<u32, u32>>,
    lines: BTreeMap<RequestId, Vec<Line>>,
    /// Requests whose load is under way.
    loading: BTreeSet<RequestId>,
    /// In order of number.
    pub(super) flows: Vec<FlowLine>,
    /// Requests for which reading was not worth it.
    pub(super) refused: BTreeSet<RequestId>,
    /// From where blocks of requests are pulled.
    pub(super) sources: BTreeMap<RequestId, ReplicaId>,
    /// Whether loads come without a link, so that their end is known when it comes.
    pub(super) direct: bool,
}

impl TierLog {
    /// The log of a run of a file with these settings.
    pub(in crate::golden) fn of(config: &Config) -> Self {
        Self { direct: config.kv.as_ref().is_some_and(|kv| kv.cpu.is_none()), ..Self::default() }
    }

    /// Takes down a fact.
    pub(in crate::golden) fn cache(&mut self, at: Micros, fact: CacheFact) {
        match fact {
            CacheFact::LoadStarted { request, until, .. } => {
                self.loading.insert(request);
                let done = (!self.direct).then_some(until);
                let line = Line { what: "load", asked: at, done };
                self.lines.entry(request).or_default().push(line);
            }
            CacheFact::Loaded { request, .. } => {
                self.loading.remove(&request);
                self.ended(request, at);
            }
            CacheFact::LoadGivenUp { request, .. } => {
                let lines = self.lines.entry(request).or_default();
                if self.loading.remove(&request)
                    && let Some(load) = lines.last_mut()
                {
                    load.done = None;
                }
                lines.push(Line { what: GIVEN_BACK, asked: at, done: None });
            }
            CacheFact::HeadBlocked { .. }
            | CacheFact::HeadUnblocked { .. }
            | CacheFact::Offloaded { .. }
            | CacheFact::ReloadedEarly { .. }
            | CacheFact::AdapterLoaded { .. }
            | CacheFact::Livelock { .. } => {}
        }
    }

    /// Takes down what happened in the tiers.
    pub(in crate::golden) fn tiers(&mut self, at: Micros, news: TierNews) {
        match news {
            TierNews::Found { request, level, blocks, .. } => {
                let found = self.found.entry(request).or_default();
                if level == 0 {
                    found.clear();
                }
                found.insert(level, blocks);
            }
            TierNews::FetchAsked { request } => {
                self.lines.entry(request).or_default().push(Line { what: "fetch", asked: at, done: None });
            }
            TierNews::FetchEnded { request } => self.ended(request, at),
            TierNews::ReadRefused { request } => {
                self.refused.insert(request);
            }
            TierNews::Source { request, from } => {
                self.sources.insert(request, from);
            }
            TierNews::FlowAsked { flow, kind, replica, tier, request, source, blocks, bytes } => {
                assert!(flow as usize == self.flows.len(), "flows are numbered in order");
                let (begun, ended) = (None, None);
                self.flows.push(FlowLine {
                    kind,
                    replica,
                    tier,
                    request,
                    source,
                    blocks,
                    bytes,
                    asked: at,
                    begun,
                    ended,
                });
            }
            TierNews::FlowBegan { flow } => self.flows[flow as usize].begun = Some(at),
            TierNews::FlowEnded { flow, outcome } => self.flows[flow as usize].ended = Some((at, outcome)),
        }
    }

    /// What a request asked for last is done.
    fn ended(&mut self, request: RequestId, at: Micros) {
        if let Some(last) = self.lines.entry(request).or_default().last_mut() {
            last.done = Some(at);
        }
    }

    /// What a request found by name of the level, without those where it found nothing.
    pub(in crate::golden) fn found(&self, request: RequestId, names: &[String]) -> BTreeMap<String, u32> {
        let mut by_name = BTreeMap::new();
        for (level, blocks) in self.found.get(&request).into_iter().flatten().filter(|(_, n)| **n > 0) {
            let name = names.get(*level as usize).cloned().unwrap_or_default();
            *by_name.entry(name).or_insert(0) += blocks;
        }
        by_name
    }

    /// What a request asked for, in the format. What it had got when it was lost with its replica it does not give back.
    pub(in crate::golden) fn lines(&self, request: RequestId, lost: Option<Micros>) -> Value {
        let row = |line: &Line| json!([line.what, line.asked.0, line.done.map(|at| at.0)]);
        let lines = self.lines.get(&request).map_or(&[][..], Vec::as_slice);
        let shown = match lines {
            [.., load, last]
                if last.what == GIVEN_BACK && Some(last.asked) == lost && load.done.is_some() =>
            {
                &lines[..lines.len() - 1]
            }
            _ => lines,
        };
        shown.iter().map(row).collect()
    }
}

/// The names of the levels of a file in order.
pub(super) fn levels(tiers: &[super::file::TierConfig]) -> Vec<String> {
    let below = tiers.iter().map(|tier| tier.name.clone().unwrap_or_else(|| tier.kind.clone()));
    ["gpu", "cpu"].map(str::to_owned).into_iter().chain(below).collect()
}

/// What of a request is not known where nothing arrived.
pub(super) fn nothing(_: &Request) -> Value {
    json!({"found_blocks": {}, "log": []})
}
