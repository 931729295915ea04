//! The flags of a command as Python's parsers take them: `--flag value`, `--flag=value`, `--no-flag`, `-tp 2`, underscores
//! for hyphens, flags without a value, JSON whole or by its keys (`--config.key value`), numbers with a unit. The same flags may stand
//! as keys of a section, as in the file of `--config`. Of a repeated flag the last holds.
//!
//! Each program has a table of its flags. A flag outside it gets a row of its own with the known flag that it resembles.

pub(crate) use crate::command::flag_words::{Word, words_at};
use crate::command::flag_words::{is_condition, is_flag, plain, put, until_flag};
use crate::command::map::{Becomes, FlagField, KnownFlag};
use crate::command::values::{Kind, value_of};
use crate::command::variables::is_open;
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::sets::PoolOf;
use base::{Diagnostic, alike};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most words of a command.
const MOST_WORDS: usize = 10_000;
/// Most unknown flags of a source for which a known one is looked for.
const MOST_NEAREST: usize = 50;

/// A flag of a source, with its value.
#[derive(Clone, Debug)]
struct Said {
    /// The path of its word or key, and that of its last value.
    path: String,
    last: String,
    /// As written.
    found: String,
    value: Value,
    /// Whether it gives a key of JSON alone.
    by_key: bool,
}

/// A flag that was found, and the name that it has here.
type Known = (&'static KnownFlag, &'static str);

/// The flags of a source by their first names.
#[derive(Default)]
pub(crate) struct Flags {
    said: BTreeMap<&'static str, Said>,
    /// Flags that have a row.
    told: BTreeSet<&'static str>,
    /// The words that are neither flags nor values of flags.
    pub(crate) others: Vec<Word>,
    unknown: usize,
}

impl Flags {
    /// Reads the flags of a command. Its words are marked as read where they are taken from the source.
    pub(crate) fn of_words(r: &mut Reader<'_>, words: &[Word], known: &'static [KnownFlag]) -> Self {
        let mut flags = Self::default();
        if words.len() > MOST_WORDS {
            let fix = "paste the command of one server";
            let found = format!("{} words", words.len());
            let path = words[MOST_WORDS].path.clone();
            r.problems.push(Diagnostic::error(path, found, format!("at most {MOST_WORDS} words"), fix));
            return flags;
        }
        let mut i = 0;
        while i < words.len() {
            i += flags.word(r, &words[i..], known);
        }
        flags
    }

    /// Reads the first of some words, with its values; returns how many words these are.
    fn word(&mut self, r: &mut Reader<'_>, words: &[Word], known: &'static [KnownFlag]) -> usize {
        let word = &words[0];
        if is_condition(&word.text) {
            Self::condition(r, word, known);
            return 1;
        }
        if !is_flag(&word.text) {
            self.others.push(word.clone());
            return 1;
        }
        let (name, given) = word.text.split_once('=').map_or((&*word.text, None), |(n, v)| (n, Some(v)));
        let name = plain(name);
        let (base, inner) = name.split_once('.').map_or((&*name, None), |(b, i)| (b, Some(i)));
        let Some((known_flag, negated)) = find(known, base) else {
            let values = if given.is_some() { 0 } else { until_flag(&words[1..]) };
            self.unknown(r, &words[..=values], &name, known);
            return 1 + values;
        };
        let flag = known_flag.0;
        let own = |text: &str| ["true", "false"].iter().any(|b| text.eq_ignore_ascii_case(b));
        let follows = words.get(1).is_some_and(|next| !is_flag(&next.text) && !is_condition(&next.text));
        let values = match (given, flag.kind) {
            (Some(_), _) => 0,
            (None, Kind::Switch) => usize::from(!negated && follows && own(&words[1].text)),
            (None, Kind::List | Kind::Lists) => until_flag(&words[1..]),
            (None, _) => usize::from(follows),
        };
        let texts: Vec<&str> =
            given.into_iter().chain(words[1..=values].iter().map(|w| w.text.as_str())).collect();
        let found: Vec<&str> = words[..=values].iter().map(|w| w.text.as_str()).collect();
        let last = words[values].path.clone();
        let said = Said {
            path: word.path.clone(),
            last,
            found: found.join(" "),
            value: Value::Null,
            by_key: inner.is_some(),
        };
        if negated {
            self.say(r, known_flag, Said { value: Value::Bool(false), ..said });
            return 1;
        }
        if matches!(flag.kind, Kind::Text) && texts.iter().any(|text| is_open(text)) {
            self.refused(r, known_flag, said, "a word", "");
            return 1 + values;
        }
        let value = match inner {
            Some(inner) => self.nested(known_flag, inner, &texts),
            None => value_of(flag.kind, &texts),
        };
        match value {
            Ok(value) => self.say(r, known_flag, Said { value, ..said }),
            Err([allowed, fix]) => self.refused(r, known_flag, said, allowed, fix),
        }
        1 + values
    }

