//! The window: the latest seconds of a run, one by one, for the headline numbers.
//!
//! A frame asks for the percentiles of some thirty seconds, sixty times a second. The values of a second are sorted
//! once, when it is over; percentiles over several seconds are found without merging them.

use super::rolling::Latest;
use base::bits::{BitReader, BitWriter};
use base::shared_queue::Entry;
use base::small::sort::sort_pairs;
use base::stats::{Coverage, Ranks, RunLength, percentiles_of, push_pairs, take_pairs};
use base::units::US_PER_S;
use base::{Micros, SharedQueue, Span};
use engine::{Fact, FaultFact, HandoverFact, ReplicaFact, RequestFact};
use serde::{Deserialize, Serialize};
#[cfg(any(feature = "cli", feature = "closeup"))]
use std::collections::BTreeMap;
use std::rc::Rc;

#[cfg(any(feature = "cli", feature = "closeup"))]
mod waits;

/// Seconds kept, and the longest possible window.
pub(crate) const SECONDS_KEPT: usize = 120;

/// One second.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WindowSecond {
    /// Which second of the run.
    index: u64,
    arrived: Vec<u32>,
    routed: Vec<u32>,
    /// By replica: the steps run when this second began, those running then included.
    busy: Vec<Coverage>,
    completed: u32,
    good: u32,
    /// Refused or dropped.
    unserved: u32,
    tokens: u64,
    /// (replica, TTFT)
    ttft: Vec<(u32, u64)>,
    /// (prefill replica, TTFT as it has it), of requests that it prefilled for others.
    prefill_ttft: Vec<(u32, u64)>,
    /// Gaps between tokens, while the second runs.
    itl: RunLength,
    /// While the second runs.
    e2e: Vec<u64>,
    tpot: Vec<u64>,
    /// From arrival to the first batch, while the second runs.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    wait: Vec<u64>,
    /// Once it is over.
    ranks: Option<SecondRanks>,
}

/// The values of one second in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SecondRanks {
    ttft: Ranks,
    itl: Ranks,
    e2e: Ranks,
    tpot: Ranks,
    #[cfg(any(feature = "cli", feature = "closeup"))]
    wait: Ranks,
}

/// A request that finished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished {
    pub(crate) e2e: Span,
    /// For a request with two tokens or more.
    pub(crate) tpot: Option<Span>,
    /// Whether it met every objective.
    pub(crate) good: bool,
}

/// The latest seconds of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Window {
    /// Past seconds do not change: copies of a run share them, and checkpoints keep them packed.
    seconds: SharedQueue<WindowSecond, 1>,
    /// By replica: the steps it has run.
    busy: Vec<Coverage>,
    /// When requests arrived that have not been in a batch yet.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    arrivals: BTreeMap<u32, u64>,
    /// The end of the latest second, once a value was entered since this window was made.
    #[serde(skip)]
    until: Micros,
}

/// Percentiles of a set of durations. All zero when `count` is 0: show a dash.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// How many values.
    pub count: u64,
    /// Median, in microseconds.
    pub p50_us: f64,
    /// 90th percentile, in microseconds.
    pub p90_us: f64,
    /// 99th percentile, in microseconds.
    pub p99_us: f64,
}

/// Sums over a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowSums {
    /// Length in seconds.
    pub(crate) seconds: f64,
    pub(crate) arrived_by_client: Vec<u32>,
    pub(crate) routed_by_replica: Vec<u32>,
    pub(crate) busy_us: Vec<u64>,
    pub(crate) completed: u32,
    pub(crate) good: u32,
    /// Requests refused or dropped.
    pub(crate) unserved: u32,
    pub(crate) tokens: u64,
    pub(crate) ttft: Percentiles,
    pub(crate) itl: Percentiles,
    pub(crate) e2e: Percentiles,
    pub(crate) tpot: Percentiles,
    pub(crate) ttft_by_replica: Vec<Percentiles>,
    /// TTFT as prefill replicas have it, of requests that they prefilled for others: all, and by prefill replica.
    pub(crate) prefill_ttft: Percentiles,
    pub(crate) prefill_ttft_by_replica: Vec<Percentiles>,
    /// How many of the TTFTs and of the E2Es are within their limits.
    pub(crate) within: [u64; 2],
}

