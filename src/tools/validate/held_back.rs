//! Errors of held-back rows by kind of run, and which share of rows lies within the error that is named for them.

use super::compare::Row;
use super::evidence::{band_of, configurations};
use super::experiment::Experiment;
use super::left_out::LeftOut;
use super::one_error::{OneError, one_by_one};
use super::pool::{Latency, pool};
use super::silicon::UNKNOWN;
use engine::perf::{
    Classified, Configuration, ErrorBand, ErrorFigure, EvidenceClass, KindError, LEAST_ROWS, MOST_CARRIED,
    PoolEvidence, Regime, RunKind,
};
use serde::Serialize;
use std::fmt::Write;

/// The errors of an experiment in a regime that nothing was fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldBack {
    source: String,
    kind: RunKind,
    regime: Regime,
    figure: ErrorFigure,
    /// Of its stages.
    errors: Vec<f64>,
    /// Whether its source says what client and server set; other rows count half.
    is_set: bool,
}

/// The error over experiments of which some count half.
fn band<'a>(held: impl Iterator<Item = &'a HeldBack>) -> Option<ErrorBand> {
    let (mut errors, mut n) = (Vec::new(), 0);
    for h in held {
        n += h.errors.len() as u32;
        errors.extend_from_slice(&h.errors);
        if h.is_set {
            errors.extend_from_slice(&h.errors);
        }
    }
    band_of(errors).map(|band| ErrorBand { n, ..band })
}

const REGIMES: [Regime; 3] = [Regime::Below, Regime::Near, Regime::Over];
const FIGURES: [(ErrorFigure, &str); 3] =
    [(ErrorFigure::Tpot, "TPOT"), (ErrorFigure::Ttft, "TTFT"), (ErrorFigure::E2e, "E2E")];

/// What a fit left out, as the tables name it, and which value of a pool that is.
const LEFT_OUT: [(&str, usize); 3] = [("unseen model", 0), ("unseen GPU", 1), ("unseen precision", 3)];

/// All held-back errors: of rows that nothing was fitted to, and of predictions by fits that left something out.
pub fn held_back(
    experiments: &[&Experiment],
    rows: &[Row],
    left_out: &[(&str, &[LeftOut])],
) -> Vec<HeldBack> {
    let measured = configurations(experiments, rows);
    let mut found = Vec::new();
    let own = one_by_one(rows.iter().filter(|r| !r.fitted_on && r.transfer.is_none()));
    found.extend(own.iter().filter_map(|error| one(experiments, &measured, error, None)));
    for (name, lines) in left_out {
        let part = LEFT_OUT.iter().find(|(of, _)| of == name).map(|(_, part)| *part);
        let errors = lines.iter().flat_map(|line| &line.errors);
        found.extend(errors.filter_map(|error| one(experiments, &measured, error, part)));
    }
    found
}

fn one(
    experiments: &[&Experiment],
    measured: &[Configuration],
    error: &OneError,
    left_out: Option<usize>,
) -> Option<HeldBack> {
    let e = experiments.iter().find(|e| e.source == error.source && !e.is_apart())?;
    let tp = e.count("/tp").filter(|tp| *tp > 0).unwrap_or(1);
    let classified = Classified::by(&pool(e, tp, &Latency::Calibrated).ok()?, measured);
    let is_new = left_out.is_some_and(|part| classified.values[part].class < EvidenceClass::Carried);
    Some(HeldBack {
        source: error.source.clone(),
        kind: classified.kind(u32::from(is_new))?,
        regime: *REGIMES.iter().find(|r| r.name() == error.regime)?,
        figure: FIGURES.iter().find(|(_, name)| *name == error.figure)?.0,
        errors: if error.stages.is_empty() { vec![error.error] } else { error.stages.clone() },
        is_set: e.text("/settings") != UNKNOWN,
    })
}

/// The error of each kind, figure and regime, with kinds joined in each way that a lookup takes.
pub fn kind_errors(held: &[HeldBack]) -> Vec<KindError> {
    let mut found = Vec::new();
    for experts in [Some(false), Some(true), None] {
        for carried in (0..=MOST_CARRIED).map(Some).chain([None]) {
            for regime in REGIMES {
                for (figure, _) in FIGURES {
                    let is = |h: &&HeldBack| {
                        is_of(h, (experts, carried)) && (h.regime, h.figure) == (regime, figure)
                    };
                    let error = band(held.iter().filter(is));
                    found.extend(error.map(|error| KindError { experts, carried, regime, figure, error }));
                }
            }
        }
    }
    found
}

fn is_of(h: &HeldBack, (experts, carried): (Option<bool>, Option<u32>)) -> bool {
    experts.is_none_or(|of| of == h.kind.experts) && carried.is_none_or(|of| of == h.kind.carried)
}

/// How many rows lie within the median and the 90th percentile that are named for their kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Coverage {
    /// TPOT, TTFT or E2E, means.
    pub figure: &'static str,
    /// Place of the load, or `any`.
    pub regime: &'static str,
    /// `dense`, `experts` or `any`.
    pub model: &'static str,
    /// How many of model, GPU, release and precision are carried, as text.
    pub carried: String,
    /// Rows.
    pub rows: u32,
    /// Of these, within the named median.
    pub within_median: u32,
    /// Of these, within the named 90th percentile.
    pub within_p90: u32,
}

/// Each held-back row against the errors of all other experiments: the shares that a new row would see.
pub fn crossed_coverage(held: &[HeldBack]) -> Vec<Coverage> {
    let mut lines = Vec::new();
    for h in held {
        let named = named_without(held, h);
        let Some(named) = named else { continue };
        for &error in &h.errors {
            count(&mut lines, h.figure, (h.kind, h.regime), (error, named));
        }
    }
    lines.sort();
    lines
}

