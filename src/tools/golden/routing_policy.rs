//! The routing policies of a golden file, by their names and scorers.

use super::wrong::wrong;
use base::Diagnostics;
use document::{Profile, RoutingPolicy, Scorer, Weighted, WeightedScorer};

const ROUTINGS: &str = "round-robin, least-loaded, always-busiest, weighted";
const SCORERS: &str =
    "name:weight,… of prefix-affinity, queue-depth, kv-utilization, load-balance, tier-prefix";

/// A routing policy; `keys` are those of its name and of its scorers.
pub(super) fn routing_policy(
    name: &str,
    scorers: &str,
    [key, key_of_scorers]: &[String; 2],
    problems: &mut Diagnostics,
) -> RoutingPolicy {
    match name {
        "round-robin" | "" => RoutingPolicy::RoundRobin,
        "least-loaded" => RoutingPolicy::LeastLoaded,
        "always-busiest" => RoutingPolicy::AlwaysBusiest,
        "weighted" => weighted(scorers).unwrap_or_else(|| {
            wrong(key_of_scorers, scorers, SCORERS, problems);
            RoutingPolicy::RoundRobin
        }),
        other => {
            wrong(key, other, ROUTINGS, problems);
            RoutingPolicy::RoundRobin
        }
    }
}

/// The weighted policy with scorers written as "name:weight,name:weight"; none means the default profile.
fn weighted(scorers: &str) -> Option<RoutingPolicy> {
    if scorers.is_empty() {
        return Some(RoutingPolicy::Weighted(Weighted::default()));
    }
    let row = |text: &str| {
        let (name, weight) = text.split_once(':')?;
        let scorer = match name.trim() {
            "prefix-affinity" => Scorer::PrefixAffinity,
            "queue-depth" => Scorer::QueueDepth,
            "kv-utilization" => Scorer::KvUtilization,
            "load-balance" => Scorer::LoadBalance,
            "tier-prefix" => Scorer::TierPrefix,
            _ => return None,
        };
        Some(WeightedScorer { scorer, weight: weight.trim().parse().ok()? })
    };
    let scorers = scorers.split(',').map(row).collect::<Option<Vec<_>>>()?;
    Some(RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() }))
}
