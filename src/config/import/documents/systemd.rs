//! Units of systemd: the command of `ExecStart` as the words of a shell, with the place of each; the other settings beside it.

use crate::command::variables::Variables;
use crate::import::documents::command_line;
use crate::import::documents::places::Place;
use crate::import::documents::yaml::Tree;
use base::{Diagnostic, Diagnostics};
use serde_json::{Map, Value};

const START: &str = "ExecStart";
const ENVIRONMENT: &str = "Environment";

/// Whether a text is a unit of a service: its first line opens a section, and one of these is the service.
pub(super) fn is_unit(text: &str) -> bool {
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let opens = lines.next().is_some_and(|line| line.starts_with('[') && line.ends_with(']'));
    opens && text.lines().any(|line| line.trim() == "[Service]")
}

/// The tree `{"words": […], "unit": {…}}` of a unit.
pub(super) fn tree(text: &str) -> Result<Tree, Diagnostics> {
    let mut unit = Map::new();
    let mut places = Vec::new();
    let mut section = String::new();
    let mut variables = Variables::default();
    let mut start: Option<(u32, String)> = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let said = line.trim();
        if said.is_empty() || said.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = said.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let mut value = value.to_owned();
        while value.trim_end().ends_with('\\') {
            let Some((_, next)) = lines.next() else { break };
            value.push('\n');
            // A comment between the lines of a command does not end it.
            value.push_str(if next.trim_start().starts_with(['#', ';']) { "\\" } else { next });
        }
        let key = key.trim();
        if key == ENVIRONMENT {
            for word in crate::command::shell_words::split(&value) {
                if let Some((name, value)) = word.split_once('=') {
                    variables.set(name, value);
                }
            }
        }
        // Only the last command of a service that runs one counts, and the first of others; a service of this kind has one.
        if key == START && section == "Service" && start.is_none() && !value.trim().is_empty() {
            start = Some((number as u32, value));
            continue;
        }
        let width = line.chars().count() as u32;
        let path = format!("{section}.{key}");
        places.push((path.clone(), Place { line: number as u32 + 1, from: 0, to: width }));
        unit.insert(path, Value::from(value.trim()));
    }
    let Some((number, command)) = start else {
        let fix = "give the line ExecStart of the unit that starts the server";
        return Err(vec![Diagnostic::error(
            "",
            "a systemd unit without ExecStart",
            "ExecStart=COMMAND",
            fix,
        )]);
    };
    // The signs before the program say how systemd runs it.
    let bare = command.trim_start().trim_start_matches(['-', '@', '!', '+', ':']);
    let mut tree = command_line::tree(bare, 1, &variables);
    tree.places.shift(number);
    for (path, place) in places {
        tree.places.insert(format!("unit.{path}"), place);
    }
    if let Some(map) = tree.value.as_object_mut().filter(|_| !unit.is_empty()) {
        map.insert("unit".to_owned(), Value::Object(unit));
    }
    Ok(Tree { first_line: 1, last_line: text.lines().count() as u32, ..tree })
}
