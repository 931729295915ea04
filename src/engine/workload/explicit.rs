//! Requests given one by one in the scenario, sorted by arrival.

use super::RequestSpec;
use super::adapters::adapter_number;
use super::names::{DEFAULT, Names, number_of};
use base::digest::Digest;
use base::lookup::LookupMap;
use base::small::sort::sort_by_key;
use base::{Content, Micros, Piece, content};
use document::{ExplicitRequest, Workload};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The future listed requests. The list is shared between copies.
#[derive(Clone, Debug)]
pub(super) struct ExplicitSource {
    all: Arc<Vec<RequestSpec>>,
    next: usize,
}

impl ExplicitSource {
    /// How many of them arrive between two instants.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> f64 {
        let before = |at: Micros| self.all.partition_point(|request| request.arrival < at);
        (before(to) - before(from)) as f64
    }

    /// The requests of `workload.requests`. Requests that arrive at the same instant keep the order of the list. Names
    /// of tenants and classes that are new are appended to `names`. The clients have `other_sessions` sessions.
    pub(super) fn new(workload: &Workload, names: &mut Names, other_sessions: u32) -> Self {
        let ranks = ranks(&workload.requests);
        let mut sessions = Sessions { other: other_sessions, numbers: LookupMap::default() };
        let mut all: Vec<RequestSpec> = Vec::with_capacity(workload.requests.len());
        for (position, request) in workload.requests.iter().enumerate() {
            let or_default = |name: &'_ str| if name.is_empty() { DEFAULT } else { name }.to_owned();
            let adapter = adapter_number(&mut names.adapters, &request.adapter);
            let prompt = prompt_of(request).under(adapter);
            all.push(RequestSpec {
                arrival: Micros(request.arrival_us),
                client: number_of(&mut names.clients, &request.tenant),
                tenant: number_of(&mut names.tenants, &or_default(&request.tenant)),
                class: number_of(&mut names.classes, &or_default(&request.slo_class)),
                model: number_of(&mut names.models, &request.model),
                adapter,
                session: sessions.number_of(&request.session),
                priority: request.priority,
                rank: ranks[position],
                listed: position as u32,
                prompt_tokens: prompt.len(),
                prompt,
                output: Piece {
                    source: content::under(content::SPELLED, adapter),
                    start: spelled_start(request.output.text, request.output.offset),
                    len: request.output.tokens,
                },
            });
        }
        sort_by_key(&mut all, |r| r.arrival.0);
        Self { all: Arc::new(all), next: 0 }
    }

    /// Replaces the future requests by the list of `workload` from `now` on, without requests that have arrived or
    /// were due. There were `known` requests in the list before; sessions get new numbers after `other_sessions`.
    /// Returns the number of requests, which is at least the number of sessions.
    pub(super) fn adopt(
        &mut self,
        workload: &Workload,
        known: usize,
        names: &mut Names,
        other_sessions: u32,
        now: Micros,
    ) -> u32 {
        let mut waiting = vec![false; known];
        for r in &self.all[self.next..] {
            waiting[r.listed as usize] = true;
        }
        let Self { all, .. } = Self::new(workload, names, other_sessions);
        let count = all.len() as u32;
        let open =
            |r: &&RequestSpec| r.arrival >= now && waiting.get(r.listed as usize).is_none_or(|&waits| waits);
        *self = Self { all: Arc::new(all.iter().filter(open).cloned().collect()), next: 0 };
        count
    }

    /// No requests.
    pub(super) fn none() -> Self {
        Self { all: Arc::new(Vec::new()), next: 0 }
    }

    /// When the next request arrives; [`Micros::MAX`] when there is none.
    pub(super) fn next(&self) -> Micros {
        self.all.get(self.next).map_or(Micros::MAX, |r| r.arrival)
    }

    /// The requests to come, in order of arrival.
    pub(super) fn to_come(&self) -> impl Iterator<Item = &RequestSpec> {
        self.all[self.next..].iter()
    }

    /// Takes the next request, which must exist.
    pub(super) fn take(&mut self) -> RequestSpec {
        self.next += 1;
        self.all[self.next - 1].clone()
    }
}

/// Requests already taken do not matter for equality.
impl PartialEq for ExplicitSource {
    fn eq(&self, other: &Self) -> bool {
        self.all[self.next..] == other.all[other.next..]
    }
}

/// Only future requests are written.
impl Serialize for ExplicitSource {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.all[self.next..].serialize(s)
    }
}

impl<'de> Deserialize<'de> for ExplicitSource {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Self { all: Arc::new(Vec::deserialize(d)?), next: 0 })
    }
}

/// Numbers of the sessions of listed requests, in order of appearance, after those of the clients.
struct Sessions {
    other: u32,
    /// By digest of the name.
    numbers: LookupMap<u64, u32>,
}

impl Sessions {
    /// The number of that session; 0 for none.
    fn number_of(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let key = Digest::of(name.as_bytes()).value();
        let new = self.other + self.numbers.len() as u32 + 1;
        let number = self.numbers.get(key).unwrap_or(new);
        self.numbers.insert(key, number);
        number
    }
}

/// For each request, its place in the alphabetical (byte) order of the names; equal names keep the order of the list.
fn ranks(requests: &[ExplicitRequest]) -> Vec<u32> {
    let names: BinaryHeap<(&[u8], usize)> =
        requests.iter().enumerate().map(|(position, request)| (request.id.as_bytes(), position)).collect();
    let mut ranks = vec![0; requests.len()];
    for (rank, (_, position)) in names.into_sorted_vec().into_iter().enumerate() {
        ranks[position] = rank as u32;
    }
    ranks
}

/// The prompt of a listed request.
fn prompt_of(request: &ExplicitRequest) -> Content {
    let mut prompt = Content::default();
    for piece in &request.prompt {
        prompt.push(Piece {
            source: content::SPELLED,
            start: spelled_start(piece.text, piece.offset),
            len: piece.tokens,
        });
    }
    prompt
}

/// Position of token `offset` of text `text` in the spelled source, modulo 2^32.
fn spelled_start(text: u32, offset: u32) -> u64 {
    u64::from(text.wrapping_mul(0x9e37_79b1).wrapping_add(offset))
}
