//! Files of unknown format with recognisable names of columns or keys: an instant, the tokens of the prompt and those
//! of the answer.

use super::rows::{Bad, Row};
use super::sessions::Link;
use super::stamp;
use crate::base::digest::Digest;
use serde_json::{Map, Value};

/// Names of instants, in lower case and without separators; a unit may follow.
const TIMES: [&str; 13] = [
    "arrivaltime",
    "arrivedat",
    "arrivalts",
    "arrivaltimestamp",
    "arrival",
    "timestamp",
    "starttime",
    "starttimestamp",
    "requesttime",
    "submittime",
    "sendtime",
    "time",
    "ts",
];
/// Names of the lengths of prompts.
const PROMPTS: [&str; 16] = [
    "inputtoks",
    "inputtokens",
    "inputlen",
    "inputlength",
    "inputtokencount",
    "inputsequencelength",
    "isl",
    "prompttokens",
    "promptlen",
    "promptlength",
    "prompttokencount",
    "numprompttokens",
    "numinputtokens",
    "contexttokens",
    "prefilltokens",
    "numprefilltokens",
];
/// Names of the lengths of answers.
const OUTPUTS: [&str; 18] = [
    "outputtoks",
    "outputtokens",
    "outputlen",
    "outputlength",
    "outputtokencount",
    "outputsequencelength",
    "osl",
    "completiontokens",
    "completionlen",
    "completionlength",
    "completiontokencount",
    "generatedtokens",
    "generationtokens",
    "gentokens",
    "responsetokens",
    "numoutputtokens",
    "decodetokens",
    "numdecodetokens",
];
/// Units that may end the name of an instant, in microseconds.
const UNITS: [(&str, f64); 8] = [
    ("_ns", 1e-3),
    ("_us", 1.0),
    ("_ms", 1e3),
    ("_s", 1e6),
    ("_sec", 1e6),
    ("_seconds", 1e6),
    ("(ms)", 1e3),
    ("(s)", 1e6),
];
/// Instants since 1970 above these are in nanoseconds, microseconds and milliseconds; below, in seconds.
const SINCE_1970: [(f64, f64); 3] = [(1e17, 1e-3), (1e14, 1.0), (1e11, 1e3)];

/// The names of a file for the values read, and the unit of its instants if the name has one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Names {
    pub(super) time: String,
    pub(super) prompt: String,
    pub(super) output: String,
    pub(super) unit_us: Option<f64>,
}

impl Names {
    /// The recognisable names among `all`, if all three are there.
    pub(super) fn among(all: &[&str]) -> Option<Self> {
        let found = |known: &[&str]| {
            let of = |name: &&str| all.iter().find(|n| plain(n) == **name);
            known.iter().find_map(of).map(|name| (*name).to_owned())
        };
        let (time, unit_us) = TIMES.iter().find_map(|known| {
            all.iter().find_map(|name| {
                let (base, unit) = unit_of(name);
                (plain(base) == *known).then(|| ((*name).to_owned(), unit))
            })
        })?;
        Some(Self { time, prompt: found(&PROMPTS)?, output: found(&OUTPUTS)?, unit_us })
    }

    /// The recognised names in words.
    pub(super) fn told(&self) -> String {
        let Self { time, prompt, output, .. } = self;
        format!(
            "{time:?} as the arrival, {prompt:?} as the tokens of the prompt, {output:?} as those of the answer"
        )
    }

    /// A line of JSON as a row.
    pub(super) fn row<'a>(&self, line: &'a str) -> Result<Row<'a>, Bad> {
        let bad =
            |found: String, allowed: &'static str| Bad::new(found, allowed, "correct or remove the line");
        let object: Map<String, Value> = serde_json::from_str(line)
            .map_err(|_| bad("no JSON object".to_owned(), "one JSON object per line"))?;
        let tokens = |key: &str| {
            object.get(key).and_then(Value::as_f64).ok_or_else(|| {
                bad(format!("no number under {key:?}"), "every line with the keys of the first")
            })
        };
        let time = object.get(&self.time);
        let arrival_us = match time {
            Some(Value::Number(n)) => n.as_f64().and_then(|x| instant(x, self.unit_us)),
            Some(Value::String(text)) => stamp::date_time(text),
            _ => None,
        };
        let arrival_us = arrival_us.ok_or_else(|| {
            let found =
                time.map_or_else(|| "nothing".to_owned(), |t| t.to_string().chars().take(40).collect());
            bad(
                format!("{found} under {:?}", self.time),
                "a number, or a date such as 2024-05-10T00:00:00.25Z",
            )
        })?;
        let text = |keys: &[&str]| {
            keys.iter()
                .find_map(|key| object.get(*key))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let session = text(&["session_id", "conversation_id"]);
        let name = (!session.is_empty()).then(|| Digest::of(session.as_bytes()).value());
        Ok(Row {
            arrival_us,
            prompt_tokens: tokens(&self.prompt)?,
            output_tokens: tokens(&self.output)?,
            session: name.map(|name| Link { name, before: None }),
            model: text(&["model"]).into(),
            adapter: text(&["adapter"]).into(),
            ..Row::default()
        })
    }
}

/// A number as an instant: in the unit of the name, else in a unit by its size.
pub(super) fn instant(x: f64, unit_us: Option<f64>) -> Option<i64> {
    let by_size = || SINCE_1970.iter().find(|(from, _)| x >= *from).map_or(1e6, |(_, unit)| *unit);
    stamp::number(x, unit_us.unwrap_or_else(by_size))
}

/// A name without the unit that it ends in.
fn unit_of(name: &str) -> (&str, Option<f64>) {
    let known = UNITS.iter().find_map(|(end, unit)| Some((name.strip_suffix(end)?, Some(*unit))));
    known.unwrap_or((name, None))
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).map(|c| c.to_ascii_lowercase()).collect()
}
