//! A study as a file: what was run, the rows that came of it, and a digest of both. It opens again without runs, and
//! can be repeated, because the scenario is in it.
//!
//! The digest shows an accidental change; it is no signature.

use super::sweep::{RankBy, RunRow, cell_text};
use base::digest::Digest;
use base::{Diagnostic, Diagnostics, json};
use document::{from_value, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The version of the format.
const FORMAT: u32 = 1;

/// A study and its results.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// The version of the format, which also says that the file is a study; set when it is written.
    #[serde(default)]
    pub tokenyard_study: u32,
    /// The version of the program that made the runs; set when it is written.
    #[serde(default)]
    pub version: String,
    /// What kind of study it is.
    pub kind: StudyKind,
    /// The scenario; of two runs that of A.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub scenario: Value,
    /// How many seeds, from the scenario's on.
    pub seeds: u32,
    /// The figure that ranks a race.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<RankBy>,
    /// The entrants of a race.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entrants: Vec<StudyEntrant>,
    /// Whether the oracle ran beside them.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(default, skip_serializing_if = "is_false")]
    pub bounded: bool,
    /// The axis of a sweep.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<StudyAxis>,
    /// What a sweep varies, as arguments of `--vary`.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varied: Vec<String>,
    /// The second of two runs.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<StudyBeside>,
    /// The runs.
    #[serde(default)]
    pub rows: Vec<StudyRow>,
    /// Digest of everything before it; set when it is written.
    #[serde(default)]
    pub digest: String,
}

/// The kinds of study.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudyKind {
    /// Two runs beside each other.
    Compare,
    /// Several settings on the same requests.
    Race,
    /// Values of a field.
    Sweep,
}

/// An entrant of a race: the scenario with some settings.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyEntrant {
    /// Its name.
    pub name: String,
    /// Its settings: values by path.
    #[cfg_attr(feature = "types", ts(type = "{ [path: string]: unknown }"))]
    pub set: Map<String, Value>,
}

/// The axis of a sweep.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyAxis {
    /// The path that varies.
    pub path: String,
    /// Its name.
    pub title: String,
    /// Its unit.
    pub unit: String,
    /// The document's units in one of these.
    pub times: f64,
}

/// The second of two runs.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyBeside {
    /// Its name.
    pub name: String,
    /// Its scenario.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub scenario: Value,
    /// The instant up to which both were compared, in microseconds.
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub at_us: u64,
    /// Digests of the reports of A and B there.
    pub report_digests: [String; 2],
    /// The comparison, as `tokenyard compare --json` has it.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub comparison: Value,
}

/// A run of a study.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyRow {
    /// The entrant; empty in a sweep.
    #[serde(default)]
    pub name: String,
    /// The values of a sweep's case as JSON text, in the order of `varied`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub values: Vec<String>,
    /// Whether it is the oracle's.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub bound: bool,
    /// Its figures.
    pub run: RunRow,
    /// Instants of a small picture, in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub t_s: Vec<f64>,
    /// TTFT p99 at these; null without a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub ttft_p99_ms: Vec<Option<f64>>,
}

/// A study that was read.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyRead {
    /// The study.
    pub study: StudyFile,
    /// Whether it is as it was written; false if its digest differs.
    pub whole: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(of: &bool) -> bool {
    !of
}

impl StudyFile {
    /// The file as text, with its format, version and digest.
    pub fn write(mut self) -> String {
        self.tokenyard_study = FORMAT;
        env!("CARGO_PKG_VERSION").clone_into(&mut self.version);
        self.digest = self.digest_of();
        json::indented(&self)
    }

    fn digest_of(&self) -> String {
        let without = Self { digest: String::new(), ..self.clone() };
        Digest::of(json::compact(&without).as_bytes()).hex()
    }

