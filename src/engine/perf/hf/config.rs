//! Looks up keys in a `config.json`: in the language half first, under all names that families use.

use base::{Diagnostic, Diagnostics};
use document::grouped;
use serde_json::Value;

/// Keys under which multimodal models keep the description of their language half.
const HALVES: &[&str] = &[
    "text_config",
    "language_config",
    "llm_config",
    "thinker_config",
    "text_model_config",
    "language_model_config",
    "text_model",
];
/// Sections in which some families keep keys that others have at the top level.
const SECTIONS: &[&str] = &["ffn_config", "attn_config"];

/// Defaults of the classes of families, needed for files written without defaults.
const OF_CLASSES: &[(&str, &str, u32)] = &[
    ("gemma", "head_dim", 256),
    ("gemma2", "head_dim", 256),
    ("gemma3", "head_dim", 256),
    ("gemma3_text", "head_dim", 256),
    ("gemma3_text", "num_attention_heads", 8),
    ("gemma3_text", "num_key_value_heads", 4),
    ("gemma3_text", "vocab_size", 262_208),
    ("mistral", "num_key_value_heads", 8),
    ("mixtral", "num_key_value_heads", 8),
    ("llama4_text", "num_key_value_heads", 8),
    ("qwen3", "head_dim", 128),
    ("nemotron_h", "mamba_head_dim", 64),
    ("nemotron_h", "n_groups", 8),
];

/// The document with the problems and warnings found so far.
pub(super) struct Config<'a> {
    /// Innermost first.
    places: Vec<&'a Value>,
    /// The family's name (`model_type`), from the innermost place that has one.
    pub(super) family: &'a str,
    pub(super) found: Diagnostics,
}

impl<'a> Config<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        let mut places = vec![document];
        // No file nests three halves.
        while let Some(inner) = inner(places[0]).filter(|_| places.len() < 4) {
            places.insert(0, inner);
        }
        let sections: Vec<&Value> = SECTIONS.iter().filter_map(|key| object(places[0], key)).collect();
        places.extend(sections);
        let family = places.iter().find_map(|place| place.get("model_type")?.as_str()).unwrap_or_default();
        Self { places, family, found: Diagnostics::new() }
    }

    /// The first of these keys that is set, and its value.
    pub(super) fn get(&self, names: &[&'static str]) -> Option<(&'static str, &'a Value)> {
        self.places.iter().find_map(|place| {
            names.iter().find_map(|name| place.get(*name).filter(|v| !v.is_null()).map(|v| (*name, v)))
        })
    }

    /// All keys of the language half.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.places[0].as_object().into_iter().flatten()
    }

    /// A whole number; a list of equal numbers counts as one.
    pub(super) fn number(&mut self, names: &[&'static str]) -> Option<u32> {
        let Some((name, value)) = self.get(names) else { return self.of_class(names) };
        let equal = value.as_array().filter(|list| list.len() > 2 && list.iter().all(|v| *v == list[0]));
        let number = whole(equal.map_or(value, |list| &list[0]));
        if number.is_none() {
            self.error(name, &shortened(value), "a whole number", "correct it");
        }
        number
    }

    /// A whole number above 0.
    pub(super) fn positive(&mut self, names: &[&'static str]) -> Option<u32> {
        self.number(names).filter(|n| *n > 0)
    }

    pub(super) fn required(&mut self, names: &[&'static str]) -> u32 {
        if self.get(names).is_none() && self.class_has(names).is_none() {
            let others = names[1..].join("`, `");
            let allowed = if others.is_empty() {
                "a whole number".to_owned()
            } else {
                format!("a whole number, here or as `{others}`")
            };
            self.error(
                names[0],
                "nothing under this name",
                &allowed,
                "check that this is the config.json of a language model, complete",
            );
        }
        // The placeholder after a problem is never used.
        self.number(names).unwrap_or(1)
    }

    /// A whole number, or the usual value with a warning.
    pub(super) fn or_usual(&mut self, names: &[&'static str], usual: u32) -> u32 {
        if let Some(number) = self.number(names) {
            return number;
        }
        self.taken(names[0], &grouped(usual.into()));
        usual
    }

    /// Warns that a default was taken for a missing value.
    pub(super) fn taken(&mut self, key: &str, value: &str) {
        self.warning(
            key,
            &format!("nothing under this name, taken as {value}"),
            "what the model has",
            "write it into the config.json if it is another",
        );
    }

    fn class_has(&self, names: &[&'static str]) -> Option<(&'static str, u32)> {
        let of = |row: &&(&str, &'static str, u32)| row.0 == self.family && names.contains(&row.1);
        OF_CLASSES.iter().find(of).map(|(_, key, value)| (*key, *value))
    }

    fn of_class(&mut self, names: &[&'static str]) -> Option<u32> {
        let (key, value) = self.class_has(names)?;
        self.taken(key, &format!("{}, the default of the class {}", grouped(value.into()), self.family));
        Some(value)
    }

    /// Whether a key holds `true`.
    pub(super) fn yes(&self, name: &'static str) -> bool {
        self.get(&[name]).is_some_and(|(_, v)| v == true)
    }

    pub(super) fn text(&self, names: &[&'static str]) -> Option<&'a str> {
        self.get(names).and_then(|(_, v)| v.as_str())
    }

    /// Whether the family's name begins with one of these.
    pub(super) fn is_of(&self, families: &[&str]) -> bool {
        families.iter().any(|name| self.family.starts_with(name))
    }

    pub(super) fn error(&mut self, path: &str, found: &str, allowed: &str, fix: &str) {
        self.say(Diagnostic::error(path, found, allowed, fix));
    }

    /// Refuses a key whose meaning a scenario's shape cannot express.
    pub(super) fn refuse(&mut self, path: &str, found: &str) {
        self.error(
            path,
            found,
            "layers whose weights and cache are known here",
            "write the shape yourself: `kv_values`, `common_params_millions` and the other fields of `architecture`",
        );
    }

    pub(super) fn warning(&mut self, path: &str, found: &str, allowed: &str, fix: &str) {
        self.say(Diagnostic::warning(path, found, allowed, fix));
    }

    fn say(&mut self, said: Diagnostic) {
        if !self.found.contains(&said) {
            self.found.push(said);
        }
    }
}

pub(super) fn whole(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| u32::try_from(n).ok())
}

/// A value as a message shows it.
pub(super) fn shortened(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= MOST {
        return text;
    }
    let start: String = text.chars().take(MOST).collect();
    format!("{start}…")
}

fn inner(place: &Value) -> Option<&Value> {
    HALVES.iter().find_map(|key| object(place, key))
}

fn object<'a>(place: &'a Value, key: &str) -> Option<&'a Value> {
    place.get(key).filter(|v| v.is_object())
}
