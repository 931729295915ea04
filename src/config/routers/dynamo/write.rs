//! Export of the frontend of NVIDIA Dynamo: its router as flags of `python -m dynamo.frontend`.

use crate::command::write::{FlagWriter, Wanted, written};
use crate::export::kept::of_router;
use crate::export::{Language, Row, SystemExport, Written};
use crate::routers::dynamo::map::FLAGS;
use document::{CacheIndex, KvCost, RoutingPolicy, Scenario, Write as _};
use serde_json::{Value, json};

const PROGRAMS: crate::command::words::Programs = &[&["dynamo.frontend"]];

/// Dynamo.
pub(crate) const EXPORT: SystemExport = SystemExport {
    name: "dynamo",
    title: "Dynamo",
    file_name: "dynamo-frontend.sh",
    language: Language::Shell,
    write,
};

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let cluster = match &scenario.cluster.routing {
        RoutingPolicy::KvCost(own) => json!({ "routing": { "kv-cost": own.in_force().write() } }),
        _ => Value::Null,
    };
    let mut writer = FlagWriter::new(FLAGS, "cluster", &cluster);
    let left_out = router(&mut writer, &scenario.cluster.routing);
    let program = "python -m dynamo.frontend";
    let wanted = Wanted { program, subject: None, flags: writer.flags, about: Vec::new() };
    let needed = left_out.is_none();
    let commands = if needed { vec![wanted] } else { Vec::new() };
    let mut written = written(commands, PROGRAMS, beside, |_, _| false);
    // Round robin is the default: then the command has no flag.
    if needed && beside.is_none() && written.text.is_empty() {
        "python -m dynamo.frontend\n".clone_into(&mut written.text);
    }
    written.rows.extend(left_out);
    let why = "Dynamo's own manager of blocks moves and keeps them";
    written.rows.extend(of_router(&scenario.cluster, why));
    if scenario.cluster.flow_control.is_some() {
        let why = "Dynamo's queue has a threshold and a policy, not bands of priority";
        written.rows.push(Row::ignored("cluster.flow_control", "flow control", "", why));
    }
    written
}

/// Writes the flags of a router; returns the row of one without a counterpart.
fn router(flags: &mut FlagWriter<'_>, routing: &RoutingPolicy) -> Option<Row> {
    let mut mode = |ours: &str, mode: &str, why: &str| {
        flags.own("router-mode", ours, mode, why);
        None
    };
    let ignored = |ours: &str, why: &str| Some(Row::ignored("cluster.routing", "routing", ours, why));
    match routing {
        RoutingPolicy::RoundRobin => mode("round-robin", "round-robin", ""),
        RoutingPolicy::Random => mode("random", "random", ""),
        RoutingPolicy::LeastLoaded => mode("least-loaded", "least-loaded", ""),
        RoutingPolicy::PowerOfD(own) => {
            let why = if own.d == 2 { "" } else { "Dynamo draws two" };
            mode(&format!("power-of-d {}", own.d), "power-of-two", why)
        }
        RoutingPolicy::KvCost(own) => {
            mode("kv-cost", "kv", "");
            cost(flags, &own.in_force());
            None
        }
        RoutingPolicy::Weighted(_) => {
            ignored("weighted", "Dynamo has no weighted scores; the nearest is --router-mode kv")
        }
        RoutingPolicy::PrefixAware(_) | RoutingPolicy::PrefixOverlap(_) | RoutingPolicy::CacheAware(_) => {
            ignored("by prefixes", "the nearest is --router-mode kv, which weighs cached blocks against load")
        }
        RoutingPolicy::SessionAffinity(_) => ignored(
            "session-affinity",
            "the nearest is --router-mode kv with --router-session-affinity-ttl-secs",
        ),
        RoutingPolicy::AlwaysBusiest => ignored("always-busiest", "Dynamo has no such mode"),
        RoutingPolicy::LeastKv => ignored("least-kv", "the nearest is --router-mode least-loaded"),
        RoutingPolicy::CostEscalation(_) => {
            ignored("cost-escalation", "the nearest is --router-mode least-loaded")
        }
    }
}

/// Writes the settings of the cost.
fn cost(flags: &mut FlagWriter<'_>, own: &KvCost) {
    for name in [
        "router-kv-overlap-score-credit",
        "router-kv-overlap-score-credit-decay",
        "router-host-cache-hit-weight",
        "router-disk-cache-hit-weight",
        "router-prefill-load-scale",
        "router-decode-active-request-weight",
        "router-temperature",
    ] {
        flags.same(name);
    }
    let events = "router-kv-events";
    match &own.index {
        CacheIndex::Events => _ = flags.own(events, "events", true, ""),
        CacheIndex::Approximate(_) => {
            flags.own(events, "approximate", false, "");
            flags.same("router-ttl-secs");
        }
        CacheIndex::None => {
            let why = "without reports Dynamo guesses by what it sent, for no time here; --load-aware sets it all at once";
            flags.own(events, "none", false, why);
            let row = flags.own("router-ttl-secs", "0", 0.0, why);
            "cluster.routing.kv-cost.index".clone_into(&mut row.path);
        }
    }
    flags.same("router-assume-kv-reuse");
    if own.predicted_ttl_s > 0.0 {
        flags.same("router-predicted-ttl-secs");
    }
    if own.session_ttl_s > 0.0 {
        flags.same("router-session-affinity-ttl-secs");
    }
}
