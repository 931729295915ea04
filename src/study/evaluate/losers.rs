//! The requests that lost most against the baseline: where their time went, what the router saw, and what another
//! replica would have done.

use super::evaluated::Evaluated;
use super::run::CaseRun;
use super::runner::Runner;
use super::suite::Suite;
use super::text::ms;
use crate::compare::{Outcome, paired_requests};
use crate::whatif::{
    Account, AccountedTime, Alternative, AskedStage, Asking, Cause, Explaining, WhatIf, WhatIfQuery,
};
use base::Micros;
use document::Scenario;
use engine::Decision;
use std::fmt::Write;

/// How many requests are described.
const DESCRIBED: usize = 3;
/// Other replicas tried for each, the best by score.
const OTHERS: u32 = 4;
/// Causes named for each.
const CAUSES: usize = 4;
/// Terms of a score shown.
const TERMS: usize = 4;

/// A request that took longer than under the baseline.
#[derive(Clone, Debug)]
struct Loser {
    /// Position of its case, and of the run within it.
    place: [usize; 2],
    /// Its number in the run of the candidate.
    request: u32,
    was_us: u64,
    is_us: u64,
    /// When it arrived and finished under the candidate.
    arrival_us: u64,
    end_us: u64,
    class: String,
}

impl Loser {
    fn lost_us(&self) -> u64 {
        self.is_us.saturating_sub(self.was_us)
    }
}

/// The descriptions, the largest loss first.
pub(super) fn described(
    suite: &Suite,
    scenarios: &[Scenario],
    evaluated: &[Evaluated<'_>],
    time: AccountedTime,
    runner: &impl Runner,
) -> Vec<String> {
    let losers = losers(evaluated, time);
    let mut places: Vec<[usize; 2]> = losers.iter().map(|loser| loser.place).collect();
    places.sort_unstable();
    places.dedup();
    let texts = runner.each(places.len(), |i| {
        let [place, run] = places[i];
        let pair = &evaluated[place].runs[run];
        let case = &suite.cases[pair.case];
        let scenario = Scenario { seed: pair.seed, ..scenarios[place].clone() };
        let mut own: Vec<(usize, &Loser)> =
            losers.iter().enumerate().filter(|(_, loser)| loser.place == places[i]).collect();
        // In order of arrival: each run goes forward.
        own.sort_by_key(|(_, loser)| loser.arrival_us);
        of_run(&case.id, scenario, case.trace.as_ref(), &own, time)
    });
    let mut all: Vec<(usize, String)> = texts.into_iter().flatten().collect();
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, text)| text).collect()
}

fn time_of(request: &Outcome, time: AccountedTime) -> Option<u64> {
    match time {
        AccountedTime::Ttft => request.ttft_us,
        AccountedTime::E2e => request.e2e_us,
    }
}

