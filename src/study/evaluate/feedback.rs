//! The evaluation in words and numbers, the most informative first: scores, the case with the lowest one, the requests
//! that lost most, the other cases, and what the expressions do not use.

use super::candidate::Candidate;
use super::evaluated::Evaluated;
use super::evaluation::{Artifacts, CaseResult, EvaluatedSuite, Evaluation, Status};
use super::losers::{described, line};
use super::options::Options;
use super::run::{CaseRun, Figure};
use super::run_pair::RunPair;
use super::runner::Runner;
use super::score::{ObjectiveScore, mean};
use super::suite::{Better, Case, Objective, Suite};
use super::text::{cut, figure, ms, percent, verdict};
use crate::compare::{Ending, Outcomes};
use crate::whatif::AccountedTime;
use base::digest::Digest;
use base::json;
use document::Scenario;
use document::expression::{NAMES, names_in};
use run::observe::anomaly::AnomalyKind;
use run::session::report::RunMetric;
use serde_json::Value;
use std::collections::BTreeMap;

/// Classes or clients in a table.
const GROUPS: usize = 12;

/// What an evaluation is about.
pub(super) struct Subject<'a> {
    pub(super) suite: &'a Suite,
    pub(super) options: &'a Options,
    pub(super) candidate: &'a Candidate,
    pub(super) scenarios: &'a [Scenario],
    pub(super) evaluated: Vec<Evaluated<'a>>,
}

/// The evaluation of a candidate that ran.
pub(super) fn written(subject: &Subject<'_>, runner: &impl Runner) -> Evaluation {
    let Subject { suite, options, candidate, scenarios, evaluated } = subject;
    let scores: Vec<f64> = evaluated.iter().map(|of_case| of_case.result.score).collect();
    let combined_score = mean(&scores);
    let texts: Vec<String> = if options.text_bytes == 0 {
        evaluated.iter().map(|_| String::new()).collect()
    } else {
        evaluated.iter().map(|of_case| case_text(suite, of_case)).collect()
    };
    let feedback = if options.text_bytes == 0 {
        String::new()
    } else {
        let lost = described(suite, scenarios, evaluated, accounted(&suite.objectives), runner);
        cut(&whole_text(subject, combined_score, &texts, &lost), options.text_bytes)
    };
    let cases: Vec<CaseResult> = evaluated
        .iter()
        .zip(&texts)
        .map(|(of_case, text)| CaseResult {
            feedback: cut(text, options.text_bytes),
            ..of_case.result.clone()
        })
        .collect();
    let understood = scenarios.first().map(|scenario| Value::Object(candidate.understood(scenario)));
    let understood = understood.unwrap_or_default();
    let runs: Vec<String> = cases.iter().map(|case| format!("{} {}", case.id, case.digest)).collect();
    let said = format!("{} {} {combined_score} {}", suite.digest, json::compact(&understood), runs.join(" "));
    let by_objective = |i: usize, of: fn(&ObjectiveScore) -> Option<f64>| {
        let values: Option<Vec<f64>> =
            evaluated.iter().map(|of_case| of(&of_case.result.objectives[i])).collect();
        values.map(|values| mean(&values))
    };
    let mut metrics = features(candidate, evaluated);
    metrics.insert("score".to_owned(), combined_score);
    let mut scores = BTreeMap::new();
    for (i, objective) in suite.objectives.iter().enumerate() {
        // A figure that some run lacks has no mean.
        metrics
            .extend(by_objective(i, |score| score.candidate).map(|value| (objective.metric.clone(), value)));
        scores.extend(
            by_objective(i, |score| Some(score.score)).map(|value| (objective.metric.clone(), value)),
        );
    }
    Evaluation {
        status: Status::Success,
        combined_score,
        metrics,
        scores,
        cases,
        artifacts: Artifacts { feedback },
        candidate: understood,
        problems: Vec::new(),
        suite: EvaluatedSuite::of(suite, options),
        digest: Digest::of(said.as_bytes()).hex(),
    }
}

