//! The documents in texts that a user pastes or names: YAML and JSON, TOML, command lines, lines of metrics, logs. Each
//! becomes a tree with the place of every key, so that all formats are read the same way.

mod command_line;
mod log_text;
mod loops;
pub mod places;
mod python;
pub mod server_text;
mod systemd;
mod template;
pub mod toml;
pub mod words;
pub mod yaml;

use crate::command::variables::{ScriptVariables, Variables};
use crate::import::documents::loops::Loops;
use base::pointer::pointer;
use base::{Diagnostic, Diagnostics};
use document::limits;
pub use places::{Place, Places};
use serde::Deserialize;
use yaml::Tree;

/// The key of the rounds of the loops around a command, beside its words.
pub(crate) const ROUNDS: &str = "rounds";

/// A text and its name, such as that of its file.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Text {
    /// Its name; empty for a paste.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A document in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Number of its text.
    pub text: usize,
    /// Its tree.
    pub tree: Tree,
}

/// All documents of all texts, in order.
pub fn documents(texts: &[Text]) -> Result<Vec<Document>, Diagnostics> {
    let mut all = Vec::new();
    let mut problems = Diagnostics::new();
    let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
    if bytes > limits::IMPORT_BYTES {
        let allowed = format!("at most {} MiB", limits::IMPORT_BYTES >> 20);
        let fix = "give the objects and lines that matter";
        return Err(vec![Diagnostic::error("", format!("{bytes} bytes of text"), allowed, fix)]);
    }
    for (i, text) in texts.iter().enumerate() {
        match of_text(&text.text) {
            Ok(trees) => all.extend(trees.into_iter().map(|tree| Document { text: i, tree })),
            Err(found) => problems.extend(found.into_iter().map(|d| named(d, text, texts.len()))),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if all.len() > limits::OBJECTS {
        let allowed = format!("at most {} documents", limits::OBJECTS);
        let fix = "give those of the router, the engines and the autoscalers";
        return Err(vec![Diagnostic::error("", format!("{} documents", all.len()), allowed, fix)]);
    }
    Ok(all)
}

/// A problem with the name of its text, if there are several.
fn named(problem: Diagnostic, text: &Text, texts: usize) -> Diagnostic {
    if texts < 2 || text.name.is_empty() {
        return problem;
    }
    Diagnostic { path: format!("{}: {}", text.name, problem.path), ..problem }
}

/// The documents of one text.
fn of_text(text: &str) -> Result<Vec<Tree>, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\0') {
        let fix = "give the file as text";
        return Err(vec![Diagnostic::error("", "a binary file", "text in UTF-8", fix)]);
    }
    if let Some(pointer) = pointer(text) {
        return Err(vec![pointer]);
    }
    if let Some(template) = template::of_helm(text) {
        return Err(vec![template]);
    }
    if systemd::is_unit(text) {
        return systemd::tree(text).map(|tree| vec![tree]);
    }
    if toml::is_toml(text) {
        return toml::tree(text).map(|tree| vec![tree]);
    }
    let mut all = Vec::new();
    for part in parts(text) {
        match part.kind {
            Kind::Command => all.push(command(&part)),
            Kind::Server => all.extend(server_text::tree(&part.text, part.first_line)),
            Kind::Log => all.extend(log_text::tree(&part.text, part.first_line)),
            Kind::Yaml => {
                let shift = part.first_line - 1;
                let read = yaml::documents(&part.text)
                    .map_err(|all| template::problem(&part.text).map_or(all, |one| vec![one]))
                    .map_err(|all| moved(all, shift))?;
                all.extend(read.into_iter().map(|tree| Tree {
                    first_line: tree.first_line + shift,
                    last_line: tree.last_line + shift,
                    ..tree
                }));
            }
        }
    }
    Ok(all)
}

/// The tree of a command; in a loop its rounds stand beside its words.
fn command(part: &Part) -> Tree {
    let mut tree = command_line::tree(&part.text, part.first_line, &part.variables);
    if let Some(rounds) = part.rounds {
        tree.value[ROUNDS] = rounds.into();
    }
    tree
}

