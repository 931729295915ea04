//! Makes links from a scenario, the page's view of it and the trace that it replays. The page's first module contains
//! none of this.

use super::beside::Beside;
use super::canonical::canonical;
use super::difference::difference;
use super::embed::EMBED;
use super::packed::{Parts, pack};
use super::readable::{self, Choices};
use super::trace_mark::TraceMark;
use super::view::{Selection, View};
use super::{Link, errors_of_the_document, open};
use crate::edit_label::label;
use crate::preset::{DEFAULT_PRESET, PRESETS};
use crate::{Scenario, limits};
use base::json;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// A link that was made.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", ts(rename = "MadeLink"))]
pub struct Made {
    /// The link: `#` and the text after it.
    pub link: String,
    /// What it contains, in words.
    pub contains: String,
    /// The same, part by part.
    pub holds: Vec<Holding>,
    /// The readable link, if it has at most 2,000 characters.
    pub readable: Option<String>,
    /// The link that is packed.
    pub packed: String,
}

/// Contents of a link besides the scenario.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "types", ts(rename = "LinkAsked"))]
pub struct Asked {
    /// The page's view of it.
    pub view: View,
    /// The trace that it replays.
    pub trace: Option<TraceMark>,
    /// The charts of a page that is part of another one.
    pub embed: Option<Vec<String>>,
    /// The name of a second run, whose scenario is given separately.
    pub beside: Option<String>,
}

impl Asked {
    /// The same with the scenario, and with that of the second run if it is named.
    pub fn of(self, scenario: Scenario, second: Option<Scenario>) -> Link {
        let Self { view, trace, embed, beside } = self;
        let beside = beside.zip(second).map(|(name, scenario)| Beside { name, scenario });
        Link { scenario, view, trace, embed, beside }
    }
}

/// A part of what a link contains.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", ts(rename = "LinkHolding"))]
pub struct Holding {
    /// Which part.
    pub part: &'static str,
    /// What of it.
    pub text: String,
}

/// The link of a scenario; `None` if it would be longer than [`limits::LINK_CHARS`].
pub fn make(link: &Link) -> Option<Made> {
    // A trace that the scenario carries travels with it.
    let carries = link.scenario.workload.trace.as_ref().is_some_and(|trace| !trace.rows.is_empty());
    if carries && link.trace.is_some() {
        return make(&Link { trace: None, ..link.clone() });
    }
    let wanted = canonical(&link.scenario);
    let (base, from) = nearest_preset(&wanted);
    let difference = difference(from, &wanted).unwrap_or_else(|| Value::Object(Map::new()));
    let readable = readable_form(base, from, &difference, link);
    let (view, trace) = (link.view.clone(), link.trace.clone());
    let beside = link.beside.as_ref().map(|beside| beside.parts(&wanted));
    let parts = Parts { preset: base.to_owned(), difference: difference.clone(), view, trace, beside };
    let packed = format!("#{}{}", embedding(link), pack(&parts));
    let chosen =
        readable.as_ref().filter(|text| text.len() <= limits::LINK_CHARS_PLAIN).unwrap_or(&packed).clone();
    let words = Words { base, difference: &difference, link };
    (chosen.len() <= limits::LINK_CHARS).then(|| Made {
        link: chosen,
        contains: words.in_one_line(),
        holds: words.part_by_part(),
        readable,
        packed,
    })
}

/// The prefix of a link for use in another page.
fn embedding(link: &Link) -> String {
    match link.embed.as_deref() {
        None => String::new(),
        Some([]) => format!("{EMBED};"),
        Some(charts) => format!("{EMBED}={};", charts.join(",")),
    }
}

/// The preset with the smallest difference, and its document.
fn nearest_preset(wanted: &Value) -> (&'static str, &'static Value) {
    // Each is made once: every change makes a link, and reading all presets takes longer than the rest.
    static DOCUMENTS: OnceLock<Vec<(&str, Value)>> = OnceLock::new();
    let documents = DOCUMENTS.get_or_init(|| {
        let presets = PRESETS.iter().map(|preset| (preset.name, canonical(&preset.scenario())));
        presets.chain([(DEFAULT_PRESET, canonical(&Scenario::default()))]).collect()
    });
    let cost = |from: &Value| difference(from, wanted).map_or(0, |differs| json::compact(&differs).len());
    let nearest = documents.iter().min_by_key(|(_, from)| cost(from));
    let (name, from) = nearest.expect("there is a preset");
    (name, from)
}

/// The readable form, if it is not too long and complete.
fn readable_form(base: &str, from: &Value, difference: &Value, link: &Link) -> Option<String> {
    if link.trace.is_some() || link.beside.is_some() {
        return None;
    }
    let says_it_all = |text: &String| {
        text.len() <= limits::LINK_CHARS_CHAT && {
            let opened = open(text, &errors_of_the_document);
            opened.problems.is_empty() && opened.link == *link
        }
    };
    [Choices::ByName, Choices::InFull].into_iter().find_map(|choices| {
        let settings = readable::settings(difference, from, choices)?;
        let text = readable::write(base, &settings, &link.view);
        Some(format!("#{}{text}", embedding(link))).filter(says_it_all)
    })
}

/// How many values a difference holds.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(map) if !map.is_empty() => map
            .iter()
            .filter(|(key, _)| !key.starts_with('-'))
            .map(|(_, value)| leaves(value))
            .sum::<usize>()
            .max(1),
        _ => 1,
    }
}

