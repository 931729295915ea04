//! The boundary of the module that compares runs, which the page loads when it opens a comparison: it takes outcomes
//! of runs and gives the comparison. It has no engine.

use crate::wasm::boundary::{value, written};
use base::{Diagnostic, Diagnostics};
use document::{FieldValues, Scenario, limits, parse, to_json};
use run::session::report::RunMetric;
use study::compare::{Comparing, Metric, Outcomes};
use study::file::StudyFile;
use study::oracle::oracle_of;
use study::policies::{entrant, run_policies};
use study::sweep::{
    Capacity, CapacitySearch, PagePace, Plan, RaceEntry, RankBy, Ratio, RatioSearches, Ratios, RunRow,
    SweepRow, Vary, capacity, elsewhere, rank, summary,
};
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type Capacity = import('../src/generated/boundary.ts').Capacity;
type CaseText = import('../src/generated/boundary.ts').CaseText;
type RaceEntry = import('../src/generated/boundary.ts').RaceEntry;
type RaceRanking = import('../src/generated/boundary.ts').RaceRanking;
type RatioCase = import('../src/generated/boundary.ts').RatioCase;
type RatioResult = import('../src/generated/boundary.ts').RatioResult;
type RankBy = import('../src/generated/boundary.ts').RankBy;
type RunPolicies = import('../src/generated/boundary.ts').RunPolicies;
type RunComparison = import('../src/generated/boundary.ts').RunComparison;
type RequestCloud = import('../src/generated/boundary.ts').RequestCloud;
type RunRow = import('../src/generated/boundary.ts').RunRow;
type StudyFile = import('../src/generated/boundary.ts').StudyFile;
type StudyRead = import('../src/generated/boundary.ts').StudyRead;
type SweepElsewhere = import('../src/generated/boundary.ts').SweepElsewhere;
type SweepRow = import('../src/generated/boundary.ts').SweepRow;
type SweepSummary = import('../src/generated/boundary.ts').SweepSummary;
";

/// The figures of a run, from the bytes of `Sim.outcomes`; throws a list of diagnostics.
#[wasm_bindgen(js_name = runRow, unchecked_return_type = "RunRow")]
pub fn run_row(outcomes: &[u8]) -> Result<JsValue, JsValue> {
    Outcomes::read(outcomes)
        .map(|run| value(&RunRow::with_metrics(&run, RunMetric::further())))
        .map_err(|problems| value(&problems))
}

/// The file of a study, as text.
#[wasm_bindgen(js_name = writeStudy)]
pub fn write_study(
    #[wasm_bindgen(unchecked_param_type = "StudyFile")] study: &JsValue,
) -> Result<String, JsError> {
    Ok(written::<StudyFile>(study)?.write())
}

/// Reads the file of a study; throws a list of diagnostics.
#[wasm_bindgen(js_name = readStudy, unchecked_return_type = "StudyRead")]
pub fn read_study(text: &str) -> Result<JsValue, JsValue> {
    StudyFile::read(text).map(|read| value(&read)).map_err(|problems| value(&problems))
}

/// The runs of a study as CSV.
#[wasm_bindgen(js_name = studyCsv)]
pub fn study_csv(
    #[wasm_bindgen(unchecked_param_type = "StudyFile")] study: &JsValue,
) -> Result<String, JsError> {
    Ok(written::<StudyFile>(study)?.csv())
}

/// The current order of a race of a number of seeds.
#[wasm_bindgen(js_name = rankRace, unchecked_return_type = "RaceRanking")]
pub fn rank_race(
    #[wasm_bindgen(unchecked_param_type = "RaceEntry[]")] entries: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "RunRow[]")] bound: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "RankBy")] by: &JsValue,
    seeds: u32,
) -> Result<JsValue, JsError> {
    let (entries, bound, by): (Vec<RaceEntry>, Vec<RunRow>, RankBy) =
        (written(entries)?, written(bound)?, written(by)?);
    Ok(value(&rank(&entries, &bound, by, seeds)))
}

