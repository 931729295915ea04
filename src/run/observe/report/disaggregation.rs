//! The part of a report about requests that are prefilled on one replica and decoded on another: decisions, transfers, the
//! ports, and what each pool did in its role.

use super::home_reads::{HomeReads, HomeReadsPart};
use super::measure::MeasurementWindow;
use super::{KindCounts, known_share, share};
use crate::observe::meters::{Reading, within};
use crate::observe::recorder::Recorder;
use crate::observe::roles_differ;
use base::stats::{Ranked, Summary};
use base::{Maybe, Micros, Period, ReplicaId, RequestId, Span};
use document::{Role, Scenario};
use engine::{Cluster, DeciderReason, Direction, Handover, Network, Replica};
use serde::Serialize;

/// Requests that are prefilled on one replica and decoded on another. Distributions and counts of requests are over those that
/// arrived in the measurement window.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DisaggregationPart {
    /// Requests by what the decider said; kinds that did not occur are left out.
    #[cfg_attr(feature = "types", ts(type = "{ [kind: string]: number }"))]
    pub decisions: KindCounts,
    /// Share of them that a prefill replica prefilled, 0 to 1; missing without a decision.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_share: Option<f64>,
    /// Arrival to the end of the prefill, as the prefill replica has it, in milliseconds.
    pub ttft_prefill_ms: Summary,
    /// Arrival to the first token that the home made, of requests prefilled elsewhere, in milliseconds.
    pub ttft_decode_ms: Summary,
    /// End of the prefill to joining the batch of the home, in milliseconds.
    pub handover_ms: Summary,
    /// The wait for room at home: pull, from the end of the prefill until blocks are set aside; push, from joining the wait queue
    /// of the home until then. In milliseconds.
    pub room_wait_ms: Summary,
    /// Start of the transfer to the landing, in milliseconds.
    pub transfer_ms: Summary,
    /// Landing to joining the batch of the home, in milliseconds.
    pub join_wait_ms: Summary,
    /// Bytes of each transfer.
    pub transfer_bytes: Summary,
    /// Transfers that landed in the measurement window.
    pub transfers: u32,
    /// Their bytes.
    pub bytes: u64,
    /// Of these, bytes that left while the prefill ran.
    pub overlapped_bytes: u64,
    /// Transfers under way now.
    pub transfers_under_way: u32,
    /// Most transfers that flowed at one instant, warm-up included.
    pub peak_flows: u32,
    /// KV blocks that prefill replicas held for homes, times seconds.
    pub held_block_seconds: f64,
    /// KV blocks set aside or pinned at homes for requests whose KV was not there yet, times seconds.
    pub reserved_block_seconds: f64,
    /// What homes read from their CPU memory; only with `home_hits: gpu+cpu`.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_reads: Option<HomeReadsPart>,
    /// What ratio the loads suggest; missing without both roles, or without load.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<HintPart>,
}

/// The ratio of prefill to decode replicas that would load both alike, by how loaded they were. It is never applied.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HintPart {
    /// Prefill replicas that take requests now.
    pub prefill_replicas: u32,
    /// Decode replicas that take requests now.
    pub decode_replicas: u32,
    /// Share of the time in which the prefill replicas ran a step, 0 to 1.
    pub prefill_load: f64,
    /// The larger of two means of the decode replicas, 0 to 1: KV blocks in use, and requests in the batch / `max_num_seqs`.
    pub decode_load: f64,
    /// The same number of replicas in all, in proportion to the loads: prefill replicas.
    pub suggested_prefill: u32,
    /// Decode replicas.
    pub suggested_decode: u32,
}

/// The network ports of one replica in one direction, over the measurement window.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkPart {
    /// The replica.
    pub replica: u32,
    /// `out` or `in`.
    pub direction: &'static str,
    /// Transfers that landed.
    pub transfers: u32,
    /// Their bytes, those that left during the prefill included.
    pub bytes: u64,
    /// Share of the time that the replica existed in which a transfer flowed, 0 to 1.
    pub busy: f64,
    /// Bytes that flowed, of what the port could have carried in that time, 0 to 1.
    pub utilisation: f64,
    /// Mean over that time of the transfers that flowed.
    pub mean_flows: f64,
}

