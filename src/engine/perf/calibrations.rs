//! Built-in coefficients of the calibrated model, by GPU and release of the engine, and how they are carried to GPUs without
//! measurements (docs/explanation/model/latency.md).

use super::catalogue;
use super::facts::Facts;
use base::{SortedMap, json};
use document::{CalibratedCoefficients, EngineGeneration};
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Coefficients fitted to measurements on one GPU.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// GPU, as named in the catalogue.
    pub gpu: String,
    /// Release of the engine.
    pub engine: EngineGeneration,
    /// The measured experiments behind them; none for coefficients taken from another GPU.
    pub rests_on: Vec<String>,
    /// The coefficients.
    pub coefficients: CalibratedCoefficients,
    /// By coefficient: half of its 95 % interval; missing if the data do not determine it.
    #[serde(default)]
    pub intervals: SortedMap<String, Option<f64>>,
    /// By coefficient: the number of experiments that determine it.
    #[serde(default)]
    pub experiments: SortedMap<String, u32>,
    /// By model: how much longer its layers take than those of other models, in microseconds, if the data show it.
    #[serde(default)]
    pub models: SortedMap<String, f64>,
}

/// Coefficients of a model: the microseconds by which one of its layers takes longer than those of other models.
#[must_use]
pub fn corrected(c: &CalibratedCoefficients, further_us: f64) -> CalibratedCoefficients {
    CalibratedCoefficients { step_us_per_layer: (c.step_us_per_layer + further_us).max(0.0), ..c.clone() }
}

impl Calibration {
    /// The coefficients for a model.
    pub fn of_model(&self, model: &str) -> CalibratedCoefficients {
        let known = catalogue::architecture(model).and_then(|known| self.models.get(&known.name));
        corrected(&self.coefficients, known.copied().unwrap_or(0.0))
    }

    /// The basis of the coefficients, in a few words; also whether they belong to another GPU or release.
    pub(super) fn says(&self, gpu: &str, engine: EngineGeneration) -> String {
        let rests = match self.rests_on.len() {
            0 => "taken from another release".to_owned(),
            few @ ..FEW => format!("fitted to only {few} experiments"),
            many => format!("fitted to {many} experiments"),
        };
        let own = catalogue::gpu(gpu).is_some_and(|g| g.name == self.gpu) && engine.release() == self.engine;
        let of = format!("{} with {}", self.gpu, release_name(self.engine));
        if own {
            format!("coefficients of {of}, {rests}")
        } else {
            format!(
                "coefficients of {of}, {rests}, as none were measured on {gpu} with {}",
                release_name(engine)
            )
        }
    }
}

/// The name of a release.
pub(super) fn release_name(engine: EngineGeneration) -> &'static str {
    match engine {
        EngineGeneration::Early => "vLLM up to 0.9",
        EngineGeneration::Synchronous => "vLLM 0.10 to 0.13",
        EngineGeneration::Ahead => "vLLM 0.14 to 0.17",
        EngineGeneration::V018 => "vLLM 0.18 to 0.20",
        EngineGeneration::V021 | EngineGeneration::Latest => "vLLM 0.21 and later",
    }
}

/// Pairs of GPUs with the same chip and different memory or host.
const SAME_CHIP: [[&str; 2]; 3] = [["H100", "H200"], ["B200", "GB200"], ["B300", "GB300"]];

/// The other GPU with the chip of one.
fn twin_of(name: &str) -> Option<&'static str> {
    let pair = SAME_CHIP.iter().find(|pair| pair.contains(&name))?;
    pair.iter().copied().find(|other| *other != name)
}

/// Whether two GPUs of the catalogue have the same chip.
#[must_use]
pub fn same_chip(one: &str, other: &str) -> bool {
    one != other && SAME_CHIP.iter().any(|pair| pair.contains(&one) && pair.contains(&other))
}

/// A number of experiments below this is reported with the coefficients.
const FEW: usize = 3;

/// The built-in coefficients.
pub fn calibrations() -> &'static [Calibration] {
    static TABLE: OnceLock<Vec<Calibration>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let tree = serde_json::from_str(include_str!("calibrated.json")).expect("the built-in table is JSON");
        json::data(&tree).expect("the built-in table has its own shape")
    })
}

