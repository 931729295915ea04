//! Checks LoRA adapters: settings that contradict each other, and pools that must serve what requests name.

use crate::table::report::{Report, grouped};
use crate::{Adapters, Compat, Lora, Scenario, Served};

/// The adapters of a pool, at `path`.
pub(super) fn check_lora(path: &str, lora: &Lora, compat: Compat, r: &mut Report) {
    if lora.max_cpu_loras > 0
        && lora.max_cpu_loras < lora.max_loras
        && r.are_fine(path, &["max_loras", "max_cpu_loras"])
    {
        r.error(
            format!("{path}.max_cpu_loras"),
            format!("{} adapters in CPU memory, and {} on the GPU", lora.max_cpu_loras, lora.max_loras),
            "at least max_loras, or 0",
            "CPU memory holds the adapters of the GPU too: raise it, or use 0 for as many",
        );
    }
    if compat == Compat::Blis {
        r.error(
            path,
            "adapters, with cluster.compat blis",
            "none there",
            "leave the key out, or leave cluster.compat out",
        );
    }
}

/// The adapters that a client draws, at `path`.
pub(super) fn check_adapters(path: &str, adapters: &Adapters, r: &mut Report) {
    let Adapters::Weighted { adapters } = adapters else { return };
    if !adapters.iter().any(|a| a.weight > 0.0) && r.is_fine(path) {
        r.error(
            format!("{path}.weighted.adapters"),
            if adapters.is_empty() { "no adapters" } else { "no weight above 0" },
            "at least one adapter with a weight above 0",
            "add adapters: {\"name\": \"sql\", \"weight\": 1}",
        );
    }
    r.distinct(&format!("{path}.weighted.adapters"), "name", adapters.iter().map(|a| a.name.as_str()));
}

/// Requests that name adapters go to pools that serve adapters.
pub(super) fn check_adapters_served(s: &Scenario, r: &mut Report) {
    if s.workload.trace.is_some() {
        return;
    }
    let pools = &s.cluster.pools;
    let served = Served::new(pools);
    let without = |model: &str| {
        let serving = served.pools_of(model);
        let serves = |i: u32| serving.checked_shr(i).unwrap_or_default() & 1 == 1;
        let lacking = (0..).zip(pools).find(|(i, pool)| serves(*i) && pool.lora.is_none());
        lacking.map(|(_, pool)| &pool.name)
    };
    let mut check = |path: String, found: String, model: &str| {
        if let Some(pool) = without(model) {
            r.error(
                path,
                format!("{found}, which pool {pool:?} does not serve"),
                "adapters only for pools with `lora`",
                "give the pool `lora`, or name a `model` that only pools with `lora` serve",
            );
        }
    };
    for (i, client) in s.workload.clients.iter().enumerate() {
        let found = match &client.adapters {
            None => continue,
            Some(Adapters::Uniform { count } | Adapters::Zipf { count, .. }) => {
                format!("{} adapters", grouped((*count).into()))
            }
            Some(Adapters::Weighted { adapters }) => {
                let Some(first) = adapters.iter().find(|a| !a.name.is_empty()) else { continue };
                format!("adapter {:?}", first.name)
            }
        };
        check(format!("workload.clients[{i}].adapters"), found, &client.model);
    }
    for (i, request) in s.workload.requests.iter().enumerate().filter(|(_, q)| !q.adapter.is_empty()) {
        let found = format!("adapter {:?}", request.adapter);
        check(format!("workload.requests[{i}].adapter"), found, &request.model);
    }
}
