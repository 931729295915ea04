//! The class of a pool's latency figures: for model, GPU, release of the engine, precision and tensor parallelism,
//! whether the coefficients behind the figures were fitted to runs of this very value, taken over, or guessed.
//!
//! docs/explanation/validation.md has the rules. The facts come from the fitted coefficients, the measured
//! configurations and the published figures of GPUs; the engine and its results do not depend on any of this.

use super::calibrations::{Calibration, calibration, release_name, same_chip};
use super::catalogue;
use super::evidence::{Configuration, EvidenceClass, MOST_CARRIED, RunKind, evidence};
use super::facts::Facts;
use base::Diagnostic;
use document::{
    Architecture, CalibratedSettings, CrossModelCoefficients, Hardware, LatencyModel, Pool, RooflineSettings,
};
use serde::{Deserialize, Serialize};

/// A value of a pool with its class.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifiedValue {
    /// The value.
    pub value: String,
    /// Its class.
    pub class: EvidenceClass,
}

/// The five values of a pool that its latency figures depend on, each with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// Name of the latency model, as in scenarios.
    pub latency: &'static str,
    /// In this order: model, GPU, release of the engine, precision, tensor parallelism.
    pub values: [ClassifiedValue; 5],
    /// Whether the model has experts.
    pub experts: bool,
}

/// The latency model's name in scenarios.
fn latency_name(latency: &LatencyModel) -> &'static str {
    match latency {
        LatencyModel::Catalogue => "catalogue",
        LatencyModel::Fitted(_) => "fitted",
        LatencyModel::Roofline(_) => "roofline",
        LatencyModel::CrossModel(_) => "cross-model",
        LatencyModel::Piecewise(_) => "piecewise",
        LatencyModel::Calibrated(_) => "calibrated",
    }
}

impl Classified {
    /// Classifies a pool by the built-in facts.
    #[must_use]
    pub fn of(pool: &Pool) -> Self {
        Self::by(pool, &evidence().configurations)
    }

    /// Classifies a pool by given measured configurations.
    #[must_use]
    pub fn by(pool: &Pool, measured: &[Configuration]) -> Self {
        use EvidenceClass::{Carried, Fitted, Guessed, Own};
        let classes = match &pool.latency {
            LatencyModel::Calibrated(s) if s.coefficients.is_some() => [Own; 5],
            LatencyModel::Calibrated(s) => calibrated(pool, s, measured),
            // A row is a measurement of this model, GPU and parallelism, with the release that the catalogue names.
            LatencyModel::Catalogue => [Fitted, Fitted, Carried, Fitted, Fitted],
            LatencyModel::Roofline(c) if *c == RooflineSettings::default() => [Carried; 5],
            LatencyModel::CrossModel(c) if *c == CrossModelCoefficients::default() => {
                // Its coefficients come from runs on an H100, and it reads nothing of the GPU.
                let on_h100 = gpu_of(pool) == Some(CROSS_MODEL_GPU);
                [Carried, if on_h100 { Carried } else { Guessed }, Carried, Carried, Carried]
            }
            LatencyModel::Fitted(_)
            | LatencyModel::Piecewise(_)
            | LatencyModel::Roofline(_)
            | LatencyModel::CrossModel(_) => [Own; 5],
        };
        let mut values = named(pool).into_iter().zip(classes);
        let values = std::array::from_fn(|_| {
            let (value, class) = values.next().expect("there are as many names as classes");
            ClassifiedValue { value, class }
        });
        let experts = architecture_of(pool).is_some_and(|a| a.experts > 0);
        Self { latency: latency_name(&pool.latency), values, experts }
    }

    /// The kind of a run of such a pool, where `further` values were left out of a fit; none where the errors of the built-in
    /// calibrated coefficients say nothing.
    #[must_use]
    pub fn kind(&self, further: u32) -> Option<RunKind> {
        let known = self.latency == "calibrated" && self.class() <= EvidenceClass::Carried;
        let carried = self.values[..4].iter().filter(|v| v.class == EvidenceClass::Carried).count();
        let carried = (carried as u32 + further).min(MOST_CARRIED);
        known.then_some(RunKind { experts: self.experts, carried })
    }

