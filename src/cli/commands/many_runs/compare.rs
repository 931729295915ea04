//! `tokenyard compare`: two scenarios on the same traffic, seed by seed.

use crate::args::input::Input;
use crate::args::studies::Compare;
use crate::commands::many_runs::parallel::{each, progress, threads};
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say, tell, tell_all};
use crate::text::table::{Align, MISSING, Table, cost, number, visible};
use base::number_text::count;
use base::{Diagnostic, Diagnostics, json};
use document::Scenario;
use run::session::report::RunMetric;
use run::session::{Audience, Report, Session, Trace};
use std::convert::Infallible;
use std::sync::Arc;
use study::compare::{
    Comparing, Difference, MetricComparison, MovedRequest, OraclePool, Outcomes, PairedPart, RegretTable,
    RunComparison, Side, Total, Verdict,
};
use study::oracle::{OracleRun, oracle_of};
use study::whatif::{HitRateFall, WithFall};

/// `tokenyard compare`
pub(crate) fn run(args: &Compare) -> Result<(), Failed> {
    if [&args.a, &args.b].into_iter().chain(&args.trace).filter(|name| *name == "-").count() > 1 {
        let twice = Diagnostic::error(
            "",
            "stdin given more than once",
            "`-` for one input",
            "give one of them as a file",
        );
        return Err(refused("-", &[twice]));
    }
    let metrics = crate::commands::many_runs::metrics::named(&args.metric)?;
    let input = |scenario: &String, own: &[String]| Input {
        scenario: scenario.clone(),
        trace: args.trace.clone(),
        columns: args.columns.clone(),
        policies: None,
        set: args.set.iter().chain(own).cloned().collect(),
        allow_guess: args.allow_guess,
    };
    let a = Case::load(&input(&args.a, &args.set_a))?;
    let b = Case::load(&input(&args.b, &args.set_b))?;
    let mut seeds = args.seeds;
    if seeds > 1 && !a.draws && !b.draws {
        tell(
            &"note: this workload is not random, so that another seed is the same traffic: one run of each, \
            and intervals from blocks of time",
        );
        seeds = 1;
    }
    let oracles = oracles([&a, &b]);
    let (result, hit_rate_fall) = compare([&a, &b], oracles.as_ref(), seeds, args.jobs, metrics)?;
    if args.json {
        return say(&format!("{}\n", json::indented(&WithFall { comparison: &result, hit_rate_fall })));
    }
    say(&text(&result, [&args.a, &args.b]))?;
    say(&hit_rate_fall.map_or(String::new(), |fall| fall_text(&fall)))
}

/// Why the hit rate of one run is lower, in a line for each sentence.
fn fall_text(fall: &HitRateFall) -> String {
    let mut out = "\n".to_owned();
    for sentence in &fall.sentences {
        line(&mut out, &sentence.text);
    }
    out
}

/// A scenario that can be run, and its trace.
struct Case {
    name: String,
    scenario: Scenario,
    trace: Option<Arc<Trace>>,
    /// Whether another seed is another workload.
    draws: bool,
}

impl Case {
    fn load(input: &Input) -> Result<Self, Failed> {
        let Loaded { scenario, trace, .. } = load(input)?;
        let started = Session::start_for_rows(scenario.clone(), trace.clone());
        let (session, warnings) = started.map_err(|problems| refused(&input.scenario, &problems))?;
        tell_all(&input.scenario, &warnings);
        let draws = session.draws_workload();
        Ok(Self { name: input.scenario.clone(), scenario, trace, draws })
    }

    /// The outcomes of a run, and its report if it is the first.
    fn outcomes(&self, number: u32) -> Result<(Outcomes, Option<Report>), Diagnostics> {
        let seed = self.scenario.seed.wrapping_add(u64::from(number));
        let scenario = Scenario { seed, ..self.scenario.clone() };
        let go_on = &mut || Ok::<(), Infallible>(());
        match Outcomes::of_run_while(scenario, self.trace.clone(), go_on) {
            Ok(run) => run.map(|(outcomes, report)| (outcomes, (number == 0).then_some(report))),
            Err(never) => match never {},
        }
    }
}

