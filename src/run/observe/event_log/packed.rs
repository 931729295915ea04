//! Packed lines of the event log: the form that a checkpoint keeps.
//!
//! A line is its kind and its numbers: the time since the line before, the difference from the latest request, and
//! the rest. Lines of a kind are alike: a number takes as many bits as the largest so far at its place in such a
//! line, and one bit that tells whether these are enough.

mod kinds;

use super::Line;
use base::bits::{BitReader, BitWriter, signed, unsigned};
use base::shared_queue::Entry;
use base::{ReplicaId, RequestId};
use engine::policy::Reason;
use engine::policy::scaling::Rule;
use engine::{
    AdapterSource, BreakReason, CacheFact, DeciderReason, DropReason, EjectedBy, Fact, FaultFact, FaultKind,
    FleetFact, HandoverFact, ReplicaFact, RequestFact,
};
use kinds::KINDS;
use std::mem::discriminant;
use std::rc::Rc;

/// Most numbers of a line.
const NUMBERS: usize = 10;
/// Bits of the number of a kind.
const KIND_BITS: u32 = 6;
const _: () = assert!(KINDS.len() < 1 << KIND_BITS);

/// The number of a kind of line; 0 for a note.
fn kind_of(fact: Option<&Fact>) -> usize {
    let same = |fact: &Fact| KINDS.iter().position(|kind| are_alike(kind, fact));
    fact.map_or(0, |fact| 1 + same(fact).expect("INV-6: a kind of fact has no number"))
}

/// Whether two facts are of one kind.
fn are_alike(one: &Fact, other: &Fact) -> bool {
    match (one, other) {
        (Fact::Request(a), Fact::Request(b)) => discriminant(a) == discriminant(b),
        (Fact::Replica(a), Fact::Replica(b)) => discriminant(a) == discriminant(b),
        (Fact::Cache(a), Fact::Cache(b)) => discriminant(a) == discriminant(b),
        (Fact::Fleet(a), Fact::Fleet(b)) => discriminant(a) == discriminant(b),
        (Fact::Handover(a), Fact::Handover(b)) => discriminant(a) == discriminant(b),
        (Fact::Fault(a), Fact::Fault(b)) => discriminant(a) == discriminant(b),
        (
            Fact::Request(_)
            | Fact::Replica(_)
            | Fact::Cache(_)
            | Fact::Fleet(_)
            | Fact::Handover(_)
            | Fact::Fault(_),
            _,
        ) => false,
    }
}

/// The numbers of lines, one after the other: `next` gets each and returns its replacement. So one function writes
/// and reads them.
struct Numbers<'a, N> {
    next: &'a mut N,
    at: u64,
    request: u64,
}

