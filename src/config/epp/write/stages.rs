//! Profiles of a router: one for all requests, or those of homes and prefills with the handler that splits requests.

use crate::epp::write::draft::Draft;
use crate::epp::write::profile::Profile;
use crate::epp::write::scorers::{Refs, weighted};
use crate::epp::write::stage::Stage;
use crate::epp::write::there::There;
use crate::export::Row;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::Want;
use document::{Decider, Pool, Role, RoutingPolicy, Scenario};
use engine::perf::resolve;

/// The profiles of a scenario; none if its router has no counterpart.
pub(crate) fn profiles(draft: &mut Draft<'_>, scenario: &Scenario) -> Vec<Profile> {
    let routing = &scenario.cluster.routing;
    if is_split(scenario, draft.there) {
        return split(draft, scenario);
    }
    let name = draft.there.first_profile().unwrap_or("default").to_owned();
    let pool = scenario.cluster.pools.first();
    let found = routed(draft, routing, &stage("cluster.routing", &name, pool, scenario));
    found.map(|plugins| Profile { name, plugins }).into_iter().collect()
}

fn stage<'a>(at: &'a str, profile: &'a str, pool: Option<&Pool>, scenario: &Scenario) -> Stage<'a> {
    let resolved = pool.and_then(|pool| resolve(pool, scenario.cluster.compat, "").ok());
    let peak = resolved.map(|r| r.peak_prefill_tokens_per_s()).filter(|peak| peak.is_finite());
    Stage { at, profile, peak, block_tokens: pool.map_or(16, |pool| pool.kv.block_tokens) }
}

/// The roles of a scenario's pools: whether prefill and decode are apart.
fn is_split(scenario: &Scenario, there: &There) -> bool {
    let role = scenario.cluster.pools.iter().any(|pool| pool.role == Role::Prefill);
    role || (scenario.cluster.disaggregation.is_some() && there.handler.is_some())
}

/// The router of prefills.
fn prefill_routing(scenario: &Scenario) -> &RoutingPolicy {
    let own = scenario.cluster.disaggregation.as_ref().and_then(|d| d.prefill_routing.as_ref());
    own.unwrap_or(&scenario.cluster.routing)
}

/// A router as references; `None` if it has no counterpart.
fn routed(draft: &mut Draft<'_>, routing: &RoutingPolicy, stage: &Stage<'_>) -> Option<Refs> {
    let near: (&str, &str, &str, &str) = match routing {
        RoutingPolicy::Weighted(router) => return Some(weighted(draft, router, stage)),
        RoutingPolicy::Random => {
            let kind = "random-picker";
            draft.rows.push(Row::exact(stage.at, "routing", "random", kind));
            return Some(vec![(draft.plugin(kind, kind, Vec::new(), stage.profile), None)]);
        }
        RoutingPolicy::LeastLoaded => (
            "least-loaded",
            "active-request-scorer",
            "it counts the requests that the router sent, not those that replicas report; ties are broken at random",
            "",
        ),
        RoutingPolicy::LeastKv => {
            ("least-kv", "kv-cache-utilization-scorer", "ties are broken at random", "")
        }
        RoutingPolicy::SessionAffinity(_) => (
            "session-affinity",
            "session-affinity-scorer",
            "llm-d knows a session by a header or a token of the client, and places new sessions at random",
            "",
        ),
        RoutingPolicy::RoundRobin => ("round-robin", "", "llm-d has no such picker", "random-picker"),
        RoutingPolicy::PowerOfD(_) => ("power-of-d", "", "llm-d draws no samples", "active-request-scorer"),
        RoutingPolicy::AlwaysBusiest => ("always-busiest", "", "llm-d has no such scorer", "none"),
        RoutingPolicy::PrefixAware(_) | RoutingPolicy::PrefixOverlap(_) => {
            ("prefix-aware", "", "llm-d has no breaker", "prefix-cache-scorer with active-request-scorer")
        }
        RoutingPolicy::CostEscalation(_) => {
            ("cost-escalation", "", "llm-d has no such costs", "active-request-scorer")
        }
        RoutingPolicy::KvCost(_) => (
            "kv-cost",
            "",
            "it is Dynamo's router: export as dynamo",
            "prefix-cache-affinity-filter with token-load-scorer",
        ),
        RoutingPolicy::CacheAware(_) => {
            ("cache-aware", "", "it is SGLang's router: export as smg", "prefix-cache-affinity-filter")
        }
    };
    let (ours, kind, why, nearest) = near;
    if kind.is_empty() {
        draft.rows.push(Row::ignored(stage.at, "routing", ours, &format!("{why}; the nearest is {nearest}")));
        return None;
    }
    draft.rows.push(Row::near(stage.at, "routing", ours, kind, why));
    Some(vec![(draft.plugin(kind, kind, Vec::new(), stage.profile), Some(1.0))])
}

