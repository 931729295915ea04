//! Evidence: the known errors of the latency models, the measured configurations, and the models, batches and contexts
//! measured on each GPU. `tokenyard validate --evidence` writes the table.

use base::json;
use document::EngineGeneration;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The errors of a latency model: medians over measured experiments below the knee, as shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The model, as a scenario names it.
    pub latency: String,
    /// Number of experiments that it could be compared with.
    pub experiments: u32,
    /// Mean end-to-end latency.
    pub e2e: f64,
    /// Mean time per output token.
    pub tpot: f64,
    /// Mean time to first token.
    pub ttft: f64,
}

/// The measurements on a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredOn {
    /// GPU, as named in the catalogue.
    pub gpu: String,
    /// Models, by the keys of the catalogue.
    pub models: Vec<String>,
    /// Most requests at once on one replica.
    pub batch: u32,
    /// Longest mean context of a request: prompt and half of the answer.
    pub context_tokens: u32,
}

/// A measured configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Model, by the key of the catalogue.
    pub model: String,
    /// GPU, as named in the catalogue.
    pub gpu: String,
    /// Release of the engine.
    pub engine: EngineGeneration,
    /// Precision in words.
    pub precision: String,
    /// Tensor parallelism.
    pub tp: u32,
    /// Number of experiments that built-in coefficients were fitted to.
    pub fitted: u32,
    /// Number of experiments.
    pub measured: u32,
}

/// The error of a figure, over the experiments of a class and a regime that nothing was fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassError {
    /// The latency model, as a scenario names it.
    pub latency: String,
    /// The class.
    pub class: EvidenceClass,
    /// The regime.
    pub regime: Regime,
    /// The figure.
    pub figure: ErrorFigure,
    /// Its error.
    pub error: ErrorBand,
}

/// The error of a figure of the calibrated model over held-back rows of a kind: rows that nothing was fitted to, and predictions by fits
/// that left a model, a GPU or a precision out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindError {
    /// Whether the models have experts; none for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<bool>,
    /// How many of model, GPU, release and precision are carried, at most [`MOST_CARRIED`]; none for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<u32>,
    /// The regime.
    pub regime: Regime,
    /// The figure.
    pub figure: ErrorFigure,
    /// Its error, over rows.
    pub error: ErrorBand,
}

/// The kind of a run, as far as errors are known by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunKind {
    /// Whether its model has experts.
    pub experts: bool,
    /// How many of model, GPU, release and precision are carried, at most [`MOST_CARRIED`].
    pub carried: u32,
}

/// Kinds tell no larger numbers of carried values apart.
pub const MOST_CARRIED: u32 = 2;

/// Rows below which a kind is joined with those beside it.
pub const LEAST_ROWS: u32 = 12;

impl RunKind {
    /// What errors are looked up by, the closest kind first: a kind with few rows counts with its neighbours.
    #[must_use]
    pub fn steps(self) -> [(Option<bool>, Option<u32>); 4] {
        let (experts, carried) = (Some(self.experts), Some(self.carried));
        [(experts, carried), (None, carried), (experts, None), (None, None)]
    }
}

impl EvidenceTable {
    /// The error of a figure in runs of a kind: never smaller than that of runs of which less is carried.
    #[must_use]
    pub fn of_kind(&self, kind: RunKind, regime: Regime, figure: ErrorFigure) -> Option<ErrorBand> {
        let fewer = (0..=kind.carried).map(|carried| RunKind { carried, ..kind });
        let found = fewer.filter_map(|kind| self.of_rows(kind, regime, figure));
        found.reduce(|least, of| ErrorBand {
            median: least.median.max(of.median),
            p90: least.p90.max(of.p90),
            n: of.n,
        })
    }