impl<N: FnMut(u64) -> u64> Numbers<'_, N> {
    fn line(&mut self, Line(at, fact): &mut Line) {
        *at = self.at.wrapping_add((self.next)(at.wrapping_sub(self.at)));
        self.at = *at;
        if let Some(fact) = fact {
            self.fact(fact);
        }
    }

    fn some(&mut self, small: &mut [&mut u32], large: &mut [&mut u64]) {
        for n in small {
            **n = (self.next)(u64::from(**n)) as u32;
        }
        for n in large {
            **n = (self.next)(**n);
        }
    }

    fn of(&mut self, request: &mut RequestId, small: &mut [&mut u32], large: &mut [&mut u64]) {
        let change = (self.next)(unsigned(u64::from(request.0).wrapping_sub(self.request)));
        self.request = self.request.wrapping_add(signed(change));
        request.0 = self.request as u32;
        self.some(small, large);
    }

    fn urgent(&mut self, request: &mut RequestId, small: &mut [&mut u32], urgency: &mut i64) {
        self.of(request, small, &mut []);
        *urgency = signed((self.next)(unsigned(*urgency as u64))) as i64;
    }

    /// A number that may be missing: 0 if it is, or else one more.
    fn maybe(&mut self, number: Option<u32>) -> Option<u32> {
        let number = (self.next)(number.map_or(0, |number| 1 + u64::from(number)));
        number.checked_sub(1).map(|number| number as u32)
    }

    /// One of the few variants of an enum, by number.
    fn choice<T: Copy>(&mut self, chosen: &mut T, number: usize, all: &[T]) {
        *chosen = all[(self.next)(number as u64) as usize];
    }

    fn fact(&mut self, fact: &mut Fact) {
        match fact {
            Fact::Request(fact) => self.request(fact),
            Fact::Replica(fact) => self.replica(fact),
            Fact::Cache(fact) => self.cache(fact),
            Fact::Fleet(fact) => self.fleet(fact),
            Fact::Handover(fact) => self.handover(fact),
            Fact::Fault(fact) => self.fault(fact),
        }
    }

    fn request(&mut self, fact: &mut RequestFact) {
        match fact {
            RequestFact::Admitted { request } => self.of(request, &mut [], &mut []),
            RequestFact::Delayed { request, reason } => {
                self.of(request, &mut [], &mut []);
                self.choice(reason, *reason as usize, &Reason::ALL);
            }
            RequestFact::Rejected { request, reason, replica } => {
                self.of(request, &mut [], &mut []);
                *replica = self.maybe(replica.map(|replica| replica.0)).map(ReplicaId);
                self.choice(reason, *reason as usize, &Reason::ALL);
            }
            RequestFact::Enqueued { request, band } => {
                let mut bits = *band as u32;
                self.of(request, &mut [&mut bits], &mut []);
                *band = bits as i32;
            }
            RequestFact::Dispatched { request, band, waited }
            | RequestFact::Expired { request, band, waited } => {
                let mut bits = *band as u32;
                self.of(request, &mut [&mut bits], &mut [&mut waited.0]);
                *band = bits as i32;
            }
            RequestFact::Arrived { request, client: a, class: b }
            | RequestFact::Prefilled { request, replica: ReplicaId(a), tokens: b } => {
                self.of(request, &mut [a, b], &mut []);
            }
            RequestFact::Routed { request, replica } => self.of(request, &mut [&mut replica.0], &mut []),
            RequestFact::FirstToken { request, replica, ttft } => {
                self.of(request, &mut [&mut replica.0], &mut [&mut ttft.0]);
            }
            RequestFact::Completed { request, replica, class, ttft, e2e, tokens } => {
                self.of(request, &mut [&mut replica.0, class, tokens], &mut [&mut ttft.0, &mut e2e.0]);
            }
            RequestFact::Queued { request, replica, class: n, urgency } => {
                self.urgent(request, &mut [&mut replica.0, n], urgency);
            }
            RequestFact::Preempted { request, replica, class, urgency, times: n } => {
                self.urgent(request, &mut [&mut replica.0, class, n], urgency);
            }
            RequestFact::Dropped { request, replica, class, urgency, reason, waiting } => {
                self.urgent(request, &mut [&mut replica.0, class, waiting], urgency);
                self.choice(reason, *reason as usize, &DropReason::ALL);
            }
            RequestFact::Scheduled { request, replica, class, urgency, prefill, cached } => {
                self.urgent(request, &mut [&mut replica.0, class, prefill, cached], urgency);
            }
        }
    }

    fn replica(&mut self, fact: &mut ReplicaFact) {
        match fact {
            ReplicaFact::StepEnded { replica } => self.some(&mut [&mut replica.0], &mut []),
            ReplicaFact::Tokens { replica, count, itl } => {
                self.some(&mut [&mut replica.0, count], &mut [&mut itl.0]);
            }
            ReplicaFact::StepStarted {
                replica: ReplicaId(n),
                span,
                prefill,
                decode,
                running,
                waiting,
                kv_used,
            } => {
                self.some(&mut [n, prefill, decode, running, waiting, kv_used], &mut [&mut span.0]);
            }
        }
    }

    fn cache(&mut self, fact: &mut CacheFact) {
        match fact {
            CacheFact::Offloaded { replica, blocks, forgotten: n } => {
                self.some(&mut [&mut replica.0, blocks, n], &mut []);
            }
            CacheFact::LoadGivenUp { request, replica: ReplicaId(a), blocks: b }
            | CacheFact::ReloadedEarly { request, replica: ReplicaId(a), blocks: b }
            | CacheFact::HeadBlocked { request, replica: ReplicaId(a), behind: RequestId(b) } => {
                self.of(request, &mut [a, b], &mut []);
            }
            CacheFact::HeadUnblocked { request, replica } | CacheFact::Livelock { request, replica } => {
                self.of(request, &mut [&mut replica.0], &mut []);
            }
            CacheFact::AdapterLoaded { request, replica, adapter, source, evicted, took } => {
                self.of(request, &mut [&mut replica.0, adapter, evicted], &mut [&mut took.0]);
                self.choice(source, *source as usize, &AdapterSource::ALL);
            }
            CacheFact::Loaded { request, replica, class, urgency, blocks: n } => {
                self.urgent(request, &mut [&mut replica.0, class, n], urgency);
            }
            CacheFact::LoadStarted { request, replica, class, urgency, blocks, until } => {
                self.urgent(request, &mut [&mut replica.0, class, blocks], urgency);
                self.some(&mut [], &mut [&mut until.0]);
            }
        }
    }

    fn fleet(&mut self, fact: &mut FleetFact) {
        match fact {
            FleetFact::Cold { replica }
            | FleetFact::Warm { replica }
            | FleetFact::StartGivenUp { replica }
            | FleetFact::Draining { replica } => self.some(&mut [&mut replica.0], &mut []),
            FleetFact::Starting { replica, pool, until } => {
                self.some(&mut [&mut replica.0, pool], &mut [&mut until.0]);
            }
            FleetFact::Scaled { pool, from, to, rule } => {
                self.some(&mut [pool, from, to], &mut []);
                self.choice(rule, *rule as usize, &Rule::ALL);
            }
            FleetFact::Serving { replica, pool } => self.some(&mut [&mut replica.0, pool], &mut []),
            FleetFact::Redirected { request, replica, class, urgency, waiting: n } => {
                self.urgent(request, &mut [&mut replica.0, class, n], urgency);
            }
        }
    }

    fn handover(&mut self, fact: &mut HandoverFact) {
        match fact {
            HandoverFact::Decided { request, home, prefill, reason, uncached } => {
                self.of(request, &mut [&mut home.0], &mut []);
                *prefill = self.maybe(prefill.map(|replica| replica.0)).map(ReplicaId);
                *uncached = self.maybe(*uncached);
                self.choice(reason, *reason as usize, &DeciderReason::ALL);
            }
            HandoverFact::Prefilled { request, replica, home, ttft, blocks } => {
                self.of(request, &mut [&mut replica.0, &mut home.0, blocks], &mut [&mut ttft.0]);
            }
            HandoverFact::Reserved { request, replica, class, urgency, blocks, cached } => {
                self.urgent(request, &mut [&mut replica.0, class, blocks, cached], urgency);
            }
            HandoverFact::TransferStarted { request, from, to, bytes, early } => {
                self.of(request, &mut [&mut from.0, &mut to.0], &mut [bytes, early]);
            }
            HandoverFact::Flows { request, from, to } => {
                self.of(request, &mut [&mut from.0, &mut to.0], &mut []);
            }
            HandoverFact::Landed { request, from, to, bytes } => {
                self.of(request, &mut [&mut from.0, &mut to.0], &mut [bytes]);
            }
            HandoverFact::Joined { request, replica, class, urgency } => {
                self.urgent(request, &mut [&mut replica.0, class], urgency);
            }
            HandoverFact::GivenUp { request, replica, blocks }
            | HandoverFact::LeaseOver { request, replica, blocks } => {
                self.of(request, &mut [&mut replica.0, blocks], &mut []);
            }
            HandoverFact::KvLost { request, replica, class, urgency, waiting } => {
                self.urgent(request, &mut [&mut replica.0, class, waiting], urgency);
            }
            HandoverFact::Stranded { request, replica, blocks, until } => {
                self.of(request, &mut [&mut replica.0, blocks], &mut [&mut until.0]);
            }
        }
    }
}

