//! Inspection of one request that is prefilled on one replica and decoded on another.

use super::rates::{Flow, Moved, rates};
use super::{AheadPart, BlocksDetail, HandoverDetail, RateStep, SegmentKind, TransferDetail};
use crate::session::Session;
use base::number_text::{duration, three_digits};
use base::{Maybe, Micros, Period, ReplicaId, RequestId};
use engine::{Direction, Handover, Network, Record, RequestState, Stage, Transfer};

impl Session {
    /// How a request is prefilled and handed over; none before its routing, and where no roles differ.
    pub(super) fn handover_detail(&self, id: RequestId) -> Option<HandoverDetail> {
        let h = self.engine.handover(id)?;
        let r = self.engine.records().get(id.index())?;
        let transfer = self.transfer_detail(id, h);
        Some(HandoverDetail {
            home: h.home.0,
            prefill: h.prefill.map(|r| r.0),
            reason: h.reason.name(),
            uncached: h.uncached,
            stage: stage(h, &r),
            push: h.push,
            ttft_prefill_us: h.ttft_prefill.get().map(|ttft| ttft.0),
            blocks: self.blocks_detail(h, &r),
            ahead: self.ahead(h, &r, transfer.as_ref()),
            transfer,
            prefill_candidates: self.recorder.decisions.candidates(id, Stage::Prefill),
        })
    }

    fn blocks_detail(&self, h: &Handover, r: &Record) -> BlocksDetail {
        let pool = self.engine.replicas()[h.home.index()].pool() as usize;
        let size = self.plan.scenario().cluster.pools[pool].kv.block_tokens.max(1);
        let prompt = r.prompt_tokens.div_ceil(size);
        let there = !h.landed.is_known() && !r.left.is_known();
        let held = h.prefill.is_some() && h.prefill_end.is_known() && there;
        let reserved = h.reserved.is_known() && there;
        BlocksDetail {
            prompt,
            held: if held { prompt } else { 0 },
            cached: h.home_cached,
            reserved: if reserved {
                (r.prompt_tokens + h.ahead).div_ceil(size).saturating_sub(h.home_cached)
            } else {
                0
            },
            bytes: h.bytes.checked_div(u64::from(h.blocks)).unwrap_or(0),
        }
    }

    fn transfer_detail(&self, id: RequestId, h: &Handover) -> Option<TransferDetail> {
        let (network, from) = (self.engine.network()?, h.prefill?);
        let start = h.start.get()?;
        let under_way = h.transfer.and_then(|number| network.transfer(number)).filter(|t| t.request == id);
        let over = h.landed.is_known();
        let ports = [network.port(from, Direction::Out), network.port(h.home, Direction::In)];
        let arrived = under_way.map_or(if over { h.bytes } else { h.early }, |t| t.arrived(self.playhead));
        let sharing = under_way.and_then(|t| sharing(network, t));
        Some(TransferDetail {
            start_us: start.0,
            flows_us: us(h.flows),
            lands_us: us(h.landed).or(under_way.and_then(engine::Transfer::lands_at).map(|at| at.0)),
            over,
            bytes: h.bytes,
            early: h.early,
            arrived,
            bytes_per_s: under_way.map_or(0, |t| t.bytes_per_s),
            alone_per_s: ports[0].bytes_per_s.min(ports[1].bytes_per_s),
            shared_at: sharing.as_ref().map(|(at, ..)| at.0),
            shared_with: sharing.map_or_else(Vec::new, |(_, with, _)| with),
            rates: self.rate_steps(id, h, from, arrived),
        })
    }

    fn rate_steps(&self, id: RequestId, h: &Handover, from: ReplicaId, arrived: u64) -> Vec<RateStep> {
        let (Some(since), Some(network)) = (h.flows.get(), self.engine.network()) else { return Vec::new() };
        let until = h.landed.get().unwrap_or(self.playhead);
        let settings = self.plan.scenario().cluster.disaggregation.as_ref();
        let shared = settings.is_none_or(|d| d.transfer.shared_ports);
        let landed = self.recorder.recent.landed.iter().filter(|other| *other != id).filter_map(|other| {
            let other = self.engine.handover(other)?;
            let period = Period { from: other.flows.get()?, to: other.landed.get()? };
            Some(Flow { ends: [other.prefill?, other.home], period })
        });
        let under_way = network.under_way().iter().filter(|t| t.request != id);
        let beside = under_way.filter_map(|t| {
            Some(Flow { ends: [t.from, t.to], period: Period { from: t.flows_since?, to: self.playhead } })
        });
        let ports = [network.port(from, Direction::Out), network.port(h.home, Direction::In)];
        let moved = Moved {
            bytes: arrived - h.early,
            is_all: h.landed.is_known(),
            capacity: ports.map(|port| port.bytes_per_s),
            shared,
        };
        let flow = Flow { ends: [from, h.home], period: Period { from: since, to: until } };
        rates(flow, moved, &landed.chain(beside).collect::<Vec<_>>())
    }

    /// What is still to come of a transfer, and after it up to the first token.
    fn ahead(&self, h: &Handover, r: &Record, transfer: Option<&TransferDetail>) -> Vec<AheadPart> {
        let mut ahead = Vec::new();
        let Some(t) = transfer.filter(|_| !h.joined.is_known() && !r.left.is_known()) else { return ahead };
        let now = self.playhead.0;
        let mut at = now;
        let mut add = |kind, to_us| ahead.push(AheadPart { kind, to_us });
        if !t.over {
            at = if let Some(lands) = t.lands_us {
                lands
            } else {
                let settings = self.plan.scenario().cluster.disaggregation.as_ref();
                let base = settings.map_or(50, |d| d.transfer.base_us);
                let flows = now.max(t.start_us + base);
                add(SegmentKind::FirstByte, flows);
                flows + span_of(t.bytes - t.early, t.alone_per_s)
            };
            add(SegmentKind::Transfer, at);
        }
        let home = &self.engine.replicas()[h.home.index()];
        let step = home.latest_step().0;
        // It waits for a step that is under way: half of one on average.
        at += if home.running() > 0 { step / 2 } else { 0 };
        add(SegmentKind::Join, at);
        if h.ahead == 0 {
            add(SegmentKind::FirstToken, at + step);
        }
        ahead
    }

