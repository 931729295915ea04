//! Where the blocks of prompts came from: the latest requests that found blocks in tiers, or read them.

use base::{Micros, ReplicaId, RequestId};
use engine::{FlowKind, FlowOutcome, TierNews};
use std::collections::BTreeMap;

/// Most requests that are kept.
const MOST: usize = 512;

/// Where the blocks of one prompt came from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The replica that has them.
    pub(crate) replica: ReplicaId,
    /// Blocks found by level, as [`TierNews::Found`] counts levels.
    pub(crate) found: Vec<u32>,
    /// Its flows, in order of number.
    pub(crate) reads: Vec<Reading>,
}

/// A flow of blocks to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    flow: u32,
    /// Which tier below CPU memory.
    pub(crate) tier: u32,
    /// The replica that the blocks are pulled from.
    pub(crate) source: Option<ReplicaId>,
    pub(crate) bytes: u64,
    pub(crate) asked: Micros,
    pub(crate) begun: Option<Micros>,
    /// When it was over, and whether its blocks landed.
    pub(crate) ended: Option<(Micros, bool)>,
}

/// The latest requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    requests: BTreeMap<RequestId, Origin>,
    /// The flows under way, with the requests that read.
    under_way: Vec<(u32, RequestId)>,
}

impl Origins {
    /// What is known of a request.
    pub(crate) fn of(&self, request: RequestId) -> Option<&Origin> {
        self.requests.get(&request)
    }

    /// Approximate number of bytes that every copy owns.
    pub(super) fn bytes(&self) -> u64 {
        (self.requests.len() * (size_of::<Origin>() + 64 + size_of::<Reading>())) as u64
    }

    pub(super) fn add(&mut self, at: Micros, news: TierNews) {
        match news {
            TierNews::Found { request, replica, level, blocks } => {
                let origin = self.request(request, replica);
                if level == 0 {
                    origin.found.clear();
                }
                origin.found.push(blocks);
            }
            TierNews::FlowAsked {
                flow,
                kind: FlowKind::Read,
                replica,
                tier,
                request: Some(request),
                source,
                bytes,
                ..
            } => {
                let read = Reading { flow, tier, source, bytes, asked: at, begun: None, ended: None };
                self.request(request, replica).reads.push(read);
                self.under_way.push((flow, request));
            }
            TierNews::FlowBegan { flow } => {
                if let Some(read) = self.read(flow) {
                    read.begun = Some(at);
                }
            }
            TierNews::FlowEnded { flow, outcome } => {
                if let Some(read) = self.read(flow) {
                    read.ended = Some((at, outcome == FlowOutcome::Landed));
                }
                self.under_way.retain(|(other, _)| *other != flow);
            }
            TierNews::FlowAsked { .. }
            | TierNews::FetchAsked { .. }
            | TierNews::FetchEnded { .. }
            | TierNews::ReadRefused { .. }
            | TierNews::Source { .. } => {}
        }
    }

    /// A request at a replica; what it found at another one is forgotten.
    fn request(&mut self, request: RequestId, replica: ReplicaId) -> &mut Origin {
        if self.requests.len() >= MOST && !self.requests.contains_key(&request) {
            self.requests.pop_first();
        }
        let fresh = || Origin { replica, found: Vec::new(), reads: Vec::new() };
        let origin = self.requests.entry(request).or_insert_with(fresh);
        if origin.replica != replica {
            *origin = fresh();
        }
        origin
    }

    fn read(&mut self, flow: u32) -> Option<&mut Reading> {
        let (_, request) = *self.under_way.iter().find(|(other, _)| *other == flow)?;
        self.requests.get_mut(&request)?.reads.iter_mut().find(|read| read.flow == flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(flow: u32, request: u32) -> TierNews {
        TierNews::FlowAsked {
            flow,
            kind: FlowKind::Read,
            replica: ReplicaId(0),
            tier: 1,
            request: Some(RequestId(request)),
            source: None,
            blocks: 3,
            bytes: 300,
        }
    }

    fn found(request: u32, replica: u32, level: u32, blocks: u32) -> TierNews {
        TierNews::Found { request: RequestId(request), replica: ReplicaId(replica), level, blocks }
    }

    #[test]
    fn a_request_has_what_it_found_last_and_its_flows_with_their_times() {
        let mut all = Origins::default();
        all.add(Micros(5), asked(7, 1));
        all.add(Micros(6), TierNews::FlowBegan { flow: 7 });
        all.add(Micros(9), TierNews::FlowEnded { flow: 7, outcome: FlowOutcome::Landed });
        for blocks in [[2, 4], [1, 0]] {
            all.add(Micros(9), found(1, 0, 0, blocks[0]));
            all.add(Micros(9), found(1, 0, 1, blocks[1]));
        }
        let origin = all.of(RequestId(1)).unwrap();
        assert_eq!(origin.found, [1, 0]);
        let [read] = origin.reads[..] else { panic!("one flow") };
        assert_eq!((read.begun, read.ended), (Some(Micros(6)), Some((Micros(9), true))));
        assert!(all.under_way.is_empty());
        all.add(Micros(10), found(1, 1, 0, 8));
        let origin = all.of(RequestId(1)).unwrap();
        assert_eq!((origin.replica, origin.found.len(), origin.reads.len()), (ReplicaId(1), 1, 0));
    }

    #[test]
    fn the_oldest_requests_are_forgotten() {
        let mut all = Origins::default();
        for request in 0..=MOST as u32 {
            all.add(Micros(1), asked(request, request));
        }
        assert!(all.of(RequestId(0)).is_none() && all.of(RequestId(1)).is_some());
        all.add(Micros(2), TierNews::FlowBegan { flow: 0 });
        all.add(Micros(2), TierNews::FlowEnded { flow: 0, outcome: FlowOutcome::Failed });
        assert_eq!(all.under_way.len(), MOST);
    }
}