fn at<T: Default + Clone>(v: &mut Vec<T>, i: u32) -> &mut T {
    let i = i as usize;
    if v.len() <= i {
        v.resize(i + 1, T::default());
    }
    &mut v[i]
}

/// The first second of a window that ends now.
fn first_second(now: Micros, window_s: f64) -> u64 {
    let kept = window_s.clamp(1.0, SECONDS_KEPT as f64) as u64;
    (now.0 / US_PER_S).saturating_sub(kept.saturating_sub(1))
}

fn percentiles(found: Option<(u64, [f64; 3])>) -> Percentiles {
    found.map_or_else(Percentiles::default, |(count, [p50_us, p90_us, p99_us])| Percentiles {
        count,
        p50_us,
        p90_us,
        p99_us,
    })
}

impl WindowSecond {
    fn size(&self) -> u64 {
        let ranks = self.ranks.iter().flat_map(|r| [&r.ttft, &r.itl, &r.e2e, &r.tpot]);
        let numbers = 4 * (self.arrived.len() + self.routed.len()) + 8 * (self.e2e.len() + self.tpot.len());
        let pairs = 16 * (self.ttft.len() + self.prefill_ttft.len())
            + self.busy.len() * size_of::<Coverage>()
            + size_of::<Self>();
        #[cfg(any(feature = "cli", feature = "closeup"))]
        let waits = 8 * self.wait.len() as u64 + self.ranks.as_ref().map_or(0, |r| r.wait.bytes());
        #[cfg(not(any(feature = "cli", feature = "closeup")))]
        let waits = 0;
        ranks.map(Ranks::bytes).sum::<u64>() + self.itl.bytes() + (numbers + pairs) as u64 + waits
    }

    /// Its sorted values.
    fn in_order(&self) -> SecondRanks {
        let ranks = |values: &mut dyn Iterator<Item = u64>| {
            let mut pairs: Vec<(u64, u64)> = values.map(|v| (v, 1)).collect();
            sort_pairs(&mut pairs);
            Ranks::new(&pairs)
        };
        SecondRanks {
            ttft: ranks(&mut self.ttft.iter().map(|(_, v)| *v)),
            itl: Ranks::new(&self.itl.sorted()),
            e2e: ranks(&mut self.e2e.iter().copied()),
            tpot: ranks(&mut self.tpot.iter().copied()),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            wait: ranks(&mut self.wait.iter().copied()),
        }
    }

    /// Sorts the values at the end of the second.
    fn close(&mut self) {
        self.ranks = Some(self.in_order());
        self.itl = RunLength::default();
        self.e2e = Vec::new();
        self.tpot = Vec::new();
        #[cfg(any(feature = "cli", feature = "closeup"))]
        drop(std::mem::take(&mut self.wait));
    }
}

fn push_small(out: &mut BitWriter, numbers: &[u32]) {
    out.push_list(&numbers.iter().map(|n| u64::from(*n)).collect::<Vec<_>>());
}

fn take_small(from: &mut BitReader) -> Vec<u32> {
    from.take_list().into_iter().map(|n| n as u32).collect()
}

/// A second that is over.
impl Entry for WindowSecond {
    type Packed = [u64];

