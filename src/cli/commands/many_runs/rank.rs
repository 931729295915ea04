//! `tokenyard rank`: whether the simulation orders policies as the user's own benchmarks do.

use crate::args::evaluate::Rank;
use crate::commands::many_runs::evaluate::suite;
use crate::commands::many_runs::suite_files::SuiteFile;
use crate::commands::measured::benchmark;
use crate::failed::Failed;
use crate::print::{refused, say};
use crate::text::table::{Align, MISSING, Table};
use base::{Diagnostic, Diagnostics, alike, json};
use benchmarks::{Gap, PolicyFigure, PolicyRun, Ranked, rank};
use document::Scenario;
use serde_json::{Value, json};
use std::path::PathBuf;
use study::evaluate::{Candidate, Case};

/// `tokenyard rank`
pub(crate) fn run(args: &Rank) -> Result<(), Failed> {
    let file = suite(&args.suite)?;
    let case = case_of(&file, args.case.as_deref()).map_err(|problem| refused("--case", &[problem]))?;
    let mut runs = Vec::new();
    for (policy, path) in named(args, &file)? {
        let scenario = scenario_of(&file, case, &policy).map_err(|all| refused(&policy, &all))?;
        let name = path.display().to_string();
        let found = benchmark::runs(std::slice::from_ref(&path))?;
        let list = found.and_then(|mut files| files.pop()).map(|(_, list)| list).unwrap_or_default();
        let Ok([mut measured]) = <[_; 1]>::try_from(list) else {
            let fix = "give the result of one run of a benchmark";
            return Err(refused(&name, &[Diagnostic::error("", "no run, or several", "one run", fix)]));
        };
        args.load.told().add_to(&mut measured).map_err(|all| refused(&name, &all))?;
        runs.push(PolicyRun { policy, file: name, benchmark: measured, scenario });
    }
    let ranked = rank(&runs).map_err(|all| refused("rank", &all))?;
    if args.json {
        return say(&format!("{}\n", json::indented(&ranked)));
    }
    say(&ranked.iter().map(text).collect::<Vec<_>>().join("\n"))
}

/// The case whose cluster was measured.
fn case_of<'a>(file: &'a SuiteFile, id: Option<&str>) -> Result<&'a Case, Diagnostic> {
    let cases = &file.suite.cases;
    let found = id.map_or(cases.first(), |id| cases.iter().find(|case| case.id == id));
    found.ok_or_else(|| {
        let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        Diagnostic::error("", id.unwrap_or_default(), ids.join(", "), "name a case of the suite")
    })
}

/// Policies and their files: the arguments, or else those that the suite lists.
fn named(args: &Rank, file: &SuiteFile) -> Result<Vec<(String, PathBuf)>, Failed> {
    if args.measured.is_empty() {
        let listed = file.document.measured.iter();
        return Ok(listed.map(|m| (m.policy.clone(), file.folder.join(&m.file))).collect());
    }
    let parts = |text: &String| match text.split_once('=') {
        Some((name, path)) if !name.trim().is_empty() && !path.is_empty() => {
            Ok((name.trim().to_owned(), PathBuf::from(path)))
        }
        Some(_) | None => {
            let fix = "such as least-loaded=results/least-loaded.json";
            Err(refused("rank", &[Diagnostic::error("", text, "NAME=FILE", fix)]))
        }
    };
    args.measured.iter().map(parts).collect()
}

/// The scenario of the case with a policy: the baseline, one that the suite names, or a router.
fn scenario_of(file: &SuiteFile, case: &Case, policy: &str) -> Result<Scenario, Diagnostics> {
    if policy == "baseline" {
        return Ok(case.scenario.clone());
    }
    if let Some(policies) = file.document.policies.get(policy) {
        return Candidate::from_value(policies.clone())?.applied(&case.scenario);
    }
    let router: Value = json!({ "routing": policy });
    Candidate::from_value(router)?.applied(&case.scenario).map_err(|_| {
        let known: Vec<&str> =
            file.document.policies.keys().map(String::as_str).chain(["baseline"]).collect();
        let fix = alike::nearest(policy, known.iter().copied()).map_or_else(
            || "add it to `policies` of the suite".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let allowed = format!("{}, or a router", known.join(", "));
        vec![Diagnostic::error("", "an unknown policy", allowed, fix)]
    })
}

fn shown(x: Option<f64>) -> String {
    x.map_or_else(|| MISSING.to_owned(), |x| format!("{x:.3}"))
}

fn text(ranked: &Ranked) -> String {
    let right = |name| (name, Align::Right, 9);
    let mut table = Table::new(&[
        ("policy", Align::Left, 12),
        right("measured"),
        right("simulated"),
        right("gap"),
        right("simulated"),
        right("gap %"),
        right("simulated"),
    ]);
    let percent = |x: Option<f64>| x.map_or_else(|| MISSING.to_owned(), |x| format!("{:+.1}", x * 100.0));
    for (i, policy) in ranked.policies.iter().enumerate() {
        let PolicyFigure { policy: name, measured, simulated, .. } = policy;
        let mut row = vec![name.clone(), format!("{measured:.3}"), format!("{simulated:.3}")];
        // The gaps to the first policy come first.
        match i.checked_sub(1).and_then(|place| ranked.gaps.get(place)) {
            None => row.extend(["", "", "", ""].map(str::to_owned)),
            Some(Gap { measured, simulated, measured_share, simulated_share, .. }) => row.extend([
                format!("{measured:+.3}"),
                format!("{simulated:+.3}"),
                percent(*measured_share),
                percent(*simulated_share),
            ]),
        }
        table.row(row);
    }
    format!(
        "{} {}: Spearman {}, Kendall {}, {} of {} pairs in the right order; gaps to {}\n{}",
        ranked.metric,
        ranked.stat,
        shown(ranked.spearman),
        shown(ranked.kendall),
        ranked.pairs_right,
        ranked.pairs,
        ranked.policies.first().map(|policy| policy.policy.as_str()).unwrap_or_default(),
        table.text()
    )
}
