//! Checks the traffic: relations between clients, explicit requests and pools.

use super::adapters::{check_adapters, check_adapters_served};
use super::conversation::check_conversation;
use super::kv_retention::check_kv_wishes;
use super::lengths::check_lengths;
use super::not_nothing::{check_not_nothing, seconds};
use super::rate::{RequestCount, check_peak, check_profile};
use crate::At;
use crate::table::fields::Fields;
use crate::table::report::{Report, grouped};
use crate::{
    Arrivals, Client, Compat, ExplicitRequest, KvBlocks, PrefixGroups, Scenario, Served, TraceSettings,
    limits,
};
use base::small::decimal::plain;

/// The traffic, and how many requests it makes if nothing changes.
pub(super) fn check_workload(s: &Scenario, r: &mut Report) {
    check_traffic(s, r);
    if s.edits.is_empty() && r.is_fine("workload.clients") {
        r.extend(RequestCount::new(s).problems(s));
    }
}

/// The traffic, whatever it adds up to.
pub(super) fn check_traffic(s: &Scenario, r: &mut Report) {
    let w = &s.workload;
    w.check_ranges(&At::path("workload"), r);
    if let Some(trace) = &w.trace {
        check_trace(trace, r);
        if !w.requests.is_empty() {
            r.warning(
                "workload.requests",
                format!("{} requests together with a trace", grouped(w.requests.len() as u64)),
                "either of them",
                "the trace alone is replayed: remove one of them",
            );
        }
    } else if w.clients.is_empty() && w.requests.is_empty() {
        r.error(
            "workload",
            "no clients, no requests and no trace",
            "at least one of them",
            "add a client, or leave the key `clients` out for the default one",
        );
    }
    for (i, client) in w.clients.iter().enumerate() {
        check_client(&format!("workload.clients[{i}]"), client, r);
    }
    r.distinct("workload.clients", "name", w.clients.iter().map(|c| c.name.as_str()));
    for (i, request) in w.requests.iter().enumerate() {
        check_request(&format!("workload.requests[{i}]"), request, r);
    }
    r.distinct("workload.requests", "id", w.requests.iter().map(|q| q.id.as_str()));
    check_models(s, r);
    check_adapters_served(s, r);
    check_kv_wishes(s, r);
    check_fit(s, r);
    check_not_nothing("workload.timeout_s", w.timeout_s, seconds("clients that wait for ever"), r);
    if w.timeout_s > 0.0 && s.cluster.compat == Compat::Blis && r.is_fine("workload.timeout_s") {
        r.error(
            "workload.timeout_s",
            format!("a timeout of {} s with cluster.compat blis", plain(w.timeout_s)),
            "0 there",
            "leave it out, or leave cluster.compat out",
        );
    }
    if w.client_retries > 0 && w.timeout_s <= 0.0 && r.are_fine("workload", &["timeout_s", "client_retries"])
    {
        r.warning(
            "workload.client_retries",
            "clients that come again and never give up",
            "a timeout above 0",
            "set workload.timeout_s",
        );
    }
}

/// The digest and the carried rows of a trace, as far as they can be judged without reading it.
fn check_trace(trace: &TraceSettings, r: &mut Report) {
    if trace.sessions_in_flight > 0 && trace.session_rate > 0.0 {
        r.error(
            "workload.trace.session_rate",
            format!(
                "{} sessions a second, and {} in flight",
                plain(trace.session_rate),
                trace.sessions_in_flight
            ),
            "one of the two",
            "sessions start at a rate, or when others are over: set the other key to 0",
        );
    }
    let digest = &trace.digest;
    let is_digest = digest.len() == 16 && digest.bytes().all(|b| b.is_ascii_hexdigit());
    if !digest.is_empty() && !is_digest && r.is_fine("workload.trace.digest") {
        r.error(
            "workload.trace.digest",
            format!("{digest:?}"),
            "sixteen hexadecimal digits, or nothing",
            "take the digest that `tokenyard link` or a report gives, or leave it out",
        );
    }
    // Three bytes are four letters, and a text over several lines has ends of lines in it.
    let most = limits::CARRIED_TRACE_BYTES * 2;
    if trace.rows.len() > most {
        r.error(
            "workload.trace.rows",
            format!("{} letters", grouped(trace.rows.len() as u64)),
            format!("a trace of at most {} bytes, compressed", grouped(limits::CARRIED_TRACE_BYTES as u64)),
            "leave the rows out and give the trace as a file",
        );
    }
}

/// Clients and requests may ask for models that some pool serves.
fn check_models(s: &Scenario, r: &mut Report) {
    let pools = &s.cluster.pools;
    let served = Served::new(pools);
    let mut check = |path: String, model: &str| {
        if served.pools_of(model) == 0 {
            let mut names: Vec<&str> = Vec::new();
            for pool in pools {
                if !names.contains(&pool.model.as_str()) {
                    names.push(&pool.model);
                }
            }
            let fix = "name the model of a pool, add a pool for it, or leave it empty for any replica";
            r.error(path, format!("model {model:?}, which no pool serves"), names.join(", "), fix);
        }
    };
    for (i, client) in s.workload.clients.iter().enumerate() {
        check(format!("workload.clients[{i}].model"), &client.model);
    }
    for (i, request) in s.workload.requests.iter().enumerate().filter(|(_, q)| !q.model.is_empty()) {
        check(format!("workload.requests[{i}].model"), &request.model);
    }
}

