//! Checks what is to be kept of the KV of requests and sessions: directives that mean nothing, and what is not simulated beside them.

use crate::table::report::{Report, grouped};
use crate::{
    Cluster, Compat, CpuEviction, CpuTier, EvictionOrder, KvCache, KvHint, Pool, PrefetchTo, Retention,
    Scenario, SecondaryTier, SessionKv, StoreEviction,
};

/// Orders of eviction, and the gateway's hint.
pub(super) fn check_kv_retention(c: &Cluster, r: &mut Report) {
    for (i, pool) in c.pools.iter().enumerate() {
        check_order(&format!("cluster.pools[{i}]"), pool, c, r);
    }
    if let Some(hint) = &c.kv_hint {
        check_hint(hint, r);
        check_obeyed("cluster.kv_hint", c, r);
    }
}

fn has_order(kv: &KvCache) -> bool {
    kv.eviction_order != EvictionOrder::Lru
        || kv.cpu_eviction != CpuEviction::Lru
        || kv.max_protected_share < 1.0
}

fn check_order(path: &str, pool: &Pool, c: &Cluster, r: &mut Report) {
    let kv = &pool.kv;
    let at = format!("{path}.kv.eviction_order");
    if kv.cpu_eviction == CpuEviction::Belady && kv.cpu_blocks == 0 {
        r.error(
            format!("{path}.kv.cpu_eviction"),
            "belady, without a CPU tier",
            "lru there",
            "give the pool cpu_blocks, or leave this out",
        );
    }
    if !has_order(kv) {
        return;
    }
    let problems = unlike(pool, c.compat);
    for (what, fix) in problems {
        r.error(at.clone(), format!("an order of eviction {what}"), "lru there", fix);
    }
}

/// What keeps a pool from having an order of eviction or pauses of sessions.
fn unlike(pool: &Pool, compat: Compat) -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    let mut out = |what: String, fix| all.push((what, fix));
    if !pool.kv.prefix_caching {
        out("without prefix caching".to_owned(), "nothing is ever kept: turn prefix_caching on");
    }
    if compat == Compat::Blis || pool.kv.cpu_tier == CpuTier::Blis {
        out(
            "with the cache of blis".to_owned(),
            "that simulator has its own order: leave one of the two out",
        );
    }
    all
}

fn check_hint(hint: &KvHint, r: &mut Report) {
    let path = "cluster.kv_hint";
    if hint.min_s > hint.max_s && r.are_fine(path, &["min_s", "max_s"]) {
        r.error(
            format!("{path}.min_s"),
            format!("at least {} s, and at most {} s", hint.min_s, hint.max_s),
            "no more than max_s",
            "swap the two, or raise max_s",
        );
    }
    let (budget, head) = (hint.budget_tokens, u64::from(hint.head_tokens));
    if budget > 0 && budget < head && r.are_fine(path, &["budget_tokens", "head_tokens"]) {
        r.error(
            format!("{path}.budget_tokens"),
            format!("{} tokens for heads of {}", grouped(budget), grouped(head)),
            "at least head_tokens, or 0 for no bound",
            "not one session would get its hint: raise the budget, or shorten the head",
        );
    }
}

/// A directive means nothing where all pools evict by use alone.
fn check_obeyed(path: &str, c: &Cluster, r: &mut Report) {
    let obeys = |pool: &Pool| !matches!(pool.kv.eviction_order, EvictionOrder::Lru | EvictionOrder::Belady);
    // A store evicts what nobody wants kept before the rest.
    let evicts = |name: &str| {
        c.kv_stores.iter().any(|store| store.name == name && store.eviction != StoreEviction::None)
    };
    let keeps = |tier: &SecondaryTier| matches!(tier, SecondaryTier::Store(store) if evicts(&store.name));
    let any = |pool: &Pool| obeys(pool) || pool.kv.secondary_tiers.iter().any(keeps);
    if !c.pools.iter().any(any) {
        r.warning(
            path,
            "a directive, and no pool whose eviction order obeys one",
            "",
            "set kv.eviction_order to vllm, sglang or trtllm, or leave this out",
        );
    }
}