/// Requests that finished in both runs: those that lost most, or the slowest ones if none lost anything.
fn losers(evaluated: &[Evaluated<'_>], time: AccountedTime) -> Vec<Loser> {
    let mut all = Vec::new();
    for (place, of_case) in evaluated.iter().enumerate() {
        for (run, pair) in of_case.runs.iter().enumerate() {
            all.extend(best_of(losers_of(&pair.baseline, &pair.candidate, [place, run], time)));
        }
    }
    best_of(all)
}

fn best_of(mut all: Vec<Loser>) -> Vec<Loser> {
    let lost = all.iter().any(|loser| loser.lost_us() > 0);
    let key = |loser: &Loser| if lost { loser.lost_us() } else { loser.is_us };
    all.sort_by_key(|loser| (std::cmp::Reverse(key(loser)), loser.place, loser.request));
    all.truncate(DESCRIBED);
    all
}

fn losers_of(baseline: &CaseRun, candidate: &CaseRun, place: [usize; 2], time: AccountedTime) -> Vec<Loser> {
    let (a, b) = (&baseline.outcomes, &candidate.outcomes);
    let of_pair = |pair: crate::compare::RequestPair| {
        let (was, is) = (&a.requests[pair.a], &b.requests[pair.b]);
        let loser = Loser {
            place,
            request: pair.b as u32,
            was_us: time_of(was, time)?,
            is_us: time_of(is, time)?,
            arrival_us: is.arrival_us,
            end_us: is.arrival_us + is.e2e_us?,
            class: b.classes.get(is.class as usize).cloned().unwrap_or_default(),
        };
        (was.counted && is.counted).then_some(loser)
    };
    paired_requests(a, b).unwrap_or_default().into_iter().filter_map(of_pair).collect()
}

/// The texts of the requests of one run, with their ranks.
fn of_run(
    case: &str,
    scenario: Scenario,
    trace: Option<&std::sync::Arc<run::session::Trace>>,
    losers: &[(usize, &Loser)],
    time: AccountedTime,
) -> Vec<(usize, String)> {
    let end = losers.iter().map(|(_, loser)| loser.end_us).max().unwrap_or_default();
    let explaining = Explaining::new(scenario.clone(), trace.cloned());
    let asking = Asking::new(scenario, trace.cloned());
    let (Ok((mut explaining, _)), Ok((mut asking, _))) = (explaining, asking) else { return Vec::new() };
    let explained = explaining.run_to(Micros(end)).is_ok();
    let mut texts = Vec::new();
    for (rank, loser) in losers {
        let until = loser.arrival_us + loser.is_us;
        let account = explaining.account(loser.request, time).filter(|_| explained);
        let query = WhatIfQuery {
            request: loser.request,
            stage: AskedStage::Home,
            until_us: Some(until),
            most: OTHERS,
            ..WhatIfQuery::default()
        };
        let seen = asking.seen(loser.request, Micros(until)).ok();
        let found = asking.what_if(&query).ok();
        texts.push((*rank, text(case, loser, time, account.as_ref(), seen.as_ref().zip(found.as_ref()))));
    }
    texts
}

fn text(
    case: &str,
    loser: &Loser,
    time: AccountedTime,
    account: Option<&Account>,
    decision: Option<(&Decision, &WhatIf)>,
) -> String {
    let name = if time == AccountedTime::Ttft { "TTFT" } else { "E2E" };
    let in_text = |us: u64| ms(us as f64 / 1000.0);
    let class = if loser.class.is_empty() { String::new() } else { format!(", {}", loser.class) };
    let (was, is) = (in_text(loser.was_us), in_text(loser.is_us));
    let mut out = format!(
        "{case} #{}{class}, arrived at {:.1} s: {name} {was} -> {is}\n",
        loser.request,
        loser.arrival_us as f64 / 1e6
    );
    if let Some(account) = account {
        let mut parts: Vec<(u64, Cause)> =
            Cause::ALL.into_iter().map(|cause| (account.us[cause as usize], cause)).collect();
        parts.sort_by_key(|(us, cause)| (std::cmp::Reverse(*us), *cause as usize));
        let named = parts.iter().take(CAUSES).filter(|(us, _)| *us > 0);
        let named: Vec<String> =
            named.map(|(us, cause)| format!("{} {}", cause.name(), in_text(*us))).collect();
        line(&mut out, &format!("  time: {}", named.join(", ")));
    }
    if let Some((seen, found)) = decision {
        push_decision(&mut out, name, seen, found);
    }
    out
}

/// A line of a text.
pub(super) fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("INV-6: a String takes any text");
}

fn push_decision(out: &mut String, name: &str, seen: &Decision, found: &WhatIf) {
    let took = |a: &Alternative| if name == "TTFT" { a.ttft_ms } else { a.e2e_ms };
    let best = |chosen: bool| {
        let timed =
            found.alternatives.iter().filter(|a| a.chosen == chosen).filter_map(|a| Some((took(a)?, a)));
        timed.min_by(|(x, a), (y, b)| x.total_cmp(y).then(a.replica.cmp(&b.replica))).map(|(_, a)| a)
    };
    let own = best(true);
    let other = best(false).filter(|other| own.and_then(took) > took(other));
    line(
        out,
        &format!(
            "  {:<12} {:>7} {:>7} {:>9} {:>6} {:>8} {name:>9}",
            "as seen", "waiting", "running", "in flight", "KV use", "score"
        ),
    );
    for (title, row) in [("yours", own), ("better", other)] {
        let Some(row) = row else { continue };
        let Some(at) = seen.seen.iter().position(|view| view.id.0 == row.replica) else { continue };
        let view = &seen.seen[at];
        let time = took(row).map(ms).unwrap_or_default();
        let who = format!("{title} r{}", row.replica);
        let (waiting, running, in_flight, score) =
            (view.waiting, view.running, view.in_flight, seen.score(at));
        line(
            out,
            &format!(
                "  {who:<12} {waiting:>7} {running:>7} {in_flight:>9} {:>6.2} {score:>8.3} {time:>9}",
                view.kv_use()
            ),
        );
        if let Some(load) = seen.true_load.get(at).filter(|load| **load != view.load()) {
            line(out, &format!("    r{}: load {} as seen, {load} in truth", row.replica, view.load()));
        }
        let part = |part: &engine::policy::routing::Part| {
            let value = part.values.get(at).copied().unwrap_or_default();
            format!("{} {value:.3} x {}", part.term.name(), part.weight)
        };
        let parts: Vec<String> = seen.scores.parts.iter().take(TERMS).map(part).collect();
        if !parts.is_empty() {
            line(out, &format!("    r{}: {}", row.replica, parts.join(" + ")));
        }
    }
    if other.is_none() {
        line(out, "  none of the replicas next by score would have been faster");
    }
}
