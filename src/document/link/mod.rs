//! Links: a scenario as its difference from a preset, and the page's view of it.
//!
//! Everything is after the `#`, which browsers do not send, in one of two forms: readable if it is a few plain values
//! (`readable.rs`), packed otherwise (`packed.rs`). Equal scenarios and views have equal links. Opening a link never
//! fails as a whole: unusable parts are listed, and the rest is opened.

mod beside;
mod difference;
mod make;
mod packed;
mod readable;
mod repair;
mod view;

pub use beside::Beside;
pub use make::{Asked, Holding, Made, make};
pub use view::{LinkResult, LinkSpan, Selection, VIEW_KEYS, View};

use crate::parse::from_value_in_part;
use crate::preset::{DEFAULT_PRESET, PRESETS, Preset};
use crate::{At, Problems, Read, Scenario, Write, check, in_order, limits, set_path};
use base::diag::has_errors;
use base::{Diagnostic, Diagnostics, Severity, json};
use difference::put;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// First word of a link that shows the page without its panels, for use in another page.
const EMBED: &str = "embed";
/// Most rounds in which an invalid scenario is repaired.
const ROUNDS: usize = 20;

/// Which trace a scenario replays: its rows do not travel, so the reader of the link is asked for the file.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceMark {
    /// Name of the file.
    pub name: String,
    /// Rows that were read from it.
    #[cfg_attr(feature = "schema", ts(type = "number"))]
    pub rows: u64,
    /// Digest of the rows.
    pub digest: String,
}

impl TraceMark {
    /// The problem of a trace of `rows` rows and `digest` in its place.
    pub fn refuses(&self, rows: u64, digest: &str) -> Option<Diagnostic> {
        (digest != self.digest).then(|| {
            Diagnostic::error(
                "workload.trace",
                format!("a trace of {rows} rows with digest {digest}"),
                format!("{} of {} rows with digest {}", self.name, self.rows, self.digest),
                "give the file that the link was made with",
            )
        })
    }
}

/// What a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The scenario, its edits included.
    pub scenario: Scenario,
    /// The page's view of it.
    pub view: View,
    /// The trace that it replays.
    pub trace: Option<TraceMark>,
    /// The charts that an embedded page shows; `None` for a page that is not embedded.
    pub embed: Option<Vec<String>>,
    /// A second run, of the same trace as the first.
    pub beside: Option<Beside>,
}

/// What became of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// What it carries, as far as it could be read.
    pub link: Link,
    /// The preset that it differs from; empty where that is not known.
    pub preset: String,
    /// What could not be used.
    pub problems: Diagnostics,
}

/// Whether a text is a link or the address of a page with one.
pub fn is_link(text: &str) -> bool {
    text.starts_with('#')
        || ((text.starts_with("http://") || text.starts_with("https://")) && text.contains('#'))
}

/// A scenario as a tree in which equal numbers are equal. Values of edits are unchanged except for the order of their
/// keys: their meaning depends on the field.
fn canonical(scenario: &Scenario) -> Value {
    let Value::Object(mut tree) = in_order(scenario.clone()).write() else { return Value::Null };
    let edits = tree.shift_remove("edits");
    let mut tree: Map<String, Value> = tree.into_iter().map(|(key, value)| (key, plain(value))).collect();
    tree.extend(edits.map(|edits| ("edits".to_owned(), edits)));
    Value::Object(tree)
}

/// Whole numbers without a fraction, everywhere in a value.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(n) => match n.as_f64() {
            Some(x) if n.is_f64() && (0.0..9e15).contains(&x) && libm::floor(x) >= x => Value::from(x as u64),
            _ => Value::Number(n),
        },
        Value::Array(list) => list.into_iter().map(plain).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// Finds the errors of a readable scenario: values that its fields may not have.
pub type Errors<'a> = &'a dyn Fn(&Scenario) -> Diagnostics;

/// The errors that follow from the document alone, without the catalogue and the size of the run.
fn errors_of_the_document(scenario: &Scenario) -> Diagnostics {
    check(scenario.clone()).err().unwrap_or_default()
}