    /// Reads the keys of a section as flags; sections within are JSON.
    pub(crate) fn of_section(r: &mut Reader<'_>, path: &str, known: &'static [KnownFlag]) -> Self {
        let mut flags = Self::default();
        let section = if path.is_empty() { Some(r.source) } else { r.get(path) };
        for (key, value) in section.and_then(Value::as_object).into_iter().flatten() {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            r.set_aside(&path);
            let name = plain(key);
            let words = |text: String| [Word { path: path.clone(), text }];
            let text = match value {
                Value::String(text) => text.clone(),
                _ => value.to_string(),
            };
            let found = crate::import::configuration::merge::shown(value);
            let Some((known_flag, negated)) = find(known, &name) else {
                flags.unknown(r, &words(format!("{key}: {found}")), &name, known);
                continue;
            };
            let said =
                Said { path: path.clone(), last: path.clone(), found, value: Value::Null, by_key: false };
            let read = match (value, known_flag.0.kind) {
                (Value::Null, _) => continue,
                (Value::Object(_), Kind::Json | Kind::List | Kind::Lists) => Ok(value.clone()),
                _ => value_of(known_flag.0.kind, &[&text]),
            };
            match read {
                Ok(Value::Bool(on)) if negated => {
                    flags.say(r, known_flag, Said { value: Value::Bool(!on), ..said });
                }
                Ok(value) => flags.say(r, known_flag, Said { value, ..said }),
                Err([allowed, fix]) => flags.refused(r, known_flag, said, allowed, fix),
            }
        }
        flags
    }

    /// Keeps a flag. The same flag before it no longer holds.
    fn say(&mut self, r: &mut Reader<'_>, (flag, name): Known, said: Said) {
        let (by_key, value) = (said.by_key, said.value.clone());
        let Some(before) = self.said.insert(name, said) else { return };
        if flag.kind == Kind::Lists {
            push(
                r,
                &before,
                Standing::Shape,
                "its words and those of the same flag later".to_owned(),
                String::new(),
            );
        } else if by_key {
            push(r, &before, Standing::Shape, "a key of the same flag".to_owned(), String::new());
        } else {
            let why = if before.value == value { "said again" } else { "the same flag later holds" };
            push(r, &before, Standing::Ignored, format!("no counterpart: {why}"), String::new());
        }
    }

    /// A value of JSON that is given by its keys, added to what was given before.
    fn nested(&self, (flag, name): Known, inner: &str, texts: &[&str]) -> Result<Value, [&'static str; 2]> {
        if flag.kind != Kind::Json {
            return Err(["a flag without a dot", "write the flag and its value"]);
        }
        let text = texts.join(" ");
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let there = self.said.get(name).map(|said| &said.value);
        let mut all = there.filter(|v| v.is_object()).cloned().unwrap_or_else(|| Value::Object(Map::new()));
        put(&mut all, &mut inner.split('.').take(8), value);
        Ok(all)
    }

