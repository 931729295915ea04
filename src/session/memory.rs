//! How much memory a run can come to take: an estimate made before it begins, and refused or warned of where it is too much.
//!
//! Blocks cost memory when they are first touched, and never-used blocks are taken first of all. So a run touches no more of
//! them than its caches have, and no more than all its requests together fill.

use super::Audience;
use crate::base::Diagnostic;
use crate::scenario::{Client, ContextGrowth, Edit, RoutingPolicy, Scenario, Scorer, limits};
use crate::workload::Trace;

/// Bytes of a touched block: what it holds, its place among the free ones, its hash in the table; room for vectors to grow.
const BLOCK_BYTES: f64 = 80.0;
/// The same where no text recurs: nothing is hashed.
const ONCE_BLOCK_BYTES: f64 = 24.0;
/// Bytes of a request: its record, its working state, what the report sorts.
const REQUEST_BYTES: f64 = 700.0;
/// Further ones on a page: its values in the latest seconds.
const WATCHED_REQUEST_BYTES: f64 = 100.0;
/// Bytes of a replica, and of each token of its block, each tenant and each point of its two series.
const REPLICA_BYTES: [f64; 4] = [4096.0, 64.0, 8.0, 16.0];
/// Bytes of a block that a router remembers of one replica, beside one bit for each replica.
const REMEMBERED_BYTES: f64 = 128.0;
/// Bytes of a line of the event log.
const LOG_BYTES: f64 = 128.0;

/// What the requests of a run come to.
#[derive(Clone, Copy, Debug)]
struct Traffic {
    requests: f64,
    tokens: f64,
    /// Whether anything is said more than once.
    recurs: bool,
}

