//! A sweep for another machine: about how long it takes on the page, and its command.

use super::cases::Plan;
use super::vary::Vary;
use base::number_text::count;
use base::small::decimal::fixed;
use base::{Diagnostic, Diagnostics};
use document::link::{Asked, make};
use document::{RequestCount, Scenario, limits};
use serde::Serialize;

/// About how many microseconds a request takes on a page: 4 to 7 in the runs of docs/explanation/performance.md, more where few
/// requests share a step.
const REQUEST_US: f64 = 8.0;
/// Sweeps longer than this, in seconds, are better run elsewhere.
const LONG_S: f64 = 60.0;

/// A sweep for another machine.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepElsewhere {
    /// Its runs, seeds included.
    pub cases: u32,
    /// About how many seconds they take on the page.
    pub seconds: f64,
    /// Whether that is over a minute, or the page does not run as many.
    pub long: bool,
    /// How long, in words.
    pub text: String,
    /// The command, for a shell.
    pub command: String,
    /// What to do before it; empty if nothing.
    pub first: String,
    /// Edits that are left out because they set what is varied, in words.
    pub left_out: Vec<String>,
}

/// How fast the page is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagePace {
    /// Runs at the same time.
    pub workers: u32,
    /// Milliseconds that one run took, if some have ended.
    pub case_ms: Option<f64>,
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Requests of a run, about.
fn requests_of(s: &Scenario) -> f64 {
    let most = if s.run.max_requests == 0 { s.observe.keep.most_requests() } else { s.run.max_requests };
    let sent = RequestCount::new(s).total().requests + s.workload.requests.len() as f64;
    if sent < most as f64 { sent } else { most as f64 }
}

/// A time in words.
fn about(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 90.0 => format!("{} s", fixed(s, 0)),
        s if s < 5400.0 => format!("{} min", fixed(s / 60.0, 0)),
        s => format!("{} h", fixed(s / 3600.0, 1)),
    }
}

/// The scenario as an argument of the command, and what to do before it.
fn argument(s: &Scenario) -> (String, String) {
    let link =
        make(&Asked::default().of(s.clone(), None)).filter(|made| made.link.len() <= limits::LINK_CHARS_FILE);
    // A link cannot ask for more requests than that.
    match link.filter(|_| s.run.max_requests <= limits::REQUESTS_FROM_LINK) {
        Some(made) => (quoted(&made.link), String::new()),
        None => ("scenario.json".to_owned(), "Save the scenario as scenario.json first.".to_owned()),
    }
}