impl<N: FnMut(u64) -> u64> Numbers<'_, N> {
    fn fault(&mut self, fact: &mut FaultFact) {
        match fact {
            FaultFact::Down { replica, pool, until, planned, blocks } => {
                self.some(&mut [&mut replica.0, pool, blocks], &mut [&mut until.0]);
                self.choice(planned, usize::from(*planned), &[false, true]);
            }
            FaultFact::Restarted { replica, pool } => self.some(&mut [&mut replica.0, pool], &mut []),
            FaultFact::Noticed { replica, serves } => {
                self.some(&mut [&mut replica.0], &mut []);
                self.choice(serves, usize::from(*serves), &[false, true]);
            }
            FaultFact::Ejected { replica, pool, by, until } => {
                self.some(&mut [&mut replica.0, pool], &mut [&mut until.0]);
                self.choice(by, *by as usize, &EjectedBy::ALL);
            }
            FaultFact::Readmitted { replica, pool, by } => {
                self.some(&mut [&mut replica.0, pool], &mut []);
                self.choice(by, *by as usize, &EjectedBy::ALL);
            }
            FaultFact::Broken {
                request,
                replica,
                reason,
                class,
                urgency,
                attempt,
                prefilled,
                generated,
                waiting,
            } => {
                self.urgent(request, &mut [class, attempt, prefilled, generated, waiting], urgency);
                *replica = self.maybe(replica.map(|replica| replica.0)).map(ReplicaId);
                self.choice(reason, *reason as usize, &BreakReason::ALL);
            }
            FaultFact::Began { replica, kind, until } => {
                *replica = self.maybe(replica.map(|replica| replica.0)).map(ReplicaId);
                self.some(&mut [], &mut [&mut until.0]);
                self.choice(kind, *kind as usize, &FaultKind::ALL);
            }
            FaultFact::Ended { replica, kind } => {
                *replica = self.maybe(replica.map(|replica| replica.0)).map(ReplicaId);
                self.choice(kind, *kind as usize, &FaultKind::ALL);
            }
            FaultFact::Retried { request, attempt, backoff } => {
                self.of(request, &mut [attempt], &mut [&mut backoff.0]);
            }
            FaultFact::CameAgain { request, times } => self.of(request, &mut [times], &mut []),
            FaultFact::Lost { request, class, reason, denied } => {
                self.of(request, &mut [class], &mut []);
                self.choice(reason, *reason as usize, &BreakReason::ALL);
                self.choice(denied, usize::from(*denied), &[false, true]);
            }
        }
    }
}

