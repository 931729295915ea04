//! The document of a lesson: what a file of `lessons/` says. [`super::Lesson::read`] checks it.

use document::shape;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A lesson: steps beside the live page, and statements that the engine checks.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lesson {
    /// The version of the format: 1.
    pub lesson: u32,
    /// Its title, at most 80 characters.
    pub title: String,
    /// What the reader does in it, in one or two sentences, at most 160 characters.
    pub about: String,
    /// Whom it is for, at most 120 characters.
    pub audience: String,
    /// How long it takes, in minutes, 1 to 60.
    pub minutes: u32,
    /// The scenarios that steps and runs name; presets need no entry.
    pub scenarios: BTreeMap<String, LessonScenario>,
    /// The runs that the engine makes over the seeds, for claims, figures and the truth of predictions.
    pub runs: BTreeMap<String, LessonRun>,
    /// How many seeds the runs have, 1 to 100: the seed of the scenario and those after it.
    pub seeds: u32,
    /// Its steps, 1 to 12.
    pub steps: Vec<LessonStep>,
}

/// A scenario of a lesson: a preset or a whole document, with fields set to other values.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonScenario {
    /// The name of a preset; empty with a document.
    pub preset: String,
    /// A scenario, as in a file of its own.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub document: Option<Value>,
    /// Values of fields by path, as `--set` takes them.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    pub set: BTreeMap<String, Value>,
}

/// A run of a lesson.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonRun {
    /// The name of its scenario: one of the lesson's, or a preset.
    pub scenario: String,
    /// Values of fields by path, as `--set` takes them; `traffic` multiplies the rates of all clients.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    pub set: BTreeMap<String, Value>,
}

/// What a step is about.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "types", ts(rename_all = "kebab-case"))]
pub enum StepType {
    /// The reader guesses.
    Predict,
    /// The reader changes something.
    #[default]
    Do,
    /// What came of it.
    See,
    /// The reason.
    Why,
    /// The reader goes on alone.
    Try,
}

shape! { names StepType { Predict "predict" Do "do" See "see" Why "why" Try "try" } }

/// A step: one card, one idea.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonStep {
    /// What it is about.
    pub kind: StepType,
    /// Its title, at most 60 characters.
    pub title: String,
    /// What it says, at most 120 words in paragraphs with an empty line between: `**bold**`, `[[word of the glossary]]`,
    /// `[[word of the glossary|other words]]`, and `{name}` for one of its figures.
    pub text: String,
    /// Where it opens, as a readable link: the name of a scenario of the lesson or of a preset, then values of fields
    /// and of the view with `;` between, such as `busy;t=60;charts=queue-depth`. Empty to stay where the page is.
    pub open: String,
    /// What to look at, at most 3.
    pub look: Vec<LessonLook>,
    /// The question of a prediction.
    pub ask: Option<Question>,
    /// What the reader shall reach.
    pub task: Option<LessonTask>,
    /// Three hints at most: the concept, the principle, the answer.
    pub hints: Vec<String>,
    /// Figures that its text shows, at most 8, by name.
    pub figures: BTreeMap<String, LessonFigure>,
    /// Statements that hold over the seeds, at most 4.
    pub claims: Vec<LessonClaim>,
}

/// Something on the page to look at.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonLook {
    /// What it is: `field:PATH`, `chart:NAME`, `replica:NUMBER`, `figure:NAME` (of the row of key figures), `area:lanes`,
    /// `area:kv`, `area:density`, `area:tiers`, `area:sessions`, `stage`, `timeline`, `play`, `speed`, `inspector`.
    pub at: String,
    /// What to do there or what is there, at most 60 characters.
    pub says: String,
}

/// A question, whose answer the reader gives before the engine does.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// One of several answers.
    Choose(ChooseQuestion),
    /// The order of several things.
    Order(OrderQuestion),
    /// A number.
    Number(NumberQuestion),
    /// A curve.
    Draw(DrawQuestion),
}

shape! {
    read enum Question [] {} { Choose "choose" Order "order" Number "number" Draw "draw" }
}

/// A question with 2 to 5 answers.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChooseQuestion {
    /// The question, at most 120 characters.
    pub question: String,
    /// The answers, exactly one of which is right.
    pub answers: Vec<ChooseAnswer>,
}

/// An answer to choose.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChooseAnswer {
    /// The answer, at most 120 characters.
    pub text: String,
    /// A condition over the runs that makes it the right one, in the language of expressions.
    pub right: String,
    /// What the page says once it was chosen, at most 240 characters.
    pub because: String,
}

/// A question for an order of 2 to 6 things; the engine's order is that of their values.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrderQuestion {
    /// The question, at most 120 characters; the thing with the smallest value comes first.
    pub question: String,
    /// The things, in the order in which they are shown first.
    pub items: Vec<OrderItem>,
    /// The unit of the values.
    pub unit: String,
}

/// A thing to put in order.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrderItem {
    /// Its name, at most 60 characters.
    pub label: String,
    /// Its value: an expression over the runs.
    pub value: String,
}

/// A question for a number.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NumberQuestion {
    /// The question, at most 120 characters.
    pub question: String,
    /// The engine's answer: an expression over the runs.
    pub value: String,
    /// The unit.
    pub unit: String,
    /// The ends of the scale.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// Whether the scale is logarithmic.
    pub log: bool,
    /// How far a good guess is from the engine's answer, as a share of that: 0.2 is 20 %.
    pub within: f64,
}

/// A question for a curve.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DrawQuestion {
    /// The question, at most 120 characters.
    pub question: String,
    /// The run that is varied.
    pub run: String,
    /// The field that varies, as in `set` of a run; `traffic` for the rates of all clients.
    pub path: String,
    /// Its values, 3 to 12, in rising order.
    pub values: Vec<f64>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The value there: an expression over `run`, such as `run.latency_ms.ttft.p99`.
    pub value: String,
    /// The slope of the knee: from where one unit more along the horizontal axis costs more than this. 0 for no knee.
    pub knee: f64,
}

/// An axis.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// What it shows, at most 40 characters.
    pub label: String,
    /// The unit.
    pub unit: String,
    /// The ends.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// Whether it is logarithmic.
    pub log: bool,
}

/// What the reader shall reach in the live run.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonTask {
    /// What to reach, at most 120 characters.
    pub goal: String,
    /// The condition: over `report`, `frame` and `scenario` of the live run, in the language of expressions.
    pub until: String,
    /// Why it worked, at most 240 characters.
    pub done: String,
}

/// A figure of a text: an expression over the runs, or over `report`, `frame` and `scenario` of the live run.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonFigure {
    /// What it is, at most 60 characters.
    pub label: String,
    /// The expression.
    pub value: String,
    /// The unit: `ms`, `s`, `req/s`, `%` (the value is a share), `×`, `tokens`, `tokens/s`, or any word of at most 12
    /// characters; empty for a plain number.
    pub unit: String,
}

/// A statement that holds over the seeds.
#[apply(document::readable!)]
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LessonClaim {
    /// The statement, at most 120 characters.
    pub says: String,
    /// An expression over the runs.
    pub value: String,
    /// Its unit, as of a figure.
    pub unit: String,
    /// The value is above this.
    pub above: Option<f64>,
    /// The value is below this.
    pub below: Option<f64>,
    /// In how many of the seeds it holds at least; 0 for all.
    pub holds_in: u32,
}
