//! Files of unknown format with recognisable names of columns or keys: an instant, the tokens of the prompt and those
//! of the answer.

use super::columns::{Role, TraceColumns};
use super::jsonl::name;
use super::pick::pick;
use super::row::{Bad, Row};
use super::scalar::Scalar;
use super::sessions::Link;
use super::stamp;
use serde_json::Value;

/// The key of hash ids, in any JSON lines.
const HASH_IDS: &str = "hash_ids";

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
    /// For each of [`Role::OPTIONAL`], its name if the file has one.
    pub(super) optional: [Option<String>; Role::OPTIONAL.len()],
    /// Whether the user named the columns.
    pub(super) given: bool,
}

impl Names {
    /// The recognisable names among `all`, and those that the user gave; `None` without an arrival, a prompt and an
    /// output.
    pub(super) fn among(all: &[&str], columns: Option<&TraceColumns>) -> Option<Self> {
        let given = |role: Role| columns.and_then(|c| c.of(role)).map(str::to_owned);
        let found = |role: Role, known: &[&str]| {
            let of = |name: &&str| all.iter().find(|n| plain(n) == **name);
            given(role).or_else(|| known.iter().find_map(of).map(|name| (*name).to_owned()))
        };
        let recognised = || {
            TIMES.iter().find_map(|known| {
                all.iter().find_map(|name| {
                    let (base, unit) = unit_of(name);
                    (plain(base) == *known).then(|| ((*name).to_owned(), unit))
                })
            })
        };
        let (time, unit) =
            given(Role::Arrival).map(|name| (name.clone(), unit_of(&name).1)).or_else(recognised)?;
        Some(Self {
            time,
            prompt: found(Role::Prompt, &PROMPTS)?,
            output: found(Role::Output, &OUTPUTS)?,
            unit_us: columns.and_then(|c| c.unit_us).or(unit),
            optional: optional(all, columns),
            given: columns.is_some(),
        })
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
        let mut keys = vec![self.time.as_str(), &self.prompt, &self.output, HASH_IDS];
        keys.extend(self.optional.iter().flatten().map(String::as_str));
        let mut picked = pick(line, &keys)?.into_iter();
        let mut next = || picked.next().flatten();
        let time = next();
        let arrival_us = match &time {
            Some(Scalar::Number(n)) => n.as_f64().and_then(|x| instant(x, self.unit_us)),
            Some(Scalar::Text(text)) => {
                stamp::date_time(text).or_else(|| stamp::decimal(text).and_then(|x| instant(x, self.unit_us)))
            }
            _ => None,
        };
        let arrival_us = arrival_us.ok_or_else(|| {
            let found = time.map_or_else(|| "nothing".to_owned(), |t| t.beginning());
            bad(
                format!("{found} under {:?}", self.time),
                "a number, or a date such as 2024-05-10T00:00:00.25Z",
            )
        })?;
        let mut tokens = |key: &str| {
            next().and_then(|value| amount(&value)).ok_or_else(|| {
                bad(format!("no number under {key:?}"), "every line with the keys of the first")
            })
        };
        let (prompt_tokens, output_tokens) = (tokens(&self.prompt)?, tokens(&self.output)?);
        let mut row = Row { arrival_us, prompt_tokens, output_tokens, ..Row::default() };
        row.hash_ids = next().map(|value| hash_ids(&value)).transpose()?.unwrap_or_default();
        for (role, name) in Role::OPTIONAL.into_iter().zip(&self.optional) {
            if let Some(value) = name.as_ref().and_then(|_| next()) {
                set(&mut row, role, value)?;
            }
        }
        Ok(row)
    }
}

/// For each of [`Role::OPTIONAL`], its name among `all`: the one that the user gave, or a usual one.
pub(super) fn optional(
    all: &[&str],
    columns: Option<&TraceColumns>,
) -> [Option<String>; Role::OPTIONAL.len()] {
    Role::OPTIONAL.map(|role| {
        let usual = || role.usual().iter().find(|name| all.contains(name)).map(|name| (*name).to_owned());
        columns.and_then(|c| c.of(role)).map(str::to_owned).or_else(usual)
    })
}

/// Sets an optional value of a row.
fn set<'a>(row: &mut Row<'a>, role: Role, value: Scalar<'a>) -> Result<(), Bad> {
    match role {
        Role::Arrival | Role::Prompt | Role::Output => {}
        Role::Session => row.session = name(Some(&value))?.map(|name| Link { name, before: None }),
        Role::Tenant => row.tenant = value.into_text(),
        Role::Class => row.class = value.into_text(),
        Role::Priority if value == Scalar::Null => {}
        Role::Priority => {
            let bad = || {
                let found = format!("priority {}", value.beginning());
                Bad::new(found, "a whole number", "correct or remove the line")
            };
            row.priority = Some(amount(&value).ok_or_else(bad)?);
        }
        Role::Model => row.model = value.into_text(),
        Role::Adapter => row.adapter = value.into_text(),
        Role::Id => row.id = value.into_text(),
    }
    Ok(())
}

/// A number, or a text that is one.
fn amount(value: &Scalar<'_>) -> Option<f64> {
    if let Scalar::Text(text) = value { stamp::decimal(text.trim()) } else { value.number() }
}

fn hash_ids(value: &Scalar<'_>) -> Result<Vec<u64>, Bad> {
    let bad = || {
        let fix = "correct or remove the line";
        Bad::new(format!("hash_ids {}", value.beginning()), "a list of whole numbers", fix)
    };
    match value {
        Scalar::Null => Ok(Vec::new()),
        Scalar::Other(Value::Array(all)) => all.iter().map(|id| id.as_u64().ok_or_else(bad)).collect(),
        Scalar::Other(_) | Scalar::Text(_) | Scalar::Number(_) => Err(bad()),
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
