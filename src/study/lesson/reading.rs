//! Reads a lesson, for the command line and for the page.

use super::{Lesson, OpenedStep};
use base::Diagnostics;
use document::data_from_value;
use serde::Serialize;
use serde_json::Value;

/// A lesson that was read, for the page.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LessonRead {
    /// The lesson.
    pub lesson: Lesson,
    /// Where each step opens.
    pub opened: Vec<OpenedStep>,
    /// How many runs each step needs, over all seeds.
    pub runs: Vec<u32>,
}

impl Lesson {
    /// Reads a lesson; all problems are reported at once.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a tree is read once, and its callers make it for this"
    )]
    pub fn read(document: Value) -> Result<Self, Diagnostics> {
        let lesson: Self = data_from_value(&document, "a lesson")?;
        let problems = lesson.problems();
        if problems.is_empty() { Ok(lesson) } else { Err(problems) }
    }

    /// The same with what the page shows.
    pub fn read_for_page(document: Value) -> Result<LessonRead, Diagnostics> {
        let lesson = Self::read(document)?;
        let steps = 0..lesson.steps.len();
        let opened: Result<Vec<OpenedStep>, Diagnostics> =
            steps.clone().map(|step| lesson.open_step(step)).collect();
        let runs: Result<Vec<u32>, Diagnostics> =
            steps.map(|step| lesson.cases(step).map(|cases| cases.len() as u32)).collect();
        Ok(LessonRead { opened: opened?, runs: runs?, lesson })
    }
}
