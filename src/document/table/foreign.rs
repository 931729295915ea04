//! Names that other programs have for fields and choices of the scenario, for suggestions.
//!
//! A name of vLLM, SGLang, BLIS or RouteSim has nothing in common with the letters of ours, so that likeness does not
//! find it. Flags and keys are compared without joiners of words and in small letters.

/// Names of other programs, without joiners, and ours. A name may have several meanings: the first that is allowed at the
/// place is meant.
const FOREIGN: &[(&str, &str)] = &[
    ("acceptancerate", "acceptance"),
    ("admissionlatency", "admission_latency_us"),
    ("admissionpolicy", "admission"),
    ("backends", "pools"),
    ("batchsize", "max_num_seqs"),
    ("blocksize", "block_tokens"),
    ("blocksizeintokens", "block_tokens"),
    ("bucketsize", "capacity_tokens"),
    ("bursty", "gamma"),
    ("cacheaffinityweight", "cache_weight"),
    ("chunkedprefillsize", "max_num_batched_tokens"),
    ("classtargets", "classes"),
    ("cooldownseconds", "cooldown_s"),
    ("counterfactualk", "counterfactual_k"),
    ("cpublocks", "cpu_blocks"),
    ("dataparallelsize", "expert_ranks"),
    ("dcpsize", "dcp"),
    ("decodecontextparallelsize", "dcp"),
    ("decodetokenspersecbatch1", "single_decode_tokens_per_s"),
    ("decodetokenspersecsaturated", "saturated_decode_tokens_per_s"),
    ("duration", "horizon_s"),
    ("enableprefixcaching", "prefix_caching"),
    ("fitnessweights", "fitness"),
    ("fixed", "constant"),
    ("gpublocks", "blocks"),
    ("gpucount", "replicas"),
    ("gputype", "gpu"),
    ("hiddensize", "hidden"),
    ("horizon", "horizon_s"),
    ("inputdistribution", "prompt_tokens"),
    ("inputtokens", "prompt_tokens"),
    ("instances", "replicas"),
    ("intermediatesize", "intermediate"),
    ("kvcpublocks", "cpu_blocks"),
    ("kvgpublocks", "blocks"),
    ("kvoffloadthreshold", "offload_threshold"),
    ("kvtransferbandwidth", "transfer_tokens_per_us"),
    ("kvtransferbaselatency", "transfer_base_us"),
    ("leastkv", "least-kv"),
    ("leastoutstanding", "least-loaded"),
    ("longprefilltokenthreshold", "long_prefill_threshold_tokens"),
    ("maxconcurrency", "concurrency"),
    ("maxcpuloras", "max_cpu_loras"),
    ("maxlorarank", "rank"),
    ("maxloras", "max_loras"),
    ("maxnumrunningreqs", "max_num_seqs"),
    ("maxnumscheduledtokens", "max_num_batched_tokens"),
    ("maxprompts", "max_requests"),
    ("maxreplicas", "max"),
    ("maxrunningrequests", "max_num_seqs"),
    ("memfractionstatic", "gpu_memory_utilization"),
    ("minreplicas", "min"),
    ("moeintermediatesize", "expert_intermediate"),
    ("normal", "gaussian"),
    ("nroutedexperts", "experts"),
    ("nsharedexperts", "shared_experts"),
    ("numattentionheads", "heads"),
    ("numbackends", "replicas"),
    ("numexperts", "experts"),
    ("numexpertspertok", "experts_per_token"),
    ("numgpublocks", "blocks"),
    ("numgpublocksoverride", "blocks"),
    ("numhiddenlayers", "layers"),
    ("numinstances", "replicas"),
    ("numkeyvalueheads", "kv_heads"),
    ("numlocalexperts", "experts"),
    ("numprompts", "max_requests"),
    ("numrequests", "max_requests"),
    ("numspeculativetokens", "tokens"),
    ("outputdistribution", "output_tokens"),
    ("outputlen", "output_tokens"),
    ("pagesize", "block_tokens"),
    ("pdtransferbandwidth", "port_gb_per_s"),
    ("pdtransferlatency", "base_us"),
    ("pertenant", "per_tenant"),
    ("pipelineparallelsize", "pp"),
    ("policytype", "policy"),
    ("ppsize", "pp"),
    ("prefilltokenspersec", "prefill_tokens_per_s"),
    ("prioritypolicy", "priority"),
    ("qps", "rate_per_s"),
    ("rate", "rate_per_s"),
    ("refillrate", "refill_tokens_per_s"),
    ("requestrate", "rate_per_s"),
    ("routingalgorithm", "routing"),
    ("routinglatency", "routing_latency_us"),
    ("routingpolicy", "routing"),
    ("scaledownthreshold", "down"),
    ("scaleupthreshold", "up"),
    ("schedulingpolicy", "scheduler"),
    ("servedmodelname", "model"),
    ("slidingwindow", "sliding_window"),
    ("sloclass", "slo_class"),
    ("snapshotrefreshinterval", "snapshot_refresh_us"),
    ("stddev", "sd_tokens"),
    ("tenantid", "tenant"),
    ("tensorparallelsize", "tp"),
    ("tiewordembeddings", "tied_embeddings"),
    ("totalkvblocks", "blocks"),
    ("tpsize", "tp"),
    ("vocabsize", "vocab"),
    ("warmupduration", "warmup_s"),
    ("weightedscoring", "weighted"),
];