    fn pack(piece: &[Self]) -> Rc<[u64]> {
        let mut out = BitWriter::default();
        for s in piece {
            let ranks = s.ranks.as_ref().expect("INV-3: a second before the latest goes on");
            out.push_list(&[s.index, s.tokens]);
            push_small(&mut out, &[s.completed, s.good, s.unserved]);
            push_small(&mut out, &s.arrived);
            push_small(&mut out, &s.routed);
            push_pairs(&mut out, &s.busy.iter().map(Coverage::parts).collect::<Vec<_>>());
            for ttft in [&s.ttft, &s.prefill_ttft] {
                push_pairs(&mut out, &ttft.iter().map(|(r, v)| (u64::from(*r), *v)).collect::<Vec<_>>());
            }
            for ranks in [&ranks.ttft, &ranks.itl, &ranks.e2e, &ranks.tpot] {
                ranks.pack(&mut out);
            }
            #[cfg(any(feature = "cli", feature = "closeup"))]
            ranks.wait.pack(&mut out);
        }
        out.finish().into()
    }

    fn unpack(packed: &[u64]) -> Vec<Self> {
        let from = &mut BitReader::new(packed);
        let (head, counts) = (from.take_list(), take_small(from));
        let (arrived, routed) = (take_small(from), take_small(from));
        let busy = take_pairs(from).into_iter().map(Coverage::of_parts).collect();
        let [ttft, prefill_ttft] =
            [(); 2].map(|()| take_pairs(from).into_iter().map(|(r, v)| (r as u32, v)).collect());
        let [ttft_ranks, itl, e2e, tpot] = [(); 4].map(|()| Ranks::unpacked(from));
        let ranks = SecondRanks {
            ttft: ttft_ranks,
            itl,
            e2e,
            tpot,
            #[cfg(any(feature = "cli", feature = "closeup"))]
            wait: Ranks::unpacked(from),
        };
        vec![Self {
            index: head[0],
            tokens: head[1],
            completed: counts[0],
            good: counts[1],
            unserved: counts[2],
            arrived,
            routed,
            busy,
            ttft,
            prefill_ttft,
            ranks: Some(ranks),
            ..Self::default()
        }]
    }

    fn bytes(piece: &[Self]) -> u64 {
        piece.iter().map(Self::size).sum()
    }

    fn packed_bytes(packed: &[u64]) -> u64 {
        8 * packed.len() as u64
    }
}

impl Window {
    /// Packs the past seconds.
    pub(super) fn pack(&mut self) {
        self.seconds.pack();
    }

    /// Restores the window; seconds are unpacked when they are read.
    pub(super) fn unpack(&mut self) {
        self.seconds.unpack();
    }