/// The oracles of two scenarios. A scenario without an autoscaler gets the other's oracle.
struct Oracles {
    cases: Vec<Case>,
    told: [Vec<OraclePool>; 2],
}

impl Oracles {
    /// Index of the oracle of A or B among the cases.
    fn place(&self, side: usize) -> usize {
        side.min(self.cases.len() - 1)
    }
}

/// The oracles, if either scenario has an autoscaler. If there can be none, the reason is printed.
fn oracles([a, b]: [&Case; 2]) -> Option<Oracles> {
    let of = |case: &Case| {
        // An oracle that cannot be started counts as none.
        let found = oracle_of(&case.scenario, case.trace.as_ref()).and_then(|found| {
            let scenario = found.as_ref().map(|run| run.scenario.clone());
            let start = |s| Session::start(s, case.trace.clone(), Audience::Batch);
            scenario.map(start).transpose().map(|_| found)
        });
        found.unwrap_or_else(|problems| {
            tell_all(&format!("{}, no oracle", case.name), &problems);
            None
        })
    };
    let (of_a, of_b) = (of(a), of(b));
    let (first, second) = (of_a.as_ref().or(of_b.as_ref())?, of_b.as_ref().or(of_a.as_ref())?);
    let case = |own: &Case, run: &OracleRun| Case {
        name: own.name.clone(),
        scenario: run.scenario.clone(),
        trace: own.trace.clone(),
        draws: own.draws,
    };
    // Two scenarios that differ only in their policies share one oracle.
    let mut cases = vec![case(a, first)];
    if first.scenario != second.scenario {
        cases.push(case(b, second));
    }
    Some(Oracles { cases, told: [first.pools.clone(), second.pools.clone()] })
}

/// Runs all pairs with their oracles, about as many runs at a time as there are threads, to hold few outcomes.
fn compare(
    cases: [&Case; 2],
    oracles: Option<&Oracles>,
    seeds: u32,
    jobs: Option<u32>,
    metrics: Vec<RunMetric>,
) -> Result<(RunComparison, Option<HitRateFall>), Failed> {
    let pool = threads(jobs)?;
    let mut comparing = Comparing::default();
    comparing.set_scenarios(&cases[0].scenario, &cases[1].scenario);
    comparing.set_metrics(metrics);
    let bounds = oracles.map_or(&[][..], |o| &o.cases);
    let runs: Vec<&Case> = cases.into_iter().chain(bounds).collect();
    if let Some(oracles) = oracles {
        comparing.set_oracles(oracles.told.clone());
    }
    let bar = progress(u64::from(seeds) * runs.len() as u64);
    let at_once = pool.current_num_threads().div_ceil(runs.len()) as u32;
    let (mut first, mut fall) = (0, None);
    while first < seeds {
        let count = at_once.min(seeds - first);
        let made = each(&pool, runs.len() * count as usize, |i| {
            let case = runs[i % runs.len()];
            let seed = first + (i / runs.len()) as u32;
            let made = case.outcomes(seed).map_err(|problems| (&case.name, problems));
            bar.inc(1);
            made
        });
        let failed = |(name, problems): (&String, Diagnostics)| refused(name, &problems);
        let made: Result<Vec<_>, Failed> = made.into_iter().map(|run| run.map_err(failed)).collect();
        let mut made = made?.into_iter();
        while let (Some((a, of_a)), Some((b, of_b))) = (made.next(), made.next()) {
            fall = fall.or_else(|| HitRateFall::between(&of_a?, &of_b?));
            if let Some(oracles) = oracles {
                let ran = made.by_ref().take(oracles.cases.len()).map(|(outcomes, _)| outcomes);
                let ran: Vec<Outcomes> = ran.collect();
                comparing.add_bounds([&a, &b], [0, 1].map(|side| &ran[oracles.place(side)]));
            }
            comparing.add(a, b);
        }
        first += count;
    }
    bar.finish_and_clear();
    Ok((comparing.result().expect("INV-6: one seed at least was run"), fall))
}

