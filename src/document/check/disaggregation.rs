//! Checks roles of pools: pools that need each other, what prefill and decode pools must have in common, what is not
//! simulated in them, and settings without effect.

use super::policies::check_routing;
use crate::table::report::{Report, grouped};
use crate::{
    Cluster, Compat, CpuTier, Decider, Disaggregation, Handoff, HomeHits, Pool, Role, ThresholdDecider,
    model_key,
};
use base::small::decimal::plain;

/// Reports what does not go together among the roles of the pools and the settings of hand-overs.
pub(super) fn check_disaggregation(c: &Cluster, r: &mut Report) {
    let apart: Vec<(usize, &Pool)> =
        c.pools.iter().enumerate().filter(|(_, p)| p.role != Role::Mixed).collect();
    for &(i, pool) in &apart {
        check_part(&format!("cluster.pools[{i}]"), pool, c.compat, r);
    }
    check_partners(c, r);
    if let Some(((_, first), rest)) = apart.split_first() {
        for &(i, pool) in rest {
            check_equal(&format!("cluster.pools[{i}]"), pool, first, r);
        }
    }
    check_sizes(c, r);
    if let Some(d) = &c.disaggregation {
        let decodes = |p: &Pool| p.role == Role::Decode && p.kv.cpu_blocks > 0;
        let at = "cluster.disaggregation.home_hits";
        if d.home_hits == HomeHits::GpuCpu && !c.pools.iter().any(decodes) && r.is_fine(at) {
            let fix = "set kv.cpu_blocks of a decode pool, or leave it out";
            r.error(at, "gpu+cpu, without a CPU tier in a decode pool", "gpu there", fix);
        }
        let has_tiers = c.pools.iter().any(|pool| !pool.kv.secondary_tiers.is_empty());
        check_settings("cluster.disaggregation", d, !apart.is_empty() || has_tiers, r);
    }
}

/// What a prefill or decode pool cannot be combined with.
fn check_part(path: &str, p: &Pool, compat: Compat, r: &mut Report) {
    let role = p.role.name();
    let mut refused = |key: &str, found: String, allowed: &str, fix: &str| {
        let path = format!("{path}.{key}");
        if r.is_fine(&path) {
            r.error(path, found, allowed, fix);
        }
    };
    if compat == Compat::Blis {
        let fix = "transfers are not as in that simulator: use the role mixed, or another compat";
        refused("role", format!("{role}, with cluster.compat blis"), "mixed there", fix);
    }
    if p.kv.cpu_tier == CpuTier::Blis && p.kv.cpu_blocks > 0 {
        let fix = "choose the tier auto, or give the pool the role mixed";
        refused("kv.cpu_tier", format!("blis, in a {role} pool"), "auto, offloading", fix);
    }
}

/// Prefill pools need a decode pool, and somebody has to answer clients.
fn check_partners(c: &Cluster, r: &mut Report) {
    let has = |role: Role| c.pools.iter().any(|p| p.role == role);
    let Some(i) = c.pools.iter().position(|p| p.role == Role::Prefill) else { return };
    let path = format!("cluster.pools[{i}].role");
    if !r.is_fine(&path) || has(Role::Decode) {
        return;
    }
    if has(Role::Mixed) {
        r.error(
            path,
            "prefill, and no pool has the role decode",
            "a decode pool beside it",
            "mixed replicas prefill their own requests: give another pool the role decode, or this one the role mixed",
        );
    } else {
        r.error(
            path,
            "prefill, in a cluster without another role",
            "a decode pool beside it",
            "nothing answers clients: add a pool with the role decode, or give this one the role mixed",
        );
    }
}