/// The error that the others name for a row.
fn named_without(held: &[HeldBack], row: &HeldBack) -> Option<ErrorBand> {
    row.kind.steps().into_iter().find_map(|of| {
        let is = |h: &&HeldBack| {
            h.source != row.source && is_of(h, of) && (h.regime, h.figure) == (row.regime, row.figure)
        };
        band(held.iter().filter(is)).filter(|band| band.n >= LEAST_ROWS)
    })
}

/// Each row that nothing was fitted to against the error that a run of it names.
pub fn coverage(experiments: &[&Experiment], rows: &[Row]) -> Vec<Coverage> {
    let mut lines = Vec::new();
    for row in rows.iter().filter(|r| !r.fitted_on && r.stat == "mean") {
        let figure = ["tpot_ms", "ttft_ms", "e2e_ms"].iter().position(|metric| *metric == row.metric);
        let (Some(figure), Some(error)) = (figure, row.error) else { continue };
        let e = experiments.iter().find(|e| e.id == row.id && !e.is_apart());
        let Some(pool) = e.and_then(|e| pool(e, row.tp, &Latency::Calibrated).ok()) else { continue };
        let regime = match row.regime.as_deref() {
            Some("near") => Regime::Near,
            Some("overload") => continue,
            _ => Regime::Below,
        };
        let named = PoolEvidence::named(&pool, regime);
        let band = [named.tpot, named.ttft, named.e2e][figure];
        let (Some(band), Some(kind)) = (band, Classified::of(&pool).kind(0)) else { continue };
        count(&mut lines, FIGURES[figure].0, (kind, regime), (error.abs(), band));
    }
    lines.sort();
    lines
}

fn count(
    lines: &mut Vec<Coverage>,
    figure: ErrorFigure,
    (kind, regime): (RunKind, Regime),
    (error, named): (f64, ErrorBand),
) {
    let figure = FIGURES.iter().find(|(of, _)| *of == figure).map_or("", |(_, name)| *name);
    let model = if kind.experts { "experts" } else { "dense" };
    let carried = format!("{}{}", kind.carried, if kind.carried == MOST_CARRIED { " or more" } else { "" });
    for (regime, model, carried) in [(regime.words(), model, carried), (ANY, ANY, ANY.to_owned())] {
        let is = |c: &&mut Coverage| {
            (c.figure, c.regime, c.model, c.carried.as_str()) == (figure, regime, model, carried.as_str())
        };
        let [within_median, within_p90] = [named.median, named.p90].map(|most| u32::from(error <= most));
        match lines.iter_mut().find(is) {
            Some(c) => {
                c.rows += 1;
                c.within_median += within_median;
                c.within_p90 += within_p90;
            }
            None => {
                lines.push(Coverage { figure, regime, model, carried, rows: 1, within_median, within_p90 });
            }
        }
    }
}

/// All kinds of a figure.
const ANY: &str = "any";

/// The lines as a table of Markdown.
pub fn coverage_table(lines: &[Coverage]) -> String {
    let mut text = "| figure | regime | model | carried of model, GPU, release, precision | rows | within the named median | within the named p90 |\n|---|---|---|---|---|---|---|\n".to_owned();
    for c in lines {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(c.rows.max(1));
        let (median, p90) = (share(c.within_median), share(c.within_p90));
        let (figure, regime, model, carried, rows) = (c.figure, c.regime, c.model, &c.carried, c.rows);
        writeln!(text, "| {figure} | {regime} | {model} | {carried} | {rows} | {median:.0} % | {p90:.0} % |")
            .expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(source: &str, carried: u32, errors: &[f64]) -> HeldBack {
        HeldBack {
            source: source.to_owned(),
            kind: RunKind { experts: false, carried },
            regime: Regime::Below,
            figure: ErrorFigure::Tpot,
            errors: errors.to_vec(),
            is_set: true,
        }
    }

    #[test]
    fn a_kind_has_the_quantiles_of_its_rows_and_few_rows_are_joined_with_their_neighbours() {
        let all: Vec<f64> = (1..=20).map(|i| f64::from(i) / 100.0).collect();
        let found = kind_errors(&[held("a", 0, &all), held("b", 1, &[0.5])]);
        let of = |experts, carried| {
            found.iter().find(|k| (k.experts, k.carried) == (experts, carried)).map(|k| k.error)
        };
        let error = of(Some(false), Some(0)).expect("rows");
        assert_eq!((error.n, error.median), (20, 0.105));
        assert_eq!(of(Some(false), Some(1)).map(|e| e.n), Some(1));
        assert_eq!(of(None, None).map(|e| e.n), Some(21));
        assert_eq!(of(Some(true), None), None);
        let table = engine::perf::EvidenceTable { kinds: found, ..Default::default() };
        let kind = |carried| RunKind { experts: false, carried };
        let named = |carried| table.of_kind(kind(carried), Regime::Below, ErrorFigure::Tpot);
        assert_eq!(named(0), Some(error));
        // Of one row less is known than of those beside it, and more that is carried never makes the error smaller.
        let joined = named(1).expect("joined");
        assert!(joined.n == 21 && joined.median >= error.median && joined.p90 >= error.p90);
        assert_eq!(table.of_kind(kind(0), Regime::Near, ErrorFigure::Tpot), None);
    }

    #[test]
    fn a_row_is_judged_by_the_errors_of_other_experiments() {
        let small: Vec<f64> = (0..20).map(|_| 0.01).collect();
        let text = coverage_table(&crossed_coverage(&[held("a", 0, &small), held("b", 0, &[0.3, 0.005])]));
        // Rows of b within what a names: one of two. Those of a have too few others beside them.
        assert!(text.contains("| TPOT | any | any | any | 2 | 50 % | 50 % |"), "{text}");
    }
}
