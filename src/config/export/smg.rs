//! Export of SGLang's router: its policy as flags of `smg launch`.

use super::command::{Flag, Wanted, written};
use super::scalar::{Scalar, number};
use super::{Export, Language, Row, Written};
use document::{
    AdmissionPolicy, CacheAware, CacheBalance, CacheKnowledge, CacheMiss, OverLimit, Role, RoutingPolicy,
    Scenario, SessionMode,
};

/// SGLang's router.
pub(super) struct Smg;

const PROGRAMS: super::command::Programs =
    &[&["smg", "launch"], &["smg"], &["sglang_router.launch_router"], &["sglang-router"]];

impl Export for Smg {
    fn name(&self) -> &'static str {
        "smg"
    }

    fn title(&self) -> &'static str {
        "SGLang's router"
    }

    fn file_name(&self) -> &'static str {
        "smg.sh"
    }

    fn language(&self) -> Language {
        Language::Shell
    }

    fn write(&self, scenario: &Scenario, beside: Option<&str>) -> Written {
        let (mut all, left_out) = flags(&scenario.cluster.routing);
        let (limit, row) = admission(&scenario.cluster.admission);
        all.extend(limit);
        let rest = unmatched(scenario);
        let needed = !all.is_empty();
        let wanted = Wanted { program: "smg launch", subject: None, flags: all, about: Vec::new() };
        let commands = if needed { vec![wanted] } else { Vec::new() };
        let mut written = written(commands, PROGRAMS, beside, |_, _| false);
        // The default policy with its defaults has no flag.
        if needed && beside.is_none() && written.text.is_empty() {
            "smg launch\n".clone_into(&mut written.text);
        }
        written.rows.extend(left_out.into_iter().chain(row).chain(rest));
        written
    }
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

/// The flags of a router; the row of one without a counterpart.
fn flags(routing: &RoutingPolicy) -> (Vec<Flag>, Option<Row>) {
    let path = "cluster.routing";
    let theirs = "--policy";
    let one = |row: Row, policy: &str| vec![Flag::new(row, policy, Some(Scalar::text("cache_aware")))];
    let exact = |ours: &str, policy: &str| (one(Row::exact(path, "routing", ours, theirs), policy), None);
    let near = |ours: &str, policy: &str, why: &str| {
        (one(Row::near(path, "routing", ours, theirs, why), policy), None)
    };
    let ignored = |ours: &str, why: &str| (Vec::new(), Some(Row::ignored(path, "routing", ours, why)));
    match routing {
        RoutingPolicy::RoundRobin => exact("round-robin", "round_robin"),
        RoutingPolicy::Random => exact("random", "random"),
        RoutingPolicy::PowerOfD(own) if own.d == 2 => exact("power-of-d 2", "power_of_two"),
        RoutingPolicy::PowerOfD(own) => {
            near(&format!("power-of-d {}", own.d), "power_of_two", "smg draws two")
        }
        RoutingPolicy::LeastLoaded => {
            near("least-loaded", "least_load", "smg counts the requests that it sent")
        }
        RoutingPolicy::SessionAffinity(own) => match own.mode {
            SessionMode::ConsistentHash => exact("session-affinity consistent-hash", "consistent_hashing"),
            SessionMode::Sticky => near(
                "session-affinity",
                "consistent_hashing",
                "smg hashes sessions, and does not place new ones by load",
            ),
        },
        RoutingPolicy::CacheAware(own) => (cache_aware(own), None),
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

fn cache_aware(own: &CacheAware) -> Vec<Flag> {
    let at = "cluster.routing.cache-aware";
    let same = own.balance == CacheBalance::Spread
        && own.miss == CacheMiss::FewestInFlight
        && own.knows == CacheKnowledge::Sent;
    let why = "smg's release decides how it balances, what it does without a match and how it knows caches";
    let theirs = "--policy";
    let row = if same {
        Row::exact("cluster.routing", "routing", "cache-aware", theirs)
    } else {
        Row::near("cluster.routing", "routing", "cache-aware", theirs, why)
    };
    let figure = |key: &str, ours: &str, value: f64, theirs: &str, default: f64| {
        let row = Row::exact(format!("{at}.{key}"), ours, number(value), theirs);
        Flag::new(row, value, Some(Scalar::Number(default)))
    };
    vec![
        Flag::new(row, "cache_aware", Some(Scalar::text("cache_aware"))),
        figure("cache_threshold", "cache threshold", own.cache_threshold, "--cache-threshold", 0.3),
        figure(
            "balance_abs_threshold",
            "imbalance above",
            own.balance_abs_threshold.into(),
            "--balance-abs-threshold",
            64.0,
        ),
        figure(
            "balance_rel_threshold",
            "imbalance factor",
            own.balance_rel_threshold,
            "--balance-rel-threshold",
            1.5,
        ),
    ]
}

/// The limit of requests; the row of another admission.
fn admission(own: &AdmissionPolicy) -> (Option<Flag>, Option<Row>) {
    let path = "cluster.admission";
    let ignored = |ours: &str| {
        (None, Some(Row::ignored(path, "admission", ours, "smg limits concurrent requests alone")))
    };
    match own {
        AdmissionPolicy::AlwaysAdmit => (None, None),
        AdmissionPolicy::ConcurrencyLimit(own) => {
            let (ours, theirs) = ("most in flight", "--max-concurrent-requests");
            let path = "cluster.admission.concurrency-limit.max_in_flight";
            let row = match own.then {
                OverLimit::Delay => {
                    let why = "smg holds 100 requests (--queue-size) for 60 s (--queue-timeout-secs), all of them here";
                    Row::near(path, ours, own.max_in_flight, theirs, why)
                }
                OverLimit::Reject => Row::near(
                    path,
                    ours,
                    own.max_in_flight,
                    theirs,
                    "add --queue-size 0: smg holds 100 requests",
                ),
            };
            (Some(Flag::new(row, own.max_in_flight, None)), None)
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