/// What all prefill and decode pools have in common: a pool at `path`, and the first of them.
fn check_equal(path: &str, p: &Pool, first: &Pool, r: &mut Report) {
    let in_first = format!("in pool \"{}\"", first.name);
    let (tokens, there) = (p.kv.block_tokens, first.kv.block_tokens);
    let at = format!("{path}.kv.block_tokens");
    if tokens != there && r.is_fine(&at) {
        let found = format!(
            "blocks of {} tokens, and of {} {in_first}",
            grouped(tokens.into()),
            grouped(there.into())
        );
        let fix = format!("blocks are handed over whole: write {there} here, or {tokens} there");
        r.error(at, found, "one block size in all prefill and decode pools", fix);
    }
    if p.lora.is_some() != first.lora.is_some() && r.is_fine(&format!("{path}.lora")) {
        let (here, there) = if p.lora.is_some() { ("adapters", "none") } else { ("no adapters", "some") };
        let fix = "a request needs its adapter where its prompt is computed and where it is answered: write lora in both, or in neither";
        r.error(
            format!("{path}.lora"),
            format!("{here}, and {there} {in_first}"),
            "adapters in all prefill and decode pools, or in none",
            fix,
        );
    }
    let allowed = "one model in all prefill and decode pools";
    if model_key(&p.model) != model_key(&first.model) {
        let found = format!("\"{}\", and \"{}\" {in_first}", p.model, first.model);
        r.error(format!("{path}.model"), found, allowed, "write the same model in both");
    } else if p.architecture != first.architecture {
        let found = format!("another shape than {in_first}");
        let fix = "write the same shape in both, or leave it out of both";
        r.error(format!("{path}.architecture"), found, allowed, fix);
    }
}

/// A prefill replica with more GPUs than a decode replica: engines do not hand over that way.
fn check_sizes(c: &Cluster, r: &mut Report) {
    let with = |role: Role| c.pools.iter().enumerate().filter(move |(_, p)| p.role == role);
    let Some((_, decode)) = with(Role::Decode).min_by_key(|(_, p)| p.tp) else { return };
    for (i, p) in with(Role::Prefill).filter(|(_, p)| p.tp > decode.tp) {
        r.warning(
            format!("cluster.pools[{i}].tp"),
            format!("{} GPUs, and {} in the decode pool \"{}\"", p.tp, decode.tp, decode.name),
            "at most as many as in each decode pool",
            "vLLM's NIXL connector hands over to as many GPUs or more: it is simulated, but may not be possible there",
        );
    }
}

