//! Evidence for the numbers of a run: measured, calibrated or modelled, and whether the run is outside the measured
//! range.

use crate::session::{Session, pool_evidence};
use base::SortedMap;
use base::small::decimal::fixed;
use document::{CalibratedSettings, KvBlocks, LatencyModel, Pool, model_key};
use engine::perf::{self, PoolEvidence};
use serde::Serialize;

/// The basis of a number, the weakest last.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Measured or given.
    Measured,
    /// Coefficients were fitted to measurements.
    Calibrated,
    /// It follows from a formula, with figures that were not measured here.
    Modelled,
}

/// The basis of one kind of number in a pool.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvidencePart {
    /// Number of the pool.
    pub pool: u32,
    /// The kind of number: step times, delays or KV blocks.
    pub what: EvidenceOf,
    /// Its basis.
    pub basis: Basis,
    /// The same in words.
    pub says: String,
}

/// The kinds of numbers with evidence.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceOf {
    /// How long steps take: all latencies and rates rest on it.
    Steps,
    /// How many KV blocks there are: queues, cache hits and preemptions rest on it.
    Blocks,
}

/// A coefficient with its interval.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoefficientEvidence {
    /// Its name in the scenario.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Half of its 95 % interval; missing if the data do not determine it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<f64>,
}

/// The evidence for the numbers of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// By pool.
    pub parts: Vec<EvidencePart>,
    /// Sentences on how the run is outside the measured range; empty if it is inside.
    pub outside: Vec<String>,
    /// How far the latency figures of each pool can be trusted, in the regime of the run so far.
    pub pools: Vec<PoolEvidence>,
    /// The coefficients of the first pool, if its latency model is calibrated.
    pub coefficients: Vec<CoefficientEvidence>,
}

/// Coefficients from fewer experiments than this count as modelled.
const FEW: usize = 3;
/// Most requests whose regime is read while a run goes on.
const MOST_LOOKED_AT: u32 = 50_000;

impl Session {
    /// The evidence for the numbers at the playhead.
    pub fn evidence(&self) -> Evidence {
        let pools = &self.plan.scenario().cluster.pools;
        let of_pools = self.evidence_so_far();
        let mut out =
            Evidence { parts: Vec::new(), outside: Vec::new(), pools: of_pools, coefficients: Vec::new() };
        for (i, pool) in (0..).zip(pools) {
            let (basis, says) = steps(pool);
            out.parts.push(EvidencePart { pool: i, what: EvidenceOf::Steps, basis, says });
            let (basis, says) = blocks(pool);
            out.parts.push(EvidencePart { pool: i, what: EvidenceOf::Blocks, basis, says });
            self.push_outside(i, pool, &mut out.outside);
        }
        out.coefficients = pools.first().map_or_else(Vec::new, coefficients);
        out
    }

    /// The evidence of each pool. The regime of a long run is read once it has ended, as it takes a look at each request.
    fn evidence_so_far(&self) -> Vec<PoolEvidence> {
        if self.has_ended() || self.engine.census().arrived <= MOST_LOOKED_AT {
            self.pool_evidence(&self.verdict())
        } else {
            pool_evidence(self.plan.scenario(), None)
        }
    }

    /// Adds sentences on how a pool is outside the measured range of its GPU.
    fn push_outside(&self, number: u32, pool: &Pool, outside: &mut Vec<String>) {
        let gpu = perf::known_gpu(&pool.gpu).map_or(pool.gpu.as_str(), |g| g.name.as_str());
        let Some(on) = perf::evidence().measured.iter().find(|on| on.gpu == gpu) else {
            outside.push(format!("nothing was measured on the GPU {gpu}"));
            return;
        };
        let key = perf::known_model(&pool.model).map_or_else(|| model_key(&pool.model), |m| m.name.clone());
        if !on.models.contains(&key) {
            outside.push(format!(
                "{} was not measured on {gpu}, {} other models were",
                pool.model,
                on.models.len()
            ));
        }
        let of_pool = || self.engine.replicas().iter().filter(|r| r.pool() == number);
        let batch = of_pool().map(engine::Replica::running).max().unwrap_or(0);
        if batch > on.batch {
            outside.push(format!("{batch} requests in one batch, measured up to {} on {gpu}", on.batch));
        }
        let tokens =
            |r: &engine::Replica| r.kv().used().saturating_mul(pool.kv.block_tokens) / r.running().max(1);
        let context = of_pool().filter(|r| r.running() > 0).map(tokens).max().unwrap_or(0);
        if context > on.context_tokens {
            outside.push(format!(
                "{context} tokens of context for each request, measured up to {} on {gpu}",
                on.context_tokens
            ));
        }
    }
}

