//! Tiers: how full each is on each replica, the stores, what moves between them, and where the blocks of one prompt came from.

use crate::observe::origins::{Origin, Reading};
use crate::session::Session;
use base::{Micros, ReplicaId, RequestId};
use engine::policy::ReplicaPhase;
use engine::{Flow, FlowKind, LowerTiers, PortUse, Replica};
use serde::{Deserialize, Serialize};

/// Most replicas of an answer.
const REPLICAS: usize = 64;
/// Most flows of an answer.
const FLOWS: usize = 200;
/// Most blocks of a prompt that are looked for.
const BLOCKS: u32 = 8192;

/// Asks for the tiers.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TiersQuery {
    /// A request whose blocks are looked for.
    #[cfg_attr(feature = "types", ts(optional))]
    pub request: Option<u32>,
}

/// Where KV blocks lie now, and what moves between tiers.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tiers {
    /// The instant.
    pub now_us: u64,
    /// The first replicas that have not stopped, at most 64.
    pub replicas: Vec<ReplicaTiers>,
    /// Replicas beyond these.
    pub more_replicas: u32,
    /// The stores.
    pub stores: Vec<StorePart>,
    /// What moves, at most 200 flows.
    pub flows: Vec<TierFlow>,
    /// Flows beyond these.
    pub more_flows: u32,
    /// Where the blocks of the request came from, if that is known.
    pub origin: Option<PromptOrigin>,
}

/// The tiers of one replica.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReplicaTiers {
    /// Its number.
    pub replica: u32,
    /// Requests that wait or run there.
    pub in_hand: u32,
    /// Its layers: GPU, CPU memory, disks.
    pub layers: Vec<TierLayer>,
    /// Its network ports, in and out, as flows between tiers use them; none where no tier needs them.
    pub ports: Option<[TierPort; 2]>,
}

/// One layer of a replica.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TierLayer {
    /// `gpu`, `cpu` or `fs`.
    pub tier: String,
    /// How many blocks fit; missing where there is no end.
    pub total: Option<u64>,
    /// Blocks that requests hold.
    pub held: u64,
    /// Blocks that are kept and that no request holds.
    pub kept: u64,
    /// Blocks of the request's prompt that lie here, of the first 8,192.
    pub chosen: u32,
}

/// How much of a port is used.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TierPort {
    /// What it carries, in GB/s.
    pub gb_per_s: f64,
    /// What it carries now, in GB/s.
    pub used_gb_per_s: f64,
    /// Whether at least 90 % of it is used.
    pub is_hot: bool,
}

impl TierPort {
    fn of(port: PortUse) -> Self {
        let PortUse { bytes_per_s, used_bytes_per_s } = port;
        Self {
            gb_per_s: gb(bytes_per_s),
            used_gb_per_s: gb(used_bytes_per_s),
            is_hot: used_bytes_per_s >= bytes_per_s / 10 * 9,
        }
    }
}

/// A store.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StorePart {
    /// Its name.
    pub name: String,
    /// Whether it is down.
    pub is_down: bool,
    /// How many blocks fit; missing where there is no end.
    pub total: Option<u64>,
    /// Blocks in it.
    pub blocks: u64,
    /// GB that fit and GB in it; missing where no replica uses it, or its blocks differ in size.
    pub gb: Option<[f64; 2]>,
    /// Its ports to readers and from writers.
    pub ports: [TierPort; 2],
    /// Blocks of the request's prompt in it, of the first 8,192.
    pub chosen: u32,
}

/// Blocks on their way.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TierFlow {
    /// `read`, `write`, or `prefetch` before a turn.
    pub kind: String,
    /// The replica that reads or writes.
    pub replica: u32,
    /// The tier that it reads from or writes to: `fs`, `p2p`, or the name of the store.
    pub tier: String,
    /// The replica that the blocks are pulled from.
    pub source: Option<u32>,
    /// Who reads.
    pub request: Option<u32>,
    /// Its blocks.
    pub blocks: u32,
    /// How fast they come, in GB/s; 0 before the first byte.
    pub gb_per_s: f64,
}

/// Where the blocks of a prompt came from.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PromptOrigin {
    /// The request.
    pub request: u32,
    /// The replica.
    pub replica: u32,
    /// Tokens of its prompt.
    pub prompt_tokens: u32,
    /// Of these, tokens that were computed.
    pub computed_tokens: u32,
    /// Full blocks of its prompt.
    pub blocks: u32,
    /// What came from where; what was computed is last.
    pub parts: Vec<OriginPart>,
    /// What computing the tokens that were found would have taken at least: by the time that a step of the largest size takes for
    /// each of its tokens.
    pub spared_us: u64,
    /// From the first flow asked for to the last one over.
    pub read_us: Option<u64>,
}

