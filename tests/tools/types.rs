//! The TypeScript types of values that cross the boundary to the page, from the Rust types and their doc comments.

use crate::gallery::{Card, LessonCard};
use base::Diagnostic;
use base::stats::HEADLINE;
use benchmarks::questions::{MeasuredAnswers, MeasuredQuestion};
use config::questions::{ExchangeAnswers, ExchangeQuestion};
use document::limits;
use export::{Format, Table};
use run::session::closeup::{CloseUp, CloseUpAnswers};
use run::session::questions::{RunAnswers, RunQuestion};
use run::session::report::RunMetric;
use run::session::view::{AnomalyKind, ColumnsQuery, EventKind, Frame, FrameQuery, PresetInfo};
use run::session::{Occasion, OccasionChoice, Report, RequestColumn, StepKind, Stop};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use study::questions::comparison::{ComparisonAnswers, ComparisonQuestion};
use study::questions::links::{LinkAnswers, LinkQuestion};
use study::questions::theory::{TheoryAnswers, TheoryQuestion};
use study::questions::whatif::{WhatIfAnswers, WhatIfQuestion};
use study::theory::Law;
use tools::glossary::GlossaryEntry;
use ts_rs::{Config, TS, TypeVisitor};

const HEADER: &str = "// The types of what crosses the boundary, from Rust: cargo run -p project-tools -- types > www/src/generated/boundary.ts\n";

/// The declarations as TypeScript text: the module's results and arguments, and the types that they contain.
pub(crate) fn text() -> String {
    // JSON numbers: JavaScript reads them as doubles, and none of ours is beyond 2^53.
    let mut all = Declarations {
        config: Config::new().with_large_int("number"),
        by_name: BTreeMap::new(),
        twice: Vec::new(),
    };
    of_boundary(&mut all);
    assert!(all.twice.is_empty(), "types of the boundary with one name: {}", all.twice.join("; "));
    let types =
        all.by_name.values().fold(HEADER.to_owned(), |text, (_, declaration)| text + "\n" + declaration);
    types
        + &list(
            "EVENT_KINDS",
            "EventKind",
            "All kinds of events, in the order in which lists show them.",
            &EventKind::ALL,
        )
        + &list("ANOMALY_KINDS", "AnomalyKind", "All kinds of anomalies.", &AnomalyKind::ALL)
        + &list(
            "LAWS",
            "(readonly [name: string, title: string])",
            "All laws of queueing theory, by the names that queries take.",
            &Law::ALL.map(|law| (law.name(), law.title())),
        )
        + &list(
            "RUN_METRICS",
            "(readonly [name: string, label: string, unit: MetricUnit])",
            "Further figures of whole runs, as rows of sweeps and comparisons have them.",
            &RunMetric::further().map(|m| (m.name(), m.label(), m.unit())).collect::<Vec<_>>(),
        )
        + &names(
            "PERCENTILES",
            "Percentile",
            "The percentiles of headline numbers.",
            HEADLINE.map(|(name, _)| name),
        )
        + &names(
            "ROW_TABLES",
            "RowTable",
            "The tables of a whole run, by their names on the command line.",
            Table::ALL.map(Table::name),
        )
        + &names("ROW_FORMATS", "RowFormat", "The formats of their rows.", Format::ALL.map(Format::extension))
        + &names(
            "REQUEST_COLUMNS",
            "RequestColumn",
            "The columns of the table of requests.",
            RequestColumn::ALL.iter().map(|column| column.name),
        )
        + &list("OCCASIONS", "OccasionChoice", "All that a run can be run to.", &Occasion::CHOICES)
        + &LINK_NUMBERS.map(number).concat()
}

