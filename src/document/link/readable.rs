//! The readable form of a link: `chat-4xh100;length=29;cluster.routing=random;t=61.9`, the name of a preset, how long the rest is, and then
//! paths and values as `--set` takes them, and what the page shows. A link without fields and one that is typed need no length.

use super::canonical::plain;
use super::embed::EMBED;
use super::view::{VIEW_KEYS, View};
use crate::{limits, set_field};
use base::{Diagnostic, Diagnostics};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

/// Signs that are written unchanged. All others are written as `%` and two digits: separators of the link, and signs
/// that programs take for the end of a link.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b':')
    .remove(b'@')
    .remove(b',')
    .remove(b'+')
    .remove(b'[')
    .remove(b']');

/// A field and its new value: a number, a text, true or false.
pub(super) type Setting = (String, Value);

/// How a choice is written that replaces another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choices {
    /// By its bare name, which means its defaults; the caller tries whether that is enough.
    ByName,
    /// With all its values.
    InFull,
}

/// The difference as settings, if it has only new plain values at existing places.
pub(super) fn settings(difference: &Value, base: &Value, choices: Choices) -> Option<Vec<Setting>> {
    let mut all = Vec::new();
    collect((difference, base), String::new(), choices, &mut all)?;
    Some(all)
}

fn collect(
    (difference, base): (&Value, &Value),
    path: String,
    choices: Choices,
    into: &mut Vec<Setting>,
) -> Option<()> {
    let Value::Object(changes) = difference else {
        if difference.as_array().is_some_and(|list| !list.is_empty()) {
            return None;
        }
        into.push((path, difference.clone()));
        return Some(());
    };
    let choice = other_choice(difference, base);
    if let (Some(name), Choices::ByName) = (choice, choices) {
        into.push((path, Value::from(name)));
        return Some(());
    }
    for (key, change) in changes {
        if key.starts_with('-') && choice.is_some() {
            continue;
        }
        if key.starts_with(['-', '=', '#', '~']) {
            return None;
        }
        let (below, path) = if base.is_array() {
            (base.get(key.parse::<usize>().ok()?)?, format!("{path}[{key}]"))
        } else {
            let dot = if path.is_empty() { "" } else { "." };
            (base.get(key).unwrap_or(&Value::Null), format!("{path}{dot}{key}"))
        };
        collect((change, below), path, choices, into)?;
    }
    Some(())
}

/// The name of the choice that replaces another one, or a bare name.
fn other_choice<'a>(difference: &'a Value, base: &Value) -> Option<&'a str> {
    let changes = difference.as_object()?;
    let mut names = changes.keys().filter(|key| !key.starts_with('-'));
    let (name, None) = (names.next()?, names.next()) else { return None };
    let left = match base {
        Value::String(_) => changes.len() == 1,
        Value::Object(held) => held.len() == 1 && changes.len() == 2 && !held.contains_key(name),
        _ => false,
    };
    (left && changes[name].is_object()).then_some(name)
}

/// The key that says how many characters follow: a link that was cut would be another scenario.
const LENGTH: &str = "length";

/// The preset, how long the rest is if there are settings, these, and the view, as the text after `#`.
pub(super) fn write(preset: &str, settings: &[Setting], view: &View) -> String {
    let mut text = String::new();
    let view = view.said().into_iter().map(|(key, value)| (key.to_owned(), plain(value)));
    for (path, value) in settings.iter().cloned().chain(view) {
        let value = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        if !text.is_empty() {
            text.push(';');
        }
        text.extend(utf8_percent_encode(&path, ESCAPED));
        text.push('=');
        text.extend(utf8_percent_encode(&value, ESCAPED));
    }
    if text.is_empty() {
        preset.to_owned()
    } else if settings.is_empty() {
        format!("{preset};{text}")
    } else {
        format!("{preset};{LENGTH}={};{text}", length(&text))
    }
}

/// Characters of a text without its escapes: programs that pass a link on may escape more of it.
fn length(text: &str) -> usize {
    percent_decode_str(text).decode_utf8_lossy().chars().count()
}

/// The settings behind the length, if there is one, and a problem if they are not as long as it says.
fn whole(rest: &str) -> (&str, Option<Diagnostic>) {
    let (first, settings) = rest.split_once(';').unwrap_or((rest, ""));
    let Some(said) = first.strip_prefix(LENGTH).and_then(|said| said.strip_prefix('=')) else {
        return (rest, None);
    };
    let found = length(settings);
    if said.parse() == Ok(found) {
        return (settings, None);
    }
    let is_longer = said.parse().is_ok_and(|said| found > said);
    let problem = if is_longer {
        let fix = "remove length from a link that is changed by hand";
        Diagnostic::error(
            LENGTH,
            format!("{found} characters of settings"),
            format!("the {said} that it says"),
            fix,
        )
    } else {
        let fix = "copy the whole link again from where it came: its last setting may be another one";
        let found = format!("a link that was cut: {found} characters of settings");
        Diagnostic::error(LENGTH, found, format!("the {said} that it says"), fix)
    };
    (settings, Some(problem))
}

/// Reads the text after the preset: sets fields of `document` and of the view.
pub(super) fn read(rest: &str, document: &mut Value, view: &mut View, problems: &mut Diagnostics) {
    let (rest, cut) = whole(rest);
    problems.extend(cut);
    for (i, part) in rest.split(';').filter(|part| !part.is_empty()).enumerate() {
        if i == limits::LINK_SETTINGS {
            let found = format!("more than {} settings", limits::LINK_SETTINGS);
            let allowed = format!("at most {}", limits::LINK_SETTINGS);
            problems.push(Diagnostic::error(
                "",
                found,
                allowed,
                "the rest is left out: pass a file on instead",
            ));
            return;
        }
        let Some((path, value)) = part.split_once('=') else {
            let found: String = part.chars().take(60).collect();
            problems.push(Diagnostic::error("", found, "PATH=VALUE", "such as cluster.pools[0].replicas=8"));
            continue;
        };
        let (Some(path), Some(value)) = (decoded(path), decoded(value)) else {
            let found: String = part.chars().take(60).collect();
            problems.push(Diagnostic::error("", found, "text in UTF-8", "write % as %25"));
            continue;
        };
        if VIEW_KEYS.contains(&path.as_str()) {
            let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
            problems.extend(view.take(&path, &value).err());
        } else if path == EMBED {
            let allowed = "before the preset: #embed=ttft-over-time;kv-pressure";
            problems.push(Diagnostic::error(EMBED, "it behind the preset", allowed, "put it first"));
        } else {
            // A setting that does not fit has no other effect.
            let mut changed = document.clone();
            match set_field(&mut changed, &path, &value) {
                Ok(()) => *document = changed,
                Err(all) => problems.extend(all),
            }
        }
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}
