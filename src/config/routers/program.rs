//! Commands that start a router: which program it is, and its words without the program's own.

use crate::command::flags::{Word, words_at};
use crate::command::serve::{OF_UNIT, UNIT};
use crate::import::configuration::reader::{Reader, Unknown};
use crate::import::configuration::{Configuration, Report, Settings};
use crate::import::documents::ROUNDS;
use base::import::Import;
use serde_json::Value;

/// A program by the words that start it: its own name, or the module that Python runs.
pub(crate) struct Program {
    /// The name of its format.
    pub(crate) format: &'static str,
    /// Its name in messages.
    pub(crate) title: &'static str,
    pub(crate) names: &'static [&'static str],
    pub(crate) modules: &'static [&'static str],
    /// Reads the words after the program.
    pub(crate) read_words: fn(&mut Reader<'_>, &[Word]),
}

impl Import<Configuration> for Program {
    fn name(&self) -> &'static str {
        self.format
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn recognises(&self, source: &Value) -> bool {
        self.end_of(&texts(source)).is_some()
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let words = self.words(&mut r);
        (self.read_words)(&mut r, &words);
        r.without_counterpart(ROUNDS, "there is one router here");
        r.without_counterpart(UNIT, OF_UNIT);
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

impl Program {
    /// Number of words up to the program's name or module.
    pub(crate) fn end_of(&self, words: &[&str]) -> Option<usize> {
        let skipped = words.iter().take_while(|word| is_before(word)).count();
        let rest = &words[skipped..];
        let first = rest.first()?;
        let name = first.rsplit('/').next().unwrap_or(first);
        if self.names.contains(&name) {
            let command = rest.get(1).is_some_and(|word| ["launch", "start", "server"].contains(word));
            return Some(skipped + 1 + usize::from(command));
        }
        let is_python = name == "python" || name.starts_with("python3");
        let module = rest.iter().take(8).position(|word| *word == "-m")?;
        let named = rest.get(module + 1).is_some_and(|word| self.modules.contains(word));
        (is_python && named).then_some(skipped + module + 2)
    }

    /// The words after the program; its own are marked as the shape of the command.
    fn words(&self, r: &mut Reader<'_>) -> Vec<Word> {
        let all = words_at(r, "words");
        let texts: Vec<&str> = all.iter().map(|word| word.text.as_str()).collect();
        let end = self.end_of(&texts).unwrap_or(0);
        for word in &all[..end] {
            r.shape(&word.path, "the program");
        }
        all[end..].to_vec()
    }
}

/// The words of a source, in order.
fn texts(source: &Value) -> Vec<&str> {
    let Some(words) = source.get("words") else { return Vec::new() };
    match words {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        Value::Object(map) => {
            let count = map.len();
            (0..count).filter_map(|i| map.get(&i.to_string())?.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a word stands before the program: a variable of the environment, or a command that runs another.
fn is_before(word: &str) -> bool {
    let variable = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|c| c == b'_' || c.is_ascii_alphanumeric())
    });
    variable || ["export", "exec", "sudo", "nohup", "env"].contains(&word)
}