    /// The class of the whole: the worst of its values.
    #[must_use]
    pub fn class(&self) -> EvidenceClass {
        self.values.iter().map(|v| v.class).max().unwrap_or(EvidenceClass::Guessed)
    }
}

/// The GPU whose runs are behind the defaults of the cross-model model.
const CROSS_MODEL_GPU: &str = "H100";

/// The classes with built-in calibrated coefficients.
fn calibrated(pool: &Pool, s: &CalibratedSettings, measured: &[Configuration]) -> [EvidenceClass; 5] {
    use EvidenceClass::{Carried, Fitted};
    let row = calibration(&pool.gpu, s.engine);
    let behind = |fits: &dyn Fn(&Configuration) -> bool| {
        let of_row = |c: &&Configuration| c.gpu == row.gpu && c.engine == row.engine && c.fitted > 0;
        if measured.iter().filter(of_row).any(fits) { Fitted } else { Carried }
    };
    let precision = architecture_of(pool).map(precision).unwrap_or_default();
    let model = known_model_of(pool);
    [
        behind(&|c| model.is_some_and(|(name, shape)| same_model(c, name, shape))),
        gpu_class(pool, &row),
        if row.engine == s.engine.release() && !row.rests_on.is_empty() { Fitted } else { Carried },
        behind(&|c| c.precision == precision),
        behind(&|c| c.tp == pool.tp && pool.pp == 1),
    ]
}

/// The class of a GPU whose coefficients are those of a row.
fn gpu_class(pool: &Pool, row: &Calibration) -> EvidenceClass {
    match gpu_of(pool) {
        Some(name) if name == row.gpu => EvidenceClass::Fitted,
        Some(name) if same_chip(name, &row.gpu) => EvidenceClass::SameChip,
        Some(name) if Facts::published(name).is_some() => EvidenceClass::Carried,
        _ => EvidenceClass::Guessed,
    }
}

/// The catalogue's name of a pool's GPU; `None` if the pool describes another one. Memory and price change no step.
fn gpu_of(pool: &Pool) -> Option<&'static str> {
    let known = catalogue::gpu(&pool.gpu)?;
    // What a description leaves out is 0.
    let same = |own: &Hardware| {
        let k = &known.hardware;
        let pairs = [
            (own.tflops_fp8, k.tflops_fp8),
            (own.tops_int8, k.tops_int8),
            (own.tflops_fp4, k.tflops_fp4),
            (own.link_gb_per_s, k.link_gb_per_s),
            (own.clock_mhz, k.clock_mhz),
            (own.read_share, k.read_share),
        ];
        let peaks = [(own.tflops, k.tflops), (own.bandwidth_tb_per_s, k.bandwidth_tb_per_s)];
        let is = |a: f64, b: f64| a.to_bits() == b.to_bits();
        peaks.iter().all(|(a, b)| is(*a, *b)) && pairs.iter().all(|(a, b)| is(*a, *b) || is(*a, 0.0))
    };
    pool.hardware.as_ref().is_none_or(same).then_some(known.name.as_str())
}

fn architecture_of(pool: &Pool) -> Option<&Architecture> {
    let known = || catalogue::architecture(&pool.model).map(|k| &k.architecture);
    pool.architecture.as_ref().or_else(known)
}

/// The catalogue's name and shape of a pool's model; `None` if the pool describes another shape.
fn known_model_of(pool: &Pool) -> Option<(&'static str, &'static Architecture)> {
    let bare = pool.model.split(" (").next().unwrap_or(&pool.model);
    let known = catalogue::architecture(bare)?;
    let same = |own: &Architecture| without_precision(own) == without_precision(&known.architecture);
    pool.architecture.as_ref().is_none_or(same).then_some((known.name.as_str(), &known.architecture))
}

/// Whether a configuration measured a model: by its name, or in another precision.
fn same_model(c: &Configuration, name: &str, shape: &Architecture) -> bool {
    let other = || catalogue::architecture(&c.model).map(|k| without_precision(&k.architecture));
    c.model == name || other().is_some_and(|other| other == without_precision(shape))
}