    /// Reports a value of another type. What only a shell knows is left out.
    fn refused(&mut self, r: &mut Reader<'_>, (flag, name): Known, said: Said, allowed: &str, fix: &str) {
        let is_open = is_open(&said.found);
        if flag.is_group || (is_open && matches!(flag.becomes, Becomes::Nothing(_))) {
            self.say(r, (flag, name), said);
            return;
        }
        if is_open {
            Self::left_open(r, &said, allowed);
        } else {
            r.problems.push(Diagnostic::error(said.path.clone(), said.found.clone(), allowed, fix));
            self.told.insert(name);
        }
    }

    /// Leaves a flag out whose value is a variable or a placeholder.
    fn left_open(r: &mut Reader<'_>, said: &Said, allowed: &str) {
        let [why, fix] = if said.found.contains("{{") {
            [
                "another program fills in its value",
                "give the object as it is in the cluster: `kubectl get … -o yaml`",
            ]
        } else {
            ["its value is a variable that only the shell knows", "write the value in place of the variable"]
        };
        r.problems.push(Diagnostic::warning(said.path.clone(), said.found.clone(), allowed, fix));
        push(r, said, Standing::Ignored, format!("no counterpart: {why}"), String::new());
    }

    /// Gives an argument a row that another program leaves out or fills in: `{{ if .TLS }}--ssl-certfile=…{{ end }}`.
    fn condition(r: &mut Reader<'_>, word: &Word, known: &'static [KnownFlag]) {
        let own = word.text.split_once("}}").map_or("", |(_, rest)| rest.trim_start());
        let name = own.split(['=', ' ', '{']).next().unwrap_or_default();
        let path = word.path.clone();
        let found = word.text.clone();
        let said = Said { last: path.clone(), path, found, value: Value::Null, by_key: false };
        let flag = find(known, &plain(name));
        let matters = flag.is_some_and(|((flag, _), _)| !matches!(flag.becomes, Becomes::Nothing(_)));
        if matters && is_flag(name) {
            Self::left_open(r, &said, "an argument without a condition");
        } else {
            let why = "another program fills it in, and it has no effect on a simulation";
            push(r, &said, Standing::Ignored, format!("no counterpart: {why}"), String::new());
        }
    }

    /// Gives an unknown flag a row.
    fn unknown(&mut self, r: &mut Reader<'_>, words: &[Word], name: &str, known: &'static [KnownFlag]) {
        self.unknown += 1;
        let names = known.iter().flat_map(|flag| flag.names).copied().filter(|known| known.len() > 3);
        let near = if self.unknown > MOST_NEAREST { None } else { alike::nearest(name, names) };
        let found = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let fix = near.map_or_else(
            || "it may be newer than this reader".to_owned(),
            |near| format!("correct it if `--{near}` is meant"),
        );
        let path = words[0].path.clone();
        let last = words[words.len() - 1].path.clone();
        let said = Said {
            path: path.clone(),
            last,
            found: crate::import::configuration::merge::shown(&found.into()),
            value: Value::Null,
            by_key: false,
        };
        let allowed = "the flags of this program";
        let what = format!("an unknown flag, which is left out: {}", said.found);
        r.problems.push(Diagnostic::warning(path, what, allowed, fix));
        let near = near.map(|near| format!("--{near}")).unwrap_or_default();
        push(r, &said, Standing::Unknown, "not known here".to_owned(), near);
    }

    /// Reads the flags of a server; a model that stands without a flag is that of `--model`.
    pub(crate) fn of_server(r: &mut Reader<'_>, words: &[Word], known: &'static [KnownFlag]) -> Self {
        let mut flags = Self::of_words(r, words, known);
        flags.first_other_is("model");
        flags
    }

    /// Takes the first word that belongs to no flag as the value of one that is absent.
    pub(crate) fn first_other_is(&mut self, name: &'static str) {
        if self.said.contains_key(name) || self.others.is_empty() {
            return;
        }
        let Word { path, text } = self.others.remove(0);
        let value = Value::from(text.as_str());
        self.said.insert(name, Said { last: path.clone(), path, found: text, value, by_key: false });
    }