/// The profiles of homes and prefills.
fn split(draft: &mut Draft<'_>, scenario: &Scenario) -> Vec<Profile> {
    const HANDLER: &str = "disagg-profile-handler";
    let there = draft.there;
    let named = |keys: [&[&str]; 2], usual: &str| {
        keys.iter().find_map(|key| there.parameter(HANDLER, key)).unwrap_or(usual).to_owned()
    };
    let decode = named([&["profiles", "decode"], &["decodeProfile"]], "decode");
    let prefill = named([&["profiles", "prefill"], &["prefillProfile"]], "prefill");
    draft.rows.push(Row::exact("cluster.pools", "roles of pools", "prefill, decode", HANDLER));
    if there.is_empty() {
        draft.plugin("disagg-headers-handler", "disagg-headers-handler", Vec::new(), "");
    }
    decider(draft, scenario);
    let pools = &scenario.cluster.pools;
    let mut profiles = Vec::new();
    for (name, filter, at, routing, pool) in [
        (
            &prefill,
            "prefill-filter",
            "cluster.disaggregation.prefill_routing",
            prefill_routing(scenario),
            pools.iter().find(|p| p.role == Role::Prefill),
        ),
        (
            &decode,
            "decode-filter",
            "cluster.routing",
            &scenario.cluster.routing,
            pools.iter().find(|p| p.role.is_home()),
        ),
    ] {
        // Where homes and prefills share a policy, their rows are the same.
        let shared = at != "cluster.routing" && std::ptr::eq(routing, &raw const scenario.cluster.routing);
        let before = draft.rows.len();
        let Some(found) = routed(draft, routing, &stage(at, name, pool.or(pools.first()), scenario)) else {
            continue;
        };
        if shared {
            draft.rows.truncate(before);
        }
        let by_role = there.named(filter, name).is_some() || there.is_empty();
        let role = by_role.then(|| (draft.plugin(filter, filter, Vec::new(), name), None));
        profiles.push(Profile { name: name.clone(), plugins: role.into_iter().chain(found).collect() });
    }
    profiles
}

/// The handler that splits requests, and its decider.
fn decider(draft: &mut Draft<'_>, scenario: &Scenario) {
    const HANDLER: &str = "disagg-profile-handler";
    let path = "cluster.disaggregation.decider";
    let settings = scenario.cluster.disaggregation.clone().unwrap_or_default();
    let (kind, parameters, row) = match &settings.decider {
        Decider::Never => {
            (None, Vec::new(), Row::exact(path, "decider", "never", HANDLER).default_there(true))
        }
        Decider::Always => {
            let kind = "always-disagg-pd-decider";
            (Some(kind), Vec::new(), Row::exact(path, "decider", "always", kind))
        }
        Decider::Threshold(own) => {
            let kind = "prefix-based-pd-decider";
            let alone = own.uncached_tokens > 0 && own.uncached_share <= 0.0 && own.prefill_in_flight == 0;
            let value = format!("{} uncached tokens", own.uncached_tokens);
            let why = format!(
                "llm-d knows no share ({}) and no busy prefill replicas ({})",
                number(own.uncached_share),
                own.prefill_in_flight
            );
            let row = if alone {
                Row::exact(path, "decider", value, kind)
            } else {
                Row::near(path, "decider", value, kind, &why)
            };
            let before = draft.there.parameter(kind, &["nonCachedTokens"]);
            let before =
                before.filter(|text| !Scalar::from(own.uncached_tokens).is_said_by(text)).map(str::to_owned);
            (Some(kind), vec![("nonCachedTokens", Want::said(own.uncached_tokens))], row.was(before))
        }
    };
    draft.rows.push(row);
    let name = kind.map(|kind| draft.plugin(kind, kind, parameters, ""));
    // A file may name the decider by one of three keys.
    let keys: [(&'static str, &[&str]); 3] = [
        ("prefillDeciderPluginName", &["prefillDeciderPluginName"]),
        ("deciderPluginName", &["deciderPluginName"]),
        ("deciders", &["deciders", "prefill"]),
    ];
    let key = keys
        .iter()
        .find(|(_, path)| draft.there.parameter(HANDLER, path).is_some())
        .map_or("deciders", |(key, _)| key);
    let said = name.as_deref().map_or(Want::Nothing, Want::said);
    let value = if key == "deciders" { Want::Map(vec![("prefill", said)]) } else { said };
    draft.plugin(HANDLER, HANDLER, vec![(key, value)], "");
    if scenario.cluster.disaggregation.is_some() {
        let why = "the engines' KV connector and the network decide it, not the router";
        draft.rows.push(Row::ignored("cluster.disaggregation.transfer", "transfer of KV", "", why));
    }
}
