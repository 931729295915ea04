//! Export of the frontend of NVIDIA Dynamo: its router as flags of `python -m dynamo.frontend`.

use super::command::{Flag, Wanted, written};
use super::scalar::{Scalar, number};
use super::{Export, Language, Row, Written};
use document::{CacheIndex, KvCost, RoutingPolicy, Scenario};

/// Dynamo.
pub(super) struct Dynamo;

const PROGRAMS: super::command::Programs = &[&["dynamo.frontend"]];

impl Export for Dynamo {
    fn name(&self) -> &'static str {
        "dynamo"
    }

    fn title(&self) -> &'static str {
        "Dynamo"
    }

    fn file_name(&self) -> &'static str {
        "dynamo-frontend.sh"
    }

    fn language(&self) -> Language {
        Language::Shell
    }

    fn write(&self, scenario: &Scenario, beside: Option<&str>) -> Written {
        let (flags, left_out) = flags(&scenario.cluster.routing);
        let wanted = Wanted { program: "python -m dynamo.frontend", subject: None, flags, about: Vec::new() };
        let needed = left_out.is_none();
        let commands = if needed { vec![wanted] } else { Vec::new() };
        let mut written = written(commands, PROGRAMS, beside, |_, _| false);
        // Round robin is the default: then the command has no flag.
        if needed && beside.is_none() && written.text.is_empty() {
            "python -m dynamo.frontend\n".clone_into(&mut written.text);
        }
        written.rows.extend(left_out);
        if scenario.cluster.flow_control.is_some() {
            let why = "Dynamo's queue has a threshold and a policy, not bands of priority";
            written.rows.push(Row::ignored("cluster.flow_control", "flow control", "", why));
        }
        written
    }
}

/// The flags of a router; the row of one without a counterpart.
fn flags(routing: &RoutingPolicy) -> (Vec<Flag>, Option<Row>) {
    let path = "cluster.routing";
    let mode = |row: Row, mode: &str| Flag::new(row, mode, Some(Scalar::text("round-robin")));
    let theirs = "--router-mode";
    let plain = |name: &str| vec![mode(Row::exact(path, "routing", name, theirs), name)];
    let ignored = |ours: &str, why: &str| (Vec::new(), Some(Row::ignored(path, "routing", ours, why)));
    match routing {
        RoutingPolicy::RoundRobin => (plain("round-robin"), None),
        RoutingPolicy::Random => (plain("random"), None),
        RoutingPolicy::LeastLoaded => (plain("least-loaded"), None),
        RoutingPolicy::PowerOfD(own) if own.d == 2 => {
            (vec![mode(Row::exact(path, "routing", "power-of-d 2", theirs), "power-of-two")], None)
        }
        RoutingPolicy::PowerOfD(own) => {
            let row = Row::near(path, "routing", format!("power-of-d {}", own.d), theirs, "Dynamo draws two");
            (vec![mode(row, "power-of-two")], None)
        }
        RoutingPolicy::KvCost(own) => {
            let mut all = vec![mode(Row::exact(path, "routing", "kv-cost", theirs), "kv")];
            all.extend(cost(&own.in_force()));
            (all, None)
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

/// The settings of the cost.
fn cost(own: &KvCost) -> Vec<Flag> {
    let at = "cluster.routing.kv-cost";
    let figure = |key: &str, ours: &str, value: f64, theirs: &str, default: f64| {
        let row = Row::exact(format!("{at}.{key}"), ours, number(value), theirs);
        Flag::new(row, value, Some(Scalar::Number(default)))
    };
    let credit = "--router-kv-overlap-score-credit";
    let mut all = vec![
        figure("overlap_credit", "overlap credit", own.overlap_credit, credit, 1.0),
        figure(
            "credit_decay",
            "credit decay",
            own.credit_decay,
            "--router-kv-overlap-score-credit-decay",
            0.0,
        ),
        figure("host_credit", "CPU tier credit", own.host_credit, "--router-host-cache-hit-weight", 0.75),
        figure("prefill_scale", "prefill scale", own.prefill_scale, "--router-prefill-load-scale", 1.0),
        figure(
            "active_weight",
            "active requests",
            own.active_weight,
            "--router-decode-active-request-weight",
            0.0,
        ),
        figure("temperature", "temperature", own.temperature, "--router-temperature", 0.0),
    ];
    let path = format!("{at}.index");
    let events = "--router-kv-events";
    match &own.index {
        CacheIndex::Events => {
            all.push(Flag::switch(Row::exact(path, "cache index", "events", events), true, true));
        }
        CacheIndex::Approximate(index) => {
            all.push(Flag::switch(Row::exact(path, "cache index", "approximate", events), false, true));
            all.push(figure(
                "index.approximate.ttl_s",
                "remembered for, s",
                index.ttl_s,
                "--router-ttl-secs",
                120.0,
            ));
        }
        CacheIndex::None => {
            let why = "without reports Dynamo guesses by what it sent, for no time here; --load-aware sets it all at once";
            all.push(Flag::switch(Row::near(&path, "cache index", "none", events, why), false, true));
            let row = Row::near(path, "remembered for, s", "0", "--router-ttl-secs", why);
            all.push(Flag::new(row, 0.0, Some(Scalar::Number(120.0))));
        }
    }
    let theirs = "--router-assume-kv-reuse";
    let row = Row::exact(format!("{at}.assume_reuse"), "assume reuse", own.assume_reuse, theirs);
    all.push(Flag::switch(row, own.assume_reuse, true));
    if own.predicted_ttl_s > 0.0 {
        let theirs = "--router-predicted-ttl-secs";
        all.push(figure("predicted_ttl_s", "predicted for, s", own.predicted_ttl_s, theirs, 0.0));
    }
    if own.session_ttl_s > 0.0 {
        let theirs = "--router-session-affinity-ttl-secs";
        all.push(figure("session_ttl_s", "session bound for, s", own.session_ttl_s, theirs, 0.0));
    }
    all
}