/// Reads a link: the text after the first `#`, or the whole text if there is none. Values in which `errors` finds a
/// problem get the preset's value.
pub fn open(text: &str, errors: Errors<'_>) -> Opened {
    let text = text.split_once('#').map_or(text, |(_, behind)| behind).trim();
    let mut problems = Diagnostics::new();
    let (text, embed) = embedded(text, &mut problems);
    if text.len() > limits::LINK_CHARS {
        problems.push(Diagnostic::error(
            "",
            format!("{} characters", text.len()),
            format!("at most {} characters", limits::LINK_CHARS),
            "a scenario of that length travels as a file",
        ));
        return nothing(problems, embed);
    }
    let mut opened = match version(text) {
        Some((version, letters)) => open_packed(version, letters, problems, errors),
        None => open_readable(text, problems, errors),
    };
    opened.link.embed = embed;
    opened
}

/// The scenario of a link without usable contents: the first preset.
fn nothing(problems: Diagnostics, embed: Option<Vec<String>>) -> Opened {
    let scenario = preset("", &mut Vec::new());
    Opened { link: Link { scenario, embed, ..Link::default() }, preset: PRESETS[0].name.to_owned(), problems }
}

/// The text after `embed;` or `embed=CHART,CHART;`, and the charts; the whole text of any other link.
fn embedded<'a>(text: &'a str, problems: &mut Diagnostics) -> (&'a str, Option<Vec<String>>) {
    let (first, rest) = text.split_once(';').unwrap_or((text, ""));
    let Some(charts) = first.strip_prefix(EMBED) else { return (text, None) };
    let names = match charts.strip_prefix('=') {
        Some(names) => names,
        None if charts.is_empty() => return (rest, Some(Vec::new())),
        None => return (text, None),
    };
    let named: Vec<&str> =
        names.split(',').filter(|name| view::is_name(name)).take(limits::LINK_CHARTS).collect();
    if named.len() != names.split(',').count() {
        let found = names.chars().take(60).collect::<String>();
        let allowed = format!("at most {} names of charts with commas between", limits::LINK_CHARTS);
        problems.push(Diagnostic::error(EMBED, found, allowed, "such as embed=ttft,queue"));
    }
    (rest, Some(named.into_iter().map(str::to_owned).collect()))
}

/// The version of a packed link, and its letters.
fn version(text: &str) -> Option<(u32, &str)> {
    let (version, letters) = text.strip_prefix('v')?.split_once('.')?;
    Some((version.parse().ok()?, letters))
}

fn open_packed(version: u32, letters: &str, mut problems: Diagnostics, errors: Errors<'_>) -> Opened {
    let newer = (version != packed::VERSION).then(|| {
        Diagnostic::error(
            "",
            format!("a link of version {version}"),
            format!("version {}", packed::VERSION),
            "it was made with a newer Tokenyard: reload the page or update this one",
        )
    });
    let parts = packed::unpack(letters, &mut problems);
    // A newer link is reported once: its other problems follow from that.
    if let Some(newer) = newer {
        problems = vec![newer];
    }
    let Some(parts) = parts else {
        if problems.is_empty() {
            let fix = "copy the whole link again from where it came";
            problems.push(Diagnostic::error(
                "",
                "letters that hold no scenario",
                "a link as it was made",
                fix,
            ));
        }
        return nothing(problems, None);
    };
    let base = canonical(&preset(&parts.preset, &mut problems));
    let mut document = base.clone();
    if !put(&mut document, &parts.difference, limits::SCENARIO_BYTES) {
        problems.push(endless_lists());
    }
    let scenario = usable(document, &base, &mut problems, errors);
    let beside = parts.beside.and_then(|parts| Beside::open(&parts, &scenario, &mut problems, errors));
    let link = Link { scenario, view: parts.view, trace: parts.trace, embed: None, beside };
    Opened { link, preset: parts.preset, problems }
}

/// The problem of a difference whose copies would be larger than a scenario may be.
fn endless_lists() -> Diagnostic {
    let fix = "no scenario is that long: do not open this link";
    Diagnostic::error("", "lists that repeat without end", "a scenario", fix)
}