/// Number of values in which two scenarios differ; an edit of only one of them counts as one.
fn differences(first: &Scenario, second: &Scenario) -> usize {
    let without_edits = |scenario: &Scenario| canonical(&Scenario { edits: Vec::new(), ..scenario.clone() });
    let values =
        difference(&without_edits(first), &without_edits(second)).map_or(0, |differs| leaves(&differs));
    let lacking = |some: &Scenario, in_other: &Scenario| {
        some.edits.iter().filter(|edit| !in_other.edits.contains(edit)).count()
    };
    values + lacking(first, second) + lacking(second, first)
}

fn many(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The contents of a link in words.
struct Words<'a> {
    base: &'a str,
    difference: &'a Value,
    link: &'a Link,
}

impl Words<'_> {
    /// Such as `preset chat-4xh100, 3 changes, 2 edits, opens at 61.9 s`.
    fn in_one_line(&self) -> String {
        let mut parts = vec![self.name()];
        let (changes, edits) = (self.changes(&["edits"]), self.edits());
        if changes > 0 {
            parts.push(many(changes, "change"));
        }
        match edits {
            Some(0) => parts.push("no edits".to_owned()),
            Some(n) => parts.push(many(n, "edit")),
            None => {}
        }
        if let Some(trace) = &self.link.trace {
            parts.push(format!("trace {} of {} rows, to be given", trace.name, trace.rows));
        }
        if let Some(beside) = &self.link.beside {
            parts.push(format!("second run “{}”", beside.name));
        }
        if let Some(us) = self.link.view.at_us {
            parts.push(format!("opens at {} s", us as f64 / 1e6));
        }
        parts.join(", ")
    }

    fn part_by_part(&self) -> Vec<Holding> {
        let mut all = Vec::new();
        let mut say = |part, text| all.push(Holding { part, text });
        let scenario = &self.link.scenario;
        let own = match self.changes(&["edits", "seed", "title", "note"]) {
            0 => self.name(),
            n => format!("{}, {}", self.name(), many(n, "change")),
        };
        say(
            "Scenario",
            if self.base == DEFAULT_PRESET { own } else { format!("{own} (presets never change)") },
        );
        if !scenario.edits.is_empty() {
            say("Edits", self.edits_in_words());
        } else if self.edits().is_some() {
            say("Edits", "none, although the preset has some".to_owned());
        }
        say("Draws", format!("seed {}: the same requests every time", scenario.seed));
        if let Some(trace) = &self.link.trace {
            let text = format!(
                "{} of {} rows, named by its digest; the file does not travel",
                trace.name, trace.rows
            );
            say("Trace", text);
        }
        if let Some(beside) = &self.link.beside {
            let differs = many(differences(scenario, &beside.scenario), "difference");
            say("Second run", format!("“{}”, {differs} from the first", beside.name));
        }
        let view = self.view();
        if !view.is_empty() {
            say("View", view);
        }
        if let Some(result) = &self.link.view.result {
            say("Result", format!("digest {}, computed by version {}", result.digest, result.version));
        }
        say("Words", self.title_and_note());
        all
    }

    fn name(&self) -> String {
        if self.base == DEFAULT_PRESET { "a scenario".to_owned() } else { format!("preset {}", self.base) }
    }

    /// Values that differ from the preset under other keys than these.
    fn changes(&self, but: &[&str]) -> usize {
        self.difference.as_object().map_or(0, |all| {
            all.iter().filter(|(key, _)| !but.contains(&key.as_str())).map(|(_, value)| leaves(value)).sum()
        })
    }

    /// The number of edits, if they are not those of the preset.
    fn edits(&self) -> Option<usize> {
        self.difference.get("edits").map(|_| self.link.scenario.edits.len())
    }

    fn edits_in_words(&self) -> String {
        let edits = &self.link.scenario.edits;
        let named = edits
            .iter()
            .take(limits::LINK_NAMED_EDITS)
            .map(|edit| format!("{} at {} s", label(&edit.change()), edit.at_us as f64 / 1e6));
        let more = edits.len().saturating_sub(limits::LINK_NAMED_EDITS);
        let rest = if more > 0 { format!(", {more} more") } else { String::new() };
        format!("{}: {}{rest}", edits.len(), named.collect::<Vec<_>>().join(", "))
    }

    fn title_and_note(&self) -> String {
        let Scenario { title, note, .. } = &self.link.scenario;
        let title = if title.is_empty() { "no title".to_owned() } else { format!("“{title}”") };
        let shown: String = note.chars().take(limits::LINK_NOTE_SHOWN).collect();
        let more = if shown.len() < note.len() { "…" } else { "" };
        if note.is_empty() { format!("{title}, no note") } else { format!("{title}: {shown}{more}") }
    }

    fn view(&self) -> String {
        let view = &self.link.view;
        let parts = [
            view.at_us.map(|us| format!("opens paused at {} s", us as f64 / 1e6)),
            view.speed.map(|speed| match speed {
                speed if speed > 0.0 => format!("speed {speed}×"),
                _ => "full speed".to_owned(),
            }),
            view.selection.map(|selection| match selection {
                Selection::Replica(n) => format!("replica {n} selected"),
                Selection::Request(n) => format!("request #{n} selected"),
            }),
            view.panel.as_ref().map(|panel| format!("panel “{panel}”")),
            view.study.as_ref().map(|_| "a study".to_owned()),
            view.span
                .map(|span| format!("span {} – {} s", span.from_us as f64 / 1e6, span.to_us as f64 / 1e6)),
            view.theory.as_ref().map(|law| format!("theory “{law}”")),
            (!view.charts.is_empty()).then(|| many(view.charts.len(), "chart")),
            view.closeup.first().map(|name| format!("close-up “{name}”")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