/// Directives and pauses of the traffic.
pub(super) fn check_kv_wishes(s: &Scenario, r: &mut Report) {
    let w = &s.workload;
    let clients = w.clients.iter().enumerate();
    for (i, client) in clients {
        let path = format!("workload.clients[{i}]");
        check_directives(&path, &client.retention, &s.cluster, r);
        let Some(kv) = &client.session_kv else { continue };
        let at = format!("{path}.session_kv");
        if client.conversation.is_none() && client.agent.is_none() {
            let fix = "give the client agent or conversation, or leave this out";
            r.error(&*at, "what becomes of sessions, of a client without any", "a client with sessions", fix);
        }
        check_session_kv(&at, kv, &s.cluster, r);
    }
    for (i, request) in w.requests.iter().enumerate() {
        check_directives(&format!("workload.requests[{i}]"), &request.retention, &s.cluster, r);
    }
    if let Some(kv) = &w.session_kv {
        if w.trace.is_none() && w.requests.iter().all(|request| request.session.is_empty()) {
            let fix = "name a session in the requests, or give clients a session_kv of their own";
            r.error(
                "workload.session_kv",
                "what becomes of sessions, without any",
                "requests with a session",
                fix,
            );
        }
        check_session_kv("workload.session_kv", kv, &s.cluster, r);
    }
    if let Some(kv) = w.trace.as_ref().and_then(|trace| trace.session_kv.as_ref()) {
        check_session_kv("workload.trace.session_kv", kv, &s.cluster, r);
    }
}

fn check_directives(path: &str, all: &[Retention], c: &Cluster, r: &mut Report) {
    for (k, d) in all.iter().enumerate() {
        let at = format!("{path}.retention[{k}]");
        if let Some(end) = d.end.filter(|end| *end <= d.start)
            && r.are_fine(&at, &["start", "end"])
        {
            r.error(
                format!("{at}.end"),
                format!("tokens {} to {}", grouped(d.start.into()), grouped(end.into())),
                "an end behind the start",
                "raise end, or leave it out for all that follow",
            );
        }
    }
    if !all.is_empty() {
        check_together(&format!("{path}.retention"), "a directive", c, r);
        check_obeyed(&format!("{path}.retention"), c, r);
    }
}

fn check_session_kv(path: &str, kv: &SessionKv, c: &Cluster, r: &mut Report) {
    check_together(path, "what becomes of sessions", c, r);
    let has_cpu = c.pools.iter().any(|pool| pool.kv.cpu_blocks > 0);
    let has_lower = c.pools.iter().any(|pool| !pool.kv.secondary_tiers.is_empty());
    if let Some(prefetch) = &kv.prefetch {
        let lacks = match prefetch.to {
            PrefetchTo::Gpu if !has_cpu => Some("to the GPU, and no pool with a CPU tier"),
            PrefetchTo::Cpu if !has_cpu || !has_lower => {
                Some("to CPU memory, and no pool with a CPU tier and tiers below it")
            }
            PrefetchTo::Gpu | PrefetchTo::Cpu => None,
        };
        if let Some(lacks) = lacks {
            r.warning(
                format!("{path}.prefetch.to"),
                format!("a prefetch {lacks}"),
                "",
                "it has nothing to bring: give a pool cpu_blocks and what lies below, or leave it out",
            );
        }
    }
}