/// A problem, if the run can come to need more memory than its audience has; `blocks` are those of a replica of each pool.
pub(super) fn check_memory(
    scenario: &Scenario,
    blocks: &[u32],
    trace: Option<&Trace>,
    audience: Audience,
) -> Option<Diagnostic> {
    let traffic = traffic(scenario, trace);
    let fleet = fleet(scenario, blocks);
    let parts = parts(scenario, &traffic, fleet, audience);
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

/// Something that takes memory.
struct Part {
    path: &'static str,
    what: &'static str,
    fix: &'static str,
    count: f64,
    bytes: f64,
}

/// Replicas and KV blocks of all pools, each at its largest.
fn fleet(s: &Scenario, blocks: &[u32]) -> (f64, f64) {
    let pools = (0u32..).zip(&s.cluster.pools).zip(blocks);
    let of = |((pool, p), &blocks): ((u32, &crate::scenario::Pool), &u32)| {
        let (mut replicas, mut most) = (p.replicas, blocks);
        for edit in &s.edits {
            match edit.change {
                Edit::Replicas { pool: changed, replicas: new } if changed == pool => {
                    replicas = replicas.max(new);
                }
                Edit::KvBlocks { pool: changed, blocks: new } if changed == pool => most = most.max(new),
                _ => {}
            }
        }
        (f64::from(replicas), f64::from(replicas) * f64::from(most))
    };
    pools.map(of).fold((0.0, 0.0), |sum, x| (sum.0 + x.0, sum.1 + x.1))
}

fn parts(s: &Scenario, t: &Traffic, (replicas, blocks): (f64, f64), audience: Audience) -> [Part; 5] {
    let pools = &s.cluster.pools;
    let smallest = pools.iter().map(|p| p.kv.block_tokens).min().unwrap_or(1).max(1);
    let largest = pools.iter().map(|p| p.kv.block_tokens).max().unwrap_or(1);
    // Each request has a last block that is not full.
    let filled = t.tokens / f64::from(smallest) + t.requests;
    let hashed = t.recurs && pools.iter().any(|p| p.kv.prefix_caching);
    let touched = blocks.min(filled);
    let below = pools.iter().map(|p| f64::from(p.kv.cpu_blocks)).fold(0.0, f64::max) * replicas;
    let remembered = if t.recurs { filled.min(remembered_blocks(s) * replicas) } else { 0.0 };
    let watched = audience == Audience::Live;
    let tenants = s.workload.clients.len() + s.workload.requests.len();
    let [one, token, tenant, point] = REPLICA_BYTES;
    let replica = one
        + token * f64::from(largest)
        + tenant * tenants as f64
        + point * f64::from(s.observe.series_points);
    let part = |path, what, fix, count, each| Part { path, what, fix, count, bytes: count * each };
    let kv = "use larger or fewer KV blocks, or fewer requests";
    [
        part("cluster.pools", "KV blocks", kv, touched, if hashed { BLOCK_BYTES } else { ONCE_BLOCK_BYTES }),
        part("cluster.pools", "blocks of CPU tiers", kv, below.min(filled), BLOCK_BYTES),
        part(
            "run",
            "requests",
            "set run.max_requests, or shorten run.horizon_s",
            t.requests,
            if watched { REQUEST_BYTES + WATCHED_REQUEST_BYTES } else { REQUEST_BYTES },
        ),
        part(
            "cluster.routing",
            "blocks that the router remembers",
            "lower prefix_index_blocks",
            remembered,
            REMEMBERED_BYTES + replicas / 4.0,
        ),
        Part {
            path: "cluster.pools",
            what: "replicas",
            fix: "use fewer of them, or fewer tenants",
            count: replicas,
            bytes: replicas * replica
                + if watched { f64::from(s.observe.event_log) * LOG_BYTES } else { 0.0 },
        },
    ]
}

/// Most blocks that a router remembers of one replica.
fn remembered_blocks(s: &Scenario) -> f64 {
    let of = |routing: &RoutingPolicy| match routing {
        RoutingPolicy::Weighted(w) if w.scorers().iter().any(|x| x.scorer == Scorer::PrefixAffinity) => {
            f64::from(w.prefix_index_blocks)
        }
        _ => 0.0,
    };
    let edits = s
        .edits
        .iter()
        .filter_map(|e| if let Edit::Routing(routing) = &e.change { Some(routing) } else { None });
    std::iter::once(&s.cluster.routing).chain(edits).map(of).fold(0.0, f64::max)
}

fn traffic(s: &Scenario, trace: Option<&Trace>) -> Traffic {
    let cap = if s.run.max_requests == 0 { limits::REQUESTS } else { s.run.max_requests } as f64;
    if let Some(trace) = trace {
        let rows = trace.len().min(cap as usize);
        let tokens = |row| f64::from(trace.prompt_tokens(row)) + f64::from(trace.output_tokens(row));
        return Traffic { requests: rows as f64, tokens: (0..rows).map(tokens).sum(), recurs: true };
    }
    let (mut requests, mut weight, mut tokens, mut recurs) = (0.0, 0.0, 0.0, !s.workload.requests.is_empty());
    for (i, client) in s.workload.clients.iter().enumerate() {
        let expected = crate::scenario::expected_requests(s, i);
        // Without an end the cap decides, and clients share it as their rates do.
        let share = expected.unwrap_or_else(|| client.arrivals.rate_per_s());
        requests += expected.unwrap_or(f64::INFINITY);
        weight += share;
        tokens += share * request_tokens(client);
        recurs |= client.prefix.groups > 0
            || client.conversation.as_ref().is_some_and(|c| c.context_growth == ContextGrowth::Accumulate);
    }
    let requests = requests.min(cap);
    let listed = &s.workload.requests;
    let of_listed = |q: &crate::scenario::ExplicitRequest| {
        f64::from(q.output.tokens) + q.prompt.iter().map(|p| f64::from(p.tokens)).sum::<f64>()
    };
    let drawn = if weight > 0.0 { tokens / weight * requests } else { 0.0 };
    Traffic {
        requests: requests + listed.len() as f64,
        tokens: drawn + listed.iter().map(of_listed).sum::<f64>(),
        recurs,
    }
}

/// About how many tokens a request of a client has, prompt and answer.
fn request_tokens(client: &Client) -> f64 {
    let prefix = if client.prefix.groups == 0 { 0.0 } else { f64::from(client.prefix.tokens) };
    let round = client.prompt_tokens.about() + client.output_tokens.about();
    let Some(c) = client.conversation.as_ref().filter(|c| c.context_growth == ContextGrowth::Accumulate)
    else {
        return prefix + round;
    };
    (prefix + round * c.rounds.mean()).min(f64::from(c.max_context_tokens).max(prefix + round))
}
