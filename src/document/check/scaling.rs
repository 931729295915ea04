//! Checks an autoscaler: bounds that leave room, windows that can be kept, and a feasible number of decisions.

use crate::table::report::{Report, grouped};
use crate::{
    CarriedOutBy, Cluster, FurtherTrigger, Keda, Optimizer, Scaling, ScalingPolicy, Scenario, Served,
    TimedEdit, limits,
};
use base::small::decimal::plain;

/// A pool that begins without replicas has an autoscaler or an edit that can add some.
pub(super) fn check_first_replicas(s: &Scenario, r: &mut Report) {
    let changes =
        |e: &TimedEdit| !e.off && e.set.keys().chain(e.add.keys()).any(|path| path.starts_with("cluster"));
    if s.edits.iter().any(changes) {
        return;
    }
    for (i, pool) in s.cluster.pools.iter().enumerate().filter(|(_, pool)| pool.replicas == 0) {
        let scaling = &pool.scaling;
        let found = if scaling.policy == ScalingPolicy::None {
            "0"
        } else if matches!(scaling.policy, ScalingPolicy::Hpa(_)) && scaling.min > 0 {
            // Kubernetes switches its autoscaler off where a workload was scaled to 0 by hand.
            "0, and the policy hpa adds none where there are none"
        } else if !scaling.carried_out_by.is_policy() && scaling.min > 0 {
            "0, and an HPA that carries out a policy adds none where there are none"
        } else if scaling.max == 0 {
            "0, and an autoscaler with a max of 0"
        } else {
            continue;
        };
        r.error(
            format!("cluster.pools[{i}].replicas"),
            found,
            format!(
                "1 to {}, or 0 with an autoscaler or an edit that adds some",
                grouped(limits::REPLICAS.into())
            ),
            "remove the pool if it has no replicas, or say where they come from",
        );
    }
}

/// Checks the autoscaler at `path`.
pub(super) fn check_scaling(path: &str, s: &Scaling, r: &mut Report) {
    if s.policy == ScalingPolicy::None {
        return;
    }
    let policy = format!("{path}.policy");
    let found = |name: &str, value: f64| format!("{name} of {}", plain(value));
    if s.min > s.max && r.are_fine(path, &["min", "max"]) {
        let fix = "lower min or raise max";
        r.error(
            format!("{path}.min"),
            found("a least number", f64::from(s.min)),
            format!("at most max, {}", s.max),
            fix,
        );
    }
    let own = matches!(
        s.policy,
        ScalingPolicy::Hpa(_)
            | ScalingPolicy::Keda(_)
            | ScalingPolicy::Kpa(_)
            | ScalingPolicy::TokenAware(_)
            | ScalingPolicy::SloAware(_)
    );
    if own && !s.carried_out_by.is_policy() && r.are_fine(path, &["policy", "carried_out_by"]) {
        r.error(
            format!("{path}.carried_out_by"),
            format!("\"hpa\" with the policy \"{}\", which carries out its own decisions", s.policy.name()),
            "policy, or a policy that is no autoscaler of Kubernetes or Knative",
            "remove carried_out_by, or give the behaviour to the policy",
        );
    }
    let scrapes = (s.window_s + s.lag_s) / s.scrape_s;
    let timed = r.are_fine(path, &["window_s", "lag_s", "scrape_s"]);
    if timed && scrapes > f64::from(limits::SCALING_SCRAPES) {
        r.error(
            format!("{path}.window_s"),
            format!("{} measurements in a window and its lag", plain(scrapes.ceil())),
            format!("at most {}", limits::SCALING_SCRAPES),
            "shorten window_s or lag_s, or measure less often",
        );
    }
    check_policy(&policy, &s.policy, r);
}

/// Checks how the settings of a policy fit each other.
fn check_policy(path: &str, policy: &ScalingPolicy, r: &mut Report) {
    let found = |name: &str, value: f64| format!("{name} of {}", plain(value));
    if let ScalingPolicy::Threshold(p) = policy
        && p.down > p.up
        && r.is_fine(path)
    {
        let fix = "a utilisation between the two changes nothing: lower down or raise up";
        r.error(
            format!("{path}.threshold.down"),
            found("a threshold", p.down),
            format!("at most up, {}", plain(p.up)),
            fix,
        );
    }
    if let ScalingPolicy::WvaQueueingModel(p) = policy
        && (p.ttft_ms > 0.0) != (p.itl_ms > 0.0)
        && r.is_fine(path)
    {
        let [has, lacks] = if p.ttft_ms > 0.0 { ["ttft_ms", "itl_ms"] } else { ["itl_ms", "ttft_ms"] };
        r.warning(
            format!("{path}.wva-queueing-model.{has}"),
            format!("{has} without {lacks}, which is ignored: both are inferred"),
            "both objectives, or neither",
            format!("set {lacks} too; llm-d refuses one alone"),
        );
    }
    if let ScalingPolicy::Keda(p) = policy {
        check_formula(&format!("{path}.keda"), p, r);
    }
    if let ScalingPolicy::SloAware(p) = policy
        && p.down > p.up
        && r.is_fine(path)
    {
        let fix = "a ratio between the two changes nothing: lower down or raise up";
        let allowed = format!("at most up, {}", plain(p.up));
        r.error(format!("{path}.slo-aware.down"), found("a ratio", p.down), allowed, fix);
    }
    if let ScalingPolicy::QueueDepth(p) = policy
        && p.down > p.up
        && r.is_fine(path)
    {
        let fix = "a depth between the two changes nothing: lower down or raise up";
        r.error(
            format!("{path}.queue-depth.down"),
            found("a depth", p.down),
            format!("at most up, {}", plain(p.up)),
            fix,
        );
    }
}