/// What the replicas of one pool did in its role. Means over time are over the time that they existed in the measurement window.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PoolSplitPart {
    /// The role now.
    pub role: &'static str,
    /// Requests that arrived in the measurement window and were sent there, to be prefilled or to be answered.
    pub requests: u32,
    /// Prompt tokens of those of them whose prompt was computed there.
    pub tokens_in: u64,
    /// Output tokens that they got from there.
    pub tokens_out: u64,
    /// Steps begun, warm-up included.
    pub steps: u64,
    /// Share of the time in which a step ran, 0 to 1.
    pub busy: f64,
    /// Mean number of requests in a step, warm-up included.
    pub mean_batch: f64,
    /// Mean over time of the requests waiting on one replica.
    pub mean_queued: f64,
    /// Mean over time of the KV blocks in use.
    pub kv: KvSplitPart,
    /// Preemptions, warm-up included.
    pub preemptions: u64,
    /// Prefills passed on to homes, warm-up included.
    pub handed_over: u64,
    /// Blocks opened for transfers, warm-up included: neither found in the cache nor computed.
    pub received_blocks: u64,
    /// KV blocks held for homes, times seconds.
    pub held_block_seconds: f64,
    /// KV blocks set aside or pinned for requests whose KV was not there yet, times seconds.
    pub reserved_block_seconds: f64,
}

/// KV blocks in use as shares of all blocks, 0 to 1, by what holds them.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KvSplitPart {
    /// Requests in the batch: what is left of the blocks in use while a step runs.
    pub running: f64,
    /// Set aside or pinned for requests whose KV is not there yet.
    pub incoming: f64,
    /// Requests whose KV is there and that are not in the batch yet.
    pub landed: f64,
    /// Held for requests until their KV is at home.
    pub outgoing: f64,
}

impl KvSplitPart {
    fn all(&self) -> f64 {
        self.running + self.incoming + self.landed + self.outgoing
    }
}

/// The requests of one pool.
#[derive(Clone, Copy, Debug, Default)]
struct PoolRequests {
    requests: u32,
    tokens_in: u64,
    tokens_out: u64,
}

/// One pass over the hand-overs of the requests that arrived in the measurement window, and of the transfers that landed in it.
#[derive(Default)]
pub(super) struct RoleSums {
    decisions: [u32; DeciderReason::ALL.len()],
    pools: Vec<PoolRequests>,
    times: [Vec<(u64, u32)>; TIMES],
    transfers: u32,
    bytes: u64,
    early: u64,
    home_reads: HomeReads,
}

/// The distributions of a hand-over, in the order of [`times`].
const TIMES: usize = 7;

/// TTFT at the prefill and at the home, the hand-over, its three parts, and the bytes; what is not known yet is missing, and parts are
/// known with the whole, so that their means add up to its mean.
fn times(h: &Handover) -> [Option<u64>; TIMES] {
    let between = |from: Maybe<Micros>, to: Maybe<Micros>| Some(to.get()?.0.saturating_sub(from.get()?.0));
    let span = |span: Maybe<Span>| span.get().map(|span| span.0);
    let part = |from, to| h.joined.get().and_then(|_| between(from, to));
    let room_from = if h.push { h.home_queued } else { h.prefill_end };
    [
        span(h.ttft_prefill),
        span(h.ttft_decode),
        between(h.prefill_end, h.joined),
        part(room_from, h.reserved),
        part(h.start, h.landed),
        between(h.landed, h.joined),
        h.start.get().map(|_| h.bytes),
    ]
}

