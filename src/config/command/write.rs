//! Command lines: written anew, or changed flag by flag where a text of a shell or a list of arguments in a container
//! has them.

use super::map::{KnownFlag, flag_of};
use crate::command::words::{Found, Programs, Style, Word, commands_in};
use crate::export::comments::one_line;
use crate::export::{Row, Written};
use crate::yaml::scalar::{Scalar, shell_word};
use crate::yaml::want::{Changes, Want, insert_item};
use serde_json::Value;

/// A flag that a command should have.
pub(crate) struct WantedFlag {
    /// What it is here.
    row: Row,
    /// Its name without dashes, and its other names.
    names: &'static [&'static str],
    value: FlagValue,
    /// The value that it has where it is not written.
    usual: Option<FlagValue>,
}

/// The value of a flag.
#[derive(Clone, Debug, PartialEq)]
enum FlagValue {
    Of(Scalar),
    /// Without a value: `--name`, or `--no-name`.
    Switch(bool),
    /// Whatever stands there.
    Any,
}

impl FlagValue {
    fn of(value: Scalar) -> Self {
        if let Scalar::Flag(on) = value { Self::Switch(on) } else { Self::Of(value) }
    }
}

impl WantedFlag {
    fn is_written(&self) -> bool {
        let text = |value: &FlagValue| match value {
            FlagValue::Of(value) => Some(value.plain()),
            FlagValue::Switch(on) => Some(on.to_string()),
            FlagValue::Any => None,
        };
        self.value != FlagValue::Any && self.usual.as_ref().and_then(text) != text(&self.value)
    }

    /// Its words on a command line.
    fn words(&self) -> Vec<String> {
        let name = self.names[0];
        match &self.value {
            FlagValue::Of(value) => vec![format!("--{name}"), value.plain()],
            FlagValue::Switch(true) => vec![format!("--{name}")],
            FlagValue::Switch(false) => vec![format!("--no-{name}")],
            FlagValue::Any => Vec::new(),
        }
    }
}

/// The flags of a command, written by the map of its program.
pub(crate) struct FlagWriter<'v> {
    map: &'static [KnownFlag],
    /// Path of what the flags are about, such as a pool.
    at: String,
    /// What the flags are about.
    about: &'v Value,
    pub(crate) flags: Vec<WantedFlag>,
}

impl<'v> FlagWriter<'v> {
    pub(crate) fn new(map: &'static [KnownFlag], at: &str, about: &'v Value) -> Self {
        Self { map, at: at.to_owned(), about, flags: Vec::new() }
    }

    /// Writes a flag that means the same as its field.
    pub(crate) fn same(&mut self, name: &str) {
        let usual = flag_of(self.map, name).field().and_then(|field| field.usual.scalar());
        self.same_or(name, usual);
    }

    /// The same with a value where the flag is absent that is not always the same.
    pub(crate) fn same_or(&mut self, name: &str, usual: Option<Scalar>) {
        let Some(field) = flag_of(self.map, name).field() else { return };
        let said = self.about.pointer(&format!("/{}", field.path.replace('.', "/")));
        let is_chosen = said.is_some_and(|value| value == "auto");
        let value = said.filter(|_| !is_chosen).and_then(Scalar::of_json).or_else(|| usual.clone());
        let shown = value.as_ref().filter(|_| !is_chosen).map_or_else(|| "auto".to_owned(), Scalar::plain);
        let row = self.row(name, &shown, "");
        self.push(name, row, value.map_or(FlagValue::Any, FlagValue::of), usual);
    }

    /// Writes a flag whose value is not that of its field; `why` is empty if it means the same.
    /// Its row is returned.
    #[expect(clippy::needless_pass_by_value, reason = "numbers and words are written in place")]
    pub(crate) fn own(
        &mut self,
        name: &str,
        shown: impl ToString,
        value: impl Into<Scalar>,
        why: &str,
    ) -> &mut Row {
        let row = self.row(name, &shown.to_string(), why);
        let usual = flag_of(self.map, name).field().and_then(|field| field.usual.scalar());
        self.push(name, row, FlagValue::of(value.into()), usual)
    }

    /// Writes a flag for a setting without a counterpart; without a value it stays as it is.
    pub(crate) fn ignored(&mut self, name: &str, shown: impl ToString, value: Option<Scalar>, why: &str) {
        let Row { path, ours, .. } = self.row(name, "", "");
        let row = Row::ignored(path, &ours, shown, why);
        let usual = flag_of(self.map, name).field().and_then(|field| field.usual.scalar());
        self.push(name, row, value.map_or(FlagValue::Any, FlagValue::of), usual);
    }

