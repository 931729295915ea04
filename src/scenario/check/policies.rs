//! Ranges of admission and routing settings.

use crate::scenario::limits;
use crate::scenario::policy::{
    AdmissionPolicy, PrefixAware, PrefixOverlap, Profile, RoutingPolicy, Scorer, Weighted,
};
use crate::scenario::report::Report;
use crate::scenario::{Filter, FilterMetric, Picker};

/// Checks the admission policy at `path`.
pub(super) fn check_admission(path: &str, policy: &AdmissionPolicy, r: &mut Report) {
    let above_zero = "both must be above zero; use reject-all to let nobody in";
    let (least, most) = (limits::BUCKET_MIN, limits::BUCKET_TOKENS);
    match policy {
        AdmissionPolicy::AlwaysAdmit | AdmissionPolicy::RejectAll => {}
        AdmissionPolicy::TokenBucket(p) => {
            let path = format!("{path}.token-bucket");
            r.float(&format!("{path}.capacity_tokens"), p.capacity_tokens, least, most, above_zero);
            r.float(&format!("{path}.refill_tokens_per_s"), p.refill_tokens_per_s, least, most, above_zero);
        }
        AdmissionPolicy::RateLimit(p) => {
            let path = format!("{path}.rate-limit");
            let rate = format!("{path}.requests_per_s");
            r.float(&rate, p.requests_per_s, least, limits::RATE_PER_S, above_zero);
            r.int(&format!("{path}.burst"), p.burst, 1, limits::IN_FLIGHT, "1 allows no burst");
        }
        AdmissionPolicy::TenantQuota(p) => {
            let path = format!("{path}.tenant-quota.most_in_flight");
            r.int(&path, p.most_in_flight, 1, limits::IN_FLIGHT, "use reject-all to let nobody in");
        }
        AdmissionPolicy::ConcurrencyLimit(p) => {
            let path = format!("{path}.concurrency-limit.most_in_flight");
            r.int(&path, p.most_in_flight, 1, limits::IN_FLIGHT, "use reject-all to let nobody in");
        }
    }
}

/// Checks the routing policy at `path`.
pub(super) fn check_routing(path: &str, policy: &RoutingPolicy, r: &mut Report) {
    match policy {
        RoutingPolicy::RoundRobin
        | RoutingPolicy::Random
        | RoutingPolicy::LeastLoaded
        | RoutingPolicy::AlwaysBusiest
        | RoutingPolicy::LeastKv => {}
        RoutingPolicy::PowerOfD(p) => {
            r.int(&format!("{path}.power-of-d.d"), p.d, 1, limits::REPLICAS, "2 gets most of the benefit");
        }
        RoutingPolicy::PrefixAware(PrefixAware { cache_weight, breaker, full_load }) => {
            check_cache_or_load(&format!("{path}.prefix-aware"), [*cache_weight, *breaker], *full_load, r);
        }
        RoutingPolicy::PrefixOverlap(PrefixOverlap { cache_weight, breaker, full_load }) => {
            check_cache_or_load(&format!("{path}.prefix-overlap"), [*cache_weight, *breaker], *full_load, r);
        }
        RoutingPolicy::SessionAffinity(p) => {
            let path = format!("{path}.session-affinity.most_sessions");
            r.int(&path, p.most_sessions, 1, limits::SESSIONS, "100,000 is plenty");
        }
        RoutingPolicy::CostEscalation(p) => {
            for (field, x) in [
                ("base", p.base),
                ("queue", p.queue),
                ("kv", p.kv),
                ("price", p.price),
                ("decay_per_s", p.decay_per_s),
            ] {
                let path = format!("{path}.cost-escalation.{field}");
                r.float(&path, x, 0.0, limits::COST, "use 0 to switch this part off");
            }
        }
        RoutingPolicy::Weighted(p) => check_weighted(&format!("{path}.weighted"), p, r),
    }
}

fn check_cache_or_load(path: &str, [cache_weight, breaker]: [f64; 2], full_load: u32, r: &mut Report) {
    r.float(
        &format!("{path}.cache_weight"),
        cache_weight,
        0.0,
        1.0,
        "0 looks at load only, 1 at the cache only",
    );
    r.float(&format!("{path}.breaker"), breaker, 0.0, 1.0, "1 never disregards the cache below full_load");
    r.int(&format!("{path}.full_load"), full_load, 1, limits::IN_FLIGHT, "256 is a full default batch");
}