/// The scenario of the oracle, as JSON text; `undefined` if no pool has an autoscaler. Throws a list of diagnostics.
#[wasm_bindgen(js_name = oracleOf)]
pub fn oracle(scenario: &str) -> Result<Option<String>, JsValue> {
    let found = parse(scenario).and_then(|scenario| oracle_of(&scenario, None));
    found.map(|run| run.map(|run| to_json(&run.scenario))).map_err(|problems| value(&problems))
}

/// The policies that a run has at a path, one after the other; throws a list of diagnostics.
#[wasm_bindgen(js_name = runPolicies, unchecked_return_type = "RunPolicies")]
pub fn policies_of(scenario: &str, path: &str) -> Result<JsValue, JsValue> {
    parse(scenario).map(|scenario| value(&run_policies(&scenario, path))).map_err(|problems| value(&problems))
}

/// The scenario, JSON text, of an entrant: with settings, JSON text by path, from an instant on, and without edits of
/// the same fields from then on; throws a list of diagnostics.
#[wasm_bindgen(js_name = entrantOf)]
pub fn entrant_of(scenario: &str, set: &str, from_us: f64) -> Result<String, JsValue> {
    let made = || {
        let set: FieldValues = serde_json::from_str(set).expect("INV-6: settings are written by the page");
        entrant(&parse(scenario)?, &set, from_us.max(0.0) as u64)
    };
    made().map(|scenario| to_json(&scenario)).map_err(|problems: Diagnostics| value(&problems))
}

/// The cases of a sweep, from arguments of `--vary`; throws a list of diagnostics.
#[wasm_bindgen(js_name = sweepCases, unchecked_return_type = "CaseText[]")]
pub fn sweep_cases(scenario: &str, varied: Vec<String>, seeds: u32) -> Result<JsValue, JsValue> {
    let planned = || {
        let varied: Result<Vec<Vary>, Diagnostic> =
            varied.into_iter().map(|text| Vary::parse(&text)).collect();
        let check = |s: &Scenario| document::check(s.clone()).map(|_| ());
        let plan = Plan::new(&parse(scenario)?, None, &varied.map_err(|d| vec![d])?, seeds.max(1), check)?;
        if plan.cases.len() > limits::CASES_PAGE {
            let (found, allowed) =
                (format!("{} cases", plan.cases.len()), format!("at most {}", limits::CASES_PAGE));
            return Err(vec![Diagnostic::error("", found, allowed, "tokenyard sweep runs more")]);
        }
        Ok(plan.texts())
    };
    planned().map(|cases| value(&cases)).map_err(|problems| value(&problems))
}

/// About how long a sweep takes on the page, where one run took `case_ms` milliseconds if some have ended, and its command for another
/// machine; throws a list of diagnostics.
#[expect(clippy::needless_pass_by_value, reason = "lists come from JavaScript by value")]
#[wasm_bindgen(js_name = sweepElsewhere, unchecked_return_type = "SweepElsewhere")]
pub fn sweep_elsewhere(
    scenario: &str,
    varied: Vec<String>,
    seeds: u32,
    workers: u32,
    case_ms: Option<f64>,
) -> Result<JsValue, JsValue> {
    let found = parse(scenario).and_then(|s| elsewhere(&s, &varied, seeds, PagePace { workers, case_ms }));
    found.map(|found| value(&found)).map_err(|problems| value(&problems))
}

/// The summary of the rows of a sweep.
#[expect(clippy::needless_pass_by_value, reason = "lists come from JavaScript by value")]
#[wasm_bindgen(js_name = sweepSummary, unchecked_return_type = "SweepSummary")]
pub fn sweep_summary(
    paths: Vec<String>,
    #[wasm_bindgen(unchecked_param_type = "SweepRow[]")] rows: &JsValue,
) -> Result<JsValue, JsError> {
    let rows: Vec<SweepRow> = written(rows)?;
    Ok(value(&summary(&paths, &rows)))
}

