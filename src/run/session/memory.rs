//! Memory estimate of a run before it begins. A run that needs too much is refused or gives a warning.
//!
//! Blocks take memory when first used, and unused blocks are taken first. So a run uses at most the blocks of its
//! caches, and at most those that all its requests together fill.

use base::{Diagnostic, Micros};
use document::expression::Name;
use document::{
    Client, ContextGrowth, Expression, Filter, Keep, RequestCount, Role, RoutingPolicy, Scorer, TokenCount,
    Weighted, limits,
};
use engine::perf::Plan;
use engine::workload::Trace;

/// Bytes of a used block: its record, its place on the free list, its hash in the table, and spare capacity of
/// vectors.
const BLOCK_BYTES: f64 = 80.0;
/// The same if no text recurs: nothing is hashed.
const ONCE_BLOCK_BYTES: f64 = 24.0;
/// Bytes of a request: its record, its working state, its values in the report's sorting.
const REQUEST_BYTES: f64 = 450.0;
/// The same in a run that keeps summaries only: its place in the list of pieces.
const SUMMARISED_REQUEST_BYTES: f64 = 1.0;
/// Bytes of a group of requests in such a run: the bins of four latencies. Replicas, tenants, clients and classes are groups.
const GROUP_BYTES: f64 = 60_000.0;
/// Extra bytes on a page: its values in the latest seconds.
const WATCHED_REQUEST_BYTES: f64 = 100.0;
/// Bytes of a replica, and for each token of its block, each tenant and each point of its two series.
const REPLICA_BYTES: [f64; 4] = [4096.0, 64.0, 8.0, 16.0];
/// Bytes of a block that a router remembers for one replica, besides one bit for each replica.
const REMEMBERED_BYTES: f64 = 128.0;
/// Bytes of a line of the event log.
const LOG_BYTES: f64 = 128.0;

/// The needs of a run, edits included.
#[derive(Clone, Debug)]
pub(super) struct Needs {
    count: RequestCount,
    cap: f64,
    keep: Keep,
    /// Listed requests and their tokens: the largest of any stretch between two edits, like all following fields.
    listed: (f64, f64),
    /// Whether any text occurs more than once.
    recurs: bool,
    /// Replicas, and their KV blocks and blocks of CPU tiers.
    replicas: f64,
    blocks: f64,
    below: f64,
    /// Tokens in the smallest and in the largest block.
    smallest: u32,
    largest: u32,
    caching: bool,
    /// Blocks that the router remembers for one replica, and the router of prefills.
    remembered: f64,
    remembered_prefill: f64,
    tenants: usize,
    series_points: f64,
    log_lines: f64,
}

impl Needs {
    /// The needs of a run that begins with `plan`.
    pub(super) fn new(plan: &Plan) -> Self {
        let s = plan.scenario();
        let mut needs = Self {
            count: RequestCount::new(s),
            cap: if s.run.max_requests == 0 { s.observe.keep.most_requests() } else { s.run.max_requests }
                as f64,
            keep: s.observe.keep,
            listed: (0.0, 0.0),
            recurs: false,
            replicas: 0.0,
            blocks: 0.0,
            below: 0.0,
            smallest: u32::MAX,
            largest: 1,
            caching: false,
            remembered: 0.0,
            remembered_prefill: 0.0,
            tenants: 0,
            series_points: f64::from(s.observe.series_points),
            log_lines: f64::from(s.observe.event_log),
        };
        needs.take_in(plan);
        needs
    }

    /// The run continues with `plan` from `at` on.
    pub(super) fn change(&mut self, at: Micros, plan: &Plan) {
        self.count.change(at, plan.scenario());
        self.take_in(plan);
    }

    /// How many requests the clients send.
    pub(super) fn count(&self) -> &RequestCount {
        &self.count
    }

