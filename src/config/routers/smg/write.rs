//! Export of SGLang's router: its policy as flags of `smg launch`.

use crate::command::write::{FlagWriter, Wanted, written};
use crate::export::kept::of_router;
use crate::export::{Language, Row, SystemExport, Written};
use crate::routers::smg::map::FLAGS;
use document::{
    AdmissionPolicy, CacheAware, CacheBalance, CacheKnowledge, CacheMiss, OverLimit, Role, RoutingPolicy,
    Scenario, SessionMode, Write as _,
};

const PROGRAMS: crate::command::words::Programs =
    &[&["smg", "launch"], &["smg"], &["sglang_router.launch_router"], &["sglang-router"]];

/// SGLang's router.
pub(crate) const EXPORT: SystemExport = SystemExport {
    name: "smg",
    title: "SGLang's router",
    file_name: "smg.sh",
    language: Language::Shell,
    write,
};

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let cluster = scenario.cluster.write();
    let mut writer = FlagWriter::new(FLAGS, "cluster", &cluster);
    let left_out = router(&mut writer, &scenario.cluster.routing);
    let row = admission(&mut writer, &scenario.cluster.admission);
    let rest = unmatched(scenario);
    let flags = writer.flags;
    let needed = !flags.is_empty();
    let wanted = Wanted { program: "smg launch", subject: None, flags, about: Vec::new() };
    let commands = if needed { vec![wanted] } else { Vec::new() };
    let mut written = written(commands, PROGRAMS, beside, |_, _| false);
    // The default policy with its defaults has no flag.
    if needed && beside.is_none() && written.text.is_empty() {
        "smg launch\n".clone_into(&mut written.text);
    }
    written.rows.extend(left_out.into_iter().chain(row).chain(rest));
    written.rows.extend(of_router(&scenario.cluster, "smg moves and keeps no blocks"));
    written
}

/// Settings that the router does not have.
fn unmatched(scenario: &Scenario) -> Vec<Row> {
    let mut rows = Vec::new();
    if let RoutingPolicy::CacheAware(own) = &scenario.cluster.routing
        && own.prefix_index_blocks != CacheAware::default().prefix_index_blocks
    {
        let path = "cluster.routing.cache-aware.prefix_index_blocks";
        let why = "smg's --max-tree-size counts letters of text";
        rows.push(Row::ignored(path, "prefix index, blocks", own.prefix_index_blocks, why));
    }
    if scenario.cluster.pools.iter().any(|pool| pool.role == Role::Prefill) {
        let why = "add --pd-disaggregation with the addresses of both stages (--prefill, --decode), and --prefill-policy";
        rows.push(Row::ignored("cluster.pools", "roles of pools", "prefill, decode", why));
    }
    if scenario.cluster.flow_control.is_some() {
        let why = "smg has one queue in the order of arrival";
        rows.push(Row::ignored("cluster.flow_control", "flow control", "", why));
    }
    rows
}

/// Writes the flags of a router; returns the row of one without a counterpart.
fn router(flags: &mut FlagWriter<'_>, routing: &RoutingPolicy) -> Option<Row> {
    let mut policy = |ours: &str, policy: &str, why: &str| {
        flags.own("policy", ours, policy, why);
        None
    };
    let ignored = |ours: &str, why: &str| Some(Row::ignored("cluster.routing", "routing", ours, why));
    match routing {
        RoutingPolicy::RoundRobin => policy("round-robin", "round_robin", ""),
        RoutingPolicy::Random => policy("random", "random", ""),
        RoutingPolicy::PowerOfD(own) if own.d == 2 => policy("power-of-d 2", "power_of_two", ""),
        RoutingPolicy::PowerOfD(own) => {
            policy(&format!("power-of-d {}", own.d), "power_of_two", "smg draws two")
        }
        RoutingPolicy::LeastLoaded => {
            policy("least-loaded", "least_load", "smg counts the requests that it sent")
        }
        RoutingPolicy::SessionAffinity(own) => match own.mode {
            SessionMode::ConsistentHash => {
                policy("session-affinity consistent-hash", "consistent_hashing", "")
            }
            SessionMode::Sticky => policy(
                "session-affinity",
                "consistent_hashing",
                "smg hashes sessions, and does not place new ones by load",
            ),
        },
        RoutingPolicy::CacheAware(own) => {
            cache_aware(flags, own);
            None
        }
        RoutingPolicy::PrefixAware(_) | RoutingPolicy::PrefixOverlap(_) => {
            ignored("by prefixes", "the nearest is --policy cache_aware")
        }
        RoutingPolicy::Weighted(_) => {
            ignored("weighted", "smg has no weighted scores; the nearest is --policy cache_aware")
        }
        RoutingPolicy::KvCost(_) => ignored("kv-cost", "it is Dynamo's router: export as dynamo"),
        RoutingPolicy::LeastKv => ignored("least-kv", "the nearest is --policy least_load"),
        RoutingPolicy::CostEscalation(_) => ignored("cost-escalation", "the nearest is --policy least_load"),
        RoutingPolicy::AlwaysBusiest => ignored("always-busiest", "smg has no such policy"),
    }
}

fn cache_aware(flags: &mut FlagWriter<'_>, own: &CacheAware) {
    let same = own.balance == CacheBalance::Spread
        && own.miss == CacheMiss::FewestInFlight
        && own.knows == CacheKnowledge::Sent;
    let why = "smg's release decides how it balances, what it does without a match and how it knows caches";
    flags.own("policy", "cache-aware", "cache_aware", if same { "" } else { why });
    for name in ["cache-threshold", "balance-abs-threshold", "balance-rel-threshold"] {
        flags.same(name);
    }
}

/// Writes the limit of requests; returns the row of another admission.
fn admission(flags: &mut FlagWriter<'_>, own: &AdmissionPolicy) -> Option<Row> {
    let why = "smg limits concurrent requests alone";
    let ignored = |ours: &str| Some(Row::ignored("cluster.admission", "admission", ours, why));
    match own {
        AdmissionPolicy::AlwaysAdmit => None,
        AdmissionPolicy::ConcurrencyLimit(own) => {
            let why = match own.then {
                OverLimit::Delay => {
                    "smg holds 100 requests (--queue-size) for 60 s (--queue-timeout-secs), all of them here"
                }
                OverLimit::Reject => "add --queue-size 0: smg holds 100 requests",
            };
            flags.own("max-concurrent-requests", own.max_in_flight, own.max_in_flight, why);
            None
        }
        AdmissionPolicy::RejectAll => ignored("reject-all"),
        AdmissionPolicy::TokenBucket(_) => ignored("token-bucket"),
        AdmissionPolicy::RateLimit(_) => ignored("rate-limit"),
        AdmissionPolicy::TenantQuota(_) => ignored("tenant-quota"),
        AdmissionPolicy::SlidingWindow(_) => ignored("sliding-window"),
        AdmissionPolicy::SessionCap(_) => ignored("session-cap"),
        AdmissionPolicy::Shed(_) => ignored("shed"),
    }
}
