//! The pools of an experiment whose prefill and decode are on different replicas.

use super::experiment::Experiment;
use super::pool::{Latency, beyond, pool, served};
use document::{Disaggregation, ExpertSplit, FirstToken, Handoff, KvBlocks, Pool, Role, RoutingPolicy};

/// The pools that serve an experiment: one, or one for prefills and one for decodes.
pub(super) fn pools(e: &Experiment, tp: u32, latency: &Latency) -> Result<Vec<Pool>, String> {
    if !e.is_split() {
        return Ok(vec![pool(e, tp, latency)?]);
    }
    if let Some(why) = beyond(e) {
        return Err(why.to_owned());
    }
    let sides = [(Role::Prefill, "prefill"), (Role::Decode, "decode")];
    sides.into_iter().map(|(role, name)| side(e, (role, name), tp, latency)).collect()
}

fn side(e: &Experiment, (role, name): (Role, &str), tp: u32, latency: &Latency) -> Result<Pool, String> {
    let count = |rest: &str| e.count(&format!("/disaggregated/{name}{rest}"));
    let workers = count("").filter(|n| *n > 0).ok_or_else(|| format!("no number of {name} servers"))?;
    let gpus = count("_tp").filter(|n| *n > 0).unwrap_or(tp);
    let own_attention = count("_dp") == Some(1) && gpus > 1;
    let mut pool = served(e, if own_attention { 1 } else { gpus }, latency)?;
    (pool.name, pool.role) = (name.to_owned(), role);
    pool.replicas = workers;
    (pool.expert_ranks, pool.expert_ranks_lockstep) = (1, false);
    let has_experts = pool.architecture.as_ref().is_some_and(|a| a.experts > 0);
    if own_attention {
        // Each GPU is a rank with the attention of its own requests; those of a worker share its experts, in lock step.
        pool.replicas = workers.saturating_mul(gpus);
        if has_experts {
            (pool.expert_ranks, pool.expert_ranks_lockstep) = (gpus, true);
            let whole = count("_ep").is_some_and(|ep| ep > 1);
            pool.experts.split = if whole { ExpertSplit::Ranks } else { ExpertSplit::Tensor };
        }
    }
    // What is recorded of the cache is of the other side.
    if role == Role::Decode && e.at("/engine/kv_tokens_per_prefill_replica").is_some() {
        pool.kv.blocks = KvBlocks::Auto;
    }
    Ok(pool)
}

/// How an engine hands over: SGLang sets blocks aside before the prefill, and like TensorRT-LLM shows the first token of the
/// prefill.
pub(super) fn handover(e: &Experiment) -> Option<Disaggregation> {
    let name = e.text("/engine/name");
    let handoff = if name.contains("sglang") { Handoff::Push } else { Handoff::Pull };
    let first = if name.starts_with("vllm") { FirstToken::Decode } else { FirstToken::Prefill };
    e.is_split().then(|| Disaggregation { handoff, first_token: first, ..Disaggregation::default() })
}

/// The routing of both sides where none is described: by load.
pub(super) fn split_routing(e: &Experiment, described: RoutingPolicy) -> RoutingPolicy {
    let is_open = e.is_split() && e.text("/router/router").is_empty();
    if is_open { RoutingPolicy::LeastLoaded } else { described }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn experiment(sides: &Value) -> Experiment {
        let document = json!({"id": "x", "group": "P", "model": "deepseek-r1", "gpu": "H200", "tp": 8,
            "engine": {"name": "dynamo-sglang"}, "disaggregated": sides, "measured": []});
        super::super::read(&document.to_string()).expect("an experiment").0.remove(0)
    }

    #[test]
    fn a_side_is_a_pool_with_its_role_and_ranks_with_their_own_attention_share_experts() {
        let sides = json!({"prefill": 2, "prefill_tp": 8, "prefill_ep": 8, "prefill_dp": 0,
            "decode": 3, "decode_tp": 8, "decode_ep": 1, "decode_dp": 1});
        let e = experiment(&sides);
        let [prefill, decode] = &pools(&e, 8, &Latency::Calibrated).expect("pools")[..] else {
            panic!("two")
        };
        let of =
            |p: &Pool| (p.role, p.replicas, p.tp, p.expert_ranks, p.expert_ranks_lockstep, p.experts.split);
        assert_eq!(of(prefill), (Role::Prefill, 2, 8, 1, false, ExpertSplit::Ranks));
        assert_eq!(of(decode), (Role::Decode, 24, 1, 8, true, ExpertSplit::Tensor));
        let handover = handover(&e).expect("a hand-over");
        assert_eq!((handover.handoff, handover.first_token), (Handoff::Push, FirstToken::Prefill));
        assert_eq!(split_routing(&e, RoutingPolicy::Random), RoutingPolicy::LeastLoaded);
        // The pool of one server is none of these.
        assert!(pool(&e, 8, &Latency::Calibrated).expect_err("two pools").contains("different replicas"));
        let why = pools(&experiment(&json!({"prefill": 1})), 8, &Latency::Calibrated);
        assert_eq!(why.expect_err("one side"), "no number of decode servers");
    }

    #[test]
    fn whole_experts_stay_whole_and_an_undescribed_side_is_as_wide_as_the_experiment() {
        let sides = json!({"prefill": 1, "prefill_tp": 8, "prefill_ep": 8, "prefill_dp": 1, "decode": 1});
        let found = pools(&experiment(&sides), 8, &Latency::Calibrated).expect("pools");
        assert_eq!((found[0].replicas, found[0].experts.split), (8, ExpertSplit::Ranks));
        assert_eq!((found[1].replicas, found[1].tp, found[1].expert_ranks), (1, 8, 1));
    }
}