/// What crosses the boundary: what drives a run, questions with their answers, and files that the page reads.
fn of_boundary(all: &mut Declarations) {
    all.visit::<Frame>();
    all.visit::<FrameQuery>();
    all.visit::<Stop>();
    all.visit::<StepKind>();
    all.visit::<Occasion>();
    all.visit::<OccasionChoice>();
    all.visit::<ColumnsQuery>();
    all.visit::<Report>();
    all.visit::<Diagnostic>();
    all.visit::<PresetInfo>();
    all.visit::<Card>();
    all.visit::<LessonCard>();
    all.visit::<GlossaryEntry>();
    all.asked::<RunQuestion, RunAnswers>();
    all.asked::<CloseUp, CloseUpAnswers>();
    all.asked::<LinkQuestion, LinkAnswers>();
    all.asked::<ComparisonQuestion, ComparisonAnswers>();
    all.asked::<TheoryQuestion, TheoryAnswers>();
    all.asked::<WhatIfQuestion, WhatIfAnswers>();
    all.asked::<MeasuredQuestion, MeasuredAnswers>();
    all.asked::<ExchangeQuestion, ExchangeAnswers>();
}

/// Limits of links that the page needs: name, what it is, value.
const LINK_NUMBERS: [(&str, &str, usize); 6] = [
    ("LINK_CHARS_POST", "Longest link that a post takes.", limits::LINK_CHARS_POST),
    ("LINK_CHARS_QR", "Longest link that a camera reads as a QR code from a screen.", limits::LINK_CHARS_QR),
    ("LINK_CHARS_CHAT", "Longest link that a message of a chat takes.", limits::LINK_CHARS_CHAT),
    (
        "LINK_CHARS_FILE",
        "Above this chats and mails cut links: the file is offered first.",
        limits::LINK_CHARS_FILE,
    ),
    ("LINK_CHARTS", "Most charts that a link names.", limits::LINK_CHARTS),
    ("RUN_NAME_CHARS", "Longest name of a run.", limits::RUN_NAME_CHARS),
];

/// A constant number.
fn number((name, about, value): (&str, &str, usize)) -> String {
    format!("\n/** {about} */\nexport const {name} = {value};\n")
}

/// A constant list of names, and their type.
fn names(name: &str, of: &str, about: &str, values: impl IntoIterator<Item = &'static str>) -> String {
    let mut text = format!("\n/** {about} */\nexport const {name} = [\n");
    for value in values {
        writeln!(text, "  \"{value}\",").expect("text grows");
    }
    text + &format!("] as const;\n/** One of them. */\nexport type {of} = (typeof {name})[number];\n")
}

/// A constant list of values of a type.
fn list<T: Serialize>(name: &str, of: &str, about: &str, values: &[T]) -> String {
    let mut text = format!("\n/** {about} */\nexport const {name}: readonly {of}[] = [\n");
    for value in values {
        writeln!(text, "  {},", base::json::compact(value)).expect("text grows");
    }
    text + "];\n"
}

struct Declarations {
    config: Config,
    /// Sorted, because the library's order of visiting the parts of a type differs between builds. Each with its path in
    /// Rust, so that two types of one name are noticed.
    by_name: BTreeMap<String, (&'static str, String)>,
    /// Types with the name of another.
    twice: Vec<String>,
}

impl Declarations {
    /// Questions, and their answers.
    fn asked<Q: TS + 'static, A: TS + 'static>(&mut self) {
        self.visit::<Q>();
        self.visit::<A>();
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // A list, a map, an option or a number has neither a declaration nor a name; its parts are still visited.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        let path = std::any::type_name::<T>().split('<').next().unwrap_or_default();
        if let Some((known, _)) = self.by_name.get(&name) {
            if *known != path {
                self.twice.push(format!("{known} and {path}"));
            }
            return;
        }
        let mut text = in_one_line(&T::docs().unwrap_or_default());
        text.push_str("export ");
        let declaration = in_one_line(&T::decl(&self.config)).replace(", };", ",\n};");
        for (i, line) in declaration.lines().enumerate() {
            let indent = if i == 0 || line == "};" { "" } else { "  " };
            writeln!(text, "{indent}{}", line.trim_end()).expect("text grows");
        }
        self.by_name.insert(name, (path, text));
        T::visit_dependencies(self);
    }
}

/// The same text with the comment marks on the lines of the comment's text.
fn in_one_line(comments: &str) -> String {
    comments.replace("/**\n * ", "/** ").replace("\n */", " */")
}