/// A shape with weights and cache of 16 bits.
fn without_precision(a: &Architecture) -> Architecture {
    let usual = Architecture::default();
    Architecture {
        bytes_per_param: usual.bytes_per_param,
        bytes_per_kv_value: usual.bytes_per_kv_value,
        bytes_per_expert_param: usual.bytes_per_expert_param,
        bytes_per_embedding_param: usual.bytes_per_embedding_param,
        precision: usual.precision,
        expert_precision: usual.expert_precision,
        ..a.clone()
    }
}

/// Bits of a number, as far as the speed of matrix products depends on them.
fn bits(bytes: f64) -> &'static str {
    match bytes {
        b if b >= 3.0 => "32-bit",
        b if b >= 1.5 => "16-bit",
        b if b >= 0.75 => "8-bit",
        _ => "4-bit",
    }
}

/// The precision of a shape in words: of its weights, its experts if they differ, and its cache unless it has 16 bits.
#[must_use]
pub fn precision(a: &Architecture) -> String {
    let (weights, experts) = (bits(a.bytes_per_param), bits(a.bytes_per_expert_param()));
    let differs = a.experts > 0 && experts != weights;
    let experts = if differs { format!(", {experts} experts") } else { String::new() };
    let cache = match bits(a.bytes_per_kv_value) {
        "16-bit" => String::new(),
        bits => format!(", {bits} cache"),
    };
    format!("{weights} weights{experts}{cache}")
}

/// The five values of a pool in words.
fn named(pool: &Pool) -> [String; 5] {
    let model = match known_model_of(pool) {
        Some((name, _)) => name.to_owned(),
        None => format!("{} (own description)", pool.model),
    };
    let gpu = match gpu_of(pool) {
        Some(name) => name.to_owned(),
        None if pool.hardware.is_some() => format!("{} (own figures)", pool.gpu),
        None => pool.gpu.clone(),
    };
    let engine = match &pool.latency {
        LatencyModel::Calibrated(s) => release_name(s.engine).to_owned(),
        LatencyModel::Catalogue => {
            catalogue::find(pool, "").map_or_else(|_| String::new(), |row| format!("vLLM {}", row.vllm))
        }
        LatencyModel::Fitted(_)
        | LatencyModel::Roofline(_)
        | LatencyModel::CrossModel(_)
        | LatencyModel::Piecewise(_) => "any release".to_owned(),
    };
    let precision = architecture_of(pool).map_or_else(|| "unknown weights".to_owned(), precision);
    let stages = if pool.pp > 1 { format!(", PP {}", pool.pp) } else { String::new() };
    [model, gpu, engine, precision, format!("TP {}{stages}", pool.tp)]
}

/// The GPUs whose step times are known: measured, of the same chip, or with published figures.
fn gpus_with_facts() -> Vec<&'static str> {
    let known = |name: &&str| {
        let pool = Pool { gpu: (*name).to_owned(), hardware: None, ..Pool::default() };
        Classified::by(&pool, &[]).values[1].class != EvidenceClass::Guessed
    };
    catalogue::catalogue().gpus.iter().map(|g| g.name.as_str()).filter(known).collect()
}

/// Why the step times of a pool would be a guess; `None` if they are not. A GPU that is neither in the catalogue nor
/// described is another problem, and reported as such.
#[must_use]
pub fn guess(pool: &Pool, path: &str) -> Option<Diagnostic> {
    let LatencyModel::Calibrated(s) = &pool.latency else { return None };
    let described = pool.hardware.is_some() || catalogue::gpu(&pool.gpu).is_some();
    let class = Classified::by(pool, &[]).values[1].class;
    if s.coefficients.is_some() || !described || class != EvidenceClass::Guessed {
        return None;
    }
    let row = calibration(&pool.gpu, s.engine);
    let (field, what) = match &pool.hardware {
        Some(_) => ("hardware", "figures of your own"),
        None => ("gpu", "no figures but its peaks"),
    };
    Some(Diagnostic::error(
        format!("{path}.{field}"),
        format!(
            "{} with {what}: its steps would be guessed, as those of an {} at these peaks",
            pool.gpu, row.gpu
        ),
        gpus_with_facts().join(", "),
        "choose one of these, give latency.calibrated.coefficients, take roofline latency, or accept the guess with --allow-guess",
    ))
}

#[cfg(test)]
#[path = "evidence_class_tests.rs"]
mod tests;