/// The scenario that a search runs next, as JSON text.
fn next_of(search: &mut CapacitySearch) -> Option<String> {
    match search.case()? {
        Ok(scenario) => Some(to_json(&scenario)),
        // The load exceeds the limits of a scenario: the search ends with what is known.
        Err(problem) => {
            let _ = search.refused(vec![problem]);
            None
        }
    }
}

/// The search for the capacity of a scenario, seed by seed: it names the next run, and takes its result.
#[wasm_bindgen]
pub struct CapacityStudy {
    scenario: Scenario,
    share: f64,
    searches: Vec<CapacitySearch>,
}

#[wasm_bindgen]
impl CapacityStudy {
    /// A search with a number of seeds for the load at which a share of the requests (above 0 up to 1) meets the
    /// objectives; throws a list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str, seeds: u32, share: f64) -> Result<Self, JsValue> {
        let scenario = parse(scenario).map_err(|problems| value(&problems))?;
        if let Some(problem) = Capacity::refuses(&scenario) {
            return Err(value(&[problem]));
        }
        let seeds = u64::from(seeds.clamp(1, limits::CASES_PAGE as u32));
        let search = |k| CapacitySearch::new(&scenario, scenario.seed.wrapping_add(k), share);
        let searches = (0..seeds).map(search).collect();
        Ok(Self { scenario, share, searches })
    }

    /// The scenario that runs next for a seed, as JSON text; `undefined` once its search has ended.
    pub fn next(&mut self, seed: usize) -> Option<String> {
        next_of(self.searches.get_mut(seed)?)
    }

    /// Takes the outcomes of the last requested run, as bytes of `Sim.outcomes`; throws a list of diagnostics.
    pub fn saw(&mut self, seed: usize, outcomes: &[u8]) -> Result<(), JsValue> {
        let run = Outcomes::read(outcomes).map_err(|problems| value(&problems))?;
        if let Some(search) = self.searches.get_mut(seed) {
            search.saw(&run);
        }
        Ok(())
    }

    /// Records that the last requested run cannot be made. Returns whether a lower load is known to hold.
    pub fn refused(&mut self, seed: usize) -> bool {
        self.searches.get_mut(seed).is_some_and(|search| search.refused(Vec::new()).is_ok())
    }

    /// The result of the searches.
    #[wasm_bindgen(unchecked_return_type = "Capacity")]
    pub fn result(&self) -> JsValue {
        let found = self.searches.iter().map(CapacitySearch::found).collect();
        value(&capacity(&self.scenario, self.share, found))
    }
}

/// The search for the best ratio of prefill to decode replicas: a search for the capacity with each ratio and seed.
#[wasm_bindgen]
pub struct RatioStudy(RatioSearches);

