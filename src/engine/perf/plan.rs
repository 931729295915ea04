//! The plan: a checked scenario with its resolved figures, the input of the engine.

use super::store_doubts::store_doubts;
use super::weights::without_experts;
use super::{Resolved, resolve};
use base::{Diagnostic, Diagnostics};
use document::{Change, Checked, Cluster, Compat, KvBytes, Pool, Role, Scenario, check_start};

/// A scenario with all values in range and all models and GPUs known. Only a check makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    scenario: Checked<Scenario>,
    /// By pool.
    resolved: Vec<Resolved>,
    /// By store: bytes per second to readers and from writers, in place of those of the scenario.
    store_ports: Vec<[u64; 2]>,
    /// By position in the list of requests: where each stands among equal replicas to pull from.
    draws: Vec<u32>,
}

impl Plan {
    /// Checks a scenario, reporting all problems at once; a valid one is returned with warnings. The results of its
    /// edits are not checked.
    pub fn new(scenario: Scenario) -> Result<(Self, Diagnostics), Diagnostics> {
        let (pools, compat) = (scenario.cluster.pools.clone(), scenario.cluster.compat);
        let counts = counts_kv_bytes(&scenario.cluster);
        let resolved = resolve_all(&pools, compat, &[], &[]).and_then(|all| sized(&pools, all, counts));
        match (check_start(scenario), resolved) {
            (Ok((scenario, mut warnings)), Ok(resolved)) => {
                warnings.extend(in_vain(&pools));
                warnings.extend(store_doubts(scenario.get(), &resolved));
                Ok((Self { scenario, resolved, store_ports: Vec::new(), draws: Vec::new() }, warnings))
            }
            (Ok(_), Err(problems)) => Err(problems),
            (Err(mut problems), resolved) => {
                problems.extend(resolved.err().unwrap_or_default());
                Err(problems)
            }
        }
    }

    /// The plan of a checked `scenario`, with figures resolved in another way.
    pub fn of(scenario: Checked<Scenario>, resolved: Vec<Resolved>) -> Self {
        assert!(
            scenario.get().cluster.pools.len() == resolved.len(),
            "INV-2: pools without hardware figures"
        );
        Self { scenario, resolved, store_ports: Vec::new(), draws: Vec::new() }
    }

    /// The plan after an edit, with warnings about the change. Paths in the problems are those of the document.
    pub fn edited(&self, change: &Change) -> Result<(Self, Diagnostics), Diagnostics> {
        let (scenario, mut warnings) = self.scenario.edited(change)?;
        let (old, new) = (&self.scenario().cluster, &scenario.get().cluster);
        let resolved = resolve_all(&new.pools, new.compat, &old.pools, &self.resolved)?;
        let resolved = sized(&new.pools, resolved, counts_kv_bytes(new))?;
        warnings.extend(in_vain(&new.pools).filter(|d| !in_vain(&old.pools).any(|was| was == *d)));
        let (store_ports, draws) = (self.store_ports.clone(), self.draws.clone());
        Ok((Self { scenario, resolved, store_ports, draws }, warnings))
    }

    /// The same, with speeds of the stores that differ by direction: bytes per second to readers and from writers.
    #[must_use]
    pub fn with_store_ports(self, store_ports: Vec<[u64; 2]>) -> Self {
        Self { store_ports, ..self }
    }

    /// Speeds of a store that are not those of the scenario.
    pub(crate) fn store_ports(&self, number: usize) -> Option<[u64; 2]> {
        self.store_ports.get(number).copied()
    }

    /// The same, with the places of listed requests among equal replicas to pull from, in 2^32nds, in place of what follows from their
    /// numbers.
    #[must_use]
    pub fn with_draws(self, draws: Vec<u32>) -> Self {
        Self { draws, ..self }
    }

    /// Places of listed requests that do not follow from their numbers.
    pub(crate) fn draws(&self) -> &[u32] {
        &self.draws
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        self.scenario.get()
    }

    /// The resolved figures of its pools.
    pub fn resolved(&self) -> &[Resolved] {
        &self.resolved
    }
}

/// Warnings of settings of pools that have no effect for their models.
fn in_vain(pools: &[Pool]) -> impl Iterator<Item = Diagnostic> {
    let at = |(i, pool)| without_experts(pool, &format!("cluster.pools[{i}]"));
    pools.iter().enumerate().filter_map(at)
}