    fn take_in(&mut self, plan: &Plan) {
        let (cluster, workload) = (&plan.scenario().cluster, &plan.scenario().workload);
        let pools = || cluster.pools.iter().zip(plan.resolved());
        let replicas = |p: &document::Pool| f64::from(p.scaling.most(p.replicas));
        let sum = |of: &dyn Fn(&document::Pool, u32) -> f64| -> f64 {
            pools().map(|(p, r)| of(p, r.blocks.0)).sum()
        };
        let all = sum(&|p, _| replicas(p));
        self.replicas = self.replicas.max(all);
        self.blocks = self.blocks.max(sum(&|p, blocks| replicas(p) * f64::from(blocks)));
        self.below = self.below.max(sum(&|p, _| replicas(p) * f64::from(p.kv.cpu_blocks)));
        for pool in &cluster.pools {
            self.smallest = self.smallest.min(pool.kv.block_tokens.max(1));
            self.largest = self.largest.max(pool.kv.block_tokens);
            self.caching |= pool.kv.prefix_caching;
        }
        self.remembered = self.remembered.max(remembered(&cluster.routing));
        if pools().any(|(p, _)| p.role == Role::Prefill) {
            let own = cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.as_ref());
            let second = remembered(own.unwrap_or(&cluster.routing));
            self.remembered_prefill = self.remembered_prefill.max(second);
        }
        let listed = &workload.requests;
        let tokens = |q: &document::ExplicitRequest| {
            f64::from(q.output.tokens) + q.prompt.iter().map(|p| f64::from(p.tokens)).sum::<f64>()
        };
        self.listed.0 = self.listed.0.max(listed.len() as f64);
        self.listed.1 = self.listed.1.max(listed.iter().map(tokens).sum());
        self.tenants = self.tenants.max(workload.clients.len() + listed.len());
        self.recurs |= !listed.is_empty() || workload.clients.iter().any(repeats);
    }

    /// A problem if the run may need more memory than its audience has.
    pub(super) fn check(&self, trace: Option<&Trace>, audience: Audience) -> Option<Diagnostic> {
        let parts = self.parts(trace, audience);
        let all: f64 = parts.iter().map(|p| p.bytes).sum();
        let (most, warn) = match audience {
            Audience::Live => (limits::MEMORY_BYTES_PAGE, limits::MEMORY_BYTES_PAGE),
            Audience::Batch => (limits::MEMORY_BYTES, limits::MEMORY_BYTES_WARNED),
        };
        if all <= warn as f64 {
            return None;
        }
        let largest = parts.iter().fold(&parts[0], |a, b| if b.bytes > a.bytes { b } else { a });
        let mib = |bytes: f64| (bytes / 1_048_576.0) as u64;
        let found = format!(
            "a run that can take about {} MiB of memory, {} of them for {} {}",
            mib(all),
            mib(largest.bytes),
            largest.count as u64,
            largest.what,
        );
        let allowed = format!("about {} MiB", most / (1 << 20));
        let make = if all > most as f64 { Diagnostic::error } else { Diagnostic::warning };
        let page = if audience == Audience::Live { ", or run it with the command line" } else { "" };
        Some(make(largest.path.to_owned(), found, allowed, format!("{}{page}", largest.fix)))
    }

    /// Requests and their tokens.
    fn traffic(&self, trace: Option<&Trace>) -> (f64, f64) {
        if let Some(trace) = trace {
            let rows = trace.len().min(self.cap as usize);
            let tokens = |row| f64::from(trace.prompt_tokens(row)) + f64::from(trace.output_tokens(row));
            return (rows as f64, (0..rows).map(tokens).sum());
        }
        let sent = self.count.total();
        let requests = sent.requests.min(self.cap);
        // Without an end the cap decides, and clients share it in proportion to their rates.
        let (rate, tokens) = if sent.endless.0 > 0.0 { sent.endless } else { (sent.requests, sent.tokens) };
        let drawn = if rate > 0.0 { tokens / rate * requests } else { 0.0 };
        (requests + self.listed.0, drawn + self.listed.1)
    }

    fn parts(&self, trace: Option<&Trace>, audience: Audience) -> [Part; 5] {
        let (requests, tokens) = self.traffic(trace);
        let recurs = self.recurs || trace.is_some();
        // Each request has a last block that is not full.
        let filled = tokens / f64::from(self.smallest.min(self.largest)) + requests;
        let touched = self.blocks.min(filled);
        let kept = |blocks: f64| if recurs { filled.min(blocks * self.replicas) } else { 0.0 };
        let remembered = kept(self.remembered) + kept(self.remembered_prefill);
        let watched = audience == Audience::Live;
        let summarised = self.keep == Keep::Summary;
        let request = match (watched, summarised) {
            (true, _) => REQUEST_BYTES + WATCHED_REQUEST_BYTES,
            (false, true) => SUMMARISED_REQUEST_BYTES,
            (false, false) => REQUEST_BYTES,
        };
        let groups = if summarised { self.replicas + 2.0 * self.tenants as f64 } else { 0.0 };
        let [one, token, tenant, point] = REPLICA_BYTES;
        let replica =
            one + token * f64::from(self.largest) + tenant * self.tenants as f64 + point * self.series_points;
        let part = |path, what, fix, count, each| Part { path, what, fix, count, bytes: count * each };
        let kv = "use larger or fewer KV blocks, or fewer requests";
        let block = if recurs && self.caching { BLOCK_BYTES } else { ONCE_BLOCK_BYTES };
        [
            part("cluster.pools", "KV blocks", kv, touched, block),
            part("cluster.pools", "blocks of CPU tiers", kv, self.below.min(filled), BLOCK_BYTES),
            part("run", "requests", "set run.max_requests, or shorten run.horizon_s", requests, request),
            part(
                "cluster.routing",
                "blocks that the router remembers",
                "lower prefix_index_blocks",
                remembered,
                REMEMBERED_BYTES + self.replicas / 4.0,
            ),
            Part {
                path: "cluster.pools",
                what: "replicas",
                fix: "use fewer of them, or fewer tenants",
                count: self.replicas,
                bytes: self.replicas * replica
                    + groups * GROUP_BYTES
                    + if watched { self.log_lines * LOG_BYTES } else { 0.0 },
            },
        ]
    }
}

