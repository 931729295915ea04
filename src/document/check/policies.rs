//! Checks admission and routing: the parts that a weighted router needs, and contradictions.
//!
//! An edit may contain a policy too, so that its ranges are checked here.

use crate::At;
use crate::expression::parse;
use crate::table::fields::Fields;
use crate::table::report::Report;
use crate::{
    AdmissionPolicy, CacheIndex, Filter, FilterMetric, KvCost, Profile, RoutingPolicy, Scorer, Weighted,
};

/// Checks the admission policy at `path`.
pub(super) fn check_admission(path: &str, policy: &AdmissionPolicy, r: &mut Report) {
    policy.check_ranges(&At::path(path), r);
    match policy {
        AdmissionPolicy::TenantQuota(p) => {
            let list = format!("{path}.tenant-quota.tenants");
            r.distinct(&list, "tenant", p.tenants.iter().map(|t| t.tenant.as_str()));
        }
        AdmissionPolicy::SlidingWindow(p) if p.max_requests == 0 && p.max_prompt_tokens == 0 => {
            let fix = "write max_requests or max_prompt_tokens, or choose always-admit";
            r.error(format!("{path}.sliding-window"), "no limit", "at least one", fix);
        }
        AdmissionPolicy::AlwaysAdmit
        | AdmissionPolicy::RejectAll
        | AdmissionPolicy::TokenBucket(_)
        | AdmissionPolicy::RateLimit(_)
        | AdmissionPolicy::ConcurrencyLimit(_)
        | AdmissionPolicy::SessionCap(_)
        | AdmissionPolicy::SlidingWindow(_)
        | AdmissionPolicy::Shed(_) => {}
    }
}

/// Checks the routing policy at `path`.
pub(super) fn check_routing(path: &str, policy: &RoutingPolicy, r: &mut Report) {
    policy.check_ranges(&At::path(path), r);
    if let RoutingPolicy::Weighted(p) = policy {
        check_weighted(&format!("{path}.weighted"), p, r);
    }
    if let RoutingPolicy::KvCost(p) = policy {
        check_kv_cost(&format!("{path}.kv-cost"), p, r);
    }
}

fn check_kv_cost(path: &str, p: &KvCost, r: &mut Report) {
    if p.predicted_ttl_s > 0.0 && p.in_force().index != CacheIndex::Events {
        let found = "a prediction beside an index that is itself one, or none";
        let fix = "remove predicted_ttl_s, or set \"index\": \"events\" and the profile custom";
        r.error(format!("{path}.predicted_ttl_s"), found, "0 unless the index is events", fix);
    }
}

fn check_filters(path: &str, filters: &[Filter], r: &mut Report) {
    let sessions = filters.iter().filter(|f| matches!(f, Filter::Session(_)));
    r.distinct(path, "filter", sessions.map(|_| "session"));
    for (i, filter) in filters.iter().enumerate() {
        let Filter::Utilization(f) = filter else { continue };
        let path = format!("{path}[{i}].utilization.conditions");
        if f.conditions.is_empty() {
            let fix = "add {\"metric\": \"waiting-requests\", \"max\": 5}, or remove the filter";
            r.error(&path, "no conditions", "at least one", fix);
        }
        r.distinct(&path, "metric", f.conditions.iter().map(|c| c.metric.name()));
        for (k, c) in f.conditions.iter().enumerate() {
            let path = format!("{path}[{k}].max");
            if c.metric == FilterMetric::KvUtilization && r.is_fine(&path) {
                r.float(&path, c.max, 0.0, 1.0, "0.8 leaves out caches that are more than 80 % full");
            }
        }
    }
}

fn check_weighted(path: &str, p: &Weighted, r: &mut Report) {
    check_filters(&format!("{path}.filters"), &p.filters, r);
    if !p.priority.is_empty() {
        for problem in parse(&p.priority).err().unwrap_or_default() {
            r.error(format!("{path}.priority"), problem.found_at(), problem.allowed, problem.fix);
        }
    }
    let path = format!("{path}.scorers");
    if p.profile != Profile::Custom {
        if !p.scorers.is_empty() {
            let fix = "write \"profile\": \"custom\", or remove the list";
            r.error(path, "scorers together with a profile that has its own", "none", fix);
        }
        return;
    }
    if p.scorers.is_empty() {
        let fix = "add {\"scorer\": \"queue-depth\", \"weight\": 1}, or choose another profile";
        r.error(&path, "no scorers", "at least one", fix);
    }
    r.distinct(&path, "scorer", p.scorers.iter().map(|s| text_of(&s.scorer)));
    for (i, row) in p.scorers.iter().enumerate() {
        let Scorer::Expression(expression) = &row.scorer else { continue };
        for problem in expression.formula().err().unwrap_or_default() {
            let found = problem.found_at();
            r.error(format!("{path}[{i}].scorer.expression"), found, problem.allowed, problem.fix);
        }
    }
    let has = |scorer: &Scorer| p.scorers.iter().any(|s| s.scorer == *scorer);
    let knows = [Scorer::PrefixAffinity, Scorer::PrecisePrefix, Scorer::TierPrefix].iter().any(has);
    if has(&Scorer::NoHitLru) && !knows {
        let allowed = "prefix-affinity, precise-prefix or tier-prefix beside it";
        r.error(
            path,
            "no-hit-lru alone",
            allowed,
            "it needs a scorer that knows which prompts no replica \
        has",
        );
    }
}

/// The identity of a scorer: its name, or the text of its expression.
fn text_of(scorer: &Scorer) -> &str {
    match scorer {
        Scorer::Expression(expression) => &expression.0,
        named => named.name(),
    }
}
