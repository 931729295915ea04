//! Questions about runs beside each other, sweeps, races, searches and lessons. There is no engine here: runs come as the bytes of their
//! outcomes, and the page makes them in threads of their own.

use super::searches::{CapacityStudy, RatioRun, RatioStudy};
use crate::compare::{Comparing, Metric, Outcomes, RequestCloud, RunComparison};
use crate::file::{StudyFile, StudyRead};
use crate::kv_policies::{
    KvPolicyCase, KvPolicyChoice, KvPolicyRegret, KvPolicyRun, kv_policies, kv_policy_cases,
    kv_policy_regrets,
};
use crate::lesson::{CaseFigures, Guess, Lesson, LessonCase, LessonRead, StepVerdict};
use crate::oracle::oracle_of;
use crate::policies::{RunPolicies, entrant, run_policies};
use crate::sweep::{
    Capacity, CaseText, PagePace, Plan, RaceEntry, RaceRanking, RankBy, RatioResult, RunRow, SweepElsewhere,
    SweepRow, SweepSummary, Vary, elsewhere, rank, summary,
};
use base::ask::{AttachedBytes, Beside};
use base::{Diagnostic, Diagnostics};
use document::{FieldValues, Scenario, limits, parse, to_json, value_from_json};
use run::session::report::RunMetric;
use serde::{Deserialize, Serialize};

questions! {
    /// A question about runs beside each other, sweeps, races, searches or lessons. Scenarios are JSON text.
    ComparisonQuestion, ComparisonAnswers of &mut ComparisonDesk;
    /// Two runs beside each other, or a pair of runs for each seed; null if there is nothing to compare yet.
    compare: Compare(ComparedRuns) -> Option<RunsCompared> = |_, runs, beside| runs.compared(beside);
    /// The scenarios of a race or a sweep.
    cases: Cases(CasesQuery) -> Vec<CaseText> = |_, query, _| query.cases();
    /// The policies that a run has at a path, one after the other.
    policies: Policies(PoliciesQuery) -> RunPolicies =
        |_, query, _| Ok(run_policies(&parse(&query.scenario)?, &query.path));
    /// The scenario of an entrant.
    entrant: Entrant(EntrantQuery) -> String = |_, query, _| query.scenario();
    /// About how long a sweep takes on the page, and its command for another machine.
    elsewhere: Elsewhere(ElsewhereQuery) -> SweepElsewhere = |_, query, _| query.answer();
    /// The figures of one run, from its outcomes.
    row: Row(AttachedBytes) -> RunRow = |_, outcomes, beside| {
        Ok(RunRow::with_metrics(&Outcomes::read(beside.asked.get(outcomes))?, RunMetric::further()))
    };
    /// The ranking of a race so far.
    rank: Rank(RankQuery) -> RaceRanking =
        |_, query, _| Ok(rank(&query.entries, &query.bound, query.by, query.seeds));
    /// The file of a study, as text.
    write_study: WriteStudy(Box<StudyFile>) -> String = |_, study, _| Ok(study.write());
    /// Reads the file of a study.
    read_study: ReadStudy(String) -> StudyRead = |_, text, _| StudyFile::read(&text);
    /// The runs of a study as CSV.
    study_csv: StudyCsv(Box<StudyFile>) -> String = |_, study, _| Ok(study.csv());
    /// The scenario of the oracle of a scenario; null if no pool has an autoscaler.
    oracle: Oracle(String) -> Option<String> = |_, scenario, _| {
        Ok(oracle_of(&parse(&scenario)?, None)?.map(|run| to_json(&run.scenario)))
    };
    /// The policies for the KV of sessions, for a scenario as it is in force.
    kv_policies: KvPolicies(String) -> Vec<KvPolicyChoice> = |_, scenario, _| Ok(kv_policies(&parse(&scenario)?));
    /// The runs of these policies, as far as a scenario can have them.
    kv_policy_cases: KvPolicyCases(String) -> Vec<KvPolicyCase> = |_, scenario, _| kv_policy_cases(&parse(&scenario)?);
    /// What such runs computed again beyond that of the oracle.
    kv_policy_regrets: KvPolicyRegrets(Vec<KvPolicyRun>) -> Vec<KvPolicyRegret> =
        |_, runs, _| Ok(kv_policy_regrets(&runs));
    /// The results of a sweep so far.
    summary: Summary(SummaryQuery) -> SweepSummary = |_, query, _| Ok(summary(&query.paths, &query.rows));
    /// Begins a search for the capacity of a scenario; it replaces the previous one.
    search: Search(SearchQuery) -> () = |desk, query, _| desk.begin_search(&query);
    /// The scenario that runs next for a seed, by its index; null once its search has ended.
    search_next: SearchNext(usize) -> Option<String> =
        |desk, seed, _| Ok(desk.search.as_mut().and_then(|search| search.next(seed)));
    /// Takes the outcomes of the run requested last.
    search_saw: SearchSaw(SearchRunEnded) -> () = |desk, ended, beside| {
        let run = Outcomes::read(beside.asked.get(ended.outcomes))?;
        desk.search.iter_mut().for_each(|search| search.saw(ended.seed, &run));
        Ok(())
    };
    /// The run requested last for a seed cannot be made; answers whether a lower load is known to hold.
    search_refused: SearchRefused(usize) -> bool =
        |desk, seed, _| Ok(desk.search.as_mut().is_some_and(|search| search.refused(seed)));
    /// The result of the search; null before the first one.
    search_found: SearchFound(()) -> Option<Capacity> =
        |desk, (), _| Ok(desk.search.as_ref().map(CapacityStudy::result));
    /// Begins the searches for the best ratio of prefill to decode replicas, which replace the previous ones; answers the number of rows.
    ratios: Ratios(SearchQuery) -> usize = |desk, query, _| desk.begin_ratios(&query);
    /// The scenario that runs next for a row and a seed; null once its search has ended.
    ratio_next: RatioNext(RatioRun) -> Option<String> =
        |desk, of, _| Ok(desk.ratios.as_mut().and_then(|ratios| ratios.next(of)));
    /// Takes the outcomes of the run requested last.
    ratio_saw: RatioSaw(RatioRunEnded) -> () = |desk, ended, beside| {
        let run = Outcomes::read(beside.asked.get(ended.outcomes))?;
        desk.ratios.iter_mut().for_each(|ratios| ratios.saw(ended.of, &run));
        Ok(())
    };
    /// The run requested last cannot be made; answers whether a lower load is known to hold.
    ratio_refused: RatioRefused(RatioRun) -> bool =
        |desk, of, _| Ok(desk.ratios.as_mut().is_some_and(|ratios| ratios.refused(of)));
    /// The result so far; null before the first search.
    ratios_found: RatiosFound(()) -> Option<RatioResult> =
        |desk, (), _| Ok(desk.ratios.as_ref().map(RatioStudy::result));
    /// Opens a lesson, JSON text; it replaces the previous one.
    lesson: Lesson(String) -> LessonRead = |desk, text, _| desk.open_lesson(&text);
    /// The runs of a step of the lesson, by its number from 0.
    lesson_cases: LessonCases(usize) -> Vec<LessonCase> = |desk, step, _| {
        let lesson = desk.lesson()?;
        lesson.cases(within(lesson, step))
    };
    /// What the runs of a step show that have ended, and what became of the reader's guess.
    lesson_verdict: LessonVerdict(VerdictQuery) -> StepVerdict = |desk, query, _| {
        let lesson = desk.lesson()?;
        lesson.judge(within(lesson, query.step), &query.ended, query.guess.as_ref())
    };
}

