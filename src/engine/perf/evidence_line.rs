//! The evidence line of a pool: its class, and the error that was measured in that class and in the regime of the run.
//! An assessment of results and no result: no digest covers it.

use super::evidence::{ClassError, ErrorBand, ErrorFigure, EvidenceClass, Regime, evidence};
use super::evidence_class::{Classified, ClassifiedValue};
use super::facts::is_of_another_maker;
use base::small::decimal::fixed;
use document::{LatencyModel, Pool};
use serde::{Deserialize, Serialize};

/// What a regime was taken from.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegimeBasis {
    /// The verdict on the load of the run.
    Load,
    /// The share of the time to first token that requests wait.
    Waiting,
    /// An autoscaler, which keeps its pools near the knee.
    Autoscaler,
    /// A search for capacity, which ends near the knee.
    Capacity,
}

impl RegimeBasis {
    /// What it is, in words.
    fn words(self) -> &'static str {
        match self {
            Self::Load => "by the verdict on the load",
            Self::Waiting => "by the share of TTFT that is waiting",
            Self::Autoscaler => "as autoscaled pools are",
            Self::Capacity => "as capacities are",
        }
    }
}

/// The errors of the three figures; missing where nothing was measured.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureErrors {
    /// Mean time per output token.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tpot: Option<ErrorBand>,
    /// Mean time to first token.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft: Option<ErrorBand>,
    /// Mean end-to-end latency.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e2e: Option<ErrorBand>,
}

/// The evidence for the latency figures of a pool.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolEvidence {
    /// Name of the pool.
    pub pool: String,
    /// Its latency model.
    pub latency: String,
    /// Model.
    pub model: ClassifiedValue,
    /// GPU.
    pub gpu: ClassifiedValue,
    /// Release of the engine.
    pub engine: ClassifiedValue,
    /// Precision.
    pub precision: ClassifiedValue,
    /// Tensor parallelism.
    pub tp: ClassifiedValue,
    /// The worst of the five classes.
    pub class: EvidenceClass,
    /// Where the load lies; missing if it is not known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<Regime>,
    /// What the regime was taken from.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime_by: Option<RegimeBasis>,
    /// Measured errors of this latency model in this class and regime, below the knee if it is not known; none over the knee.
    pub error: FigureErrors,
    /// The same near the knee.
    pub near_knee: FigureErrors,
    /// Class and error in a few words.
    pub chip: String,
    /// All of it in sentences.
    pub text: String,
}

/// The measured errors of a pool in a regime: with built-in calibrated coefficients those of runs of its kind, else those of its class.
/// None is known for another maker's GPU unless its own row is fitted to this model.
fn errors(found: &Classified, regime: Regime) -> FigureErrors {
    let (of_table, class) = (evidence(), found.class());
    let [model, gpu, ..] = &found.values;
    let carried = [model, gpu].iter().any(|v| v.class == EvidenceClass::Carried);
    if found.latency == "calibrated" && carried && is_of_another_maker(&gpu.value) {
        return FigureErrors::default();
    }
    let kind = found.kind(0);
    let of_class = |figure: ErrorFigure| {
        let is = |e: &&ClassError| {
            e.latency == found.latency && (e.class, e.regime, e.figure) == (class, regime, figure)
        };
        of_table.errors.iter().find(is).map(|e| e.error)
    };
    let of = |figure: ErrorFigure| {
        kind.map_or_else(|| of_class(figure), |kind| of_table.of_kind(kind, regime, figure))
    };
    FigureErrors { tpot: of(ErrorFigure::Tpot), ttft: of(ErrorFigure::Ttft), e2e: of(ErrorFigure::E2e) }
}

/// A share as a percentage: one decimal below 10 %, and a bound above 1,000 %.
fn percent(share: f64) -> String {
    if share > 10.0 {
        return "over\u{a0}1000\u{a0}%".to_owned();
    }
    let percent = share * 100.0;
    format!("{}\u{a0}%", fixed(percent, usize::from(percent < 9.95)))
}

/// The error of the first figure that has one, with its name.
fn first(errors: &FigureErrors) -> Option<(&'static str, ErrorBand)> {
    named(errors).into_iter().find_map(|(name, band)| Some((name, band?)))
}

