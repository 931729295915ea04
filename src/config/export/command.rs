//! Command lines: written anew, or changed flag by flag where a text of a shell or a list of arguments in a container
//! has them.

mod words;

use super::scalar::{Scalar, shell_word};
use super::want::{Changes, Want, insert_item};
use super::{Row, Written};
use words::{Found, Style, Word, commands_in};

/// A flag that a command should have.
pub(super) struct Flag {
    /// What it is here.
    pub(super) row: Row,
    /// Its name, with dashes.
    pub(super) name: &'static str,
    /// Its other names.
    pub(super) others: &'static [&'static str],
    pub(super) value: FlagValue,
    /// The value that it has where it is not written.
    pub(super) default: Option<FlagValue>,
}

/// The value of a flag.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FlagValue {
    Of(Scalar),
    /// Without a value: `--name`, or `--no-name`.
    Switch(bool),
    /// Whatever stands there.
    Any,
}

impl Flag {
    pub(super) fn new(row: Row, value: impl Into<Scalar>, default: Option<Scalar>) -> Self {
        let name = names(&row.theirs);
        Self {
            row,
            name,
            others: &[],
            value: FlagValue::Of(value.into()),
            default: default.map(FlagValue::Of),
        }
    }

    pub(super) fn switch(row: Row, on: bool, default: bool) -> Self {
        let name = names(&row.theirs);
        Self {
            row,
            name,
            others: &[],
            value: FlagValue::Switch(on),
            default: Some(FlagValue::Switch(default)),
        }
    }

    pub(super) fn or(self, others: &'static [&'static str]) -> Self {
        Self { others, ..self }
    }

    fn is_written(&self) -> bool {
        self.value != FlagValue::Any && self.default.as_ref() != Some(&self.value)
    }

    /// Its words on a command line.
    fn words(&self) -> Vec<String> {
        match &self.value {
            FlagValue::Of(value) => vec![format!("--{}", self.name), value.plain()],
            FlagValue::Switch(true) => vec![format!("--{}", self.name)],
            FlagValue::Switch(false) => vec![format!("--no-{}", self.name)],
            FlagValue::Any => Vec::new(),
        }
    }
}

/// The name of a flag in a row, which is its spelling there, without dashes.
fn names(theirs: &str) -> &'static str {
    FLAGS.iter().find(|flag| theirs.trim_start_matches('-') == **flag).copied().unwrap_or("")
}

/// All flags that are written.
const FLAGS: [&str; 38] = [
    "tensor-parallel-size",
    "pipeline-parallel-size",
    "data-parallel-size",
    "enable-expert-parallel",
    "max-num-seqs",
    "max-num-batched-tokens",
    "long-prefill-token-threshold",
    "scheduling-policy",
    "block-size",
    "gpu-memory-utilization",
    "num-gpu-blocks-override",
    "enable-prefix-caching",
    "kv-offloading-size",
    "kv-cache-dtype",
    "scheduler-reserve-full-isl",
    "watermark",
    "enable-lora",
    "max-loras",
    "max-cpu-loras",
    "async-scheduling",
    "max-lora-rank",
    "router-mode",
    "router-kv-overlap-score-credit",
    "router-kv-overlap-score-credit-decay",
    "router-host-cache-hit-weight",
    "router-prefill-load-scale",
    "router-decode-active-request-weight",
    "router-temperature",
    "router-kv-events",
    "router-ttl-secs",
    "router-predicted-ttl-secs",
    "router-assume-kv-reuse",
    "router-session-affinity-ttl-secs",
    "policy",
    "cache-threshold",
    "balance-abs-threshold",
    "balance-rel-threshold",
    "max-concurrent-requests",
];

/// A command that should be there.
pub(super) struct Wanted {
    /// Its program, such as `vllm serve`.
    pub(super) program: &'static str,
    /// What it serves, if the program takes that as a word.
    pub(super) subject: Option<String>,
    pub(super) flags: Vec<Flag>,
    /// Lines of comment in front of it in a new file.
    pub(super) about: Vec<String>,
}

/// The programs whose commands are looked for, as their words: any of these.
pub(super) type Programs = &'static [&'static [&'static str]];

/// The file of commands, new or beside a text that has such commands.
pub(super) fn written(
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
    let row = |flag: Flag| {
        let is_default = is_new && !flag.is_written();
        flag.row.default_there(is_default)
    };
    Written { text, rows: rows.map(row).collect(), notes, not_beside, ..Written::default() }
}

/// Whether a new file has a command: it names what it serves, or a flag is written.
fn is_needed(want: &Wanted) -> bool {
    want.subject.is_some() || want.flags.iter().any(Flag::is_written)
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
    let flags = want.flags.iter().filter(|flag| flag.is_written()).flat_map(Flag::words);
    let head = want.program.split(' ').map(str::to_owned).chain(want.subject.clone());
    head.chain(flags).map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
}

/// A command with a flag on each line.
fn new_command(want: &Wanted) -> String {
    let about: String = want
        .about
        .iter()
        .flat_map(|line| ["# ".to_owned(), super::one_line(line), "\n".to_owned()])
        .collect();
    let head = want.program.split(' ').map(str::to_owned).chain(want.subject.clone());
    let head = head.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ");
    let flags = want.flags.iter().filter(|flag| flag.is_written());
    let flag = |flag: &Flag| flag.words().iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
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
fn place(found: &Found, flag: &Flag) -> Option<(usize, Said)> {
    let is = |name: &str| name == flag.name || flag.others.contains(&name);
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

fn change(found: &Found, at: usize, said: &Said, flag: &Flag, changes: &mut Changes) {
    let word = &found.words[at];
    let mut replace = |word: &Word, text: &str| changes.replace(word.span.clone(), word.style.written(text));
    match (&flag.value, said) {
        (FlagValue::Of(value), Said::Value(Some(i), _)) => replace(&found.words[*i], &value.plain()),
        (FlagValue::Of(value), _) => {
            let name = word.text.split('=').next().unwrap_or_default();
            replace(word, &format!("{name}={}", value.plain()));
        }
        (FlagValue::Switch(on), _) => {
            replace(word, &format!("--{}{}", if *on { "" } else { "no-" }, flag.name));
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
