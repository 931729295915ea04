//! Traces in CSV: a header that names the columns, then one request per line.

use super::named::{self, Names};
use super::rows::{Bad, Row};
use super::sessions::Link;
use super::{foreign, stamp};
use crate::base::digest::Digest;
use std::borrow::Cow;

/// A CSV format: its name and the columns that are read, found by name, so further columns are ignored.
struct Known {
    name: &'static str,
    clock: Clock,
    time: &'static str,
    prompt: &'static str,
    output: &'static str,
}

/// How a format writes instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    DateTime,
    Seconds,
    /// A number in the unit of the names, or a date.
    Named,
}

const KNOWN: [Known; 3] = [
    Known {
        name: "Azure LLM inference",
        clock: Clock::DateTime,
        time: "TIMESTAMP",
        prompt: "ContextTokens",
        output: "GeneratedTokens",
    },
    Known {
        name: "BurstGPT",
        clock: Clock::Seconds,
        time: "Timestamp",
        prompt: "Request tokens",
        output: "Response tokens",
    },
    Known {
        name: "Vidur",
        clock: Clock::Seconds,
        time: "arrived_at",
        prompt: "num_prefill_tokens",
        output: "num_decode_tokens",
    },
];

/// Columns that name the session of a request, in any format.
const SESSIONS: [&str; 3] = ["Session ID", "session_id", "conversation_id"];

/// Columns with the model of a request, in any format.
const MODELS: [&str; 2] = ["model", "Model"];

/// Columns with the adapter of a request, in any format.
const ADAPTERS: [&str; 2] = ["adapter", "lora_adapter"];

/// Columns with the tenant of a request, in any format.
const TENANTS: [&str; 2] = ["tenant", "tenant_id"];

/// Columns with the id of a request, in any format.
const IDS: [&str; 2] = ["request_id", "id"];

/// Short names of the formats.
pub(super) fn names() -> [&'static str; KNOWN.len()] {
    KNOWN.each_ref().map(|known| known.name.split(' ').next().unwrap_or(known.name))
}

/// A CSV format and where its columns are.
#[derive(Clone, Debug)]
pub(super) struct Csv {
    pub(super) name: &'static str,
    /// The names that were recognised, if the format is unknown.
    pub(super) names: Option<Names>,
    clock: Clock,
    time: usize,
    prompt: usize,
    output: usize,
    session: Option<usize>,
    model: Option<usize>,
    adapter: Option<usize>,
    tenant: Option<usize>,
    class: Option<usize>,
    priority: Option<usize>,
    id: Option<usize>,
    columns: usize,
}

impl Csv {
    /// The format that has this header.
    pub(super) fn detect(header: &str) -> Option<Self> {
        let columns = fields(header);
        let place = |name: &str| columns.iter().position(|c| c == name);
        let csv = |name, clock, [time, prompt, output]: [&str; 3]| {
            Some(Self {
                name,
                names: None,
                clock,
                time: place(time)?,
                prompt: place(prompt)?,
                output: place(output)?,
                session: SESSIONS.into_iter().find_map(place),
                model: MODELS.into_iter().find_map(place),
                adapter: ADAPTERS.into_iter().find_map(place),
                tenant: TENANTS.into_iter().find_map(place),
                class: place("slo_class"),
                priority: place("priority"),
                id: IDS.into_iter().find_map(place),
                columns: columns.len(),
            })
        };
        let known = KNOWN.iter().find_map(|k| csv(k.name, k.clock, [k.time, k.prompt, k.output]));
        known.or_else(|| {
            if foreign::first_line(header).is_some() {
                return None;
            }
            let names = Names::among(&columns.iter().map(|c| &**c).collect::<Vec<_>>())?;
            let csv = csv("CSV", Clock::Named, [&names.time, &names.prompt, &names.output])?;
            Some(Self { names: Some(names), ..csv })
        })
    }

    /// A column read by the format that occurs twice in the header.
    pub(super) fn repeated(&self, header: &str) -> Option<String> {
        let columns = fields(header);
        let needed = [self.time, self.prompt, self.output].map(Some);
        let rest = [self.session, self.model, self.adapter, self.tenant, self.class, self.priority, self.id];
        let twice = |i: &usize| columns.iter().filter(|c| **c == columns[*i]).count() > 1;
        needed.into_iter().chain(rest).flatten().find(twice).map(|i| columns[i].to_string())
    }

    /// Microseconds in the unit of a plain number; `None` for dates, which have no unit.
    pub(super) fn unit_us(&self) -> Option<f64> {
        match self.clock {
            Clock::DateTime => None,
            Clock::Seconds => Some(1e6),
            Clock::Named => self.names.as_ref().map(|names| names.unit_us.unwrap_or(1e6)),
        }
    }