/// What is kept from one question to the next.
#[derive(Default)]
pub struct ComparisonDesk {
    search: Option<CapacityStudy>,
    ratios: Option<RatioStudy>,
    lesson: Option<Lesson>,
}

impl ComparisonDesk {
    fn begin_search(&mut self, query: &SearchQuery) -> Result<(), Diagnostics> {
        self.search = None;
        self.search = Some(CapacityStudy::new(parse(&query.scenario)?, query.seeds, query.share)?);
        Ok(())
    }

    fn begin_ratios(&mut self, query: &SearchQuery) -> Result<usize, Diagnostics> {
        self.ratios = None;
        let ratios = RatioStudy::new(&parse(&query.scenario)?, query.seeds, query.share)?;
        Ok(self.ratios.insert(ratios).rows())
    }

    fn open_lesson(&mut self, text: &str) -> Result<LessonRead, Diagnostics> {
        self.lesson = None;
        if text.len() > limits::LESSON_BYTES {
            let found = format!("{} bytes", text.len());
            let allowed = format!("at most {}", limits::LESSON_BYTES);
            return Err(vec![Diagnostic::error("", found, allowed, "shorten its scenarios")]);
        }
        let read = Lesson::read_for_page(value_from_json(text)?)?;
        self.lesson = Some(read.lesson.clone());
        Ok(read)
    }

    fn lesson(&self) -> Result<&Lesson, Diagnostics> {
        let none = || vec![Diagnostic::error("", "no lesson", "a lesson", "open one first")];
        self.lesson.as_ref().ok_or_else(none)
    }
}

/// The step of a lesson that a number from the page names; the last one if there are fewer.
fn within(lesson: &Lesson, step: usize) -> usize {
    step.min(lesson.steps.len().saturating_sub(1))
}

/// Runs to compare.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedRuns {
    /// Both scenarios with their edits, which divide the run into spans.
    scenarios: ComparedScenarios,
    /// The outcomes of the runs, a pair for each seed.
    pairs: Vec<OutcomesPair>,
    /// For each pair those of the runs of their oracles, if there are any.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    bounds: Vec<OutcomesPair>,
}

/// Two scenarios to compare, JSON text.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedScenarios {
    /// That of A.
    a: String,
    /// That of B.
    b: String,
}

/// The outcomes of two runs with one seed, as bytes that their simulations wrote.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomesPair {
    /// Those of A.
    a: AttachedBytes,
    /// Those of B.
    b: AttachedBytes,
}