impl RoleSums {
    /// `None` where all pools are, and ever were, mixed.
    pub(super) fn new(scenario: &Scenario, m: &MeasurementWindow<'_>, recorder: &Recorder) -> Option<Self> {
        let engine = m.engine();
        if !roles_differ(scenario) && engine.network().is_none() {
            return None;
        }
        let pools = vec![PoolRequests::default(); scenario.cluster.pools.len()];
        let mut sums = Self { pools, ..Self::default() };
        for (i, r) in (0..).zip(engine.records()) {
            let request = RequestId(i);
            let Some(h) = engine.handover(request) else { continue };
            if m.has_begun() && h.landed.get().is_some_and(|landed| landed >= m.from()) {
                sums.transfers += 1;
                sums.bytes += h.bytes;
                sums.early += h.early;
            }
            if recorder.warmup().counts(request, r.arrival) {
                sums.add(engine, i, h, r.prompt_tokens);
            }
        }
        Some(sums)
    }

    fn add(&mut self, engine: &Cluster, request: u32, h: &Handover, prompt_tokens: u32) {
        self.decisions[h.reason as usize] += 1;
        for (list, time) in self.times.iter_mut().zip(times(h)) {
            list.extend(time.filter(|_| h.prefill.is_some()).map(|time| (time, request)));
        }
        self.home_reads.add(request, h);
        let progress = engine.progress(RequestId(request));
        let ahead = if h.prefill_end.is_known() { h.ahead.min(progress.generated) } else { 0 };
        let mut at = |replica: ReplicaId, tokens_in: bool, tokens_out: u32| {
            let pool = engine.replicas().get(replica.index()).map_or(usize::MAX, |r| r.pool() as usize);
            if let Some(p) = self.pools.get_mut(pool) {
                p.requests += 1;
                p.tokens_in += u64::from(if tokens_in { prompt_tokens } else { 0 });
                p.tokens_out += u64::from(tokens_out);
            }
        };
        match h.prefill {
            Some(prefill) => {
                at(prefill, h.prefill_end.is_known(), ahead);
                at(h.home, false, progress.generated - ahead);
            }
            None => at(h.home, progress.generated > 0, progress.generated),
        }
    }

    fn distribution(&self, which: usize, requests: usize) -> Summary {
        Ranked::new(requests, self.times[which].iter().copied()).summary()
    }

    /// A pool in its role.
    pub(super) fn of_pool(&self, pool: u32, role: Role, m: &MeasurementWindow<'_>) -> PoolSplitPart {
        let requests = self.pools.get(pool as usize).copied().unwrap_or_default();
        let mut p = PoolSplitPart {
            role: role.name(),
            requests: requests.requests,
            tokens_in: requests.tokens_in,
            tokens_out: requests.tokens_out,
            ..PoolSplitPart::default()
        };
        let mut running = 0;
        for (r, _) in of_pools(m, |r| r.pool() == pool) {
            p.steps += r.totals().steps;
            running += r.totals().running_sum;
            p.preemptions += r.totals().preemptions;
            p.handed_over += u64::from(r.handed_over());
            p.received_blocks += r.received_blocks();
        }
        p.mean_batch = share(running as f64, p.steps as f64);
        let load = StageLoad::of(m, |r| r.pool() == pool);
        (p.busy, p.mean_queued, p.kv) = (load.busy, load.queued, load.kv);
        (p.held_block_seconds, p.reserved_block_seconds) = (load.held_block_s, load.reserved_block_s);
        p
    }
}

/// Some replicas, each with what it did in the measurement window.
fn of_pools<'a>(
    m: &'a MeasurementWindow<'_>,
    which: impl Fn(&Replica) -> bool + 'a,
) -> impl Iterator<Item = (&'a Replica, &'a Reading)> {
    m.engine().replicas().iter().zip(m.readings()).filter(move |(r, _)| which(r))
}

/// Means over the time that some replicas existed in the measurement window.
#[derive(Clone, Copy, Debug, Default)]
struct StageLoad {
    busy: f64,
    queued: f64,
    /// Requests in the batch, of as many as there may be.
    seats: f64,
    kv: KvSplitPart,
    held_block_s: f64,
    reserved_block_s: f64,
}