fn percent(share: f64) -> String {
    format!("{} %", fixed(share * 100.0, 0))
}

/// The known errors of a latency model, in words.
fn found(latency: &str) -> String {
    let of = perf::evidence().found.iter().find(|f| f.latency == latency);
    of.map_or_else(String::new, |f| {
        format!(
            "; found {} off in mean E2E, {} in TPOT and {} in TTFT (medians over {} measured experiments below the knee)",
            percent(f.e2e),
            percent(f.tpot),
            percent(f.ttft),
            f.experiments
        )
    })
}

/// The basis of the step times of a pool.
fn steps(pool: &Pool) -> (Basis, String) {
    match &pool.latency {
        LatencyModel::Catalogue => (
            Basis::Modelled,
            format!("coefficients of the catalogue, of older releases of vLLM{}", found("catalogue")),
        ),
        LatencyModel::Roofline(_) => (
            Basis::Modelled,
            format!("roofline: a step takes the longer of computing and reading{}", found("roofline")),
        ),
        LatencyModel::Calibrated(s) => calibrated(pool, s),
        LatencyModel::CrossModel(_) => (Basis::Modelled, "one set of coefficients for all models".to_owned()),
        LatencyModel::Fitted(_) => (Basis::Modelled, "coefficients of your own, without a source".to_owned()),
        LatencyModel::Piecewise(_) => (Basis::Modelled, "rates of your own, without a source".to_owned()),
    }
}

fn calibrated(pool: &Pool, s: &CalibratedSettings) -> (Basis, String) {
    if s.coefficients.is_some() {
        return match &s.rests_on {
            Some(from) => {
                let date = if from.date.is_empty() { String::new() } else { format!(", {}", from.date) };
                let fixed = from.coefficients.join(", ");
                (
                    Basis::Calibrated,
                    format!(
                        "calibrated to {} ({}{date}): {fixed}; all others as before",
                        from.file, from.tool
                    ),
                )
            }
            None => (Basis::Modelled, "coefficients of your own, without a source".to_owned()),
        };
    }
    let row = perf::calibration(&pool.gpu, s.engine);
    let measured = perf::known_gpu(&pool.gpu).is_some_and(|g| g.name == row.gpu);
    // Coefficients that a release's own experiments do not determine come from those of other releases on the GPU.
    let of_gpu = perf::calibrations().iter().filter(|c| c.gpu == row.gpu).flat_map(|c| &c.rests_on);
    let all: SortedMap<&String, ()> = of_gpu.map(|name| (name, ())).collect();
    let n = all.len();
    if !measured {
        let says = format!(
            "nothing was fitted on this GPU: coefficients of the {} with the peaks of {}",
            row.gpu, pool.gpu
        );
        (Basis::Modelled, says)
    } else if n < FEW {
        (
            Basis::Modelled,
            format!(
                "coefficients of the {} rest on only {n} measured experiments, so they count as modelled",
                row.gpu
            ),
        )
    } else {
        let own = row.rests_on.len();
        let release = if row.engine == s.engine {
            format!(", {own} of them with this release of the engine")
        } else {
            format!(", {own} of them with the nearest release of the engine that was measured")
        };
        let error = found("calibrated");
        (
            Basis::Calibrated,
            format!("coefficients fitted to {n} measured experiments on {}{release}{error}", row.gpu),
        )
    }
}