fn check_filters(path: &str, filters: &[Filter], r: &mut Report) {
    r.count(path, filters.len(), limits::FILTERS, "filters");
    let sessions = filters.iter().filter(|f| matches!(f, Filter::Session(_)));
    r.distinct(path, "filter", sessions.map(|_| "session"));
    for (i, filter) in filters.iter().enumerate() {
        match filter {
            Filter::Session(f) => {
                let path = format!("{path}[{i}].session.most_sessions");
                r.int(&path, f.most_sessions, 1, limits::SESSIONS, "100,000 is plenty");
            }
            Filter::Utilization(f) => {
                let path = format!("{path}[{i}].utilization.conditions");
                if f.conditions.is_empty() {
                    let fix = "add {\"metric\": \"waiting-requests\", \"max\": 5}, or remove the filter";
                    r.error(&path, "no conditions", "at least one", fix);
                }
                r.count(&path, f.conditions.len(), limits::FILTERS, "conditions");
                r.distinct(&path, "metric", f.conditions.iter().map(|c| c.metric.name()));
                for (k, c) in f.conditions.iter().enumerate() {
                    let (most, fix) = match c.metric {
                        FilterMetric::KvUtilization => {
                            (1.0, "0.8 leaves out caches that are more than 80 % full")
                        }
                        FilterMetric::WaitingRequests
                        | FilterMetric::RunningRequests
                        | FilterMetric::ActiveRequests => {
                            (f64::from(limits::IN_FLIGHT), "a number of requests")
                        }
                    };
                    r.float(&format!("{path}[{k}].max"), c.max, 0.0, most, fix);
                }
            }
        }
    }
}

fn check_weighted(path: &str, p: &Weighted, r: &mut Report) {
    let fix = "10,000 blocks of 16 tokens are 160,000 tokens";
    r.int(&format!("{path}.prefix_index_blocks"), p.prefix_index_blocks, 1, limits::KV_BLOCKS, fix);
    for (field, x) in [("token_threshold", p.token_threshold), ("waiting_threshold", p.waiting_threshold)] {
        r.int(&format!("{path}.{field}"), x, 1, limits::THRESHOLD, "leave it out for llm-d's default");
    }
    check_filters(&format!("{path}.filters"), &p.filters, r);
    if let Picker::Softmax(softmax) = &p.picker {
        let path = format!("{path}.picker.softmax.temperature");
        let (least, most) = (limits::TEMPERATURE_MIN, limits::TEMPERATURE);
        r.float(&path, softmax.temperature, least, most, "use the picker max for no chance at all");
    }
    let path = format!("{path}.scorers");
    if p.profile != Profile::Custom {
        if !p.scorers.is_empty() {
            let fix = "write \"profile\": \"custom\", or remove the list";
            r.error(path, "scorers beside a profile that has its own", "none", fix);
        }
        return;
    }
    if p.scorers.is_empty() {
        let fix = "add {\"scorer\": \"queue-depth\", \"weight\": 1}, or choose another profile";
        r.error(&path, "no scorers", "at least one", fix);
    }
    r.count(&path, p.scorers.len(), limits::SCORERS, "scorers");
    r.distinct(&path, "scorer", p.scorers.iter().map(|s| s.scorer.name()));
    for (i, s) in p.scorers.iter().enumerate() {
        let weight = format!("{path}[{i}].weight");
        r.float(
            &weight,
            s.weight,
            limits::WEIGHT_MIN,
            limits::WEIGHT,
            "remove a scorer that should not count",
        );
    }
    let has = |scorer| p.scorers.iter().any(|s| s.scorer == scorer);
    if has(Scorer::NoHitLru) && !has(Scorer::PrefixAffinity) && !has(Scorer::PrecisePrefix) {
        let allowed = "prefix-affinity or precise-prefix beside it";
        r.error(path, "no-hit-lru alone", allowed, "it needs to know which prompts no replica has");
    }
}