    /// Reads one line.
    pub(super) fn row<'a>(&self, line: &'a str) -> Result<Row<'a>, Bad> {
        let fields = fields(line);
        if fields.len() != self.columns {
            return Err(Bad::new(
                format!("{} columns", fields.len()),
                "as many columns as the header",
                "check the line; the file may be cut off here",
            ));
        }
        let mut row = Row {
            arrival_us: self.instant(&fields[self.time])?,
            prompt_tokens: number(&fields[self.prompt])?,
            output_tokens: number(&fields[self.output])?,
            session: self.session.and_then(|column| session(&fields[column])),
            priority: self.priority.and_then(|column| priority(&fields[column])).transpose()?,
            ..Row::default()
        };
        let take = |column: Option<usize>| column.map_or(Cow::Borrowed(""), |i| fields[i].clone());
        row.model = take(self.model);
        row.adapter = take(self.adapter);
        row.tenant = take(self.tenant);
        row.class = take(self.class);
        row.id = take(self.id);
        Ok(row)
    }

    fn instant(&self, text: &str) -> Result<i64, Bad> {
        let (found, allowed) = match self.clock {
            Clock::DateTime => (stamp::date_time(text), "such as 2023-11-16 18:15:46.6805900"),
            Clock::Seconds => {
                (stamp::decimal(text).and_then(|s| stamp::number(s, 1e6)), "a number of seconds")
            }
            Clock::Named => {
                let unit_us = self.names.as_ref().and_then(|names| names.unit_us);
                let number = stamp::decimal(text).and_then(|x| named::instant(x, unit_us));
                (
                    number.or_else(|| stamp::date_time(text)),
                    "a number, or a date such as 2024-05-10T00:00:00.25Z",
                )
            }
        };
        found.ok_or_else(|| Bad::new(format!("arrival time {text:?}"), allowed, "correct or remove the line"))
    }
}

/// The session with this name; `None` without a name.
fn session(name: &str) -> Option<Link> {
    (!name.is_empty()).then(|| Link { name: Digest::of(name.as_bytes()).value(), before: None })
}

/// A priority; `None` for an empty field.
fn priority(text: &str) -> Option<Result<f64, Bad>> {
    let bad = || Bad::new(format!("priority {text:?}"), "a whole number", "correct or remove the line");
    (!text.is_empty()).then(|| stamp::decimal(text).ok_or_else(bad))
}

/// A field that should be a number.
fn number(text: &str) -> Result<f64, Bad> {
    stamp::decimal(text)
        .ok_or_else(|| Bad::new(format!("{text:?} tokens"), "a whole number", "correct or remove the line"))
}

/// The fields of one line, without blanks around them. Lines without quotes, almost all lines, are split at commas.
pub(super) fn fields(line: &str) -> Vec<Cow<'_, str>> {
    if line.contains('"') {
        return quoted(line).into_iter().map(|f| Cow::Owned(f.trim().to_owned())).collect();
    }
    line.split(',').map(|f| Cow::Borrowed(f.trim())).collect()
}

/// The place of a character in a line.
#[derive(Clone, Copy)]
enum Place {
    /// At the start of a field.
    Start,
    /// In a field, outside quotes.
    Plain,
    /// Between quotes.
    Quoted,
    /// After a quote between quotes: a second quote is literal, any other character ends the quoted part.
    AfterQuote,
}

/// The fields of a line with quotes. They are split here, in the same way as by the csv crate, whose reader builds
/// tables of 2,560 transitions first: that takes 40 microseconds for each line.
fn quoted(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut place = Place::Start;
    for sign in line.chars() {
        place = match (place, sign) {
            (Place::Start, '"') => Place::Quoted,
            (Place::Quoted, '"') => Place::AfterQuote,
            (Place::Quoted, _) | (Place::AfterQuote, '"') => {
                field.push(sign);
                Place::Quoted
            }
            (_, ',') => {
                fields.push(std::mem::take(&mut field));
                Place::Start
            }
            // The line end of old computers.
            (_, '\r') => break,
            (_, _) => {
                field.push(sign);
                Place::Plain
            }
        };
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields that the csv crate finds.
    fn of_the_crate(line: &str) -> Vec<String> {
        let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let record = reader.records().next().expect("a record").expect("a text");
        record.iter().map(|f| f.trim().to_owned()).collect()
    }

    #[test]
    fn lines_with_quotes_are_split_as_the_csv_crate_splits_them() {
        let mut lines = vec![String::new()];
        let mut compared = 0;
        for _ in 0..6 {
            lines =
                lines.iter().flat_map(|l| ['"', ',', '\r', 'a'].map(|sign| format!("{l}{sign}"))).collect();
            for line in lines.iter().filter(|l| l.contains('"') && l.trim() == *l) {
                assert_eq!(fields(line), of_the_crate(line), "{line:?}");
                compared += 1;
            }
        }
        assert!(compared > 2000, "{compared} lines");
        let line = "\"2023-11-16 18:15:46\", 4808 ,\" é, \"\"ü\"\" \",";
        assert_eq!(fields(line), ["2023-11-16 18:15:46", "4808", "é, \"ü\"", ""]);
        assert_eq!(fields(line), of_the_crate(line));
    }
}