    /// The value of a flag, if it is there.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.said.get(name).map(|said| &said.value)
    }

    /// A text, or the first of a list.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let value = self.value(name)?;
        value.as_str().or_else(|| value.get(0)?.as_str())
    }

    /// Whether a switch is on.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        self.value(name)?.as_bool()
    }

    /// The value of a flag that means the same as a field, if it is in the field's range. The caller records it.
    pub(crate) fn same(&mut self, r: &mut Reader<'_>, flag: &KnownFlag) -> Option<Value> {
        let Becomes::Same(field) = &flag.becomes else { return None };
        let name = flag.names[0];
        match flag.kind {
            Kind::Whole => {
                let [least, most] = field.range.map(|x| x as u64);
                self.whole_in(r, name, [least, most]).map(Value::from)
            }
            Kind::Number => self.number_in(r, name, field.range).map(Value::from),
            Kind::Switch => self.switch(name).map(Value::from),
            Kind::Text | Kind::Json | Kind::List | Kind::Lists => self.value(name).cloned(),
        }
    }

    /// Puts the values of all flags that mean the same as a field below a path into an object, and records each.
    pub(crate) fn same_below(&mut self, r: &mut Reader<'_>, map: &'static [KnownFlag], below: &str) -> Value {
        let mut all = Map::new();
        for (flag, field) in same_in(map, below) {
            if let Some(value) = self.same(r, flag) {
                self.note(r, flag.names[0], &format!("cluster.{}", field.path));
                all.insert(field.path[below.len()..].to_owned(), value);
            }
        }
        Value::Object(all)
    }

    /// A whole number in a range, which is the field's here; another number is an error that names the flag.
    pub(crate) fn whole_in(&mut self, r: &mut Reader<'_>, name: &str, range: [u64; 2]) -> Option<u64> {
        let n = self.value(name)?.as_u64()?;
        let [least, most] = range;
        self.within(r, name, n >= least && n <= most, &format!("{least} to {most}")).then_some(n)
    }

    /// A number in a range.
    pub(crate) fn number_in(&mut self, r: &mut Reader<'_>, name: &str, range: [f64; 2]) -> Option<f64> {
        let x = self.value(name)?.as_f64()?;
        let [least, most] = range;
        self.within(r, name, x >= least && x <= most, &format!("{least} to {most}")).then_some(x)
    }

    fn within(&mut self, r: &mut Reader<'_>, name: &str, is_within: bool, allowed: &str) -> bool {
        if !is_within && let Some((own, said)) = self.said.get_key_value(name) {
            let fix = "write a value in this range";
            r.problems.push(Diagnostic::error(said.path.clone(), said.found.clone(), allowed, fix));
            self.told.insert(own);
        }
        is_within
    }

    /// Reports a value that is none of the names that are read.
    pub(crate) fn not_among(&mut self, r: &mut Reader<'_>, name: &str, allowed: &[&str]) {
        let Some((own, said)) = self.said.get_key_value(name) else { return };
        let near = said.value.as_str().and_then(|text| alike::nearest(text, allowed.iter().copied()));
        let fix =
            near.map_or_else(|| "use one of these".to_owned(), |near| format!("did you mean \"{near}\"?"));
        r.problems.push(Diagnostic::error(said.path.clone(), said.found.clone(), allowed.join(", "), fix));
        self.told.insert(own);
    }

    /// Leaves a flag out of what follows; its row stays.
    pub(crate) fn forget(&mut self, name: &str) {
        self.said.remove(name);
    }

    /// The path of a flag, for problems and further rows.
    pub(crate) fn path(&self, name: &str) -> Option<&str> {
        self.said.get(name).map(|said| said.path.as_str())
    }

    /// Records what a flag becomes, with the same meaning.
    pub(crate) fn note(&mut self, r: &mut Reader<'_>, name: &str, becomes: &str) {
        self.row(r, name, Standing::Exact, becomes.to_owned());
    }

    /// Records what a flag becomes, and how that differs.
    pub(crate) fn near(&mut self, r: &mut Reader<'_>, name: &str, becomes: &str, differs: &str) {
        self.row(r, name, Standing::Near, format!("{becomes}; {differs}"));
    }

    /// Records why a flag has no counterpart.
    pub(crate) fn ignore(&mut self, r: &mut Reader<'_>, name: &str, why: &str) {
        self.row(r, name, Standing::Ignored, format!("no counterpart: {why}"));
    }

    fn row(&mut self, r: &mut Reader<'_>, name: &str, standing: Standing, becomes: String) {
        let Some((own, said)) = self.said.get_key_value(name) else { return };
        if self.told.insert(own) {
            push(r, said, standing, becomes, String::new());
        }
    }

    /// Sets a field of the scenario to what a flag says; `note` or `near` comes first.
    pub(crate) fn set(&self, r: &mut Reader<'_>, name: &str, field: &str, value: Value) {
        if let Some(path) = self.path(name) {
            r.set(path, field, value);
        }
    }

    /// Sets a field of pools to what a flag says; `note` or `near` comes first.
    pub(crate) fn set_pool(&self, r: &mut Reader<'_>, name: &str, of: &PoolOf, field: &str, value: Value) {
        if let Some(path) = self.path(name) {
            r.set_pool(path, of, field, value);
        }
    }

    /// Gives every flag that has no row one with the reason of the table, and every other word one, too.
    pub(crate) fn finish(mut self, r: &mut Reader<'_>, known: &'static [KnownFlag]) {
        for flag in known {
            let why = match flag.becomes {
                Becomes::Nothing(why) => why.sentence(),
                Becomes::Same(_) | Becomes::Own(_) => "this flag has no effect on a simulation",
            };
            for name in if flag.is_group { flag.names } else { &flag.names[..1] } {
                self.ignore(r, name, why);
            }
        }
        for word in std::mem::take(&mut self.others) {
            let said = Said {
                last: word.path.clone(),
                path: word.path,
                found: word.text,
                value: Value::Null,
                by_key: false,
            };
            let becomes = "no counterpart: a word that belongs to no flag".to_owned();
            push(r, &said, Standing::Ignored, becomes, String::new());
        }
    }
}

