//! `tokenyard run`: runs a scenario to its end.

use crate::args::Run;
use crate::args::input::Input;
use crate::commands::one_run::rows::RowFiles;
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say, tell, tell_all};
use crate::text::summary;
use base::json;
use indicatif::{ProgressBar, ProgressStyle};
use run::session::{Audience, Pace, Report, Session, Stop};
use std::time::{Duration, Instant};

/// Time between two updates of the progress bar.
const REFRESH: Duration = Duration::from_millis(100);

/// `tokenyard run`
pub(crate) fn run(args: &Run) -> Result<(), Failed> {
    let files = RowFiles::of(&args.rows)?;
    let (session, mut report) = finish(&args.input, &files)?;
    report.link = crate::commands::documents::link::of_run(&session);
    let verdict = session.verdict();
    report.evidence = session.pool_evidence(&verdict);
    report.verdict = Some(verdict);
    files.write_page(&session, report.link.as_deref())?;
    if let Some(link) = &report.link {
        tell(&format!("link: {link}"));
    }
    if !args.json {
        return say(&summary::text(&report));
    }
    tell_notices(&report);
    say(&format!("{}\n", json::indented(&report)))
}

/// `tokenyard digest`
pub(crate) fn digest(input: &Input) -> Result<(), Failed> {
    let (session, report) = finish(input, &RowFiles::none())?;
    tell_notices(&report);
    say(&format!("{}\n", session.digest()))
}

/// `tokenyard check`
pub(crate) fn check(input: &Input) -> Result<(), Failed> {
    start(input, &RowFiles::none())?;
    say("ok\n")
}

/// Prints the problems that the summary would have shown.
fn tell_notices(report: &Report) {
    for notice in &report.notices {
        tell(&format!("notice: {}", summary::in_one_line(notice)));
    }
}

fn start(input: &Input, files: &RowFiles) -> Result<Session, Failed> {
    let Loaded { scenario, trace, read, .. } = load(input)?;
    files.keep_apart(read)?;
    match Session::start(scenario, trace, Audience::Batch) {
        Ok((session, warnings)) => {
            tell_all(&input.scenario, &warnings);
            Ok(session)
        }
        Err(problems) => Err(refused(&input.scenario, &problems)),
    }
}

fn finish(input: &Input, files: &RowFiles) -> Result<(Session, Report), Failed> {
    let mut session = start(input, files)?;
    let mut rows = files.open(&mut session)?;
    let bar = Progress::new(&session);
    let (mut pace, mut shown) = (Pace::default(), now());
    let mut looked = shown;
    while rows.advance(&mut session, pace.events())? != Stop::Finished {
        let look = now();
        pace.took((look - looked).as_secs_f64() * 1000.0);
        looked = look;
        if !bar.bar.is_hidden() && shown.elapsed() >= REFRESH {
            bar.show(&session);
            shown = look;
        }
    }
    if rows.any() {
        bar.bar.set_message("writing rows");
        rows.finish(&session)?;
    }
    bar.bar.set_message("summing up");
    let report = session.report_data();
    bar.bar.finish_and_clear();
    if !report.run.trouble.is_empty() {
        tell(&format!("warning: {}", report.run.trouble));
    }
    Ok((session, report))
}

#[expect(clippy::disallowed_methods, reason = "only the progress bar uses the wall clock")]
fn now() -> Instant {
    Instant::now()
}

/// Progress of the run, measured by what will end it.
struct Progress {
    bar: ProgressBar,
    by: Measure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// Simulated seconds up to the horizon.
    Seconds,
    /// Requests up to the last.
    Requests,
    /// The number of requests is unknown.
    Open,
}

impl Progress {
    /// indicatif draws nothing unless stderr is a terminal.
    fn new(session: &Session) -> Self {
        let horizon_s = session.scenario().run.horizon_s;
        let (by, bar, template) = match session.requests_asked() {
            _ if horizon_s > 0.0 => {
                let bar = ProgressBar::new(horizon_s as u64);
                (Measure::Seconds, bar, "{wide_bar} {pos}/{len} s, {msg}, {eta} left")
            }
            Some(requests) => (
                Measure::Requests,
                ProgressBar::new(requests),
                "{wide_bar} {pos}/{len} requests, {msg}, {eta} left",
            ),
            None => (Measure::Open, ProgressBar::new_spinner(), "{spinner} {pos} requests, {msg}"),
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is a constant"));
        bar.set_message("starting");
        Self { bar, by }
    }

    fn show(&self, session: &Session) {
        let r = session.requests();
        let done = u64::from(r.completed + r.rejected + r.dropped);
        let (seconds, events) = (session.now().0 / 1_000_000, session.events());
        match self.by {
            Measure::Seconds => {
                self.bar.set_position(seconds);
                self.bar.set_message(format!("{done}/{} requests, {events} events", r.arrived));
            }
            Measure::Requests | Measure::Open => {
                self.bar.set_position(done);
                self.bar.set_message(format!("{seconds} s, {events} events"));
            }
        }
        self.bar.tick();
    }
}
