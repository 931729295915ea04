//! Running a scenario to its end.

use super::args::{Input, Run};
use super::input::{Loaded, load, refused, tell_all};
use super::{Failed, say, summary, tell};
use crate::base::Micros;
use crate::session::frame::Stop;
use crate::session::{Audience, Session};
use indicatif::{ProgressBar, ProgressStyle};

/// Events between two looks at the progress bar.
const SLICE: u64 = 200_000;

/// `tokenyard run`
pub(super) fn run(args: &Run) -> Result<(), Failed> {
    let session = finish(&args.input)?;
    if args.json { say(&session.report()) } else { say(&summary::text(&session.report_data())) }
}

/// `tokenyard digest`
pub(super) fn digest(input: &Input) -> Result<(), Failed> {
    say(&format!("{}\n", finish(input)?.digest()))
}

/// `tokenyard check`
pub(super) fn check(input: &Input) -> Result<(), Failed> {
    start(input)?;
    say("ok\n")
}

fn start(input: &Input) -> Result<Session, Failed> {
    let Loaded { scenario, trace } = load(input)?;
    match Session::start(scenario, trace, Audience::Batch) {
        Ok((session, warnings)) => {
            tell_all(&input.scenario, &warnings);
            Ok(session)
        }
        Err(problems) => Err(refused(&input.scenario, &problems)),
    }
}

fn finish(input: &Input) -> Result<Session, Failed> {
    let mut session = start(input)?;
    let bar = progress_bar(&session);
    while session.advance(Micros::MAX, SLICE) != Stop::Finished {
        bar.set_position(session.now().0 / 1_000_000);
        bar.set_message(format!("{} events", session.events()));
    }
    bar.finish_and_clear();
    let trouble = session.report_data().run.trouble;
    if !trouble.is_empty() {
        tell(&format!("warning: {trouble}"));
    }
    Ok(session)
}

/// A bar where the end is known, a spinner where it is not; indicatif draws neither unless stderr is a terminal.
fn progress_bar(session: &Session) -> ProgressBar {
    let horizon_s = session.scenario().run.horizon_s;
    let (bar, template) = if horizon_s > 0.0 {
        (ProgressBar::new(horizon_s as u64), "{bar:40} {pos}/{len} simulated s, {msg}, {eta} left")
    } else {
        (ProgressBar::new_spinner(), "{spinner} {pos} simulated s, {msg}")
    };
    bar.set_style(ProgressStyle::with_template(template).expect("the template is a constant"));
    bar
}