    fn row(&self, name: &str, shown: &str, why: &str) -> Row {
        let (path, ours) = flag_of(self.map, name).field().map_or(("", ""), |field| (field.path, field.ours));
        let row = Row::exact(format!("{}.{path}", self.at), ours, shown, &format!("--{name}"));
        if why.is_empty() { row } else { row.but(why) }
    }

    fn push(&mut self, name: &str, row: Row, value: FlagValue, usual: Option<Scalar>) -> &mut Row {
        let names = flag_of(self.map, name).names;
        let usual = usual.map(FlagValue::of);
        &mut self.flags.push_mut(WantedFlag { row, names, value, usual }).row
    }
}

/// A command that should be there.
pub(crate) struct Wanted {
    /// Its program, such as `vllm serve`.
    pub(crate) program: &'static str,
    /// What it serves, if the program takes that as a word.
    pub(crate) subject: Option<String>,
    pub(crate) flags: Vec<WantedFlag>,
    /// Lines of comment in front of it in a new file.
    pub(crate) about: Vec<String>,
}

/// The file of commands, new or beside a text that has such commands.
pub(crate) fn written(
    mut wanted: Vec<Wanted>,
    programs: Programs,
    beside: Option<&str>,
    is_same: fn(&str, &str) -> bool,
) -> Written {
    let found = beside.map(|text| (text, commands_in(text, programs))).filter(|(_, found)| !found.is_empty());
    let not_beside = (beside.is_some() && found.is_none())
        .then(|| format!("it has no command of {}", programs[0].join(" ")));
    let mut notes = Vec::new();
    let text = match &found {
        Some((text, commands)) => {
            let mut changes = Changes::default();
            let matched = matched(&wanted, commands, is_same);
            for (want, found) in wanted.iter_mut().zip(matched) {
                match found {
                    Some(found) => merge(text, &commands[found], want, &mut changes),
                    None => notes.push(format!("not in this file: {}", line_of(want))),
                }
            }
            changes.made(text)
        }
        None => wanted.iter().filter(|want| is_needed(want)).map(new_command).collect::<Vec<_>>().join("\n"),
    };
    let is_new = found.is_none();
    let rows = wanted.into_iter().flat_map(|want| want.flags);
    let row = |flag: WantedFlag| {
        let is_default = is_new && !flag.is_written();
        flag.row.default_there(is_default)
    };
    Written { text, rows: rows.map(row).collect(), notes, not_beside, ..Written::default() }
}

/// Whether a new file has a command: it names what it serves, or a flag is written.
fn is_needed(want: &Wanted) -> bool {
    want.subject.is_some() || want.flags.iter().any(WantedFlag::is_written)
}

/// The command of a file for each that is wanted: one that serves the same, or the one at the same place.
fn matched(wanted: &[Wanted], found: &[Found], is_same: fn(&str, &str) -> bool) -> Vec<Option<usize>> {
    let mut taken = vec![false; found.len()];
    let mut all = vec![None; wanted.len()];
    for (i, want) in wanted.iter().enumerate() {
        let Some(subject) = &want.subject else { continue };
        let serves =
            |k: &usize| !taken[*k] && found[*k].subject().is_some_and(|other| is_same(subject, &other));
        all[i] = (0..found.len()).find(serves);
        if let Some(k) = all[i] {
            taken[k] = true;
        }
    }
    for one in all.iter_mut().filter(|one| one.is_none()) {
        *one = (0..found.len()).find(|k| !taken[*k]);
        if let Some(k) = *one {
            taken[k] = true;
        }
    }
    all
}

fn line_of(want: &Wanted) -> String {
    let flags = want.flags.iter().filter(|flag| flag.is_written()).flat_map(WantedFlag::words);
    let head = want.program.split(' ').map(str::to_owned).chain(want.subject.clone());
    head.chain(flags).map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
}

/// A command with a flag on each line.
fn new_command(want: &Wanted) -> String {
    let about: String =
        want.about.iter().flat_map(|line| ["# ".to_owned(), one_line(line), "\n".to_owned()]).collect();
    let head = want.program.split(' ').map(str::to_owned).chain(want.subject.clone());
    let head = head.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ");
    let flags = want.flags.iter().filter(|flag| flag.is_written());
    let flag =
        |flag: &WantedFlag| flag.words().iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = std::iter::once(head).chain(flags.map(flag)).collect();
    format!("{about}{}\n", lines.join(" \\\n  "))
}