    /// Reads a file. All problems are reported at once.
    pub fn read(text: &str) -> Result<StudyRead, Diagnostics> {
        let wrong =
            |found: String, allowed: &str, fix: &str| vec![Diagnostic::error("", found, allowed, fix)];
        if text.len() > limits::STUDY_BYTES {
            let allowed = format!("at most {} MiB", limits::STUDY_BYTES >> 20);
            return Err(wrong(format!("{} bytes", text.len()), &allowed, "save a study with fewer runs"));
        }
        let again = "save the study again on the page";
        let tree: Value = serde_json::from_str(text)
            .map_err(|e| wrong(format!("no JSON: {e}"), "a file that the page saved", again))?;
        let format = tree.get("tokenyard_study").and_then(Value::as_u64);
        if format != Some(u64::from(FORMAT)) {
            let found = format.map_or("no study".to_owned(), |n| format!("a study of format {n}"));
            return Err(wrong(
                found,
                &format!("a study of format {FORMAT}"),
                "open it with the version that made it",
            ));
        }
        let study: Self = json::data(&tree).map_err(|misfit| {
            let path = misfit.steps().map(step_text).collect::<Vec<_>>().join(".");
            vec![Diagnostic::error(&path, misfit.to_string(), "a file that the page saved", again)]
        })?;
        let problems = study.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(StudyRead { whole: study.digest_of() == study.digest, study })
    }

    /// What exceeds a limit or is no scenario.
    fn problems(&self) -> Diagnostics {
        let mut all = Diagnostics::new();
        let mut most = |path: &str, found: usize, limit: usize| {
            if found > limit {
                let (found, allowed) = (found.to_string(), format!("at most {limit}"));
                all.push(Diagnostic::error(path, found, allowed, "save a smaller study"));
            }
        };
        most("rows", self.rows.len(), limits::CASES_PAGE);
        most("entrants", self.entrants.len(), limits::ENTRANTS);
        most("seeds", self.seeds as usize, limits::CASES_PAGE);
        most("varied", self.varied.len(), limits::VARIED);
        let names = self.entrants.iter().map(|e| &e.name).chain(self.rows.iter().map(|r| &r.name));
        let axis = self.axis.iter().flat_map(|axis| [&axis.path, &axis.title, &axis.unit]);
        most("names", names.chain(axis).map(String::len).max().unwrap_or(0), limits::STUDY_NAME_BYTES);
        let pictures = self.rows.iter().map(|row| row.t_s.len().max(row.ttft_p99_ms.len()));
        most("rows.t_s", pictures.max().unwrap_or(0), limits::STUDY_PICTURE);
        let values = |row: &StudyRow| row.values.len() != self.varied.len();
        if self.kind == StudyKind::Sweep && self.rows.iter().any(values) {
            let (found, allowed) = ("another number of values", "a value for each path of `varied`");
            all.push(Diagnostic::error("rows.values", found, allowed, "save the study again on the page"));
        }
        for scenario in
            [Some(&self.scenario), self.beside.as_ref().map(|b| &b.scenario)].into_iter().flatten()
        {
            all.extend(from_value(scenario.clone()).err().unwrap_or_default());
        }
        all
    }