impl StageLoad {
    fn of(m: &MeasurementWindow<'_>, which: impl Fn(&Replica) -> bool) -> Self {
        let [mut up, mut busy, mut queued, mut running, mut seats, mut blocks] = [0.0_f64; 6];
        let mut kv = [0.0_f64; 4];
        for (r, read) in of_pools(m, which) {
            let up_us = read.up_us as f64;
            let [max_num_seqs, _] = m.engine().batch_limits(r.pool());
            up += up_us;
            busy += read.busy_us as f64;
            queued += read.waiting_area as f64;
            running += read.running_area as f64;
            seats += up_us * f64::from(max_num_seqs);
            blocks += up_us * f64::from(r.kv().total());
            let moving = &read.moving;
            let areas = [read.kv_running_area, moving.incoming, moving.landed, moving.outgoing];
            for (sum, area) in kv.iter_mut().zip(areas) {
                *sum += area as f64;
            }
        }
        let [in_batch, incoming, landed, outgoing] = kv.map(|area| share(area, blocks));
        Self {
            busy: share(busy, up),
            queued: share(queued, up),
            seats: share(running, seats),
            kv: KvSplitPart { running: in_batch, incoming, landed, outgoing },
            held_block_s: kv[3] / 1e6,
            reserved_block_s: kv[1] / 1e6,
        }
    }
}

/// The part.
pub(super) fn disaggregation(
    scenario: &Scenario,
    m: &MeasurementWindow<'_>,
    sums: &RoleSums,
) -> DisaggregationPart {
    let engine = m.engine();
    let requests = engine.records().len();
    let [ttft_prefill_ms, ttft_decode_ms, handover_ms, room_wait_ms, transfer_ms, join_wait_ms] =
        [0, 1, 2, 3, 4, 5].map(|which| super::in_ms(sums.distribution(which, requests)));
    let kinds = DeciderReason::ALL.into_iter().zip(sums.decisions);
    let remote: u32 = kinds.clone().filter(|(kind, _)| kind.is_remote()).map(|(_, n)| n).sum();
    let all = StageLoad::of(m, |_| true);
    DisaggregationPart {
        decisions: KindCounts(kinds.filter(|(_, n)| *n > 0).map(|(kind, n)| (kind.name(), n)).collect()),
        remote_share: known_share(f64::from(remote), f64::from(sums.decisions.iter().sum::<u32>())),
        ttft_prefill_ms,
        ttft_decode_ms,
        handover_ms,
        room_wait_ms,
        transfer_ms,
        join_wait_ms,
        transfer_bytes: sums.distribution(6, requests),
        transfers: sums.transfers,
        bytes: sums.bytes,
        overlapped_bytes: sums.early,
        transfers_under_way: engine.network().map_or(0, |network| network.under_way().len() as u32),
        peak_flows: engine.network().map_or(0, Network::peak_flows),
        held_block_seconds: all.held_block_s,
        reserved_block_seconds: all.reserved_block_s,
        home_reads: sums.home_reads.part(scenario, requests),
        hint: hint(scenario, m),
    }
}

fn hint(scenario: &Scenario, m: &MeasurementWindow<'_>) -> Option<HintPart> {
    let role = |r: &Replica| scenario.cluster.pools.get(r.pool() as usize).map(|pool| pool.role);
    let [prefill, decode] = [Role::Prefill, Role::Decode].map(|which| {
        let serving = m.engine().replicas().iter().filter(|r| r.serving() && role(r) == Some(which));
        (serving.count() as u32, StageLoad::of(m, |r| role(r) == Some(which)))
    });
    let decode_load = decode.1.kv.all().max(decode.1.seats);
    suggest([prefill.0, decode.0], [prefill.1.busy, decode_load])
}

/// The hint for these numbers of replicas and their loads.
fn suggest([prefill, decode]: [u32; 2], [prefill_load, decode_load]: [f64; 2]) -> Option<HintPart> {
    let needed = [f64::from(prefill) * prefill_load, f64::from(decode) * decode_load];
    let all = prefill + decode;
    if prefill == 0 || decode == 0 || needed[0] + needed[1] <= 0.0 {
        return None;
    }
    let exact = f64::from(all) * needed[0] / (needed[0] + needed[1]);
    let suggested_prefill = (libm::round(exact) as u32).clamp(1, all - 1);
    Some(HintPart {
        prefill_replicas: prefill,
        decode_replicas: decode,
        prefill_load,
        decode_load,
        suggested_prefill,
        suggested_decode: all - suggested_prefill,
    })
}