/// Blocks of a prompt that came from one place.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OriginPart {
    /// `gpu`, `cpu`, `fs`, `p2p`, `computed`, or the name of a store.
    pub tier: String,
    /// The replica that they were pulled from.
    pub source: Option<u32>,
    /// How many.
    pub blocks: u32,
    /// How fast they came, in GB/s: their bytes over the time from the first byte to the last.
    pub gb_per_s: Option<f64>,
    /// From the asking to the last byte.
    pub took_us: Option<u64>,
}

fn gb(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// The blocks of a prompt that are looked for, by the size of a block.
struct Chosen {
    block: u32,
    chain: Vec<u64>,
}

impl Session {
    /// Where KV blocks lie now, and what moves between tiers.
    pub fn tiers(&self, query: &TiersQuery) -> Tiers {
        let lower = self.engine.lower_tiers();
        let there: Vec<&Replica> =
            self.engine.replicas().iter().filter(|r| r.phase() != ReplicaPhase::Stopped).collect();
        let chosen = query.request.and_then(|request| self.chosen(RequestId(request), &there));
        let flows = lower.map_or(&[][..], LowerTiers::flows);
        let told = flows.iter().take(FLOWS).zip(lower).map(|(flow, lower)| told(flow, lower));
        Tiers {
            now_us: self.playhead.0,
            replicas: there.iter().take(REPLICAS).map(|r| of_replica(r, lower, chosen.as_ref())).collect(),
            more_replicas: there.len().saturating_sub(REPLICAS) as u32,
            stores: lower.map_or_else(Vec::new, |lower| stores(lower, &there, chosen.as_ref())),
            flows: told.collect(),
            more_flows: flows.len().saturating_sub(FLOWS) as u32,
            origin: query.request.and_then(|request| self.origin(RequestId(request))),
        }
    }

    /// The first blocks of a request's prompt, if it is one of the latest.
    fn chosen(&self, request: RequestId, there: &[&Replica]) -> Option<Chosen> {
        let block = there.first()?.kv().block_tokens();
        let text = self.recorder.texts.of(request)?;
        Some(Chosen { block, chain: text.whole.chain(block, (text.prompt / block).min(BLOCKS)) })
    }

    fn origin(&self, request: RequestId) -> Option<PromptOrigin> {
        let origin = self.recorder.origins.of(request)?;
        let replica = self.engine.replicas().get(origin.replica.index())?;
        let record = self.engine.records().get(request.index())?;
        let block = replica.kv().block_tokens();
        let (blocks, found) = (record.prompt_tokens / block, origin.found.iter().sum::<u32>());
        let mut parts = self.parts(origin);
        parts.push(OriginPart {
            tier: "computed".to_owned(),
            blocks: blocks.saturating_sub(found),
            ..OriginPart::default()
        });
        let ends = origin.reads.iter().map(|read| read.ended.map(|(at, _)| at)).collect::<Option<Vec<_>>>();
        let asked = origin.reads.iter().map(|read| read.asked).min();
        let found_tokens = u64::from(found) * u64::from(block);
        Some(PromptOrigin {
            request: request.0,
            replica: origin.replica.0,
            prompt_tokens: record.prompt_tokens,
            computed_tokens: record.prompt_tokens.saturating_sub(found * block),
            blocks,
            parts,
            spared_us: found_tokens.saturating_mul(replica.ns_per_token()) / 1000,
            read_us: ends
                .and_then(|ends| ends.into_iter().max())
                .zip(asked)
                .map(|(to, from)| to.since(from).0),
        })
    }

    /// The name of the tier of a replica at a level, as [`engine::TierNews::Found`] counts levels.
    pub(super) fn tier_name(&self, replica: ReplicaId, level: u32) -> Option<String> {
        let name = match level {
            0 => "gpu",
            1 => "cpu",
            _ => {
                let lower = self.engine.lower_tiers().filter(|lower| level - 2 < lower.tiers(replica))?;
                lower.name_of(replica, level - 2)
            }
        };
        Some(name.to_owned())
    }

    fn parts(&self, origin: &Origin) -> Vec<OriginPart> {
        let mut parts = Vec::new();
        for (level, &blocks) in (0..).zip(&origin.found) {
            let below = u32::checked_sub(level, 2);
            let reads: Vec<&Reading> = origin
                .reads
                .iter()
                .filter(|read| Some(read.tier) == below && landed(read).is_some())
                .collect();
            let Some(tier) = self.tier_name(origin.replica, level) else { continue };
            let bytes: u64 = reads.iter().map(|read| read.bytes).sum();
            let begun = reads.iter().filter_map(|read| read.begun).min();
            let asked = reads.iter().map(|read| read.asked).min();
            let end = reads.iter().filter_map(|read| landed(read)).max();
            let seconds = begun.zip(end).map(|(from, to)| to.since(from).0 as f64 / 1e6);
            parts.push(OriginPart {
                tier,
                source: reads.iter().find_map(|read| read.source).map(|source| source.0),
                blocks,
                gb_per_s: seconds.filter(|s| *s > 0.0).map(|s| gb(bytes) / s),
                took_us: asked.zip(end).map(|(from, to)| to.since(from).0),
            });
        }
        parts.retain(|part| part.blocks > 0);
        parts
    }
}

/// When the blocks of a flow landed.
fn landed(read: &Reading) -> Option<Micros> {
    read.ended.filter(|(_, landed)| *landed).map(|(at, _)| at)
}

fn of_replica(replica: &Replica, lower: Option<&LowerTiers>, chosen: Option<&Chosen>) -> ReplicaTiers {
    let (kv, id) = (replica.kv(), replica.id());
    let chosen = chosen.filter(|chosen| chosen.block == kv.block_tokens());
    let here = |is_here: &dyn Fn(u64) -> bool| {
        chosen.map_or(0, |chosen| chosen.chain.iter().filter(|hash| is_here(**hash)).count() as u32)
    };
    let mut layers = vec![TierLayer {
        tier: "gpu".to_owned(),
        total: Some(kv.total().into()),
        held: kv.used().into(),
        kept: kv.cached().into(),
        chosen: here(&|hash| kv.found_in(hash).is_some()),
    }];
    let (used, total) = kv.tier_blocks();
    if total > 0 {
        layers.push(TierLayer {
            tier: "cpu".to_owned(),
            total: Some(total.into()),
            held: 0,
            kept: used.into(),
            chosen: here(&|hash| kv.known_below(&[hash]) > 0),
        });
    }
    let Some(lower) = lower.filter(|lower| lower.tiers(id) > 0) else {
        return ReplicaTiers { replica: id.0, in_hand: in_hand(replica), layers, ports: None };
    };
    for place in lower.disks(id) {
        layers.push(TierLayer {
            tier: "fs".to_owned(),
            total: Some(place.settings().capacity).filter(|total| *total > 0),
            held: 0,
            kept: place.len(),
            chosen: here(&|hash| place.sees(hash)),
        });
    }
    let ports = Some(lower.ports(id).map(TierPort::of));
    ReplicaTiers { replica: id.0, in_hand: in_hand(replica), layers, ports }
}

fn in_hand(replica: &Replica) -> u32 {
    replica.waiting() + replica.running()
}

fn stores(lower: &LowerTiers, there: &[&Replica], chosen: Option<&Chosen>) -> Vec<StorePart> {
    let users = |name: &str| -> Vec<&Replica> {
        let uses = |id: ReplicaId| (0..lower.tiers(id)).any(|tier| lower.store_of(id, tier) == Some(name));
        there.iter().copied().filter(|r| uses(r.id())).collect()
    };
    let part = |store: engine::StoreSight<'_>| {
        let total = Some(store.place.settings().capacity).filter(|total| *total > 0);
        let users = users(store.name);
        let user = users.first();
        let bytes = user.map(|r| lower.block_bytes(r.id()));
        let same = users.iter().all(|r| Some(lower.block_bytes(r.id())) == bytes);
        let chosen = chosen.filter(|chosen| user.is_some_and(|r| r.kv().block_tokens() == chosen.block));
        StorePart {
            name: store.name.to_owned(),
            is_down: store.place.is_down(),
            total,
            blocks: store.place.len(),
            gb: bytes
                .filter(|_| same)
                .zip(total)
                .map(|(bytes, total)| [gb(bytes * total), gb(bytes * store.place.len())]),
            ports: store.ports.map(TierPort::of),
            chosen: chosen.map_or(0, |chosen| {
                chosen.chain.iter().filter(|hash| store.place.sees(**hash)).count() as u32
            }),
        }
    };
    lower.stores().map(part).collect()
}

fn told(flow: &Flow, lower: &LowerTiers) -> TierFlow {
    let kind = match flow.kind {
        FlowKind::Read => "read",
        FlowKind::Write => "write",
        FlowKind::Prefetch(_) => "prefetch",
    };
    TierFlow {
        kind: kind.to_owned(),
        replica: flow.replica.0,
        tier: lower.name_of(flow.replica, flow.tier).to_owned(),
        source: flow.source.map(|source| source.0),
        request: flow.request.map(|request| request.0),
        blocks: flow.hashes.len() as u32,
        gb_per_s: gb(flow.bytes_per_s()),
    }
}