/// Names of other programs for what stands elsewhere in a scenario, and where that is.
const ELSEWHERE: &[(&str, &str)] = &[
    ("blocksize", "cluster.pools[].kv.block_tokens"),
    ("chunkedprefillsize", "cluster.pools[].engine.max_num_batched_tokens"),
    ("enableprefixcaching", "cluster.pools[].kv.prefix_caching"),
    ("gpumemoryutilization", "cluster.pools[].kv.gpu_memory_utilization"),
    ("longprefilltokenthreshold", "cluster.pools[].engine.long_prefill_threshold_tokens"),
    ("maxconcurrency", "workload.clients[].concurrency"),
    ("maxnumbatchedtokens", "cluster.pools[].engine.max_num_batched_tokens"),
    ("maxnumrunningreqs", "cluster.pools[].engine.max_num_seqs"),
    ("maxnumscheduledtokens", "cluster.pools[].engine.max_num_batched_tokens"),
    ("maxnumseqs", "cluster.pools[].engine.max_num_seqs"),
    ("maxreplicas", "cluster.pools[].scaling.max"),
    ("memfractionstatic", "cluster.pools[].kv.gpu_memory_utilization"),
    ("minreplicas", "cluster.pools[].scaling.min"),
    ("numgpublocksoverride", "cluster.pools[].kv.blocks"),
    ("numinstances", "cluster.pools[].replicas"),
    ("numprompts", "run.max_requests"),
    ("numspeculativetokens", "cluster.pools[].engine.speculative.tokens"),
    ("pagesize", "cluster.pools[].kv.block_tokens"),
    ("prioritypolicy", "cluster.pools[].engine.priority"),
    ("requestrate", "workload.clients[].arrivals.poisson.rate_per_s"),
    ("routingpolicy", "cluster.routing"),
    ("schedulingpolicy", "cluster.pools[].engine.scheduler"),
    ("snapshotrefreshinterval", "cluster.snapshot_refresh_us"),
    ("tensorparallelsize", "cluster.pools[].tp"),
    ("tpsize", "cluster.pools[].tp"),
];

/// Small letters without joiners of words and the dashes before a flag.
fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Our name for what another program calls `name`, among those that are allowed here.
pub(super) fn ours<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = bare(name);
    let all = FOREIGN.iter().filter(|(foreign, _)| *foreign == name);
    all.filter_map(|(_, own)| known.iter().find(|known| *known == own)).copied().next()
}

/// The place in a scenario of what another program calls `name`.
pub(super) fn place(name: &str) -> Option<&'static str> {
    let name = bare(name);
    ELSEWHERE.iter().find(|(foreign, _)| *foreign == name).map(|(_, place)| *place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, from_value, parse::place_value};
    use serde_json::json;

    #[test]
    fn names_are_bare_and_in_order() {
        for list in [FOREIGN, ELSEWHERE] {
            for pair in list.windows(2) {
                assert!(pair[0].0 <= pair[1].0, "{pair:?}");
            }
            assert!(list.iter().all(|(name, _)| bare(name) == **name), "{list:?}");
        }
    }

    #[test]
    fn every_place_is_one_of_the_scenario() {
        for (name, place) in ELSEWHERE {
            let mut document = crate::Write::write(&Scenario::default());
            // A value that no field takes: the message is about the value, not about the key.
            place_value(&mut document, &place.replace("[]", "[0]"), json!({ "no": [] })).expect(place);
            let problems = from_value(document).expect_err(name);
            assert!(problems.iter().all(|d| !d.found.starts_with("unknown key")), "{name}: {problems:?}");
        }
    }
}