/// The flags of a map that mean the same as a field below a path.
pub(crate) fn same_in(
    map: &'static [KnownFlag],
    below: &str,
) -> impl Iterator<Item = (&'static KnownFlag, &'static FlagField)> {
    map.iter().filter_map(move |flag| match &flag.becomes {
        Becomes::Same(field) if field.path.starts_with(below) => Some((flag, field)),
        Becomes::Same(_) | Becomes::Own(_) | Becomes::Nothing(_) => None,
    })
}

/// Adds a row for a flag.
fn push(r: &mut Reader<'_>, said: &Said, standing: Standing, becomes: String, nearest: String) {
    let (key, found) =
        (said.path.clone(), crate::import::configuration::merge::shown(&said.found.clone().into()));
    let last = said.last.clone();
    r.mappings.push(Mapping { key, last, found, standing, becomes, nearest, ..Mapping::default() });
}

/// The flag of a name, and whether `no-` before it turns it off.
fn find(known: &'static [KnownFlag], name: &str) -> Option<(Known, bool)> {
    let by_name = |name: &str| {
        known.iter().find_map(|flag| {
            let own = flag.names.iter().copied().find(|own| *own == name)?;
            Some((flag, if flag.is_group { own } else { flag.names[0] }))
        })
    };
    let off = || by_name(name.strip_prefix("no-")?).filter(|(flag, _)| flag.kind == Kind::Switch);
    by_name(name).map(|found| (found, false)).or_else(|| off().map(|found| (found, true)))
}
