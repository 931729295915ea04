//! What a lesson may say: lengths, counts, and names that lead somewhere. Every problem names its path.

use super::{Axis, DrawQuestion, Lesson, LessonStep, Question};
use base::{Diagnostic, Diagnostics};
use document::limits;
use run::session::figures::{Figure, Gives, LIVE_ROOTS};

/// The version of the format.
const VERSION: u32 = 1;

impl Lesson {
    /// All problems of its meaning.
    pub(super) fn problems(&self) -> Diagnostics {
        let mut all = Diagnostics::new();
        if self.lesson != VERSION {
            let found = if self.lesson == 0 { "no version".to_owned() } else { self.lesson.to_string() };
            let fix = "write lesson: 1; a later version needs a newer Tokenyard";
            all.push(Diagnostic::error("lesson", found, VERSION.to_string(), fix));
        }
        text(&mut all, "title", &self.title, 80, true);
        text(&mut all, "about", &self.about, 160, true);
        text(&mut all, "audience", &self.audience, 120, true);
        if !(1..=limits::LESSON_MINUTES).contains(&self.minutes) {
            let allowed = format!("1 to {}", limits::LESSON_MINUTES);
            all.push(Diagnostic::error("minutes", self.minutes.to_string(), allowed, "3 is a good length"));
        }
        if self.seeds > limits::LESSON_SEEDS {
            let allowed = format!("1 to {}, or 0 for 20", limits::LESSON_SEEDS);
            all.push(Diagnostic::error("seeds", self.seeds.to_string(), allowed, "20 is the rule"));
        }
        count(&mut all, "scenarios", self.scenarios.len(), 0, limits::LESSON_RUNS);
        count(&mut all, "runs", self.runs.len(), 0, limits::LESSON_RUNS);
        count(&mut all, "steps", self.steps.len(), 1, limits::LESSON_STEPS);
        for name in self.scenarios.keys().chain(self.runs.keys()) {
            let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
            let is_root = LIVE_ROOTS.contains(&name.as_str()) || name == "run";
            let is_point = name.strip_prefix('x').is_some_and(|k| k.bytes().all(|b| b.is_ascii_digit()));
            let starts = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
            if !starts || name.len() > 24 || !name.bytes().all(letter) || is_root || is_point {
                let allowed = "1 to 24 of a-z, 0-9 and _, beginning with a letter; not report, frame, scenario, run, x0";
                all.push(Diagnostic::error(
                    name.clone(),
                    format!("the name \"{name}\""),
                    allowed,
                    "rename it",
                ));
            }
        }
        for name in self.runs.keys() {
            all.extend(self.scenario_of_run(name).err().unwrap_or_default());
        }
        for name in self.scenarios.keys() {
            all.extend(self.document(name, "scenarios").err().unwrap_or_default());
        }
        for (k, step) in self.steps.iter().enumerate().take(limits::LESSON_STEPS) {
            self.step_problems(k, step, &mut all);
        }
        all.dedup();
        all
    }