/// Problems whose lines are counted from a later line.
fn moved(all: Diagnostics, by: u32) -> Diagnostics {
    let moved = |path: &str| {
        let rest = path.strip_prefix("line ")?;
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let line: u32 = rest[..digits].parse().ok()?;
        Some(format!("line {}{}", line + by, &rest[digits..]))
    };
    all.into_iter().map(|d| Diagnostic { path: moved(&d.path).unwrap_or(d.path), ..d }).collect()
}

/// What the lines of a part are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Yaml,
    Command,
    /// Metrics of a server.
    Server,
    /// The log of a server.
    Log,
}

/// Lines of one kind.
struct Part {
    kind: Kind,
    text: String,
    first_line: u32,
    /// What the script has set before a command.
    variables: Variables,
    /// How often the loops around a command run it; 0 if that is not known.
    rounds: Option<u64>,
}

/// Whether a line begins a document of YAML or JSON after a log.
fn begins_document(line: &str) -> bool {
    let keys = ["---", "apiVersion:", "kind:", "{"];
    keys.iter().any(|key| line.starts_with(key))
}

/// Whether a part of a text says anything as YAML; `beside` says that commands stand beside it, whose shell may have it.
fn says_yaml(part: &str, beside: bool) -> bool {
    let mut lines =
        part.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    lines.any(|line| line.trim() != "---" && !(beside && words::is_of_shell(line)))
}

/// The parts of a text, by the kinds of its lines: a command ends with its last continued line, lines of a server go
/// on while they follow each other, all else is YAML.
fn parts(text: &str) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    let (mut continued, mut joined) = (false, false);
    let mut quoted = words::Quotes::new(text);
    // Commands within a loop are indented.
    let has_loops = Loops::are_in(text);
    let mut loops = Loops::default();
    let begins = |line: &str| words::begins(line.trim_end()) || (has_loops && words::begins(line.trim()));
    let has_command = text.lines().any(begins);
    let mut script = ScriptVariables::new(if has_command { text } else { "" }, Variables::default());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let plain = line.trim_end();
        let in_log = all.last().is_some_and(|last: &Part| {
            last.kind == Kind::Log && (!begins_document(plain) || log_text::ends_in_arguments(&last.text))
        });
        // Variables are part of the command that they stand before.
        let within_assignment = has_command && script.go_to(number);
        let variable = has_command && (within_assignment || words::is_variable(plain));
        // Variables before a loop are those of the script, not of a command.
        let is_loop = has_loops && !joined && Loops::is_part(plain);
        if is_loop {
            continued = false;
            loops.line(plain, &script.set);
        }
        joined = words::goes_on(line);
        let within_loop = loops.is_within() && words::begins(plain.trim_start());
        let kind = if is_loop {
            Kind::Yaml
        } else if continued || variable || words::begins(plain) || within_loop {
            Kind::Command
        } else if server_text::is_line(plain) {
            Kind::Server
        } else if in_log || log_text::is_line(plain) {
            Kind::Log
        } else {
            Kind::Yaml
        };
        let goes_on = match all.last() {
            Some(last) if kind == Kind::Command => last.kind == kind && continued,
            Some(last) => last.kind == kind || (plain.is_empty() && last.kind == Kind::Server),
            None => false,
        };
        continued =
            kind == Kind::Command && (quoted.is_open(number, continued) || words::goes_on(line) || variable);
        match all.last_mut() {
            Some(last) if goes_on => last.text.push_str(line),
            _ => {
                let variables = if kind == Kind::Command { script.set.clone() } else { Variables::default() };
                let rounds = within_loop.then(|| loops.rounds());
                all.push(Part {
                    kind,
                    text: line.to_owned(),
                    first_line: number as u32 + 1,
                    variables,
                    rounds,
                });
            }
        }
    }
    // Of a script only the commands are read that start a program: its variables stand in these, all else is for the shell.
    let is_script = text.starts_with("#!") && all.iter().any(|part| part.kind == Kind::Command);
    all.retain(|part| match part.kind {
        Kind::Command => part.text.lines().any(|line| words::begins(line.trim())),
        Kind::Yaml => !is_script && says_yaml(&part.text, has_command),
        Kind::Server | Kind::Log => true,
    });
    all
}