    /// The error over the rows of the closest kind that has enough.
    fn of_rows(&self, kind: RunKind, regime: Regime, figure: ErrorFigure) -> Option<ErrorBand> {
        kind.steps().into_iter().find_map(|(experts, carried)| {
            let is = |e: &&KindError| {
                (e.experts, e.carried) == (experts, carried) && (e.regime, e.figure) == (regime, figure)
            };
            self.kinds.iter().find(is).map(|e| e.error).filter(|error| error.n >= LEAST_ROWS)
        })
    }
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceTable {
    /// By latency model.
    pub found: Vec<Found>,
    /// By GPU.
    pub measured: Vec<MeasuredOn>,
    /// What was measured: by model, GPU, release, precision and parallelism.
    #[serde(default)]
    pub configurations: Vec<Configuration>,
    /// Errors by latency model, class, regime and figure.
    #[serde(default)]
    pub errors: Vec<ClassError>,
    /// Errors of the calibrated model by kind of run, regime and figure.
    #[serde(default)]
    pub kinds: Vec<KindError>,
}

/// The built-in table.
pub fn evidence() -> &'static EvidenceTable {
    static TABLE: OnceLock<EvidenceTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let tree = serde_json::from_str(include_str!("evidence.json")).expect("the built-in table is JSON");
        json::data(&tree).expect("the built-in table has its own shape")
    })
}

/// How the coefficients behind a figure relate to a value, the best first.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceClass {
    /// Coefficients were fitted to runs of this very value.
    Fitted,
    /// Coefficients of another GPU with the same chip.
    SameChip,
    /// Coefficients were carried over: by published figures, from a neighbouring release, or by a description of the
    /// model.
    Carried,
    /// The user's own coefficients.
    Own,
    /// Nothing is known but the peaks.
    Guessed,
}

impl EvidenceClass {
    /// All of them, the best first.
    pub const ALL: [Self; 5] = [Self::Fitted, Self::SameChip, Self::Carried, Self::Own, Self::Guessed];

    /// Its name in texts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fitted => "fitted",
            Self::SameChip => "same chip",
            Self::Carried => "carried",
            Self::Own => "own",
            Self::Guessed => "guessed",
        }
    }
}

/// Where a load lies, seen from the knee of the latency curve.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regime {
    /// Requests hardly wait.
    Below,
    /// A few per cent in the time of a step decide how long requests wait.
    Near,
    /// Requests pile up.
    Over,
}

impl Regime {
    /// Its name in reports and rows.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Near => "near",
            Self::Over => "over",
        }
    }

    /// Its place in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Below => "below the knee",
            Self::Near => "near the knee",
            Self::Over => "over the knee",
        }
    }
}

/// A figure with a measured error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorFigure {
    /// Mean time per output token.
    Tpot,
    /// Mean time to first token.
    Ttft,
    /// Mean end-to-end latency.
    E2e,
}

/// An absolute error over experiments or rows, as a share.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorBand {
    /// Median.
    pub median: f64,
    /// 90th percentile.
    pub p90: f64,
    /// Number of experiments; of rows where errors are known by the kind of run.
    pub n: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shares_and_gpus_are_those_of_the_catalogue() {
        let table = evidence();
        assert!(
            ["calibrated", "catalogue", "roofline"]
                .iter()
                .all(|name| table.found.iter().any(|f| f.latency == *name))
        );
        assert!(table.found.iter().all(|f| [f.e2e, f.tpot, f.ttft].iter().all(|x| (0.0..10.0).contains(x))));
        for on in &table.measured {
            assert!(crate::perf::known_gpu(&on.gpu).is_some_and(|g| g.name == on.gpu), "{}", on.gpu);
            assert!(on.batch > 0 && on.context_tokens > 0 && !on.models.is_empty(), "{}", on.gpu);
        }
    }

    #[test]
    fn configurations_are_of_the_catalogue_and_behind_every_row_of_coefficients() {
        let table = evidence();
        for c in &table.configurations {
            assert!(crate::perf::known_gpu(&c.gpu).is_some_and(|g| g.name == c.gpu), "{}", c.gpu);
            assert!(crate::perf::known_model(&c.model).is_some_and(|m| m.name == c.model), "{}", c.model);
            assert!(c.tp > 0 && c.measured > 0 && c.fitted <= c.measured, "{c:?}");
        }
        for row in crate::perf::calibrations().iter().filter(|row| !row.rests_on.is_empty()) {
            let of_row = |c: &Configuration| c.gpu == row.gpu && c.engine == row.engine && c.fitted > 0;
            assert!(table.configurations.iter().any(of_row), "{} {:?}", row.gpu, row.engine);
        }
    }

    #[test]
    fn errors_of_classes_are_shares_of_something() {
        let table = evidence();
        assert!(!table.errors.is_empty());
        for e in &table.errors {
            assert!(e.error.n > 0 && (0.0..=e.error.p90).contains(&e.error.median), "{e:?}");
        }
    }
}
