//! Lessons as the page lists them, and as other pages show them. `tokenyard lesson check` says more of a lesson that does not hold.

use super::gallery::{LessonCard, card_of_lesson, image as drawn};
use super::{Trouble, trouble};
use base::Diagnostics;
use config::import::documents::yaml;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use study::lesson::{CaseFigures, Lesson, StepVerdict, run_case};

/// The cards of lessons, those of the road first and in their order; `unchecked` leaves out what runs say of the claims.
pub(crate) fn cards(files: &[PathBuf], unchecked: bool) -> Result<Vec<LessonCard>, Trouble> {
    let mut cards = Vec::new();
    for file in files {
        let (lesson, mut card) = read(file)?;
        let with_claims = lesson.steps.iter().enumerate().filter(|(_, step)| !step.claims.is_empty());
        for (k, _) in with_claims.filter(|_| !unchecked) {
            card.count(&judged(&lesson, k).map_err(|all| trouble(&file.display().to_string(), &all))?);
        }
        cards.push(card);
    }
    // Number 0 is not on the road.
    cards.sort_by_key(|card| card.number.wrapping_sub(1));
    Ok(cards)
}

/// The image of a lesson as PNG.
pub(crate) fn image(file: &Path) -> Result<Vec<u8>, Trouble> {
    read(file).map(|(_, card)| drawn(&card))
}

/// What the runs of a step say of its claims.
fn judged(lesson: &Lesson, step: usize) -> Result<StepVerdict, Diagnostics> {
    let ended: Result<Vec<CaseFigures>, Diagnostics> = lesson.cases(step)?.par_iter().map(run_case).collect();
    lesson.judge(step, &ended?, None)
}

/// A lesson and its card, without the claims.
fn read(file: &Path) -> Result<(Lesson, LessonCard), Trouble> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|e| format!("{name}: {e}"))?;
    let document = yaml::value(&text).map_err(|all| trouble(&name, &all))?;
    let lesson = Lesson::read(document).map_err(|all| trouble(&name, &all))?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let card = card_of_lesson(&stem, &lesson).map_err(|all| trouble(&name, &all))?;
    Ok((lesson, card))
}