/// What is not simulated beside it in any pool.
fn check_together(path: &str, what: &str, c: &Cluster, r: &mut Report) {
    for pool in &c.pools {
        if let Some((with, fix)) = unlike(pool, c.compat).into_iter().next() {
            let found = format!("{what}, and the pool \"{}\" {with}", pool.name);
            r.error(path, found, "no such pool beside it", fix);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Role, SessionPrefetch, check};

    fn scenario() -> Scenario {
        let mut s = Scenario::default();
        s.cluster.pools[0].kv.eviction_order = EvictionOrder::Vllm;
        s.cluster.pools[0].kv.cpu_blocks = 10;
        s.cluster.kv_hint = Some(KvHint::default());
        let client = &mut s.workload.clients[0];
        client.agent = Some(Agent::default());
        client.retention = vec![Retention { start: 0, end: Some(100), priority: 50, duration_s: Some(9.0) }];
        client.session_kv = Some(SessionKv {
            supersede: true,
            demote_after_s: Some(5.0),
            prefetch: Some(SessionPrefetch::default()),
        });
        s
    }

    /// What is said of a scenario: path and what was found, of errors and of warnings.
    fn told(change: impl FnOnce(&mut Scenario)) -> [Vec<(String, String)>; 2] {
        let mut s = scenario();
        change(&mut s);
        let lines = |found: base::Diagnostics| found.into_iter().map(|d| (d.path, d.found)).collect();
        match check(s) {
            Ok((_, warnings)) => [Vec::new(), lines(warnings)],
            Err(errors) => [lines(errors), Vec::new()],
        }
    }

    #[test]
    fn what_goes_together_is_accepted() {
        assert_eq!(told(|_| ()), [vec![], vec![]]);
    }

    type Change = fn(&mut Scenario);

    #[test]
    fn what_contradicts_itself_or_is_not_simulated_is_refused() {
        let all: [(&str, Change); 9] = [
            ("cluster.kv_hint.min_s", |s| {
                s.cluster.kv_hint = Some(KvHint { min_s: 700.0, ..KvHint::default() });
            }),
            ("cluster.kv_hint.budget_tokens", |s| {
                s.cluster.kv_hint = Some(KvHint { budget_tokens: 9, ..KvHint::default() });
            }),
            ("workload.clients[0].retention[0].end", |s| s.workload.clients[0].retention[0].start = 100),
            ("workload.clients[0].retention[0].priority", |s| {
                s.workload.clients[0].retention[0].priority = 101;
            }),
            ("workload.clients[0].session_kv", |s| s.workload.clients[0].agent = None),
            ("workload.session_kv", |s| s.workload.session_kv = Some(SessionKv::default())),
            ("cluster.pools[0].kv.eviction_order", |s| s.cluster.pools[0].kv.prefix_caching = false),
            ("cluster.pools[0].kv.eviction_order", |s| s.cluster.compat = Compat::Blis),
            ("cluster.pools[0].kv.cpu_eviction", |s| {
                s.cluster.pools[0].kv.cpu_blocks = 0;
                s.cluster.pools[0].kv.cpu_eviction = CpuEviction::Belady;
            }),
        ];
        for (path, change) in all {
            let [errors, _] = told(change);
            assert!(errors.iter().any(|(at, _)| at == path), "{path}: {errors:?}");
        }
    }

    #[test]
    fn directives_orders_and_rules_for_pauses_go_with_any_role() {
        let split = |s: &mut Scenario| {
            s.cluster.pools[0].role = Role::Prefill;
            let decode = Pool { name: "decode".to_owned(), role: Role::Decode, ..s.cluster.pools[0].clone() };
            s.cluster.pools.push(decode);
        };
        assert_eq!(told(split), [vec![], vec![]]);
    }

    #[test]
    fn a_directive_that_no_order_obeys_is_warned_of() {
        let [_, warnings] = told(|s| s.cluster.pools[0].kv.eviction_order = EvictionOrder::Lru);
        let paths: Vec<&str> = warnings.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["cluster.kv_hint", "workload.clients[0].retention"]);
        let [_, warnings] = told(|s| s.cluster.pools[0].kv.cpu_blocks = 0);
        assert_eq!(warnings[0].0, "workload.clients[0].session_kv.prefetch.to");
    }
}