/// Whether transfers of KV, and tiers below CPU memory, take their bytes from the shape of a model.
fn counts_kv_bytes(cluster: &Cluster) -> bool {
    let moves = |pool: &Pool| pool.role == Role::Prefill || !pool.kv.secondary_tiers.is_empty();
    let transfers = cluster.pools.iter().any(moves);
    let given = cluster.disaggregation.as_ref().map(|d| d.transfer.kv_bytes_per_token);
    transfers && given.is_none_or(|bytes| bytes == KvBytes::Auto)
}

/// The same figures, or a problem if transfers need the shape of a model that is not known.
fn sized(pools: &[Pool], resolved: Vec<Resolved>, counts: bool) -> Result<Vec<Resolved>, Diagnostics> {
    let counted = |pool: &Pool| pool.role == Role::Decode || !pool.kv.secondary_tiers.is_empty();
    let mut moved = pools.iter().zip(&resolved).filter(|(pool, _)| counted(pool));
    match moved.find(|(_, figures)| counts && figures.kv_bytes_per_token.is_none()) {
        Some((pool, _)) => Err(vec![Diagnostic::error(
            "cluster.disaggregation.transfer.kv_bytes_per_token",
            format!("\"auto\", and the shape of the model \"{}\" is not known", pool.model),
            "a number of bytes",
            "write the bytes of one token in the KV cache, such as 131072 for llama-3.1-8b, or give the pools their architecture",
        )]),
        None => Ok(resolved),
    }
}

/// The resolved figures of all pools, or all problems. Unchanged pools keep their figures.
fn resolve_all(
    pools: &[Pool],
    compat: Compat,
    old: &[Pool],
    known: &[Resolved],
) -> Result<Vec<Resolved>, Diagnostics> {
    let (mut resolved, mut problems) = (Vec::with_capacity(pools.len()), Diagnostics::new());
    for (i, pool) in pools.iter().enumerate() {
        if old.get(i) == Some(pool) {
            resolved.push(known[i].clone());
            continue;
        }
        match resolve(pool, compat, &format!("cluster.pools[{i}]")) {
            Ok(figures) => resolved.push(figures),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(resolved) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Architecture, Disaggregation, FittedCoefficients, KvBlocks, LatencyModel, Transfer};

    /// A prefill pool and a decode pool of a model without a known shape.
    fn split() -> Scenario {
        let mut scenario = Scenario::default();
        let latency = LatencyModel::Fitted(FittedCoefficients::default());
        scenario.cluster.pools = [("p", Role::Prefill), ("d", Role::Decode)]
            .map(|(name, role)| {
                let (name, model) = (name.to_owned(), "our-model".to_owned());
                let mut pool = Pool { name, role, model, latency: latency.clone(), ..Pool::default() };
                pool.kv.blocks = KvBlocks::Count(1000);
                pool
            })
            .to_vec();
        scenario
    }

    #[test]
    fn transfers_need_a_known_shape_or_a_number_of_bytes() {
        let path = "cluster.disaggregation.transfer.kv_bytes_per_token";
        let problems = Plan::new(split()).expect_err("nothing says how large a token is");
        assert_eq!((problems[0].path.as_str(), problems.len()), (path, 1));
        assert!(problems[0].found.contains("our-model"), "{problems:?}");
        let mut given = split();
        let transfer = Transfer { kv_bytes_per_token: KvBytes::Count(1000), ..Transfer::default() };
        given.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
        let (plan, _) = Plan::new(given).expect("bytes are given");
        // An edit that takes the number away again, and a shape in its place.
        let auto = Change::set(path, "auto");
        assert_eq!(plan.edited(&auto).expect_err("no number")[0].path, path);
        let mut shape = split();
        shape.cluster.pools.iter_mut().for_each(|p| p.architecture = Some(Architecture::default()));
        let (plan, _) = Plan::new(shape).expect("the shape is given");
        assert!(plan.resolved()[1].kv_bytes_per_token.is_some());
        // Without a prefill pool nothing is transferred.
        let mut decode = split();
        decode.cluster.pools.remove(0);
        let (plan, _) = Plan::new(decode).expect("no transfers");
        let prefill =
            Change::add("cluster.pools", serde_json::to_value(&split().cluster.pools[0]).expect("JSON"));
        assert_eq!(plan.edited(&prefill).expect_err("transfers now")[0].path, path);
    }
}