/// How many bits the numbers of lines have, by kind and place.
type Widths = [[u32; NUMBERS]; 1 << KIND_BITS];

const NO_WIDTHS: Widths = [[0; NUMBERS]; 1 << KIND_BITS];

impl Entry for Line {
    type Packed = [u64];

    fn pack(piece: &[Self]) -> Rc<[u64]> {
        let (mut out, mut widths) = (BitWriter::default(), NO_WIDTHS);
        let (mut at, mut request) = (0, 0);
        out.push_number(piece.len() as u32);
        for &(mut line) in piece {
            let kind = kind_of(line.1.as_ref());
            out.push(kind as u64, KIND_BITS);
            let mut places = widths[kind].iter_mut();
            let next = &mut |n: u64| {
                let width = places.next().expect("INV-6: a line has too many numbers");
                let needed = u64::BITS - n.leading_zeros();
                out.push(u64::from(needed > *width), 1);
                if needed > *width {
                    out.push(u64::from(needed), 7);
                    *width = needed;
                }
                out.push(n, *width);
                n
            };
            let mut numbers = Numbers { next, at, request };
            numbers.line(&mut line);
            (at, request) = (numbers.at, numbers.request);
        }
        out.finish().into()
    }

    fn unpack(packed: &[u64]) -> Vec<Self> {
        let (mut from, mut widths) = (BitReader::new(packed), NO_WIDTHS);
        let (mut at, mut request, lines) = (0, 0, from.take_number());
        let read = |_| {
            let kind = from.take(KIND_BITS) as usize;
            let mut line = Line(0, kind.checked_sub(1).map(|kind| KINDS[kind]));
            let mut places = widths[kind].iter_mut();
            let next = &mut |_| {
                let width = places.next().expect("INV-6: a line has too many numbers");
                if from.take(1) == 1 {
                    *width = from.take(7) as u32;
                }
                from.take(*width)
            };
            let mut numbers = Numbers { next, at, request };
            numbers.line(&mut line);
            (at, request) = (numbers.at, numbers.request);
            line
        };
        (0..lines).map(read).collect()
    }

    fn bytes(piece: &[Self]) -> u64 {
        size_of_val(piece) as u64
    }

    fn packed_bytes(packed: &[u64]) -> u64 {
        size_of_val(packed) as u64
    }
}

#[cfg(test)]
mod tests;