/// The settings of hand-overs, at `path`; `used` if a pool reads them.
fn check_settings(path: &str, d: &Disaggregation, used: bool, r: &mut Report) {
    if let Some(policy) = &d.prefill_routing {
        check_routing(&format!("{path}.prefill_routing"), policy, r);
    }
    let overlap = format!("{path}.transfer.overlap_share");
    if d.handoff == Handoff::Pull && d.transfer.overlap_share > 0.0 && r.is_fine(&overlap) {
        r.error(
            overlap,
            format!("{}, with the hand-over pull", plain(d.transfer.overlap_share)),
            "0 there",
            "a pull begins after the prefill: write 0, or choose the hand-over push",
        );
    }
    if !used {
        r.warning(
            path,
            "settings of hand-overs, and no pool with a role",
            "a prefill and a decode pool",
            "they have no effect: give pools the roles prefill and decode, or leave the key out",
        );
    } else if d.decider == Decider::Threshold(ThresholdDecider::default()) {
        r.warning(
            format!("{path}.decider.threshold"),
            "no threshold",
            "at least one above 0",
            "it decides as always does: set uncached_tokens, uncached_share or prefill_in_flight, or choose always",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Change, Kpa, Lora, RoutingPolicy, Scenario, Speculative, Weighted, check};
    use base::Severity;
    use serde_json::json;

    /// A prefill pool and a decode pool.
    fn split() -> Scenario {
        let mut scenario = Scenario::default();
        let pool = |name: &str, role| Pool { name: name.to_owned(), role, ..Pool::default() };
        scenario.cluster.pools = vec![pool("p", Role::Prefill), pool("d", Role::Decode)];
        scenario
    }

    /// The problems of a changed split: severity, path below `cluster`, and what was found.
    fn found(change: impl FnOnce(&mut Cluster)) -> Vec<(Severity, String, String)> {
        let mut scenario = split();
        change(&mut scenario.cluster);
        let all = match check(scenario) {
            Ok((_, warnings)) => warnings,
            Err(problems) => problems,
        };
        let below = |path: &str| path.trim_start_matches("cluster.").to_owned();
        all.into_iter().map(|d| (d.severity, below(&d.path), d.found)).collect()
    }

    fn one(severity: Severity, path: &str, found: &str) -> Vec<(Severity, String, String)> {
        vec![(severity, path.to_owned(), found.to_owned())]
    }

    fn error(path: &str, found: &str) -> Vec<(Severity, String, String)> {
        one(Severity::Error, path, found)
    }

    fn settings(d: Disaggregation) -> impl FnOnce(&mut Cluster) {
        move |c| c.disaggregation = Some(d)
    }

    #[test]
    fn a_prefill_pool_needs_a_decode_pool_and_somebody_answers_clients() {
        assert_eq!(found(|_| {}), []);
        // Decode replicas alone prefill for themselves, and may stand beside mixed ones.
        assert_eq!(found(|c| c.pools[0].role = Role::Decode), []);
        assert_eq!(found(|c| c.pools[0].role = Role::Mixed), []);
        assert_eq!(
            found(|c| c.pools[1].role = Role::Mixed),
            error("pools[0].role", "prefill, and no pool has the role decode")
        );
        assert_eq!(
            found(|c| c.pools[1].role = Role::Prefill),
            error("pools[0].role", "prefill, in a cluster without another role")
        );
        // A pool scaled to nothing is one nevertheless.
        let idle = |c: &mut Cluster| {
            c.pools[1].replicas = 0;
            c.pools[1].scaling.max = 4;
            c.pools[1].scaling.policy = crate::ScalingPolicy::Kpa(Kpa::default());
        };
        assert_eq!(found(idle), []);
    }

    #[test]
    fn prefill_and_decode_pools_have_one_block_size_and_one_model() {
        assert_eq!(
            found(|c| c.pools[1].kv.block_tokens = 32),
            error("pools[1].kv.block_tokens", "blocks of 32 tokens, and of 16 in pool \"p\"")
        );
        assert_eq!(
            found(|c| c.pools[1].model = "llama-3.1-70b".to_owned()),
            error("pools[1].model", "\"llama-3.1-70b\", and \"llama-3.1-8b\" in pool \"p\"")
        );
        assert_eq!(
            found(|c| c.pools[0].architecture = Some(Architecture::default())),
            error("pools[1].architecture", "another shape than in pool \"p\"")
        );
        assert_eq!(found(|c| c.pools[1].model = "meta-llama/Llama-3.1-8B-Instruct".to_owned()), []);
        // A mixed pool hands nothing over.
        let mixed = |c: &mut Cluster| {
            c.pools.push(Pool { name: "m".to_owned(), ..Pool::default() });
            c.pools[2].kv.block_tokens = 32;
            c.pools[2].model = "llama-3.1-70b".to_owned();
        };
        assert_eq!(found(mixed), []);
        // A size out of range has one message.
        let none = found(|c| c.pools[1].kv.block_tokens = 0);
        assert_eq!(none, error("pools[1].kv.block_tokens", "0"));
    }

    #[test]
    fn what_is_not_simulated_beside_a_role_is_refused() {
        assert_eq!(
            found(|c| {
                c.pools[0].kv.cpu_blocks = 1000;
                c.pools[0].kv.cpu_tier = CpuTier::Blis;
            }),
            error("pools[0].kv.cpu_tier", "blis, in a prefill pool")
        );
        assert_eq!(found(|c| c.pools.iter_mut().for_each(|pool| pool.kv.cpu_blocks = 1000)), []);
        let drafts = |c: &mut Cluster| c.pools[1].engine.speculative = Some(Speculative::default());
        assert_eq!(found(drafts), []);
        assert_eq!(found(|c| c.pools[0].pp = 2), []);
        assert_eq!(
            found(|c| c.pools[1].lora = Some(Lora::default())),
            error("pools[1].lora", "adapters, and none in pool \"p\"")
        );
        assert_eq!(found(|c| c.pools.iter_mut().for_each(|pool| pool.lora = Some(Lora::default()))), []);
        let lockstep = |c: &mut Cluster| {
            c.pools[1].expert_ranks = 4;
            c.pools[1].expert_ranks_lockstep = true;
        };
        // The default model has no experts, which is said elsewhere.
        assert!(found(lockstep).iter().all(|(_, path, _)| path != "pools[1].expert_ranks_lockstep"));
        let blis = found(|c| c.compat = Compat::Blis);
        let each = [
            error("pools[0].role", "prefill, with cluster.compat blis"),
            error("pools[1].role", "decode, with cluster.compat blis"),
        ];
        assert_eq!(blis, each.concat());
    }

    #[test]
    fn only_a_push_overlaps_with_the_prefill() {
        let overlap = |handoff| {
            let mut d = Disaggregation { handoff, ..Disaggregation::default() };
            d.transfer.overlap_share = 0.5;
            found(settings(d))
        };
        assert_eq!(overlap(Handoff::Push), []);
        let path = "disaggregation.transfer.overlap_share";
        assert_eq!(overlap(Handoff::Pull), error(path, "0.5, with the hand-over pull"));
        let mut d = Disaggregation::default();
        d.transfer.overlap_share = 1.5;
        assert_eq!(found(settings(d)), error(path, "1.5"));
    }

    #[test]
    fn the_router_of_prefills_is_checked_as_that_of_homes_is() {
        let routing = |policy| {
            let d = Disaggregation { prefill_routing: Some(policy), ..Disaggregation::default() };
            found(settings(d))
        };
        assert_eq!(routing(RoutingPolicy::Random), []);
        let at = "disaggregation.prefill_routing.weighted";
        let weighted = Weighted { profile: crate::Profile::Custom, ..Weighted::default() };
        assert_eq!(routing(RoutingPolicy::Weighted(weighted)), error(&format!("{at}.scorers"), "no scorers"));
        let range = Weighted { prefix_match_bonus: 2.0, ..Weighted::default() };
        assert_eq!(routing(RoutingPolicy::Weighted(range)), error(&format!("{at}.prefix_match_bonus"), "2"));
    }

    #[test]
    fn settings_without_effect_are_named() {
        let warning = |path: &str, found: &str| one(Severity::Warning, path, found);
        let unused = |c: &mut Cluster| {
            c.pools.truncate(1);
            c.pools[0].role = Role::Mixed;
            c.disaggregation = Some(Disaggregation::default());
        };
        assert_eq!(
            found(unused),
            warning("disaggregation", "settings of hand-overs, and no pool with a role")
        );
        let decider = |t| Disaggregation { decider: Decider::Threshold(t), ..Disaggregation::default() };
        assert_eq!(
            found(settings(decider(ThresholdDecider::default()))),
            warning("disaggregation.decider.threshold", "no threshold")
        );
        let some = ThresholdDecider { prefill_in_flight: 4, ..ThresholdDecider::default() };
        assert_eq!(found(settings(decider(some))), []);
        assert_eq!(found(|c| c.pools[1].tp = 2), []);
        assert_eq!(
            found(|c| c.pools[0].tp = 2),
            warning("pools[0].tp", "2 GPUs, and 1 in the decode pool \"d\"")
        );
    }

    #[test]
    fn an_edit_of_a_role_is_allowed_if_its_result_is() {
        let (checked, _) = check(split()).expect("a good scenario");
        let role = |pool: usize, role: &str| {
            checked.edited(&Change::set(&format!("cluster.pools[{pool}].role"), role))
        };
        assert!(role(0, "decode").is_ok() && role(0, "mixed").is_ok());
        for to in ["mixed", "prefill"] {
            let problems = role(1, to).expect_err("a prefill pool without a decode pool");
            assert_eq!(problems[0].path, "cluster.pools[0].role");
        }
        let both = Change::set("cluster.pools[0].role", "decode").and_set("cluster.pools[1].role", "prefill");
        assert!(checked.edited(&both).is_ok());
        assert!(checked.edited(&Change::set("cluster.pools[1].replicas", 0)).is_ok());
        assert!(checked.edited(&Change::set("cluster.pools[0].replicas", 0)).is_ok());
        // Settings that the document leaves out can be set one by one.
        let decider = Change::set("cluster.disaggregation.decider.threshold.uncached_tokens", 2048);
        let (after, _) = checked.edited(&decider).expect("a decider");
        let (after, _) =
            after.edited(&Change::set("cluster.disaggregation.transfer.base_us", 0)).expect("a time");
        let want = ThresholdDecider { uncached_tokens: 2048, ..ThresholdDecider::default() };
        let d = after.get().cluster.disaggregation.clone().expect("settings");
        assert_eq!((d.decider, d.transfer.base_us), (Decider::Threshold(want), 0));
        let third =
            Change::add("cluster.pools", json!({"name": "q", "role": "prefill", "kv": {"block_tokens": 32}}));
        let problems = checked.edited(&third).expect_err("other blocks");
        assert_eq!(problems[0].path, "cluster.pools[2].kv.block_tokens");
    }
}