/// Checks the formula of KEDA's triggers, and their names.
fn check_formula(path: &str, keda: &Keda, r: &mut Report) {
    let Some(read) = keda.combined() else { return };
    let names: Vec<String> = keda.triggers().iter().map(FurtherTrigger::named).collect();
    for (i, name) in names.iter().enumerate() {
        let own = if i == 0 { path.to_owned() } else { format!("{path}.more[{}]", i - 1) };
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if !is_word {
            let allowed = "letters, digits and _, not a digit first";
            r.error(
                format!("{own}.name"),
                format!("\"{name}\""),
                allowed,
                "a formula cannot say it: rename it",
            );
        } else if names[..i].contains(name) {
            let allowed = "a name of its own";
            r.error(format!("{own}.name"), format!("\"{name}\" again"), allowed, "give this trigger a name");
        }
    }
    for problem in read.err().unwrap_or_default() {
        let found = problem.found_at();
        r.error(format!("{path}.formula.formula"), found, problem.allowed, problem.fix);
    }
}

/// Pools that decide together have a policy that can, the same one, and decide at the same instants.
pub(super) fn check_together(c: &Cluster, r: &mut Report) {
    let numbers = Served::new(&c.pools).numbers();
    for (i, pool) in c.pools.iter().enumerate() {
        let (path, s) = (format!("cluster.pools[{i}].scaling"), &pool.scaling);
        let can = s.policy.name().starts_with("wva-");
        if s.optimizer != Optimizer::Alone && !can {
            r.error(
                format!("{path}.optimizer"),
                format!("\"{}\" with the policy \"{}\"", s.optimizer.name(), s.policy.name()),
                "alone, or one of the policies wva-saturation-v1, wva-saturation-v2, wva-queueing-model",
                "set the optimiser to alone, or choose another policy",
            );
            continue;
        }
        let Some(first) = (0..i).find(|j| {
            let other = &c.pools[*j].scaling;
            other.optimizer == s.optimizer && s.optimizer.joins(numbers[*j] == numbers[i])
        }) else {
            continue;
        };
        let ticks = [i, first].map(|k| format!("cluster.pools[{k}].scaling.tick_s"));
        let timed = ticks.iter().all(|path| r.is_fine(path));
        let first = &c.pools[first];
        let mut differs = |field: &str, own: &str, other: &str| {
            if own != other {
                r.error(
                    format!("{path}.{field}"),
                    format!("{own} in the pool \"{}\", {other} in the pool \"{}\"", pool.name, first.name),
                    other,
                    "pools that decide together have the same: change both in one edit, or set the optimiser of one to alone",
                );
            }
        };
        differs("policy", s.policy.name(), first.scaling.policy.name());
        if !timed {
            continue;
        }
        differs("tick_s", &format!("{} s", plain(s.tick_s)), &format!("{} s", plain(first.scaling.tick_s)));
    }
}

/// All autoscalers of a run decide and measure no more often than there is time for.
pub(super) fn check_periods(s: &Scenario, r: &mut Report) {
    let timed = |i: usize| {
        r.are_fine(&format!("cluster.pools[{i}].scaling"), &["tick_s", "scrape_s", "carried_out_by"])
    };
    if !r.is_fine("run.horizon_s") || !(0..s.cluster.pools.len()).all(timed) {
        return;
    }
    let horizon = if s.run.horizon_s > 0.0 { s.run.horizon_s } else { limits::HORIZON_S };
    let active = s.cluster.pools.iter().map(|p| &p.scaling).filter(|s| s.policy != ScalingPolicy::None);
    let syncs = |s: &Scaling| match &s.carried_out_by {
        CarriedOutBy::Policy => 0.0,
        CarriedOutBy::Hpa(carrier) => horizon / carrier.sync_s,
    };
    let ticks: f64 = active.map(|s| horizon / s.tick_s + horizon / s.scrape_s + syncs(s)).sum();
    if ticks > limits::SCALING_TICKS {
        r.error(
            "cluster.pools",
            format!("{} decisions and measurements of autoscalers", plain(ticks.ceil())),
            format!("at most {}", plain(limits::SCALING_TICKS)),
            "set run.horizon_s, or raise tick_s and scrape_s",
        );
    }
}