/// Changes the flags of a command that say something else, and adds those that it lacks.
fn merge(text: &str, found: &Found, want: &mut Wanted, changes: &mut Changes) {
    let mut missing: Vec<Vec<String>> = Vec::new();
    for flag in &mut want.flags {
        match place(found, flag) {
            Some((at, said)) => {
                let same = match (&flag.value, &said) {
                    (FlagValue::Any, _) => true,
                    (FlagValue::Of(value), Said::Value(_, text)) => value.is_said_by(text),
                    (FlagValue::Switch(on), Said::Switch(said)) => on == said,
                    (FlagValue::Switch(on), Said::Value(_, text)) => text.parse() == Ok(*on),
                    (FlagValue::Of(_), Said::Switch(_)) => false,
                };
                if !same {
                    flag.row.before = Some(said.text());
                    change(found, at, &said, flag, changes);
                }
            }
            None if flag.is_written() => missing.push(flag.words()),
            None => flag.row.written = false,
        }
    }
    append(text, found, &missing, changes);
}

/// What a command says of a flag.
enum Said {
    /// A value, in a word of its own or behind `=`.
    Value(Option<usize>, String),
    Switch(bool),
}

impl Said {
    fn text(&self) -> String {
        match self {
            Self::Value(_, text) => text.clone(),
            Self::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
        }
    }
}

/// The last word of a command that names a flag, and what it says.
fn place(found: &Found, flag: &WantedFlag) -> Option<(usize, Said)> {
    let is = |name: &str| flag.names.contains(&name);
    let mut last = None;
    for (i, word) in found.words.iter().enumerate().skip(found.program_end) {
        let Some(rest) = word.text.strip_prefix('-') else { continue };
        let (name, value) = rest.split_once('=').map_or((rest, None), |(name, value)| (name, Some(value)));
        let name = name.trim_start_matches('-').replace('_', "-");
        let next = found.words.get(i + 1).filter(|next| !next.text.starts_with("--"));
        let is_switch = matches!(flag.value, FlagValue::Switch(_));
        if is(&name) {
            last = match (value, next) {
                (Some(value), _) => Some((i, Said::Value(None, value.to_owned()))),
                (None, Some(next)) if !is_switch => Some((i, Said::Value(Some(i + 1), next.text.clone()))),
                _ => Some((i, Said::Switch(true))),
            };
        } else if is_switch && name.strip_prefix("no-").is_some_and(is) {
            last = Some((i, Said::Switch(false)));
        }
    }
    last
}

fn change(found: &Found, at: usize, said: &Said, flag: &WantedFlag, changes: &mut Changes) {
    let word = &found.words[at];
    let mut replace = |word: &Word, text: &str| changes.replace(word.span.clone(), word.style.written(text));
    match (&flag.value, said) {
        (FlagValue::Of(value), Said::Value(Some(i), _)) => replace(&found.words[*i], &value.plain()),
        (FlagValue::Of(value), _) => {
            let name = word.text.split('=').next().unwrap_or_default();
            replace(word, &format!("{name}={}", value.plain()));
        }
        (FlagValue::Switch(on), _) => {
            replace(word, &format!("--{}{}", if *on { "" } else { "no-" }, flag.names[0]));
        }
        (FlagValue::Any, _) => {}
    }
}

/// Adds flags at the end of a command, in the form that it has.
fn append(text: &str, found: &Found, missing: &[Vec<String>], changes: &mut Changes) {
    let Some(last) = found.words.last() else { return };
    if let Some(list) = &found.list {
        for words in missing {
            let want = Want::said(words.join("=").as_str());
            insert_item(text, list.items(), list.items().last(), list, &want, changes);
        }
        return;
    }
    let first = &found.words[0];
    let whole = text.get(first.span.start..last.span.end).unwrap_or_default();
    let line = text[..last.span.start].rfind('\n').map_or(0, |i| i + 1);
    let indent = text[line..].len() - text[line..].trim_start_matches(' ').len();
    for words in missing {
        let words = words.iter().map(|word| Style::Shell.written(word)).collect::<Vec<_>>().join(" ");
        let between =
            if whole.contains("\\\n") { format!(" \\\n{}", " ".repeat(indent)) } else { " ".to_owned() };
        changes.insert(last.span.end, format!("{between}{words}"));
    }
}

#[cfg(test)]
mod tests;
