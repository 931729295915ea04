//! `tokenyard lesson`: checks lessons, and writes the skeleton of one.

use crate::args::lesson::{CheckLesson, Lesson as Arguments, LessonCommand, NewLesson};
use crate::commands::many_runs::parallel::{each, progress, threads};
use crate::failed::{DIFFERENT, Failed};
use crate::files::input::read_lesson;
use crate::print::{refused, say, unreadable};
use base::{Diagnostic, Diagnostics, alike, json};
use serde::Serialize;
use std::fmt::Write;
use std::io::Write as _;
use study::lesson::{CaseFigures, ClaimVerdict, Lesson, StepVerdict, run_case};
use tools::glossary;

/// What `lesson new` writes.
const SKELETON: &str = include_str!("lesson_skeleton.yaml");

/// `tokenyard lesson`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    match &args.command {
        LessonCommand::Check(args) => check(args),
        LessonCommand::New(args) => new(args),
        LessonCommand::Json { file } => {
            let name = file.display().to_string();
            let document = read_lesson(&name)?;
            Lesson::read(document.clone()).map_err(|all| refused(&name, &all))?;
            say(&format!("{}\n", json::compact(&document)))
        }
    }
}

/// A lesson that was checked.
#[derive(Serialize)]
struct Checked {
    file: String,
    title: String,
    steps: Vec<StepVerdict>,
}

fn new(args: &NewLesson) -> Result<(), Failed> {
    let file = std::fs::File::create_new(&args.file);
    let written = file.and_then(|mut file| file.write_all(SKELETON.as_bytes()));
    written.map_err(|e| unreadable(&args.file.display(), &e))?;
    say(&format!("{} written: tokenyard lesson check {}\n", args.file.display(), args.file.display()))
}

fn check(args: &CheckLesson) -> Result<(), Failed> {
    let pool = threads(args.jobs)?;
    let (mut all, mut held, mut failed) = (Vec::new(), 0, 0);
    for file in &args.files {
        let mut steps = Vec::new();
        let name = file.display().to_string();
        let lesson = Lesson::read(read_lesson(&name)?).map_err(|problems| refused(&name, &problems))?;
        let unknown = unknown_words(&lesson);
        if !unknown.is_empty() {
            return Err(refused(&name, &unknown));
        }
        let mut text = format!("{name}: {}\n", lesson.title);
        for (k, step) in lesson.steps.iter().enumerate() {
            if !args.step.is_empty() && !args.step.contains(&(k as u32 + 1)) {
                continue;
            }
            let verdict = judged(&lesson, k, &pool).map_err(|problems| refused(&name, &problems))?;
            held += verdict.claims.iter().filter(|claim| claim.holds).count();
            failed += verdict.claims.iter().filter(|claim| !claim.holds).count();
            let _ = writeln!(text, "  step {}: {}", k + 1, step.title);
            for (claim, found) in step.claims.iter().zip(&verdict.claims) {
                text.push_str(&line(&claim.says, found));
            }
            text.push_str(&answers(&verdict));
            steps.push(verdict);
        }
        all.push(Checked { file: name, title: lesson.title, steps });
        if !args.json {
            say(&text)?;
        }
    }
    if args.json {
        say(&format!("{}\n", json::indented(&all)))?;
    } else {
        say(&format!("{held} claims hold, {failed} fail\n"))?;
    }
    if failed > 0 { Err(Failed(DIFFERENT)) } else { Ok(()) }
}

/// Words in `[[…]]` that the glossary does not have.
fn unknown_words(lesson: &Lesson) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let known: Vec<String> =
        glossary::entries().unwrap_or_default().into_iter().map(|entry| entry.word).collect();
    for (k, step) in lesson.steps.iter().enumerate() {
        let words = step.text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]"));
        for word in words.map(|(inside, _)| inside.split('|').next().unwrap_or_default()) {
            if !glossary::has(word) {
                let fix = alike::nearest(word, known.iter().map(String::as_str)).map_or_else(
                    || "remove the brackets, or use a word of docs/reference/glossary.md".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                let path = format!("steps[{k}].text");
                problems.push(Diagnostic::error(path, format!("[[{word}]]"), "words of the glossary", fix));
            }
        }
    }
    problems
}

fn judged(lesson: &Lesson, step: usize, pool: &rayon::ThreadPool) -> Result<StepVerdict, Diagnostics> {
    let cases = lesson.cases(step)?;
    let bar = progress(cases.len() as u64);
    let ended: Result<Vec<CaseFigures>, Diagnostics> = each(pool, cases.len(), |k| {
        let ended = run_case(&cases[k]);
        bar.inc(1);
        ended
    })
    .into_iter()
    .collect();
    bar.finish_and_clear();
    lesson.judge(step, &ended?, None)
}

fn number(x: Option<f64>) -> String {
    x.map_or_else(|| "–".to_owned(), |x| format!("{x:.4}"))
}

fn line(says: &str, found: &ClaimVerdict) -> String {
    let mark = if found.holds { "ok  " } else { "FAIL" };
    let value = &found.value;
    let between = format!("{} ({} to {})", number(value.mean), number(value.lo), number(value.hi));
    let missed = match found.worst {
        Some(seed) if found.missed_by < f64::MAX => {
            format!("; missed by {:.4} at worst, with seed number {seed}", found.missed_by)
        }
        Some(seed) => format!("; no value with seed number {seed}"),
        None => String::new(),
    };
    let of = value.values.len();
    format!(
        "    {mark} {says}: {between}, holds in {} of {of}, {} needed{missed}\n",
        found.held, found.needed
    )
}

/// The engine's answers to a question, and the figures of the text.
fn answers(verdict: &StepVerdict) -> String {
    let mut text = String::new();
    if let Some(right) = verdict.right {
        let _ = writeln!(text, "    right answer: {}", right + 1);
    }
    if !verdict.order.is_empty() {
        let order: Vec<String> = verdict.order.iter().map(|k| (k + 1).to_string()).collect();
        let values: Vec<String> = verdict.items.iter().map(|item| number(item.mean)).collect();
        let _ = writeln!(text, "    order: {} (values {})", order.join(", "), values.join(", "));
    }
    if let Some(answer) = &verdict.number {
        let _ = writeln!(
            text,
            "    answer: {} ({} to {})",
            number(answer.mean),
            number(answer.lo),
            number(answer.hi)
        );
    }
    if let Some(curve) = &verdict.curve {
        for point in &curve.points {
            let y = &point.y;
            let _ = writeln!(
                text,
                "    at {}: {} ({} to {})",
                point.x,
                number(y.mean),
                number(y.lo),
                number(y.hi)
            );
        }
        if let Some(knee) = curve.knee {
            let _ = writeln!(text, "    knee at {knee:.3}");
        }
    }
    for (name, figure) in &verdict.figures {
        let _ = writeln!(
            text,
            "    {{{name}}}: {} ({} to {})",
            number(figure.mean),
            number(figure.lo),
            number(figure.hi)
        );
    }
    text
}