    /// Bytes of the seconds not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.seconds.bytes_beside(later.map(|l| &l.seconds))
    }

    pub(crate) fn fact(&mut self, now: Micros, fact: &Fact) {
        match *fact {
            Fact::Request(fact) => self.request(now, fact),
            Fact::Replica(fact) => self.replica(now, fact),
            Fact::Handover(fact) => self.handover(now, fact),
            Fact::Fault(FaultFact::Lost { .. }) => self.second(now).unserved += 1,
            Fact::Fault(_) | Fact::Cache(_) | Fact::Fleet(_) => {}
        }
    }

    fn handover(&mut self, now: Micros, fact: HandoverFact) {
        match fact {
            HandoverFact::Decided { prefill: Some(replica), .. } => {
                *at(&mut self.second(now).routed, replica.0) += 1;
            }
            HandoverFact::Prefilled { replica, ttft, .. } => {
                self.second(now).prefill_ttft.push((replica.0, ttft.0));
            }
            HandoverFact::Decided { prefill: None, .. }
            | HandoverFact::Reserved { .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Flows { .. }
            | HandoverFact::Landed { .. }
            | HandoverFact::Joined { .. }
            | HandoverFact::GivenUp { .. }
            | HandoverFact::KvLost { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }

    fn request(&mut self, now: Micros, fact: RequestFact) {
        #[cfg(any(feature = "cli", feature = "closeup"))]
        self.waits(now, fact);
        match fact {
            RequestFact::Arrived { client, .. } => *at(&mut self.second(now).arrived, client) += 1,
            RequestFact::Routed { replica, .. } => *at(&mut self.second(now).routed, replica.0) += 1,
            RequestFact::FirstToken { replica, ttft, .. } => {
                let s = self.second(now);
                s.ttft.push((replica.0, ttft.0));
                s.tokens += 1;
            }
            RequestFact::Rejected { .. } | RequestFact::Dropped { .. } => self.second(now).unserved += 1,
            // Completed requests are entered elsewhere, with the judgement of their objectives.
            RequestFact::Completed { .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Queued { .. }
            | RequestFact::Scheduled { .. }
            | RequestFact::Prefilled { .. }
            | RequestFact::Preempted { .. } => {}
        }
    }

    fn replica(&mut self, now: Micros, fact: ReplicaFact) {
        match fact {
            ReplicaFact::StepStarted { replica, span, .. } => {
                self.second(now);
                at(&mut self.busy, replica.0).add(now, span);
            }
            ReplicaFact::Tokens { itl, count, .. } => {
                let s = self.second(now);
                s.tokens += u64::from(count);
                s.itl.add(itl.0, u64::from(count));
            }
            ReplicaFact::StepEnded { .. } => {}
        }
    }

    /// A request completed.
    pub(crate) fn completed(&mut self, now: Micros, request: Finished) {
        let s = self.second(now);
        s.completed += 1;
        s.good += u32::from(request.good);
        s.e2e.push(request.e2e.0);
        s.tpot.extend(request.tpot.map(|tpot| tpot.0));
    }

    fn second(&mut self, now: Micros) -> &mut WindowSecond {
        if now >= self.until {
            self.begin_second(now.0 / US_PER_S);
        }
        self.seconds.last_mut().expect("INV-3: a second was just added")
    }

    fn begin_second(&mut self, index: u64) {
        self.until = Micros((index + 1) * US_PER_S);
        if self.seconds.last().is_none_or(|s| s.index != index) {
            if let Some(over) = self.seconds.last_mut() {
                over.close();
            }
            if self.seconds.len() == SECONDS_KEPT {
                self.seconds.drop_first();
            }
            self.seconds.push(WindowSecond { index, busy: self.busy.clone(), ..WindowSecond::default() });
        }
    }

    /// The seconds from `first` on, the latest first. At most one other second is unpacked.
    fn since(&self, first: u64) -> Vec<&WindowSecond> {
        self.seconds.iter().rev().take_while(|s| s.index >= first).collect()
    }

    /// By replica: how long a step ran between the beginning of second `first` and `now`.
    fn busy_us(&self, first: u64, since: &[&WindowSecond], now: Micros, replicas: usize) -> Vec<u64> {
        // No step began between second `first` and the first second kept since.
        let before = since.last().map_or(&self.busy, |s| &s.busy);
        let until = |all: &[Coverage], replica: usize, at| all.get(replica).map_or(0, |c| c.before(at));
        let from = Micros(first * US_PER_S);
        (0..replicas).map(|r| until(&self.busy, r, now) - until(before, r, from)).collect()
    }

    /// The TTFTs, or the E2Es, of the latest `window_s` seconds in order, each with its count.
    pub(crate) fn values(&self, now: Micros, window_s: f64, ttft: bool) -> Vec<(u64, u64)> {
        self.merged(now, window_s, if ttft { |r| &r.ttft } else { |r| &r.e2e })
    }

    /// The values of one kind of the latest `window_s` seconds in order, each with its count.
    fn merged(&self, now: Micros, window_s: f64, part: fn(&SecondRanks) -> &Ranks) -> Vec<(u64, u64)> {
        let running = self.seconds.last().map(WindowSecond::in_order).unwrap_or_default();
        let since = self.since(first_second(now, window_s));
        let ranks = since.iter().map(|s| part(s.ranks.as_ref().unwrap_or(&running)));
        Ranks::merged(&ranks.collect::<Vec<_>>())
    }

    /// The percentiles of two kinds of values of the seconds `since`.
    fn of_both(
        &self,
        since: &[&WindowSecond],
        parts: [fn(&SecondRanks) -> &Ranks; 2],
    ) -> [base::stats::Percentiles; 2] {
        let running = self.seconds.last().map(WindowSecond::in_order).unwrap_or_default();
        parts.map(|part| {
            let ranks = since.iter().map(|s| part(s.ranks.as_ref().unwrap_or(&running)));
            Ranks::percentiles(&ranks.collect::<Vec<_>>())
        })
    }

    /// TTFT, E2E and TTFT as prefill replicas have it, of the latest `window_s` seconds, as in [`Window::sums`].
    pub(crate) fn latest(&self, now: Micros, window_s: f64) -> Latest {
        let since = self.since(first_second(now, window_s));
        let [ttft, e2e] = self.of_both(&since, [|r| &r.ttft, |r| &r.e2e]);
        let prefill = since.iter().flat_map(|s| &s.prefill_ttft).map(|(_, ttft)| *ttft);
        [ttft, e2e, percentiles_of(&mut prefill.collect::<Vec<_>>())]
    }

    /// Sums over the whole seconds of the latest `window_s` seconds before `now`, and the running one. The `limits` are those of
    /// TTFT and E2E.
    pub(crate) fn sums(
        &self,
        now: Micros,
        window_s: f64,
        [replicas, clients]: [usize; 2],
        limits: [u64; 2],
    ) -> WindowSums {
        let first = first_second(now, window_s);
        let since = self.since(first);
        let mut out = WindowSums {
            seconds: ((now.0 - first * US_PER_S) as f64 / US_PER_S as f64).max(1e-6),
            arrived_by_client: vec![0; clients],
            routed_by_replica: vec![0; replicas],
            busy_us: self.busy_us(first, &since, now, replicas),
            ..WindowSums::default()
        };
        let [mut ttft_of, mut prefill_ttft_of] = [(); 2].map(|()| vec![Vec::new(); replicas]);
        let running = self.seconds.last().map(WindowSecond::in_order).unwrap_or_default();
        let mut ranks: Vec<&SecondRanks> = Vec::new();
        for s in since {
            for (i, n) in s.arrived.iter().enumerate().filter(|(i, _)| *i < clients) {
                out.arrived_by_client[i] += n;
            }
            for (i, n) in s.routed.iter().enumerate() {
                out.routed_by_replica[i] += n;
            }
            out.completed += s.completed;
            out.good += s.good;
            out.unserved += s.unserved;
            out.tokens += s.tokens;
            for &(replica, value) in &s.ttft {
                ttft_of[replica as usize].push(value);
            }
            for &(replica, value) in &s.prefill_ttft {
                prefill_ttft_of[replica as usize].push(value);
            }
            ranks.push(s.ranks.as_ref().unwrap_or(&running));
        }
        let over_all = |part: fn(&SecondRanks) -> &Ranks| {
            let parts: Vec<&Ranks> = ranks.iter().map(|r| part(r)).collect();
            percentiles(Ranks::percentiles(&parts))
        };
        let within =
            |part: fn(&SecondRanks) -> &Ranks, limit| ranks.iter().map(|r| part(r).up_to(limit)).sum();
        out.within = [within(|r| &r.ttft, limits[0]), within(|r| &r.e2e, limits[1])];
        out.ttft = over_all(|r| &r.ttft);
        out.itl = over_all(|r| &r.itl);
        out.e2e = over_all(|r| &r.e2e);
        out.tpot = over_all(|r| &r.tpot);
        out.prefill_ttft = percentiles(percentiles_of(&mut prefill_ttft_of.concat()));
        let [by_replica, prefill_by_replica] = [ttft_of, prefill_ttft_of]
            .map(|mut of| of.iter_mut().map(|v| percentiles(percentiles_of(v))).collect());
        (out.ttft_by_replica, out.prefill_ttft_by_replica) = (by_replica, prefill_by_replica);
        out
    }
}

#[cfg(test)]
mod tests;