/// The ports that carried something, or that their pool's role uses.
pub(super) fn links(scenario: &Scenario, m: &MeasurementWindow<'_>) -> Vec<LinkPart> {
    let mut links = Vec::new();
    for (r, read) in of_pools(m, |_| true) {
        let role = scenario.cluster.pools.get(r.pool() as usize).map_or(Role::Mixed, |pool| pool.role);
        let used = [role == Role::Prefill, role == Role::Decode];
        let sides = [(0, Direction::Out, "out"), (1, Direction::In, "in")];
        for (side, direction, name) in sides {
            if used[side] || read.ports[side].flow_area > 0 {
                links.push(link(m, r, read, (side, direction, name)));
            }
        }
    }
    links
}

fn link(
    m: &MeasurementWindow<'_>,
    r: &Replica,
    read: &Reading,
    (side, direction, name): (usize, Direction, &'static str),
) -> LinkPart {
    let port = &read.ports[side];
    let up_us = read.up_us as f64;
    let rate = m.engine().network().map_or(0, |network| network.port(r.id(), direction).bytes_per_s);
    let flowed = port.flowed + flowing(m, r, direction);
    LinkPart {
        replica: r.id().0,
        direction: name,
        transfers: port.landed,
        bytes: port.bytes,
        busy: share(port.busy_us as f64, up_us),
        utilisation: share(flowed as f64 * 1e6, rate as f64 * up_us),
        mean_flows: share(port.flow_area as f64, up_us),
    }
}

/// Bytes of the transfers under way that flowed over a port in the measurement window so far.
fn flowing(m: &MeasurementWindow<'_>, r: &Replica, direction: Direction) -> u64 {
    let now = m.engine().last_event_at();
    let under_way = m.engine().network().map_or(&[][..], |network| network.under_way());
    let here = under_way.iter().filter(|t| r.id() == if direction == Direction::Out { t.from } else { t.to });
    let flowed = here.filter_map(|t| {
        Some(within(t.arrived(now) - t.early, Period { from: t.flows_since?, to: now }, m.from()))
    });
    flowed.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_moves_replicas_to_where_the_load_is() {
        let of = |replicas, loads| {
            suggest(replicas, loads).map(|hint| [hint.suggested_prefill, hint.suggested_decode])
        };
        assert_eq!(of([4, 4], [0.9, 0.3]), Some([6, 2]));
        assert_eq!(of([4, 4], [0.5, 0.5]), Some([4, 4]));
        assert_eq!(of([4, 4], [0.01, 0.9]), Some([1, 7]), "at least one each");
        assert_eq!(of([1, 1], [1.0, 0.0]), Some([1, 1]));
        assert_eq!(of([4, 0], [0.9, 0.0]), None);
        assert_eq!(of([4, 4], [0.0, 0.0]), None);
    }

    fn nothing_known() -> Handover {
        Handover::new(ReplicaId(1), Some(ReplicaId(0)), DeciderReason::Always, None)
    }

    #[test]
    fn the_parts_of_a_hand_over_add_up_without_a_gap() {
        let at = |us| Maybe::from(Micros(us));
        let h = Handover {
            prefill_end: at(100),
            home_queued: at(110),
            reserved: at(130),
            start: at(130),
            flows: at(140),
            landed: at(190),
            joined: at(200),
            bytes: 4096,
            ..nothing_known()
        };
        let [_, decode, all, room, transfer, join, bytes] = times(&h);
        assert_eq!([all, room, transfer, join, bytes], [100, 30, 60, 10, 4096].map(Some));
        assert_eq!(decode, None);
        // With blocks set aside before the prefill, they are waited for in the queue of the home.
        let push = Handover { push: true, home_queued: at(5), reserved: at(9), start: at(100), ..h };
        assert_eq!(times(&push)[2..6], [Some(100), Some(4), Some(90), Some(10)]);
    }
}