/// Two runs compared.
#[apply(typescript!)]
#[derive(Clone, Debug, Serialize)]
pub struct RunsCompared {
    /// The comparison.
    comparison: RunComparison,
    /// The requests of the first pair as points, by TTFT; null unless requests are paired.
    cloud: Option<RequestCloud>,
}

impl ComparedRuns {
    fn compared(&self, beside: &Beside) -> Result<Option<RunsCompared>, Diagnostics> {
        let mut comparing = Comparing::default();
        comparing.set_scenarios(&parse(&self.scenarios.a)?, &parse(&self.scenarios.b)?);
        comparing.set_metrics(RunMetric::further().collect());
        let read = |named: AttachedBytes| Outcomes::read(beside.asked.get(named));
        for (i, pair) in self.pairs.iter().enumerate() {
            let (a, b) = (read(pair.a)?, read(pair.b)?);
            if let Some(bound) = self.bounds.get(i) {
                comparing.add_bounds([&a, &b], [&read(bound.a)?, &read(bound.b)?]);
            }
            comparing.add(a, b);
        }
        let cloud = comparing.cloud(Metric::Ttft);
        Ok(comparing.result().map(|comparison| RunsCompared { comparison, cloud }))
    }
}

/// A query for the cases of a sweep or a race.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CasesQuery {
    /// The scenario.
    scenario: String,
    /// What varies, as arguments of `--vary`.
    varied: Vec<String>,
    /// The number of seeds.
    seeds: u32,
}

impl CasesQuery {
    fn cases(&self) -> Result<Vec<CaseText>, Diagnostics> {
        let varied: Result<Vec<Vary>, Diagnostic> =
            self.varied.iter().map(|text| Vary::parse(text)).collect();
        let check = |s: &Scenario| document::check(s.clone()).map(|_| ());
        let varied = varied.map_err(|d| vec![d])?;
        let plan = Plan::new(&parse(&self.scenario)?, None, &varied, self.seeds.max(1), check)?;
        if plan.cases.len() > limits::CASES_PAGE {
            let (found, allowed) =
                (format!("{} cases", plan.cases.len()), format!("at most {}", limits::CASES_PAGE));
            return Err(vec![Diagnostic::error("", found, allowed, "tokenyard sweep runs more")]);
        }
        Ok(plan.texts())
    }
}

/// A query for the policies of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoliciesQuery {
    /// The scenario.
    scenario: String,
    /// The path of the policy.
    path: String,
}

/// A query for the scenario of an entrant of a race: it has its settings from an instant on, and no edits of the same fields from then on.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntrantQuery {
    /// The scenario.
    scenario: String,
    /// The settings by path.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    set: FieldValues,
    /// The instant, in microseconds.
    from_us: f64,
}

impl EntrantQuery {
    fn scenario(&self) -> Result<String, Diagnostics> {
        let scenario = entrant(&parse(&self.scenario)?, &self.set, self.from_us.max(0.0) as u64)?;
        Ok(to_json(&scenario))
    }
}

/// A query for the time of a sweep.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ElsewhereQuery {
    /// The scenario.
    scenario: String,
    /// What varies, as arguments of `--vary`.
    varied: Vec<String>,
    /// The number of seeds.
    seeds: u32,
    /// The number of threads that make runs.
    workers: u32,
    /// The milliseconds of one run, if some have ended.
    #[cfg_attr(feature = "types", ts(optional))]
    case_ms: Option<f64>,
}

impl ElsewhereQuery {
    fn answer(&self) -> Result<SweepElsewhere, Diagnostics> {
        let pace = PagePace { workers: self.workers, case_ms: self.case_ms };
        elsewhere(&parse(&self.scenario)?, &self.varied, self.seeds, pace)
    }
}

/// A query for the ranking of a race.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankQuery {
    /// The entrants with their runs.
    entries: Vec<RaceEntry>,
    /// The runs of the oracle, where autoscalers race.
    bound: Vec<RunRow>,
    /// The figure that ranks.
    by: RankBy,
    /// The number of seeds: an entry without a run for each of them has no place.
    seeds: u32,
}

/// A query for the results of a sweep.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryQuery {
    /// The paths that vary.
    paths: Vec<String>,
    /// The rows so far.
    rows: Vec<SweepRow>,
}

/// A search for the load at which requests meet their objectives.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// The scenario.
    scenario: String,
    /// The number of seeds.
    seeds: u32,
    /// The share of requests, above 0 up to 1.
    share: f64,
}

/// A run of the search for the capacity.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRunEnded {
    /// The seed, by its index.
    seed: usize,
    /// The outcomes.
    outcomes: AttachedBytes,
}

/// A run of the searches for the best ratio.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioRunEnded {
    /// Its search.
    of: RatioRun,
    /// The outcomes.
    outcomes: AttachedBytes,
}

/// A query for what a step of a lesson shows.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictQuery {
    /// The number of the step, from 0.
    step: usize,
    /// Its runs that have ended.
    ended: Vec<CaseFigures>,
    /// The reader's guess.
    #[cfg_attr(feature = "types", ts(optional))]
    guess: Option<Guess>,
}