fn check_client(path: &str, c: &Client, r: &mut Report) {
    check_conversation(path, c, r);
    if let Some(adapters) = &c.adapters {
        check_adapters(&format!("{path}.adapters"), adapters, r);
    }
    c.check_ranges(&At::path(path), r);
    check_bound(path, c, r);
    r.not_empty(&format!("{path}.name"), &c.name);
    check_profile(&format!("{path}.rate_profile"), &c.rate_profile, r);
    check_peak(&format!("{path}.rate_profile"), c.arrivals.rate_per_s(), &c.rate_profile, r);
    let prompt = check_lengths(&format!("{path}.prompt_tokens"), &c.prompt_tokens, r);
    let output = check_lengths(&format!("{path}.output_tokens"), &c.output_tokens, r);
    let prefix = check_prefix(&format!("{path}.prefix"), &c.prefix, r);
    let total = u64::from(prompt) + u64::from(output) + u64::from(prefix);
    let fine = || r.are_fine(path, &["prompt_tokens", "output_tokens", "prefix"]);
    if total > u64::from(limits::REQUEST_TOKENS) && fine() {
        r.error(
            path,
            format!("requests of up to {} tokens (prefix, prompt and output together)", grouped(total)),
            format!("at most {}", grouped(limits::REQUEST_TOKENS.into())),
            "lower one of the longest lengths",
        );
    }
}

/// A bound on requests in flight beside a closed loop that has no more of them. A document's bound alone is a closed loop, so
/// that an edit of it sets another one beside that.
fn check_bound(path: &str, c: &Client, r: &mut Report) {
    if let Arrivals::Concurrency { requests } = c.arrivals
        && c.concurrency >= requests
        && r.are_fine(path, &["concurrency", "arrivals"])
    {
        r.warning(
            format!("{path}.concurrency"),
            format!(
                "at most {} in flight, beside a closed loop of {}",
                grouped(c.concurrency.into()),
                grouped(requests.into())
            ),
            "fewer than the closed loop has, or 0",
            "it has no effect: set arrivals.concurrency.requests for another number in flight",
        );
    }
}

/// Reports problems and returns the length of a prefix.
fn check_prefix(path: &str, p: &PrefixGroups, r: &mut Report) -> u32 {
    if (p.groups == 0) != (p.tokens == 0) && r.is_fine(path) {
        r.warning(
            path,
            format!("{} groups of {} tokens", grouped(p.groups.into()), grouped(p.tokens.into())),
            "both 0, or both above 0",
            "alone it gives no shared prefix: set the other one too",
        );
    }
    if p.groups == 0 { 0 } else { p.tokens }
}

fn check_request(path: &str, q: &ExplicitRequest, r: &mut Report) {
    q.check_ranges(&At::path(path), r);
    let mut total = 0u64;
    for (i, piece) in q.prompt.iter().enumerate() {
        let piece_path = format!("{path}.prompt[{i}]");
        check_end(&piece_path, piece.offset, piece.tokens, r);
        total += u64::from(piece.tokens);
    }
    let fine = r.are_fine(path, &["prompt", "output"]);
    if q.prompt.is_empty() {
        r.error(format!("{path}.prompt"), "no prompt tokens", "at least one", "add a piece of text");
    }
    check_end(&format!("{path}.output"), q.output.offset, q.output.tokens, r);
    total += u64::from(q.output.tokens);
    if fine && total > u64::from(limits::REQUEST_TOKENS) {
        r.error(
            path,
            format!("{} tokens, prompt and output together", grouped(total)),
            format!("at most {}", grouped(limits::REQUEST_TOKENS.into())),
            "shorten the request",
        );
    }
}

fn check_end(path: &str, offset: u32, tokens: u32, r: &mut Report) {
    if offset.checked_add(tokens).is_none() && r.is_fine(path) {
        r.error(
            format!("{path}.offset"),
            grouped(offset.into()),
            "a piece that ends before token 4,294,967,296",
            "lower the offset",
        );
    }
}

/// Warns about clients none of whose requests fit in any KV cache.
fn check_fit(s: &Scenario, r: &mut Report) {
    let mut most = 0;
    for pool in &s.cluster.pools {
        match pool.kv.blocks {
            KvBlocks::Auto => return,
            KvBlocks::Count(n) => most = most.max(u64::from(n) * u64::from(pool.kv.block_tokens)),
        }
    }
    for (i, client) in s.workload.clients.iter().enumerate() {
        let min = client.prompt_tokens.bounds().0;
        let prefix = if client.prefix.groups == 0 { 0 } else { client.prefix.tokens };
        let shortest = u64::from(min) + u64::from(prefix);
        let fine = || {
            r.is_fine("cluster.pools")
                && r.are_fine(&format!("workload.clients[{i}]"), &["prompt_tokens", "prefix"])
        };
        if most > 0 && shortest > most && fine() {
            r.warning(
                format!("workload.clients[{i}].prompt_tokens"),
                format!("prompts of at least {} tokens", grouped(shortest)),
                format!("up to {}, which is what the KV cache holds", grouped(most)),
                "every one of them will be dropped: shorten them or add KV blocks",
            );
        }
    }
}
