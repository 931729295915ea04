//! Links: a scenario as its difference from a preset, and the page's view of it.
//!
//! Everything is after the `#`, which browsers do not send, in one of two forms: readable if it is a few plain values
//! (`readable.rs`), packed otherwise (`packed.rs`). Equal scenarios and views have equal links. Opening a link never
//! fails as a whole: unusable parts are listed, and the rest is opened.

mod beside;
mod canonical;
mod difference;
mod embed;
mod make;
mod packed;
mod readable;
mod repair;
mod trace_mark;
mod usable;
mod view;

pub use beside::Beside;
pub use make::{Asked, Holding, Made, make};
#[cfg(feature = "cli")]
pub use packed::packed_text;
pub use trace_mark::TraceMark;
pub use usable::Errors;
pub use view::{LinkResult, LinkSpan, Selection, VIEW_KEYS, View};

use crate::preset::{DEFAULT_PRESET, PRESETS, Preset};
use crate::{Scenario, check, limits};
use base::{Diagnostic, Diagnostics};
use canonical::canonical;
use difference::{endless_lists, put};
use embed::embedded;
#[cfg(any(feature = "cli", feature = "lessons"))]
use serde_json::Value;
use usable::usable;

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