    fn step_problems(&self, k: usize, step: &LessonStep, all: &mut Diagnostics) {
        let at = |field: &str| format!("steps[{k}].{field}");
        text(all, &at("title"), &step.title, 60, true);
        let words = step.text.split_whitespace().count();
        if words == 0 || words > limits::LESSON_WORDS {
            let allowed = format!("1 to {} words", limits::LESSON_WORDS);
            all.push(Diagnostic::error(at("text"), format!("{words} words"), allowed, "one idea a step"));
        }
        count(all, &at("look"), step.look.len(), 0, 3);
        count(all, &at("hints"), step.hints.len(), 0, 3);
        count(all, &at("figures"), step.figures.len(), 0, limits::LESSON_FIGURES);
        count(all, &at("claims"), step.claims.len(), 0, limits::LESSON_CLAIMS);
        for (i, look) in step.look.iter().enumerate() {
            text(all, &at(&format!("look[{i}].says")), &look.says, 60, false);
            if !is_place(&look.at) {
                let areas = AREAS.map(|area| format!("area:{area}")).join(", ");
                let allowed = format!(
                    "field:PATH, chart:NAME, replica:NUMBER, figure:NAME, {areas}, {}",
                    PARTS.join(", ")
                );
                let path = at(&format!("look[{i}].at"));
                all.push(Diagnostic::error(
                    path,
                    format!("\"{}\"", look.at),
                    allowed,
                    "name a part of the page",
                ));
            }
        }
        for (i, hint) in step.hints.iter().enumerate() {
            text(all, &at(&format!("hints[{i}]")), hint, 240, true);
        }
        if let Some(task) = &step.task {
            text(all, &at("task.goal"), &task.goal, 120, true);
            text(all, &at("task.done"), &task.done, 240, true);
            let read = Figure::read(&at("task.until"), &task.until, &LIVE_ROOTS, Gives::Condition);
            all.extend(read.err().unwrap_or_default());
        }
        for (i, claim) in step.claims.iter().enumerate() {
            text(all, &at(&format!("claims[{i}].says")), &claim.says, 120, true);
            if claim.above.is_none() && claim.below.is_none() {
                let fix = "such as above: 3";
                all.push(Diagnostic::error(
                    at(&format!("claims[{i}]")),
                    "no bound",
                    "above, below or both",
                    fix,
                ));
            }
            if claim.holds_in > self.seed_count() {
                let allowed = format!("0 for all, or up to {}", self.seed_count());
                let path = at(&format!("claims[{i}].holds_in"));
                all.push(Diagnostic::error(
                    path,
                    claim.holds_in.to_string(),
                    allowed,
                    "there are no more seeds",
                ));
            }
        }
        self.expression_problems(k, step, all);
        question_problems(step, &at("ask"), all);
        all.extend(self.open_step(k).err().unwrap_or_default());
    }

    fn expression_problems(&self, k: usize, step: &LessonStep, all: &mut Diagnostics) {
        let roots = self.run_names();
        for (place, expression, gives) in step.expressions() {
            all.extend(
                Figure::read(&format!("steps[{k}].{place}"), expression, &roots, gives)
                    .err()
                    .unwrap_or_default(),
            );
        }
        for (name, figure) in &step.figures {
            let at = format!("steps[{k}].figures.{name}");
            text(all, &format!("{at}.label"), &figure.label, 60, true);
            text(all, &format!("{at}.unit"), &figure.unit, 12, false);
            if super::runs::is_live(&figure.value) {
                let read = Figure::read(&format!("{at}.value"), &figure.value, &LIVE_ROOTS, Gives::Number);
                all.extend(read.err().unwrap_or_default());
            }
        }
        for name in names_in_text(&step.text) {
            if !step.figures.contains_key(name) {
                let known: Vec<&str> = step.figures.keys().map(String::as_str).collect();
                let allowed = if known.is_empty() { "no figures".to_owned() } else { known.join(", ") };
                let path = format!("steps[{k}].text");
                all.push(Diagnostic::error(path, format!("{{{name}}}"), allowed, "add it under figures"));
            }
        }
        if all.is_empty() {
            all.extend(self.cases(k).err().unwrap_or_default());
        }
    }
}