/// The coefficients for a GPU and a release: those measured on it with that release; else those on a GPU with the
/// same chip; else those on it with the nearest release, older before newer. For any other GPU those of an H100, carried
/// by what is published of both, where an H200 counts as an H100; a B300 takes those of a B200, and AMD's those of an MI300X.
pub fn calibration(gpu: &str, engine: EngineGeneration) -> Cow<'static, Calibration> {
    let (name, engine) = (catalogue::gpu(gpu).map_or(gpu, |g| &g.name), engine.release());
    let twin = twin_of(name).unwrap_or(name);
    let of = |name: &str| calibrations().iter().filter(move |c| c.gpu == name).collect::<Vec<_>>();
    let exact = |name: &str| of(name).into_iter().find(|c| c.engine == engine);
    let near = |name: &str| {
        let older = of(name).into_iter().filter(|c| c.engine <= engine).max_by_key(|c| c.engine);
        older.or_else(|| of(name).into_iter().min_by_key(|c| c.engine))
    };
    let found = exact(name).or_else(|| exact(twin)).or_else(|| near(name)).or_else(|| near(twin));
    let other = OTHER_CARD.eq_ignore_ascii_case(gpu.trim());
    if let Some(found) = found.filter(|_| !other) {
        return Cow::Borrowed(found);
    }
    // Of the coefficients of this chip for the release, those that rest on most say most about others.
    let kin = KIN.iter().find(|(_, carried)| carried.contains(&name)).map(|(of, _)| *of);
    let kin = kin.and_then(|of| Some((of, near(of)?)));
    let most = SAME_CHIP[0].iter().filter_map(|name| exact(name)).max_by_key(|c| c.rests_on.len());
    let of_first = || (FIRST, most.or_else(|| near(FIRST)).expect("the built-in table has an H100"));
    let (from, first) = kin.unwrap_or_else(of_first);
    let coefficients = carried(&first.coefficients, from, name);
    Cow::Owned(Calibration { coefficients, models: SortedMap::default(), ..first.clone() })
}

/// A card with the name of a measured one and another limit of power: the coefficients of A100-40 are those of a card of
/// 250 W, and this one has 400 W.
const OTHER_CARD: &str = "a100-sxm4-40gb";

/// Measured GPUs, and those of the same maker and kind that take their coefficients.
const KIN: [(&str, &[&str]); 2] = [("B200", &SAME_CHIP[2]), ("MI300X", &["MI325X", "MI355X"])];

/// The GPU whose coefficients are carried to others.
const FIRST: &str = "H100";