/// The comparison, readable.
fn text(c: &RunComparison, names: [&str; 2]) -> String {
    let mut out = String::new();
    write_head(&mut out, c, names);
    out.push_str(&metric_table(c).text());
    write_over(&mut out, c);
    write_bands(&mut out, c);
    out.push('\n');
    out.push_str(&total_table(c).text());
    line(&mut out, "* of the requests that finished, were refused or were dropped");
    if let Some(regret) = &c.regret {
        write_regret(&mut out, regret);
    }
    for (name, detail) in [("TTFT", &c.detail.ttft_ms), ("E2E", &c.detail.e2e_ms)] {
        if let Some(paired) = &detail.paired {
            write_paired(&mut out, name, paired);
        }
    }
    out.push('\n');
    for (letter, side) in [("A", &c.a), ("B", &c.b)] {
        line(&mut out, &format!("load of {letter}: {}", side.load.state.name()));
    }
    for (letter, side) in [("A", &c.a), ("B", &c.b)] {
        for of_pool in &side.evidence {
            let pool = if side.evidence.len() > 1 { format!(", {}", of_pool.pool) } else { String::new() };
            line(&mut out, &format!("evidence of {letter}{pool}: {}", of_pool.chip));
        }
    }
    if !c.notices.is_empty() {
        out.push('\n');
    }
    for notice in &c.notices {
        line(&mut out, &format!("notice: {notice}"));
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(&visible(text));
    out.push('\n');
}

fn write_head(out: &mut String, c: &RunComparison, names: [&str; 2]) {
    let alike = c.a.routers == c.b.routers;
    for ((letter, side), name) in [("A", &c.a), ("B", &c.b)].into_iter().zip(names) {
        let routers = if alike { String::new() } else { format!("; {}", side.routers) };
        line(out, &format!("{letter}  {name}{}{routers}", title(side, name)));
    }
    let how = if c.paired { "the same in both" } else { "not paired" };
    let seeds = if c.seeds.len() == 1 { "seed" } else { "seeds" };
    let (first, last) = (c.seeds.first(), c.seeds.last().filter(|_| c.seeds.len() > 1));
    let to = last.map_or(String::new(), |last| format!(" to {last}"));
    let seed = first.map_or("", String::as_str);
    line(out, &format!("{} requests, {how}; {seeds} {seed}{to}", count(c.requests)));
    if let Some(why) = &c.not_paired {
        line(out, why);
    }
    line(out, &c.explained);
    out.push('\n');
}

fn title(side: &Side, name: &str) -> String {
    if side.title.is_empty() || side.title == name { String::new() } else { format!(": {}", side.title) }
}

/// A number with its sign; a number that rounds to zero has no sign.
fn signed(x: Option<f64>, decimals: usize) -> String {
    let with_sign = |x: f64| {
        let text = format!("{x:+.decimals$}");
        let zero = text[1..].bytes().all(|b| matches!(b, b'0' | b'.'));
        if zero { text[1..].to_owned() } else { text }
    };
    x.map_or_else(|| MISSING.to_owned(), with_sign)
}

fn cells(d: &Difference, decimals: usize) -> Vec<String> {
    let interval = match (d.lo, d.hi) {
        (Some(_), Some(_)) => format!("{} to {}", signed(d.lo, decimals), signed(d.hi, decimals)),
        _ => MISSING.to_owned(),
    };
    vec![
        number(d.a, decimals),
        number(d.b, decimals),
        signed(d.diff, decimals),
        interval,
        d.words().to_owned(),
    ]
}

fn table(first: &str) -> Table {
    Table::new(&[
        (first, Align::Left, 16),
        ("A", Align::Right, 8),
        ("B", Align::Right, 8),
        ("B - A", Align::Right, 9),
        ("95 % interval", Align::Right, 18),
        ("", Align::Left, 11),
    ])
}

/// The times that are printed, with their decimals.
fn times(c: &RunComparison) -> [(&'static str, &MetricComparison, usize); 5] {
    let m = &c.metrics;
    [
        ("TTFT", &m.ttft_ms, 1),
        ("ITL", &m.itl_ms, 2),
        ("TPOT", &m.tpot_ms, 2),
        ("E2E", &m.e2e_ms, 1),
        ("queue wait", &m.queue_wait_ms, 1),
    ]
}

/// The requests that the verdicts on times are over: a line for all times that have the same ones.
fn write_over(out: &mut String, c: &RunComparison) {
    let mut lines: Vec<(Vec<&str>, &str)> = Vec::new();
    for (name, of, _) in times(c) {
        let Some(over) = &of.over else { continue };
        match lines.iter_mut().find(|(_, text)| *text == over.text) {
            Some((names, _)) => names.push(name),
            None => lines.push((vec![name], &over.text)),
        }
    }
    for (names, text) in lines {
        line(out, &format!("{}: {text}", names.join(", ")));
    }
}

fn metric_table(c: &RunComparison) -> Table {
    let mut table = table("ms");
    for (name, of, decimals) in times(c) {
        for (figure, d) in [("mean", &of.mean), ("p50", &of.p50), ("p90", &of.p90), ("p99", &of.p99)] {
            let mut row = vec![format!("{name} {figure}")];
            row.extend(cells(d, decimals));
            if let (Some(verdict), Some(over)) = (row.last_mut(), &of.over)
                && matches!(d.verdict, Verdict::Better | Verdict::Worse)
            {
                *verdict = format!("{verdict} ({})", over.short);
            }
            if let (Some(verdict), Some(_), "mean") = (row.last_mut(), &of.doubt, figure) {
                NOT_CERTAIN.clone_into(verdict);
            }
            table.row(row);
        }
    }
    table
}

/// The verdict on means whose order does not survive the error of the simulation; a notice says why.
const NOT_CERTAIN: &str = "not certain";

/// What either mean may be where their order is not certain.
fn write_bands(out: &mut String, c: &RunComparison) {
    for (name, of, decimals) in times(c) {
        let Some(doubt) = &of.doubt else { continue };
        let band = |mean: Option<f64>, [low, high]: [f64; 2]| {
            format!("{} ({low:.decimals$} to {high:.decimals$})", number(mean, decimals))
        };
        let (a, b) = (band(of.mean.a, doubt.a), band(of.mean.b, doubt.b));
        line(out, &format!("{name} mean with its error, ms: {a} in A, {b} in B"));
    }
}

/// The row that is missing where a GPU has no price.
const COST: &str = "USD/M out tokens";

/// The name of a figure in the table, and its decimals.
fn total_words(total: Total) -> (&'static str, usize) {
    match total {
        Total::MetShare => ("met, share *", 4),
        Total::FinishedShare => ("finished, share", 4),
        Total::GoodputPerS => ("goodput, req/s", 3),
        Total::OutputTokensPerS => ("output, tokens/s", 1),
        Total::KvHitRate => ("cache hits, share", 4),
        Total::Preemptions => ("preemptions", 1),
        Total::UsdPerMillionOutputTokens => (COST, 3),
    }
}

fn total_table(c: &RunComparison) -> Table {
    let mut table = table("whole runs");
    let all = c.totals.rows().map(|(total, of)| {
        let (name, decimals) = total_words(total);
        (name, of, decimals)
    });
    let handovers = c.handovers.as_ref().map(|h| {
        [
            ("prefilled apart, share", &h.remote_share, 4),
            ("TTFT at prefill, ms", &h.ttft_prefill_ms, 1),
            ("hand-over, ms", &h.handover_ms, 1),
            ("wait for room, ms", &h.room_wait_ms, 1),
            ("transfer, ms", &h.transfer_ms, 1),
            ("wait to join, ms", &h.join_wait_ms, 1),
        ]
    });
    let figures = c.figures.iter().map(|f| (f.name.as_str(), &f.comparison, 4));
    for (name, of, decimals) in all.into_iter().chain(handovers.into_iter().flatten()).chain(figures) {
        let mut row = vec![name.to_owned()];
        row.extend(cells(&of.difference, decimals));
        if name == COST {
            let (usd, tokens) = (&of.difference, &c.totals.output_tokens_per_s.difference);
            row[1] = cost(usd.a, decimals, tokens.a.filter(|x| *x > 0.0));
            row[2] = cost(usd.b, decimals, tokens.b.filter(|x| *x > 0.0));
        }
        table.row(row);
    }
    table
}

/// Both runs compared with the oracle: a line for each, and another for each that beats it in a figure.
fn write_regret(out: &mut String, regret: &RegretTable) {
    let right = |name, width| (name, Align::Right, width);
    let mut table = Table::new(&[
        ("against oracle", Align::Left, 14),
        right("met %", 6),
        right("oracle", 6),
        right("regret", 7),
        right("replica-s", 9),
        right("oracle", 7),
        right("regret", 8),
        right("USD", 7),
        right("oracle", 7),
        right("regret", 7),
    ]);
    let both = [("A", &regret.a), ("B", &regret.b)];
    for (name, of) in both {
        let mut row = vec![name.to_owned()];
        for (r, decimals) in
            [(&of.attainment_regret, 1), (&of.replica_seconds_regret, 0), (&of.usd_regret, 2)]
        {
            row.extend([number(r.own, decimals), number(r.bound, decimals), signed(r.regret, decimals)]);
        }
        table.row(row);
    }
    out.push('\n');
    out.push_str(&table.text());
    for (name, of) in both {
        let beats = of.beats();
        if !beats.is_empty() {
            line(out, &format!("{name} beats the oracle in: {}", beats.join(", ")));
        }
    }
}

/// Requests named at each end.
const NAMED: usize = 3;

fn write_paired(out: &mut String, name: &str, p: &PairedPart) {
    let (gained, lost) = (100.0 * p.gained, 100.0 * p.lost);
    line(out, "");
    line(out, &format!("{name} request by request: {gained:.1} % gained, {lost:.1} % lost"));
    let (median, low, high) = (p.p50_ms, p.p5_ms, p.p95_ms);
    let sure = match (p.p50_lo_ms, p.p50_hi_ms) {
        (Some(_), Some(_)) => {
            format!(" ({} to {} with 95 %)", signed(p.p50_lo_ms, 1), signed(p.p50_hi_ms, 1))
        }
        _ => String::new(),
    };
    let [median, low, high] = [median, low, high].map(|ms| signed(Some(ms), 1));
    line(out, &format!("  differences: median {median} ms{sure}"));
    line(out, &format!("  5th to 95th percentile: {low} to {high} ms"));
    for (what, list) in [("gained most", &p.gained_most), ("lost most", &p.lost_most)] {
        if !list.is_empty() {
            let named: Vec<String> = list.iter().take(NAMED).map(moved).collect();
            line(out, &format!("  {what}: {}", named.join(", ")));
        }
    }
}

fn moved(m: &MovedRequest) -> String {
    let replica = |id: Option<u32>| id.map_or_else(|| MISSING.to_owned(), |id| format!("r{id}"));
    format!("#{} {:+.0} ms ({} → {})", m.request_a, m.diff_ms, replica(m.replica_a), replica(m.replica_b))
}