/// Figures that describe a candidate and its runs, none of them a score.
fn features(candidate: &Candidate, evaluated: &[Evaluated<'_>]) -> BTreeMap<String, f64> {
    let runs = || evaluated.iter().flat_map(|of_case| of_case.runs);
    let mean_of =
        |metric| mean(&runs().filter_map(|pair| pair.candidate.outcomes.figure(metric)).collect::<Vec<_>>());
    BTreeMap::from([
        ("hit_share".to_owned(), mean_of(RunMetric::ReusedPromptShare)),
        ("load_cov".to_owned(), mean_of(RunMetric::ReplicasCov)),
        ("preemptions".to_owned(), mean_of(RunMetric::Preemptions)),
        ("expression_nodes".to_owned(), candidate.nodes() as f64),
    ])
}

/// The time that is explained: that of the first objective that is one.
fn accounted(objectives: &[Objective]) -> AccountedTime {
    let first = objectives.iter().find(|objective| Figure::read(&objective.metric).is_time());
    if first.is_some_and(|objective| objective.metric.contains("ttft")) {
        AccountedTime::Ttft
    } else {
        AccountedTime::E2e
    }
}

fn whole_text(subject: &Subject<'_>, score: f64, texts: &[String], lost: &[String]) -> String {
    let Subject { suite, options, candidate, evaluated, .. } = subject;
    let mut out = String::new();
    let expressions = candidate.expressions().len();
    let nodes = match expressions {
        0 => String::new(),
        1 => format!("; an expression of {} nodes", candidate.nodes()),
        _ => format!("; {} nodes in {expressions} expressions", candidate.nodes()),
    };
    let stage = options.stage.map_or_else(String::new, |stage| format!(", stage {stage}"));
    line(&mut out, &format!("score {score:.3} on {}{stage}, baseline 0.500{nodes}", options.split.name()));
    let by_case: Vec<String> = evaluated
        .iter()
        .map(|of_case| format!("{} {:.3}", of_case.result.id, of_case.result.score))
        .collect();
    line(&mut out, &format!("by case: {}", by_case.join(", ")));
    let mut order: Vec<usize> = (0..evaluated.len()).collect();
    order.sort_by(|&a, &b| evaluated[a].result.score.total_cmp(&evaluated[b].result.score).then(a.cmp(&b)));
    let (first, others) = order.split_at(1);
    out.push('\n');
    for &i in first {
        out.push_str(&texts[i]);
    }
    if !lost.is_empty() {
        line(&mut out, "\nRequests that lost most against the baseline:");
        for text in lost {
            out.push_str(text);
        }
    }
    for &i in others {
        out.push('\n');
        out.push_str(&texts[i]);
    }
    push_unused(&mut out, candidate);
    for note in notes(suite, candidate) {
        line(&mut out, &note);
    }
    out
}

/// What of a candidate has no effect.
fn notes(suite: &Suite, candidate: &Candidate) -> Vec<String> {
    let scaled = |case: &Case| {
        case.scenario.cluster.pools.iter().any(|pool| pool.scaling.policy != document::ScalingPolicy::None)
    };
    let without: Vec<&str> =
        suite.cases.iter().filter(|case| !scaled(case)).map(|case| case.id.as_str()).collect();
    if candidate.policies.contains_key("autoscaler") && !without.is_empty() {
        return vec![format!("autoscaler has no effect on cases without one: {}", without.join(", "))];
    }
    Vec::new()
}

fn push_unused(out: &mut String, candidate: &Candidate) {
    let expressions = candidate.expressions();
    if expressions.is_empty() {
        return;
    }
    let used: Vec<String> = expressions.iter().flat_map(|text| names_in(text)).collect();
    let is_used = |name: &str| used.iter().any(|used| used == name || used.split('.').nth(1) == Some(name));
    let unused: Vec<&str> = NAMES.iter().map(|(_, text)| *text).filter(|text| !is_used(text)).collect();
    line(out, &format!("\nSignals that no expression uses: {}", unused.join(", ")));
}

/// What happened on one case.
fn case_text(suite: &Suite, of_case: &Evaluated<'_>) -> String {
    let CaseResult { id, score, ci95, seeds, objectives, .. } = &of_case.result;
    let mut out = String::new();
    let interval =
        ci95.map_or_else(String::new, |[lo, hi]| format!(" ({lo:.3} to {hi:.3} over {seeds} seeds)"));
    line(&mut out, &format!("Case {id}: score {score:.3}{interval}"));
    let width = objectives.iter().map(|objective| objective.metric.len()).max().unwrap_or_default();
    for (objective, found) in suite.objectives.iter().zip(objectives) {
        let [b, x] = [Some(found.baseline), found.candidate].map(|value| figure(&found.metric, value));
        let verdict = found.candidate.map_or("worse", |x| match objective.direction {
            Some(Better::Higher) => verdict(x, found.baseline),
            Some(Better::Lower) | None => verdict(found.baseline, x),
        });
        line(
            &mut out,
            &format!("  {:width$}  {b} -> {x}  {verdict}, scores {:.3}", found.metric, found.score),
        );
    }
    push_misses(&mut out, of_case.runs);
    push_groups(&mut out, suite, of_case.runs);
    push_shares(&mut out, of_case.runs);
    out
}

/// Requests that were refused, dropped or not finished.
fn push_misses(out: &mut String, runs: &[RunPair]) {
    let count = |of: fn(&RunPair) -> &Outcomes, is: fn(Ending) -> bool| {
        runs.iter().flat_map(|pair| &of(pair).requests).filter(|r| r.counted && is(r.ending)).count()
    };
    let of = |of: fn(&RunPair) -> &Outcomes| {
        let gone = |ending| matches!(ending, Ending::Refused | Ending::Dropped);
        [count(of, |_| true), count(of, gone), count(of, Ending::unfinished)]
    };
    let [_, refused_b, open_b] = of(|pair| &pair.baseline.outcomes);
    let [all, refused, open] = of(|pair| &pair.candidate.outcomes);
    line(
        out,
        &format!(
            "  of {all} requests: refused or dropped {refused_b} -> {refused}, unfinished at the end {open_b} -> {open}"
        ),
    );
}

/// The time of the first objective that is one, by SLO class, or else by client.
fn push_groups(out: &mut String, suite: &Suite, runs: &[RunPair]) {
    let Some(first) = runs.first() else { return };
    let run = &first.candidate.outcomes;
    let (key, names) = if run.classes.len() > 1 {
        ("classes", &run.classes)
    } else if run.clients.len() > 1 {
        ("clients", &run.clients)
    } else {
        return;
    };
    let time = suite.objectives.iter().find(|objective| Figure::read(&objective.metric).is_time());
    let path = time.map_or("ttft.p99", |objective| {
        objective
            .metric
            .rsplit_once('.')
            .and_then(|(head, _)| head.rfind('.'))
            .map_or("ttft.p99", |at| &objective.metric[at + 1..])
    });
    let (metric, statistic) = path.split_once('.').unwrap_or(("ttft", "p99"));
    let metric = metric.trim_end_matches("_ms");
    let mut rows = Vec::new();
    for name in names.iter().filter(|name| !name.contains('.')).take(GROUPS) {
        let path = format!("{key}.{name}.{metric}_ms.{statistic}");
        let figure = Figure::read(&path);
        let of = |side: fn(&RunPair) -> &CaseRun| {
            let one = |pair: &RunPair| {
                let miss_ms = pair.baseline.length_ms().max(pair.candidate.length_ms());
                figure.of(side(pair), miss_ms)
            };
            let values: Vec<f64> = runs.iter().filter_map(one).collect();
            (!values.is_empty()).then(|| mean(&values))
        };
        if let (Some(b), Some(x)) = (of(|pair| &pair.baseline), of(|pair| &pair.candidate)) {
            rows.push(format!("    {name:<12} {} -> {}  {}", ms(b), ms(x), verdict(b, x)));
        }
    }
    if rows.len() > 1 {
        let kind = if key == "classes" { "class" } else { "client" };
        line(out, &format!("  {} {statistic} by {kind}:", metric.to_uppercase()));
        for row in &rows {
            line(out, row);
        }
    }
}

/// Anomalies by kind, the share of prompts found in a cache, how even the load was, and preemptions.
fn push_shares(out: &mut String, runs: &[RunPair]) {
    let mut kinds: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for pair in runs {
        for (side, run) in [&pair.baseline.outcomes, &pair.candidate.outcomes].into_iter().enumerate() {
            for kind in AnomalyKind::ALL {
                let count = run.figure(RunMetric::Anomalies(kind)).unwrap_or_default();
                kinds.entry(kind.name()).or_default()[side] += count as u64;
            }
        }
    }
    let named = kinds.iter().filter(|(_, counts)| **counts != [0, 0]);
    let named: Vec<String> = named.map(|(kind, [b, x])| format!("{kind} {b} -> {x}")).collect();
    line(
        out,
        &format!("  anomalies: {}", if named.is_empty() { "none".to_owned() } else { named.join(", ") }),
    );
    let of = |metric| {
        let known = |side: fn(&RunPair) -> &Outcomes| -> Vec<f64> {
            runs.iter().filter_map(|pair| side(pair).figure(metric)).collect()
        };
        [mean(&known(|pair| &pair.baseline.outcomes)), mean(&known(|pair| &pair.candidate.outcomes))]
    };
    let [hits_b, hits] = of(RunMetric::ReusedPromptShare).map(percent);
    let [cov_b, cov] = of(RunMetric::ReplicasCov);
    let [pre_b, pre] = of(RunMetric::Preemptions);
    line(
        out,
        &format!(
            "  prompt tokens from a cache {hits_b} -> {hits}; imbalance of replicas {cov_b:.2} -> {cov:.2}; preemptions {pre_b:.0} -> {pre:.0}"
        ),
    );
}