/// The coefficients of one GPU transferred to another; unchanged if nothing is published of either.
#[must_use]
pub fn carried(c: &CalibratedCoefficients, from: &str, to: &str) -> CalibratedCoefficients {
    let Some((from, to)) = Facts::published(from).zip(Facts::published(to)) else { return c.clone() };
    let memory = to.reached / from.reached;
    // A slower clock makes kernels start and end later; a faster clock does not make the memory faster.
    let clock = (from.boost_mhz / to.boost_mhz).max(1.0);
    // Short transfers do not profit from a wider link.
    let link = (from.link_gb_per_s / to.link_gb_per_s).max(1.0);
    CalibratedCoefficients {
        weights_efficiency: (c.weights_efficiency * memory).min(1.0),
        kv_efficiency: (c.kv_efficiency * memory).min(1.0),
        step_us_per_layer: c.step_us_per_layer * clock,
        step_us_per_expert_layer: c.step_us_per_expert_layer * clock,
        step_us_per_expert: c.step_us_per_expert * clock,
        step_us_per_shared_layer: c.step_us_per_shared_layer * clock,
        step_us_per_8_bit_expert_layer: c.step_us_per_8_bit_expert_layer * clock,
        step_us_per_converted_layer: c.step_us_per_converted_layer * clock,
        step_us_per_parallel_layer: c.step_us_per_parallel_layer * clock,
        step_us_per_parallel_doubling: c.step_us_per_parallel_doubling * clock,
        reduce_us_per_megabyte: c.reduce_us_per_megabyte * link,
        attention_rows_with_prefill: to.tile_rows,
        ..c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_coefficient_makes_physical_sense() {
        assert!(calibrations().iter().any(|c| c.gpu == "H100"));
        for row in calibrations() {
            let c = &row.coefficients;
            assert!(catalogue::gpu(&row.gpu).is_some_and(|g| g.name == row.gpu), "{}", row.gpu);
            let shares = [
                c.weights_efficiency,
                c.kv_efficiency,
                c.compute_efficiency,
                c.compute_efficiency_8_bit,
                c.compute_efficiency_4_bit,
                c.attention_efficiency,
            ];
            assert!((0.0..=1.0).contains(&c.compute_not_hidden), "{}", row.gpu);
            assert!(shares.iter().all(|x| *x > 0.0 && *x <= 1.0), "{}: {shares:?}", row.gpu);
            let costs = [
                c.step_us,
                c.step_us_per_layer,
                c.step_us_per_expert_layer,
                c.step_us_per_parallel_layer,
                c.reduce_us_per_megabyte,
                c.step_us_per_sequence,
                c.step_us_per_sequence_layer,
                c.step_us_per_prompt,
                c.prefill_us_per_expert_layer,
                c.step_us_with_prefill,
                c.attention_rows_with_prefill,
                c.queueing_us,
                c.queueing_us_per_prompt_token,
                c.front_end_us,
                c.front_end_us_per_prompt_token,
                c.stream_us_per_token,
            ];
            assert!(costs.iter().all(|x| *x >= 0.0 && x.is_finite()), "{}: {costs:?}", row.gpu);
        }
    }

    #[test]
    fn a_gpu_without_measurements_takes_those_of_an_h100_and_says_so() {
        let (ahead, early) = (EngineGeneration::Ahead, EngineGeneration::Early);
        let h100 = calibration("H100", ahead);
        assert_eq!((h100.gpu.as_str(), h100.engine), ("H100", ahead));
        assert!(!h100.says("h100-sxm", ahead).contains("as none"));
        assert_eq!(calibration("nobody's", ahead).coefficients, h100.coefficients);
        assert!(
            h100.says("nobody's", ahead)
                .ends_with("as none were measured on nobody's with vLLM 0.14 to 0.17")
        );
        let early = calibration("H100", early).says("H100", early);
        assert!(early.contains("H100 with vLLM up to 0.9, taken from another release"), "{early}");
    }

    #[test]
    fn a_release_without_measurements_takes_the_same_chip_and_else_the_nearest_release() {
        assert_eq!(calibration("GB200", EngineGeneration::Ahead).gpu, "B200");
        assert_eq!(calibration("a100", EngineGeneration::Early).gpu, "A100-80");
        assert_eq!(calibration("L40S", EngineGeneration::Latest).gpu, "L40S");
    }

    #[test]
    fn only_published_figures_are_transferred_and_nothing_to_the_gpu_itself_or_an_unknown_one() {
        let c = CalibratedCoefficients::default();
        assert_eq!(carried(&c, "H100", "H100"), c);
        assert_eq!(carried(&c, "H100", "nobody's"), c);
        let a100 = carried(&c, "H100", "A100-80");
        // 0.849 of the peak against 0.967; 1980 MHz against 1410.
        assert!((a100.weights_efficiency / c.weights_efficiency - 0.878).abs() < 1e-3);
        assert!((a100.step_us_per_layer / c.step_us_per_layer - 1.404).abs() < 1e-3);
        assert!((a100.reduce_us_per_megabyte / c.reduce_us_per_megabyte - 1.5).abs() < 1e-9);
        assert_eq!((a100.step_us, a100.compute_efficiency), (c.step_us, c.compute_efficiency));
        assert!(a100.attention_rows_with_prefill > 0.0);
        let pcie = carried(&c, "H100", "RTX-PRO-6000").reduce_us_per_megabyte;
        assert!((pcie / c.reduce_us_per_megabyte - 900.0 / 128.0).abs() < 1e-9);
        assert_eq!(carried(&c, "H100", "L40S").step_us_per_layer.to_bits(), c.step_us_per_layer.to_bits());
    }
}
