//! Import of a command of `GuideLLM`: its flags are the keys of its scenario file, and are read as these.
//!
//! Source: the options of `guidellm benchmark` of 0.3 and 0.4.

use crate::command::flags::{Word, words_at};
use crate::command::serve::{OF_UNIT, UNIT};
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Mapping, Reader, Report, Settings};
use crate::import::documents::ROUNDS;
use crate::vllm::command::shape;
use crate::workloads::guidellm::GuideLlmWorkload;
use base::Diagnostic;
use base::import::Import;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A command of the tool.
pub(crate) struct GuideLlmCommand;

/// What the names of its variables begin with.
const VARIABLE: &str = "GUIDELLM_";

impl Import<Configuration> for GuideLlmCommand {
    fn name(&self) -> &'static str {
        "workload-guidellm-command"
    }

    fn title(&self) -> &'static str {
        "a command of GuideLLM"
    }

    fn recognises(&self, source: &Value) -> bool {
        let words = source.get("words");
        let first = words.and_then(|words| words.get(0).or_else(|| words.get("0")));
        first.and_then(Value::as_str).is_some_and(is_program)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let words = words_at(&mut r, "words");
        of_words(&mut r, &words);
        r.without_counterpart(ROUNDS, "one run is read");
        r.without_counterpart(UNIT, OF_UNIT);
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

/// Whether a word is the program.
pub(crate) fn is_program(word: &str) -> bool {
    word.rsplit('/').next() == Some("guidellm")
}

/// A value of a flag: a number, a list of numbers, or a text.
fn value_of(text: &str) -> Value {
    let number = |text: &str| serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_number);
    if let Some(number) = number(text) {
        return number;
    }
    let list: Option<Vec<Value>> = text.split(',').map(number).collect();
    match list {
        // Lists are sections with their numbers as keys.
        Some(list) if list.len() > 1 => {
            Value::Object(list.into_iter().enumerate().map(|(i, one)| (i.to_string(), one)).collect())
        }
        _ => Value::from(text),
    }
}

/// Reads the words of a command, from the program on, as a workload.
pub(crate) fn of_words(r: &mut Reader<'_>, words: &[Word]) {
    let said = flags_of(r, words);
    of_pairs(r, &said);
}

/// The flags of a command with their values, by their names with underscores; `true` without a value.
pub(crate) fn flags_of(r: &mut Reader<'_>, words: &[Word]) -> Vec<(String, Word)> {
    let program = words.iter().take_while(|word| !word.text.starts_with("--")).count();
    shape(r, words[..program].iter(), "the program");
    let mut said: Vec<(String, Word)> = Vec::new();
    let mut i = program;
    while i < words.len() {
        let word = &words[i];
        let Some(flag) = word.text.strip_prefix("--") else {
            shape(r, std::iter::once(word), "a word that belongs to no flag");
            i += 1;
            continue;
        };
        let (name, beside) = flag.split_once('=').map_or((flag, None), |(name, text)| (name, Some(text)));
        let next = words.get(i + 1).filter(|next| !next.text.starts_with("--"));
        let text = beside.or_else(|| next.map(|next| next.text.as_str())).unwrap_or("true");
        if let (None, Some(next)) = (beside, next) {
            shape(r, std::iter::once(next), "the value of the flag before it");
            i += 1;
        }
        said.push((name.replace('-', "_"), Word { path: word.path.clone(), text: text.to_owned() }));
        i += 1;
    }
    said
}

/// The variables of a container that are settings of the tool.
pub(crate) fn of_variables(r: &mut Reader<'_>, env: &str) -> Vec<(String, Word)> {
    let mut all = Vec::new();
    for i in 0..r.entries(env) {
        let name = r.get(&format!("{env}.{i}.name")).and_then(Value::as_str).unwrap_or_default();
        let Some(name) =
            name.strip_prefix(VARIABLE).map(|rest| rest.trim_start_matches('_').to_ascii_lowercase())
        else {
            continue;
        };
        let path = format!("{env}.{i}.value");
        let text = match r.get(&path) {
            Some(Value::String(text)) => text.clone(),
            Some(other) if other.is_number() || other.is_boolean() => other.to_string(),
            _ => continue,
        };
        r.shape(&format!("{env}.{i}.name"), "the setting of this name");
        all.push((name, Word { path, text }));
    }
    all
}

/// Reads settings by their names as the file of a workload; what is said of a key there is said of the word here.
pub(crate) fn of_pairs(r: &mut Reader<'_>, said: &[(String, Word)]) {
    let mut file = Map::new();
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, word) in said {
        file.insert(name.clone(), value_of(&word.text));
        paths.insert(name, &word.path);
    }
    if !["rate_type", "profile"].iter().any(|key| file.contains_key(*key)) {
        // The tool sweeps over rates where nothing is said.
        file.insert("profile".to_owned(), Value::from("sweep"));
    }
    let file = Value::Object(file);
    let mut report = Report::default();
    GuideLlmWorkload.read(&file, &mut report);
    let own = |key: &str| {
        let first = key.split('.').next().unwrap_or_default();
        paths.get(first).map(|path| (*path).to_owned())
    };
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for row in report.mappings {
        let Some(key) = own(&row.key) else { continue };
        let found = said
            .iter()
            .find(|(_, word)| word.path == key)
            .map_or(row.found, |(name, word)| format!("{} {}", name.replace('_', "-"), word.text));
        // The parts of a text have one row.
        if !told.contains_key(&key) {
            told.insert(key.clone(), r.mappings.len());
            r.mappings.push(Mapping { key, found, ..row });
        }
    }
    r.problems.extend(report.problems.into_iter().map(|problem| {
        let path = own(&problem.path).unwrap_or_default();
        Diagnostic { path, ..problem }
    }));
    r.sets.extend(report.sets.into_iter().map(|mut set| {
        set.key = own(&set.key).unwrap_or_default();
        set
    }));
}