fn open_readable(text: &str, mut problems: Diagnostics, errors: Errors<'_>) -> Opened {
    let (name, rest) = text.split_once(';').unwrap_or((text, ""));
    if rest.is_empty() && name.len() < text.len() {
        let fix = "copy the whole link again from where it came, or remove the last ;";
        problems.push(Diagnostic::error("", "nothing after ;", "PATH=VALUE", fix));
    }
    let base = canonical(&preset(name, &mut problems));
    let (mut document, mut view) = (base.clone(), View::default());
    readable::read(rest, &mut document, &mut view, &mut problems);
    let scenario = usable(document, &base, &mut problems, errors);
    let preset = if name.is_empty() { PRESETS[0].name } else { name }.to_owned();
    Opened { link: Link { scenario, view, ..Link::default() }, preset, problems }
}

/// Applies the settings of a readable link, the text after its first `;`, to a document and a view.
#[cfg(any(feature = "cli", feature = "lessons"))]
pub fn read_settings(rest: &str, document: &mut Value, view: &mut View) -> Diagnostics {
    let mut problems = Diagnostics::new();
    readable::read(rest, document, view, &mut problems);
    problems
}

/// The preset of that name; the first one for no name, and the empty scenario for an unknown name.
fn preset(name: &str, problems: &mut Diagnostics) -> Scenario {
    if name.is_empty() {
        return PRESETS[0].scenario();
    }
    if name == DEFAULT_PRESET {
        return Scenario::default();
    }
    Preset::named(name).map_or_else(
        || {
            let found = format!("no preset \"{}\"", name.chars().take(60).collect::<String>());
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            let fix = "a newer Tokenyard may have it; the changes of the link are applied to the defaults";
            problems.push(Diagnostic::error("", found, names.join(", "), fix));
            Scenario::default()
        },
        Preset::scenario,
    )
}

/// The document as a valid scenario. Values of the wrong shape are left out, invalid values get the preset's value.
fn usable(document: Value, base: &Value, problems: &mut Diagnostics, errors: Errors<'_>) -> Scenario {
    let (read, mut wrong) = from_value_in_part(document);
    problems.append(&mut wrong);
    let base_scenario =
        || Scenario::read(base, &At::ROOT, &mut Problems::of("a scenario")).unwrap_or_default();
    let Some(mut scenario) = read else { return base_scenario() };
    if scenario.run.max_requests > limits::REQUESTS_FROM_LINK {
        problems.push(Diagnostic::error(
            "run.max_requests",
            scenario.run.max_requests.to_string(),
            format!("at most {} from a link", limits::REQUESTS_FROM_LINK),
            "save the scenario as a file to run more",
        ));
        scenario.run.max_requests = limits::REQUESTS_FROM_LINK;
    }
    for _ in 0..ROUNDS {
        let found = errors(&scenario);
        if !has_errors(&found) {
            return scenario;
        }
        let mut tree = canonical(&scenario);
        // In reverse, so that edits that are left out do not move those before them.
        for problem in found.iter().rev().filter(|problem| problem.severity == Severity::Error) {
            take_back(&mut tree, base, &problem.path);
        }
        let told = found.into_iter().filter(|d| d.severity == Severity::Error && !problems.contains(d));
        problems.extend(told.collect::<Vec<_>>());
        let (Some(mended), _) = from_value_in_part(tree) else { break };
        if mended == scenario {
            break;
        }
        scenario = mended;
    }
    base_scenario()
}

/// Gives the field at `path` the value it has in `base`. An edit is left out.
fn take_back(tree: &mut Value, base: &Value, path: &str) {
    let edit = path.strip_prefix("edits[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
    if let (Some(i), Some(edits)) = (edit, tree.get_mut("edits").and_then(Value::as_array_mut)) {
        if i < edits.len() {
            edits.remove(i);
        }
        return;
    }
    let place = path.replace(['[', '.'], "/").replace(']', "");
    let mut pointer = format!("/{}", place.trim_start_matches('/'));
    loop {
        if let Some(value) = base.pointer(&pointer) {
            if let Some(field) = tree.pointer_mut(&pointer) {
                *field = value.clone();
            } else {
                let _ = set_path(tree, path, &json::compact(value));
            }
            return;
        }
        // A value that the preset does not have is reset together with its parent.
        match pointer.rfind('/') {
            Some(0) | None => return,
            Some(end) => pointer.truncate(end),
        }
    }
}