    /// The summary of a request on its way between two replicas, in one or two sentences; none before and after.
    pub(super) fn handover_summary(&self, id: RequestId, r: &Record) -> Option<String> {
        let h = self.engine.handover(id)?;
        let [prefill, home] = [h.prefill?, h.home].map(|replica| format!("r{}", replica.0));
        let since = |at: Maybe<Micros>| duration(self.playhead.since(at.get().unwrap_or(self.playhead)).0);
        let text = match (r.state(), stage(h, r)) {
            (RequestState::Transferring, "transfer") => self.transfer_summary(id, h)?,
            (RequestState::Transferring, _) => {
                format!("Its transfer from {prefill} to {home} has started; the first byte has not moved.")
            }
            (RequestState::Landed, _) => {
                let took = h.landed.get()?.since(h.start.get()?);
                format!("Its KV landed on {home} after {}; it joins the next step there.", duration(took.0))
            }
            (RequestState::Queued | RequestState::InPipeline, "room") if h.push => {
                format!(
                    "Waiting for room on {home} since {}; then {prefill} prefills it.",
                    since(h.home_queued)
                )
            }
            (RequestState::Queued | RequestState::InPipeline, "room") => format!(
                "Its prompt is computed on {prefill}, which holds its blocks; it has waited for room on {home} for {}.",
                since(h.prefill_end)
            ),
            (RequestState::Queued, "prefill") if r.preemptions == 0 => {
                format!("Waiting on {prefill} for its prefill; {home} will decode it.")
            }
            (RequestState::Running, "prefill") => {
                format!("Computing its prompt on {prefill}; {home} will decode it.")
            }
            _ => return None,
        };
        Some(text)
    }

    fn transfer_summary(&self, id: RequestId, h: &Handover) -> Option<String> {
        let network = self.engine.network()?;
        let t = h.transfer.and_then(|number| network.transfer(number)).filter(|t| t.request == id)?;
        let arrived = t.arrived(self.playhead);
        let so_far = format!(
            "Its KV is on the way: {} of {} after {}.",
            size(arrived),
            size(t.bytes),
            duration(self.playhead.since(t.start).0)
        );
        let rest = duration(t.lands_at()?.since(self.playhead).0);
        let Some((at, with, since)) = sharing(network, t) else {
            return Some(format!("{so_far} The rest takes {rest}."));
        };
        let others = match with[..] {
            [one] => format!("#{one}"),
            [one, _] => format!("#{one} and another"),
            [one, ..] => format!("#{one} and {} others", with.len() - 1),
            [] => return None,
        };
        let ports = [network.port(t.from, Direction::Out), network.port(t.to, Direction::In)];
        let alone = span_of(t.bytes - arrived, ports[0].bytes_per_s.min(ports[1].bytes_per_s));
        Some(format!(
            "{so_far} For {} it has shared r{}'s port with {others}, so the rest takes {rest}; alone it would take {}.",
            duration(self.playhead.since(since).0),
            at.0,
            duration(alone)
        ))
    }
}

fn us(at: Maybe<Micros>) -> Option<u64> {
    at.get().map(|at| at.0)
}

/// Time that `bytes` take at this speed, in whole microseconds.
fn span_of(bytes: u64, bytes_per_s: u64) -> u64 {
    let us = (u128::from(bytes) * 1_000_000).div_ceil(u128::from(bytes_per_s.max(1)));
    u64::try_from(us).unwrap_or(u64::MAX)
}

/// `919 MB`, `1.50 GB`; the unit follows a no-break space.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{}\u{a0}{name}", three_digits(bytes as f64 / unit))
}

/// Where a request is on its way from one replica to the other.
fn stage(h: &Handover, r: &Record) -> &'static str {
    let gone = r.left.is_known() && !h.start.is_known();
    if h.prefill.is_none() || h.joined.is_known() {
        "home"
    } else if h.landed.is_known() {
        "join"
    } else if h.flows.is_known() {
        "transfer"
    } else if h.start.is_known() {
        "first-byte"
    } else if !gone && (if h.push { !h.reserved.is_known() } else { h.prefill_end.is_known() }) {
        "room"
    } else {
        "prefill"
    }
}

/// Whose port slows a transfer because others use it too, who they are, and since when they have been together.
fn sharing(network: &Network, t: &Transfer) -> Option<(ReplicaId, Vec<u32>, Micros)> {
    let ports = [network.port(t.from, Direction::Out), network.port(t.to, Direction::In)];
    let [out, into] = ports.map(|port| port.bytes_per_s / u64::from(port.flows().max(1)));
    let alone = ports[0].bytes_per_s.min(ports[1].bytes_per_s);
    if t.flows_since.is_none() || t.bytes_per_s >= alone {
        return None;
    }
    let at = if out <= into { t.from } else { t.to };
    let here = |other: &&Transfer| {
        other.number != t.number && if out <= into { other.from == at } else { other.to == at }
    };
    let (mut with, mut since) = (Vec::new(), t.flows_since?);
    for other in network.under_way().iter().filter(here) {
        if let Some(began) = other.flows_since {
            with.push(other.request.0);
            since = since.max(began);
        }
    }
    (!with.is_empty()).then_some((at, with, since))
}
