//! `tokenyard lesson cards` and `tokenyard lesson image`: lessons as the page lists them, and as other pages show them.

use crate::args::lesson::{LessonCards, LessonImage};
use crate::commands::many_runs::parallel::threads;
use crate::commands::page::lesson::judged;
use crate::files::input::{read_lesson, refused};
use crate::files::outputs::Outputs;
use crate::{Failed, say, unreadable};
use base::{Diagnostic, json};
use std::path::Path;
use study::lesson::Lesson;
use tools::gallery::{LessonCard, card_of_lesson, image as drawn};

/// `tokenyard lesson cards`
pub(crate) fn print(args: &LessonCards) -> Result<(), Failed> {
    let pool = threads(args.jobs)?;
    let mut cards = Vec::new();
    for file in &args.files {
        let (lesson, mut card) = read(file)?;
        let with_claims = lesson.steps.iter().enumerate().filter(|(_, step)| !step.claims.is_empty());
        for (k, _) in with_claims.filter(|_| !args.unchecked) {
            let verdict = judged(&lesson, k, &pool);
            card.count(&verdict.map_err(|all| refused(&file.display().to_string(), &all))?);
        }
        cards.push(card);
    }
    // Number 0 is not on the road.
    cards.sort_by_key(|card| card.number.wrapping_sub(1));
    let lines: Vec<String> = cards.iter().map(json::compact).collect();
    say(&format!("[\n{}\n]\n", lines.join(",\n")))
}

/// `tokenyard lesson image`
pub(crate) fn image(args: &LessonImage) -> Result<(), Failed> {
    let name = args.output.display().to_string();
    if args.output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
        let problem = Diagnostic::error("", &name, "a name that ends in .png", "give the image such a name");
        return Err(refused("--output", &[problem]));
    }
    Outputs::beside([args.file.clone()]).add(&args.output).map_err(|all| refused("--output", &[all]))?;
    let (_, card) = read(&args.file)?;
    std::fs::write(&args.output, drawn(&card)).map_err(|e| unreadable(&name, &e))
}

/// A lesson and its card, without the claims.
fn read(file: &Path) -> Result<(Lesson, LessonCard), Failed> {
    let name = file.display().to_string();
    let lesson = Lesson::read(read_lesson(&name)?).map_err(|all| refused(&name, &all))?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let card = card_of_lesson(&stem, &lesson).map_err(|all| refused(&name, &all))?;
    Ok((lesson, card))
}