/// The names between braces.
fn names_in_text(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

fn text(all: &mut Diagnostics, path: &str, text: &str, most: usize, needed: bool) {
    let length = text.chars().count();
    if length > most || (needed && text.trim().is_empty()) {
        let found = if length == 0 { "nothing".to_owned() } else { format!("{length} characters") };
        let allowed = format!("{} to {most} characters", u32::from(needed));
        let fix = if length == 0 { "write it" } else { "shorten it" };
        all.push(Diagnostic::error(path, found, allowed, fix));
    }
}

fn count(all: &mut Diagnostics, path: &str, found: usize, least: usize, most: usize) {
    if !(least..=most).contains(&found) {
        let allowed = format!("{least} to {most}");
        all.push(Diagnostic::error(path, found.to_string(), allowed, "remove some, or add some"));
    }
}

/// The close-ups of the page.
const AREAS: [&str; 5] = ["lanes", "kv", "density", "tiers", "sessions"];
/// The parts of the page that have a name alone.
const PARTS: [&str; 5] = ["stage", "timeline", "play", "speed", "inspector"];

/// Whether a text names a part of the page.
fn is_place(at: &str) -> bool {
    match at.split_once(':') {
        None => PARTS.contains(&at),
        Some(("area", name)) => AREAS.contains(&name),
        Some(("replica", number)) => number.parse::<u32>().is_ok(),
        Some(("field" | "chart" | "figure", name)) => !name.is_empty() && name.len() <= 160,
        Some(_) => false,
    }
}

fn question_problems(step: &LessonStep, at: &str, all: &mut Diagnostics) {
    let Some(ask) = &step.ask else { return };
    match ask {
        Question::Choose(ask) => {
            text(all, &format!("{at}.choose.question"), &ask.question, 120, true);
            count(all, &format!("{at}.choose.answers"), ask.answers.len(), 2, 5);
            for (k, answer) in ask.answers.iter().enumerate() {
                text(all, &format!("{at}.choose.answers[{k}].text"), &answer.text, 120, true);
                text(all, &format!("{at}.choose.answers[{k}].because"), &answer.because, 240, false);
            }
        }
        Question::Order(ask) => {
            text(all, &format!("{at}.order.question"), &ask.question, 120, true);
            count(all, &format!("{at}.order.items"), ask.items.len(), 2, 6);
            for (k, item) in ask.items.iter().enumerate() {
                text(all, &format!("{at}.order.items[{k}].label"), &item.label, 60, true);
            }
        }
        Question::Number(ask) => {
            let at = format!("{at}.number");
            text(all, &format!("{at}.question"), &ask.question, 120, true);
            ends(all, &at, [ask.from, ask.to], ask.log);
            if !(ask.within > 0.0 && ask.within <= 1.0) {
                let path = format!("{at}.within");
                all.push(Diagnostic::error(path, ask.within.to_string(), "above 0 up to 1", "0.2 is 20 %"));
            }
        }
        Question::Draw(ask) => draw_problems(ask, &format!("{at}.draw"), all),
    }
}

fn draw_problems(ask: &DrawQuestion, at: &str, all: &mut Diagnostics) {
    text(all, &format!("{at}.question"), &ask.question, 120, true);
    count(all, &format!("{at}.values"), ask.values.len(), 3, 12);
    if !ask.values.windows(2).all(|pair| pair[0] < pair[1]) {
        let path = format!("{at}.values");
        all.push(Diagnostic::error(path, "values out of order", "rising values", "sort them, each once"));
    }
    for (name, Axis { label, from, to, log, .. }) in [("x", &ask.x), ("y", &ask.y)] {
        text(all, &format!("{at}.{name}.label"), label, 40, true);
        ends(all, &format!("{at}.{name}"), [*from, *to], *log);
    }
    let read = Figure::read(&format!("{at}.value"), &ask.value, &["run"], Gives::Number);
    all.extend(read.err().unwrap_or_default());
}

fn ends(all: &mut Diagnostics, at: &str, [from, to]: [f64; 2], log: bool) {
    if !(from.is_finite() && to.is_finite() && from < to && (!log || from > 0.0)) {
        let allowed =
            if log { "two numbers above 0, the lower one first" } else { "two numbers, the lower one first" };
        all.push(Diagnostic::error(
            format!("{at}.from"),
            format!("{from} to {to}"),
            allowed,
            "set from and to",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::AREAS;

    #[test]
    fn the_close_ups_are_those_of_the_page() {
        let page = include_str!("../../../www/src/state/view/closeup.ts");
        let areas = AREAS.map(|area| format!("'{area}'")).join(", ");
        assert!(page.contains(&format!("export const AREAS = ['charts', {areas}] as const;")), "{areas}");
    }
}