/// A sweep of arguments of `--vary` for another machine.
pub fn elsewhere(
    scenario: &Scenario,
    varied: &[String],
    seeds: u32,
    pace: PagePace,
) -> Result<SweepElsewhere, Diagnostics> {
    let read: Result<Vec<Vary>, Diagnostic> = varied.iter().map(|text| Vary::parse(text)).collect();
    let check = |s: &Scenario| document::check(s.clone()).map(|_| ());
    // Seeds change neither the number of requests nor their cost.
    let plan = Plan::new(scenario, None, &read.map_err(|d| vec![d])?, 1, check)?;
    let seeds = seeds.max(1);
    let cases = (plan.cases.len() as u32).saturating_mul(seeds);
    let requests: f64 =
        plan.cases.iter().map(|case| requests_of(&case.scenario)).sum::<f64>() * f64::from(seeds);
    let alone_s = match pace.case_ms {
        Some(ms) => ms / 1000.0 * f64::from(cases),
        None => requests * REQUEST_US / 1e6,
    };
    let seconds = alone_s / f64::from(pace.workers.clamp(1, cases.max(1)));
    let too_many = cases as usize > limits::CASES_PAGE;
    let how_long = if too_many {
        format!("{} runs: the page makes at most {}.", count(cases.into()), count(limits::CASES_PAGE as u64))
    } else {
        let basis = if pace.case_ms.is_some() { "by the runs so far" } else { "estimated" };
        format!("{} runs take about {} on this page ({basis}).", count(cases.into()), about(seconds))
    };
    let (argument, mut first) = argument(scenario);
    let mut words = vec![format!("tokenyard sweep {argument}")];
    if scenario.workload.trace.as_ref().is_some_and(|trace| trace.rows.is_empty()) {
        words.push("--trace trace.csv".to_owned());
        first.push_str(if first.is_empty() { "" } else { " " });
        first.push_str("Put the trace at trace.csv.");
    }
    words.extend(varied.iter().map(|argument| format!("--vary {}", quoted(argument))));
    words.push(format!("--seeds {seeds} -o sweep"));
    let command = words.join(" ");
    let (long, left_out) = (too_many || seconds > LONG_S, plan.left_out);
    Ok(SweepElsewhere { cases, seconds, long, text: how_long, command, first, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::link;
    use document::preset::Preset;

    const PAGE: PagePace = PagePace { workers: 2, case_ms: None };

    fn asked(varied: &[&str], seeds: u32, pace: PagePace) -> SweepElsewhere {
        let scenario = Preset::named("router-showdown").expect("a preset").scenario();
        let varied: Vec<String> = varied.iter().map(|&text| text.to_owned()).collect();
        elsewhere(&scenario, &varied, seeds, pace).expect("a sound sweep")
    }

    #[test]
    fn long_sweeps_are_found_by_requests_or_by_runs_that_ended() {
        let short = asked(&["traffic=0.5..1.5/3"], 1, PAGE);
        assert!(!short.long && short.cases == 3 && short.text.contains("estimated"), "{short:?}");
        let measured = asked(&["traffic=0.5..1.5/3"], 1, PagePace { workers: 1, case_ms: Some(60_000.0) });
        assert!(
            measured.long && measured.text == "3 runs take about 3 min on this page (by the runs so far).",
            "{measured:?}"
        );
        let more = asked(&["traffic=0.5..1.5/30"], 10, PAGE);
        assert!(more.seconds > 80.0 * short.seconds, "a hundred times the runs");
        let many = asked(&["traffic=0.5..1.5/101"], 10, PAGE);
        assert!(many.long && many.text == "1,010 runs: the page makes at most 1,000.", "{many:?}");
    }

    #[test]
    fn the_command_is_whole_and_its_words_are_quoted() {
        let found = asked(&["traffic=0.5..1.5/6", "title=a,it's"], 3, PAGE);
        let (link, rest) =
            found.command.strip_prefix("tokenyard sweep '").and_then(|c| c.split_once("' ")).expect("a link");
        assert_eq!(rest, r"--vary 'traffic=0.5..1.5/6' --vary 'title=a,it'\''s' --seeds 3 -o sweep");
        let opened = link::open(link, &|_| Vec::new());
        assert_eq!(opened.link.scenario, Preset::named("router-showdown").expect("a preset").scenario());
        assert_eq!(found.first, "");
    }

    #[test]
    fn what_no_link_holds_is_a_file() {
        let mut scenario = Preset::named("router-showdown").expect("a preset").scenario();
        scenario.run.max_requests = limits::REQUESTS_FROM_LINK + 1;
        let found = elsewhere(&scenario, &["traffic=1,2".to_owned()], 1, PAGE).expect("a sound sweep");
        assert!(found.command.starts_with("tokenyard sweep scenario.json --vary"), "{}", found.command);
        assert!(found.first.contains("scenario.json"));
    }

    #[test]
    fn what_cannot_be_swept_has_its_problems() {
        let scenario = Preset::named("router-showdown").expect("a preset").scenario();
        assert!(elsewhere(&scenario, &["traffic".to_owned()], 1, PAGE).is_err());
        assert!(elsewhere(&scenario, &["run.horizon_s=-1,2".to_owned()], 1, PAGE).is_err());
    }
}