/// A part of the memory.
struct Part {
    path: &'static str,
    what: &'static str,
    fix: &'static str,
    count: f64,
    bytes: f64,
}

/// Whether requests of a client can have equal text.
fn repeats(client: &Client) -> bool {
    let grows = |c: &document::Conversation| c.context_growth == ContextGrowth::Accumulate;
    client.prefix.groups > 0 || client.agent.is_some() || client.conversation.as_ref().is_some_and(grows)
}
/// Blocks that a router remembers for one replica.
fn remembered(policy: &RoutingPolicy) -> f64 {
    let blocks = match policy {
        RoutingPolicy::Weighted(w) if remembers_prompts(w) => w.prefix_index_blocks,
        RoutingPolicy::KvCost(p) => p.in_force().remembered().map_or(0, |(_, blocks)| blocks),
        RoutingPolicy::CacheAware(p) => p.prefix_index_blocks,
        _ => 0,
    };
    f64::from(blocks)
}

/// Whether the router needs its memory of prompts.
fn remembers_prompts(w: &Weighted) -> bool {
    let uncached = w.token_rule().0 == TokenCount::Uncached;
    let sticks =
        w.filters().iter().any(|filter| matches!(filter, Filter::PrefixAffinity(_) | Filter::SloHeadroom(_)));
    let asks = |scorer: &Scorer| match scorer {
        Scorer::Expression(text) => text.formula().is_ok_and(|f| f.looks_at(&[Name::Prefix])),
        Scorer::TokenLoad => uncached,
        Scorer::PrefixMatch | Scorer::PredictedLatency => true,
        named => *named == Scorer::PrefixAffinity,
    };
    let priority = Scorer::Expression(Expression(w.priority.clone()));
    sticks || asks(&priority) || w.scorers().iter().any(|row| asks(&row.scorer))
}

/// The audience of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A page: keep the event log, decisions and the latest window.
    Live,
    /// A batch run, read only at its end: keep what the report needs.
    Batch,
}