#[wasm_bindgen]
impl RatioStudy {
    /// The searches with a number of seeds for the load at which a share of the requests (above 0 up to 1) meets the
    /// objectives, for all ratios or those given, such as `2:6` and `mixed`; throws a list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str, seeds: u32, share: f64, ratios: Vec<String>) -> Result<Self, JsValue> {
        let made = move || {
            let ratios: Result<Vec<Ratio>, Diagnostic> =
                ratios.into_iter().map(|text| Ratio::parse(&text)).collect();
            let seeds = seeds.clamp(1, limits::CASES_PAGE as u32);
            RatioSearches::new(&parse(scenario)?, &ratios.map_err(|d| vec![d])?, seeds, share)
        };
        made().map(Self).map_err(|problems| value(&problems))
    }

    /// The ratios in the order of their rows.
    #[wasm_bindgen(unchecked_return_type = "RatioCase[]")]
    pub fn cases(&self) -> JsValue {
        value(&self.0.cases())
    }

    /// The scenario that runs next for a row and a seed, as JSON text; `undefined` once its search has ended.
    pub fn next(&mut self, row: usize, seed: usize) -> Option<String> {
        next_of(self.0.search(row, seed)?)
    }

    /// Takes the outcomes of the last requested run, as bytes of `Sim.outcomes`; throws a list of diagnostics.
    pub fn saw(&mut self, row: usize, seed: usize, outcomes: &[u8]) -> Result<(), JsValue> {
        let run = Outcomes::read(outcomes).map_err(|problems| value(&problems))?;
        if let Some(search) = self.0.search(row, seed) {
            search.saw(&run);
        }
        Ok(())
    }

    /// Records that the last requested run cannot be made. Returns whether a lower load is known to hold.
    pub fn refused(&mut self, row: usize, seed: usize) -> bool {
        self.0.search(row, seed).is_some_and(|search| search.refused(Vec::new()).is_ok())
    }

    /// The result of the searches so far.
    #[wasm_bindgen(unchecked_return_type = "RatioResult")]
    pub fn result(&self) -> JsValue {
        value(&self.0.result())
    }
}

/// A scenario with a ratio of prefill to decode replicas such as `2:6`, or `mixed`, at equal GPUs, as JSON text; throws
/// a list of diagnostics.
#[wasm_bindgen(js_name = withRatio)]
pub fn with_ratio(scenario: &str, ratio: &str) -> Result<String, JsValue> {
    let made = || {
        let ratio = Ratio::parse(ratio).map_err(|d| vec![d])?;
        Ratios::of(&parse(scenario)?)?.with(ratio)
    };
    made().map(|scenario| to_json(&scenario)).map_err(|problems| value(&problems))
}

/// Runs of two scenarios, seed by seed.
#[wasm_bindgen]
#[derive(Default)]
pub struct Comparison(Comparing);

#[wasm_bindgen]
impl Comparison {
    /// A comparison without runs.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The scenarios of A and B, with the edits that they have when the pairs are added; throws a list of diagnostics.
    #[wasm_bindgen(js_name = setScenarios)]
    pub fn set_scenarios(&mut self, a: &str, b: &str) -> Result<(), JsValue> {
        let read = |text: &str| parse(text).map_err(|problems| value(&problems));
        self.0.set_scenarios(&read(a)?, &read(b)?);
        self.0.set_metrics(RunMetric::further().collect());
        Ok(())
    }

    /// Adds two runs with the same seed, as bytes of `Sim.outcomes`; throws a list of diagnostics.
    pub fn add(&mut self, a: &[u8], b: &[u8]) -> Result<(), JsValue> {
        let read = |bytes: &[u8]| Outcomes::read(bytes).map_err(|problems| value(&problems));
        self.0.add(read(a)?, read(b)?);
        Ok(())
    }

    /// Adds the oracles' outcomes for the seed of the two runs that are added next; throws a list of diagnostics.
    #[wasm_bindgen(js_name = addBounds)]
    pub fn add_bounds(&mut self, a: &[u8], b: &[u8], bound_a: &[u8], bound_b: &[u8]) -> Result<(), JsValue> {
        let read = |bytes: &[u8]| Outcomes::read(bytes).map_err(|problems| value(&problems));
        self.0.add_bounds([&read(a)?, &read(b)?], [&read(bound_a)?, &read(bound_b)?]);
        Ok(())
    }

    /// The requests of the first pair as points, by TTFT; `null` unless requests are paired.
    #[wasm_bindgen(unchecked_return_type = "RequestCloud | null")]
    pub fn cloud(&self) -> JsValue {
        value(&self.0.cloud(Metric::Ttft))
    }

    /// The result of the comparison; `null` before the first pair.
    #[wasm_bindgen(unchecked_return_type = "RunComparison | null")]
    pub fn result(&self) -> JsValue {
        value(&self.0.result())
    }
}
