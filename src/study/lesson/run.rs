//! Makes the run of a case, natively. The page makes it in a thread of its own.

use super::open::below;
use super::{CaseFigures, LessonCase};
use base::alike::nearest;
use base::{Diagnostic, Diagnostics, Micros, json};
use document::{limits, parse};
use run::session::figures::{number_at, place_at};
use run::session::{Audience, Session, Stop};

/// Runs a case to its end. A path that leads nowhere in its report is an error.
pub fn run_case(case: &LessonCase) -> Result<CaseFigures, Diagnostics> {
    let placed = |all: Diagnostics| -> Diagnostics {
        all.into_iter().map(|problem| below(&format!("runs.{}", case.run), problem)).collect()
    };
    let scenario = parse(&case.scenario).map_err(placed)?;
    let (mut session, _) = Session::start(scenario, None, Audience::Batch).map_err(placed)?;
    if session.advance(Micros::MAX, limits::LESSON_EVENTS) == Stop::Events {
        let found = format!("a run of more than {} events", limits::LESSON_EVENTS);
        let fix = "set run.horizon_s or run.max_requests lower";
        return Err(vec![Diagnostic::error(format!("runs.{}", case.run), found, "a shorter run", fix)]);
    }
    let report = json::tree(&session.report_data());
    let mut problems = Diagnostics::new();
    let mut values = Vec::new();
    for path in &case.paths {
        let path = path.strip_prefix("report.").unwrap_or(path);
        if let Err((word, known)) = place_at(&report, path) {
            let fix = nearest(&word, &known)
                .map_or_else(|| "use one of these".to_owned(), |near| format!("did you mean `{near}`?"));
            let found = format!("`{word}` in `{path}`");
            problems.push(Diagnostic::error(format!("runs.{}", case.run), found, known.join(", "), fix));
        }
        values.push(number_at(&report, path));
    }
    let figures = CaseFigures { run: case.run.clone(), seed: case.seed, values };
    if problems.is_empty() { Ok(figures) } else { Err(problems) }
}