    /// The runs as CSV: the entrant or the values of the case, then the columns of `tokenyard sweep`.
    pub fn csv(&self) -> String {
        let cell = |value: &Value| quoted(&cell_text(value));
        let text = |text: &str| cell(&Value::from(text));
        let paths =
            self.varied.iter().map(|vary| vary.split_once('=').map_or(vary.as_str(), |(path, _)| path));
        let who = (self.kind == StudyKind::Race).then_some("entrant");
        let names = json::tree(&RunRow::default());
        let columns = names.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        let further: BTreeSet<&str> =
            self.rows.iter().flat_map(|row| row.run.metrics.keys().map(String::as_str)).collect();
        let named = columns.chain(further.iter().copied());
        let head: Vec<String> = who.into_iter().chain(paths).chain(named).map(text).collect();
        let mut lines = vec![head.join(",")];
        for row in &self.rows {
            let own = who.map(|_| text(&row.name)).into_iter();
            let values = row.values.iter().map(|value| match serde_json::from_str(value) {
                Ok(Value::String(said)) => text(&said),
                _ => quoted(value),
            });
            let figures = json::tree(&row.run.of_table());
            let metrics = further.iter().map(|name| {
                row.run.metrics.get(*name).map_or_else(String::new, |x| Value::from(*x).to_string())
            });
            let cells = figures.as_object().into_iter().flat_map(Map::values).map(cell);
            lines.push(own.chain(values).chain(cells).chain(metrics).collect::<Vec<String>>().join(","));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

fn step_text(step: &json::PathStep) -> String {
    match step {
        json::PathStep::Key(key) | json::PathStep::Variant(key) => key.clone(),
        json::PathStep::Index(i) => i.to_string(),
    }
}

/// A cell in quotation marks, if it holds a comma, a quotation mark or the end of a line.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> StudyFile {
        let row = |name: &str, met: u64| StudyRow {
            name: name.to_owned(),
            values: Vec::new(),
            bound: false,
            run: RunRow { seed: "1".to_owned(), met, met_share: Some(0.5), ..RunRow::default() },
            t_s: vec![0.0, 1.0],
            ttft_p99_ms: vec![None, Some(12.5)],
        };
        StudyFile {
            tokenyard_study: 0,
            version: String::new(),
            kind: StudyKind::Race,
            scenario: serde_json::json!({"title": "A fleet"}),
            seeds: 1,
            by: Some(RankBy::MetShare),
            entrants: vec![StudyEntrant { name: "own, 5 : 2".to_owned(), set: Map::new() }],
            bounded: false,
            axis: None,
            varied: Vec::new(),
            beside: None,
            rows: vec![row("own, 5 : 2", 9), row("=random", 7)],
            digest: String::new(),
        }
    }

    #[test]
    fn what_is_written_reads_and_a_change_is_noticed() {
        let text = study().write();
        let read = StudyFile::read(&text).expect("it was written");
        assert!(read.whole && read.study.rows == study().rows);
        assert_eq!(read.study.clone().write(), text, "written again it is the same file");
        let changed = StudyFile::read(&text.replace("12.5", "11.5")).expect("it is still a study");
        assert!(!changed.whole);
    }

    #[test]
    fn what_is_no_study_or_too_large_is_refused_with_its_place() {
        let text = study().write();
        let refused = |text: &str| {
            let found = StudyFile::read(text).expect_err("it is wrong");
            found.iter().map(|d| format!("{}: {}", d.path, d.found)).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(refused("{}"), ": no study");
        assert_eq!(refused(r#"{"tokenyard_study": 9}"#), ": a study of format 9");
        assert!(refused("{").starts_with(": no JSON"));
        let unknown = text.replace("\"seeds\": 1,", "\"seeds\": 1, \"more\": 2,");
        assert!(refused(&unknown).contains("unknown field"), "{}", refused(&unknown));
        let mut large = study();
        large.seeds = 5000;
        large.rows[0].name = "x".repeat(500);
        assert_eq!(refused(&large.write()), "seeds: 5000; names: 500");
        let mut no_scenario = study();
        no_scenario.scenario = serde_json::json!({"seed": "x"});
        let found = refused(&no_scenario.write());
        assert!(found.starts_with("seed"), "{found}");
    }

    #[test]
    fn rows_become_lines_that_a_spreadsheet_does_not_evaluate() {
        let csv = study().csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[0].starts_with("entrant,seed,scenario_digest,"), "{}", lines[0]);
        assert!(lines[1].starts_with("\"own, 5 : 2\",1,,,,0,0,9,"), "{}", lines[1]);
        assert!(lines[2].starts_with("'=random,1,"), "{}", lines[2]);
        assert_eq!((lines.len(), csv.ends_with('\n')), (3, true));
        let mut asked = study();
        asked.rows[1].run.metrics.insert("refused_shed".to_owned(), 3.0);
        let csv = asked.csv();
        let ends: Vec<&str> =
            csv.lines().filter_map(|line| line.rsplit_once(',')).map(|(_, end)| end).collect();
        assert_eq!(ends, ["refused_shed", "", "3.0"], "a column for all rows");
    }
}
