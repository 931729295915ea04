//! Figures of the live run: what the task of a lesson and the formulas of the glossary read while the page plays.

use crate::session::Session;
use crate::session::figures::{Figure, Gives, LIVE_ROOTS, number_at};
use crate::session::view::FrameQuery;
use base::{Diagnostics, json};
use serde_json::Value;

/// The values of expressions over `report`, `frame` and `scenario` of a run; conditions are 1 and 0. `None` where a
/// value is missing or an expression cannot be read.
pub(super) fn live_figures(session: &Session, expressions: &[String]) -> Vec<Option<f64>> {
    let read = |text: &String| -> Result<Figure, Diagnostics> {
        Figure::read("", text, &LIVE_ROOTS, Gives::Number)
            .or_else(|_| Figure::read("", text, &LIVE_ROOTS, Gives::Condition))
    };
    let figures: Vec<Option<Figure>> = expressions.iter().map(|text| read(text).ok()).collect();
    let asks = |root: &str| {
        let mut paths = figures.iter().flatten().flat_map(Figure::paths);
        paths.any(|path| path.split('.').next() == Some(root))
    };
    let report = if asks("report") { json::tree(&session.report_data()) } else { Value::Null };
    // Of a copy: a frame takes the moves since the previous one, which belong to the page.
    let frame =
        if asks("frame") { json::tree(&session.clone().frame(&FrameQuery::default())) } else { Value::Null };
    let scenario = if asks("scenario") { json::tree(session.plan().scenario()) } else { Value::Null };
    let at = |path: &str| {
        let (root, rest) = path.split_once('.')?;
        match root {
            "report" => number_at(&report, rest),
            "frame" => number_at(&frame, rest),
            _ => number_at(&scenario, rest),
        }
    };
    figures.iter().map(|figure| figure.as_ref()?.value(&at)).collect()
}