fn blocks(pool: &Pool) -> (Basis, String) {
    match (&pool.kv.blocks, &pool.latency) {
        (KvBlocks::Count(n), _) => (Basis::Measured, format!("{n} KV blocks, as the scenario gives them")),
        (KvBlocks::Auto, LatencyModel::Catalogue) => (
            Basis::Modelled,
            "KV blocks of the catalogue, too many where several GPUs share a model".to_owned(),
        ),
        (KvBlocks::Auto, _) => (
            Basis::Modelled,
            "KV blocks that fit into the memory beside weights, activations and graphs".to_owned(),
        ),
    }
}

fn coefficients(pool: &Pool) -> Vec<CoefficientEvidence> {
    let LatencyModel::Calibrated(s) = &pool.latency else { return Vec::new() };
    let row = perf::calibration(&pool.gpu, s.engine);
    let values = base::json::tree(s.coefficients.as_ref().unwrap_or(&row.coefficients));
    let half = |name: &str| {
        let own = s.coefficients.is_some();
        row.intervals.get(name).copied().flatten().filter(|_| !own)
    };
    let each = values.as_object().into_iter().flatten();
    each.filter_map(|(name, value)| {
        Some(CoefficientEvidence { name: name.clone(), value: value.as_f64()?, half: half(name) })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Audience;
    use document::{CoefficientSource, EngineGeneration, Hardware, Scenario};

    fn of(change: impl FnOnce(&mut Pool)) -> Evidence {
        let mut scenario = Scenario::default();
        change(&mut scenario.cluster.pools[0]);
        Session::start(scenario, None, Audience::Live).expect("a sound scenario").0.evidence()
    }

    fn calibrated(s: CalibratedSettings) -> LatencyModel {
        LatencyModel::Calibrated(s)
    }

    #[test]
    fn built_in_coefficients_are_calibrated_only_on_the_gpus_they_were_fitted_on() {
        let steps = |gpu: &str| {
            let e = of(|pool| {
                pool.gpu = gpu.to_owned();
                pool.latency = calibrated(CalibratedSettings::default());
            });
            e.parts[0].basis
        };
        assert_eq!(steps("H100"), Basis::Calibrated);
        let e = of(|pool| {
            pool.gpu = "X100".to_owned();
            pool.hardware = Some(Hardware::default());
            pool.latency = calibrated(CalibratedSettings::default());
        });
        let (basis, says, outside) = (e.parts[0].basis, e.parts[0].says.clone(), e.outside.len());
        assert_eq!(basis, Basis::Modelled);
        assert!(says.contains("nothing was fitted on this GPU") && outside > 0, "{says}");
    }

    #[test]
    fn the_catalogue_says_how_far_off_it_was_found() {
        let e = of(|pool| pool.latency = LatencyModel::Catalogue);
        assert!(e.parts[0].says.contains("% off in mean E2E"), "{}", e.parts[0].says);
        assert_eq!((e.parts[0].basis, e.coefficients.len()), (Basis::Modelled, 0));
    }

    #[test]
    fn own_coefficients_say_the_run_they_were_calibrated_to_and_without_one_count_as_modelled() {
        let own = |rests_on: Option<CoefficientSource>| {
            of(|pool| {
                let row = perf::calibration("H100", EngineGeneration::Ahead);
                let coefficients = Some(row.coefficients.clone());
                pool.latency = calibrated(CalibratedSettings {
                    coefficients,
                    rests_on,
                    ..CalibratedSettings::default()
                });
            })
        };
        let source = CoefficientSource { file: "bench.json".to_owned(), ..CoefficientSource::default() };
        let known = own(Some(source));
        assert_eq!(known.parts[0].basis, Basis::Calibrated);
        assert!(known.parts[0].says.contains("bench.json") && !known.coefficients.is_empty());
        assert_eq!(own(None).parts[0].basis, Basis::Modelled);
    }

    #[test]
    fn a_count_of_blocks_is_given_and_an_unmeasured_model_is_told() {
        let e = of(|pool| {
            pool.kv.blocks = KvBlocks::Count(5000);
            pool.model = "llama-3.1-8b".to_owned();
        });
        assert_eq!(e.parts[1].basis, Basis::Measured);
        let other = of(|pool| pool.model = "qwen2.5-7b".to_owned());
        assert!(other.outside.len() > e.outside.len(), "{:?}", other.outside);
    }
}