fn named(errors: &FigureErrors) -> [(&'static str, Option<ErrorBand>); 3] {
    [("TPOT", errors.tpot), ("TTFT", errors.ttft), ("E2E", errors.e2e)]
}

impl PoolEvidence {
    /// The errors that are named for a pool in a regime.
    #[must_use]
    pub fn named(pool: &Pool, regime: Regime) -> FigureErrors {
        errors(&Classified::of(pool), regime)
    }

    /// The evidence for a pool in a run of a regime; `None` if that is not known.
    #[must_use]
    pub fn new(pool: &Pool, regime: Option<(Regime, RegimeBasis)>) -> Self {
        let found = Classified::of(pool);
        let class = found.class();
        let place = regime.map_or(Regime::Below, |(regime, _)| regime);
        let [error, near_knee] = [place, Regime::Near].map(|regime| match regime {
            Regime::Below | Regime::Near => errors(&found, regime),
            Regime::Over => FigureErrors::default(),
        });
        let [model, gpu, engine, precision, tp] = found.values;
        let mut made = Self {
            pool: pool.name.clone(),
            latency: found.latency.to_owned(),
            model,
            gpu,
            engine,
            precision,
            tp,
            class,
            regime: regime.map(|(regime, _)| regime),
            regime_by: regime.map(|(_, by)| by),
            error,
            near_knee,
            chip: String::new(),
            text: String::new(),
        };
        made.chip = made.in_short();
        made.text = made.in_sentences(pool);
        made
    }

    /// `carried · TPOT ±8 %, near the knee ±21 %`.
    fn in_short(&self) -> String {
        let class = self.class.name();
        if self.regime == Some(Regime::Over) {
            return format!("{class} · {}: not validated", Regime::Over.words());
        }
        let Some((name, band)) = first(&self.error) else { return format!("{class} · error unknown") };
        let text = format!("{class} · {name} ±{}", percent(band.median));
        match self.regime {
            Some(place @ (Regime::Near | Regime::Over)) => format!("{text} {}", place.words()),
            Some(Regime::Below) | None => {
                let near = named(&self.near_knee).into_iter().find(|(other, _)| *other == name);
                let near = near.and_then(|(_, band)| band).map(|band| percent(band.median));
                near.map_or_else(|| text.clone(), |near| format!("{text}, near the knee ±{near}"))
            }
        }
    }

    /// The values of each class, the best class first.
    fn values(&self) -> String {
        let all = [&self.model, &self.gpu, &self.engine, &self.precision, &self.tp];
        let of_class = |class: EvidenceClass| {
            let values: Vec<&str> =
                all.iter().filter(|v| v.class == class).map(|v| v.value.as_str()).collect();
            (!values.is_empty()).then(|| format!("{}: {}", class.name(), values.join(", ")))
        };
        EvidenceClass::ALL.into_iter().filter_map(of_class).collect::<Vec<_>>().join("; ")
    }

    fn in_sentences(&self, pool: &Pool) -> String {
        let source = match self.class {
            EvidenceClass::Own => own(pool),
            EvidenceClass::Guessed => " A guess: nothing is known of the GPU but its peaks.".to_owned(),
            EvidenceClass::Fitted | EvidenceClass::SameChip | EvidenceClass::Carried => String::new(),
        };
        let place = self.regime.unwrap_or(Regime::Below);
        let by = self.regime_by.map_or_else(String::new, |by| format!(" ({})", by.words()));
        let here = match (in_words(&self.error), place) {
            (_, Regime::Over) => format!("Not validated {}{by}.", place.words()),
            (None, Regime::Below | Regime::Near) => format!("No error was measured {}{by}.", place.words()),
            (Some(errors), Regime::Below | Regime::Near) => format!("Error {}{by}: {errors}.", place.words()),
        };
        let near = in_words(&self.near_knee).filter(|_| place != Regime::Near);
        let near = near.map_or_else(String::new, |errors| format!(" Near the knee: {errors}."));
        format!("{}.{source} {here}{near}", self.values())
    }
}

/// `TPOT 4.0 % (p90 9.1 %, n 33), TTFT 5.5 % (p90 17 %, n 33)`; `None` without any.
fn in_words(errors: &FigureErrors) -> Option<String> {
    let one = |(name, band): (&str, Option<ErrorBand>)| {
        band.map(|b| format!("{name} {} (p90 {}, n {})", percent(b.median), percent(b.p90), b.n))
    };
    let all: Vec<String> = named(errors).into_iter().filter_map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The source of the user's own coefficients.
fn own(pool: &Pool) -> String {
    let source = match &pool.latency {
        LatencyModel::Calibrated(s) => s.rests_on.as_ref(),
        LatencyModel::Catalogue
        | LatencyModel::Fitted(_)
        | LatencyModel::Roofline(_)
        | LatencyModel::CrossModel(_)
        | LatencyModel::Piecewise(_) => None,
    };
    source.map_or_else(
        || " Coefficients of your own, without a source.".to_owned(),
        |from| format!(" Coefficients calibrated to {}.", from.file),
    )
}

#[cfg(test)]
mod tests {
    use super::super::evidence::RunKind;
    use super::*;
    use document::{CalibratedSettings, FittedCoefficients, Hardware};

    fn of(change: impl FnOnce(&mut Pool), regime: Option<(Regime, RegimeBasis)>) -> PoolEvidence {
        let mut pool = Pool::default();
        change(&mut pool);
        PoolEvidence::new(&pool, regime)
    }

    #[test]
    fn more_that_is_carried_never_has_a_smaller_error() {
        for experts in [false, true] {
            for figure in [ErrorFigure::Tpot, ErrorFigure::Ttft, ErrorFigure::E2e] {
                let of = |carried| {
                    let kind = RunKind { experts, carried };
                    evidence().of_kind(kind, Regime::Below, figure).map_or(0.0, |e| e.median)
                };
                assert!(of(0) > 0.0 && of(0) <= of(1) && of(1) <= of(2), "{experts} {figure:?}");
            }
        }
    }

    #[test]
    fn a_run_with_more_that_is_carried_has_the_error_of_its_kind_and_a_chip_of_another_maker_has_none() {
        let on = |gpu: &str| PoolEvidence::new(&Pool { gpu: gpu.to_owned(), ..Pool::default() }, None);
        let (h20, amd) = (on("H20"), on("MI355X"));
        assert_eq!((h20.gpu.class, amd.gpu.class), (EvidenceClass::Carried, EvidenceClass::Carried));
        let found = Classified::of(&Pool { gpu: "H20".to_owned(), ..Pool::default() });
        let kind = found.kind(0).expect("built-in coefficients");
        assert!(kind.carried >= 1 && !kind.experts);
        let error = evidence().of_kind(kind, Regime::Below, ErrorFigure::Tpot);
        assert!(error.is_some() && h20.error.tpot == error);
        assert!(amd.error.tpot.is_none() && amd.chip == "carried · error unknown", "{}", amd.chip);
    }

    #[test]
    fn the_error_is_that_of_class_and_regime_and_near_the_knee_it_is_told_too() {
        let below = of(|_| {}, None);
        let near = of(|_| {}, Some((Regime::Near, RegimeBasis::Capacity)));
        let found = Classified::of(&Pool::default());
        assert_eq!(below.error, errors(&found, Regime::Below));
        assert_eq!((near.error, near.near_knee), (below.near_knee, below.near_knee));
        assert!(below.chip.starts_with(&format!("{} · TPOT ±", below.class.name())), "{}", below.chip);
        assert!(below.text.contains("Error below the knee: TPOT"), "{}", below.text);
        assert!(near.text.contains("near the knee (as capacities are)"), "{}", near.text);
        assert!(
            near.chip.ends_with("near the knee") || near.error == FigureErrors::default(),
            "{}",
            near.chip
        );
    }

    #[test]
    fn over_the_knee_the_line_says_not_validated_and_has_no_number() {
        let over = of(|_| {}, Some((Regime::Over, RegimeBasis::Load)));
        assert_eq!(over.chip, format!("{} · over the knee: not validated", over.class.name()));
        assert_eq!(over.error, FigureErrors::default());
        assert!(
            over.text.contains("Not validated over the knee (by the verdict on the load)."),
            "{}",
            over.text
        );
        assert_eq!(over.text.contains("Near the knee: "), over.near_knee != FigureErrors::default());
    }

    #[test]
    fn nothing_is_known_of_the_error_of_own_coefficients_and_a_guess_is_told() {
        let own = of(|p| p.latency = LatencyModel::Fitted(FittedCoefficients::default()), None);
        assert_eq!((own.error, own.chip.as_str()), (FigureErrors::default(), "own · error unknown"));
        assert!(
            own.text.contains("without a source") && own.text.contains("No error was measured"),
            "{}",
            own.text
        );
        let guess = of(
            |p| {
                p.latency = LatencyModel::Calibrated(CalibratedSettings::default());
                p.hardware = Some(Hardware { tflops: 1.0, ..Hardware::default() });
            },
            None,
        );
        assert_eq!(guess.class, EvidenceClass::Guessed);
        assert!(guess.text.contains("A guess:") && guess.chip.starts_with("guessed"), "{guess:?}");
    }

    #[test]
    fn it_is_read_back_as_written() {
        let made = of(|_| {}, Some((Regime::Over, RegimeBasis::Load)));
        let text = serde_json::to_string(&made).expect("JSON");
        assert_eq!(serde_json::from_str::<PoolEvidence>(&text).expect("its own shape"), made);
    }

    #[test]
    fn shares_are_percentages_with_a_decimal_below_ten() {
        assert_eq!(
            [0.0226, 0.0994, 0.0996, 1.5, 971.0].map(percent),
            ["2.3\u{a0}%", "9.9\u{a0}%", "10\u{a0}%", "150\u{a0}%", "over\u{a0}1000\u{a0}%"]
        );
    }
}
