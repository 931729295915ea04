//! Traces in CSV: a header that names the columns, then one request per line. Fields are separated by commas,
//! semicolons or tabs, by what the header has most of; beside the latter two a number may have a decimal comma.

use super::columns::{Role, TraceColumns};
use super::fields::{fields, separator};
use super::named::{self, Names};
use super::row::{Bad, Row};
use super::sessions::Link;
use super::{foreign, stamp};
use base::digest::Digest;
use std::borrow::Cow;

/// A CSV format: its name and the columns that are read, found by name, so further columns are ignored.
struct CsvFormat {
    name: &'static str,
    clock: Clock,
    time: &'static str,
    prompt: &'static str,
    output: &'static str,
    /// Another column that shows the format; empty if it needs none.
    sign: &'static str,
}

/// How a format writes instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    DateTime,
    Seconds,
    /// Whole microseconds.
    Micros,
    /// A number in the unit of the names, or a date.
    Named,
}

const KNOWN: [CsvFormat; 4] = [
    CsvFormat {
        name: "Azure LLM inference",
        clock: Clock::DateTime,
        time: "TIMESTAMP",
        prompt: "ContextTokens",
        output: "GeneratedTokens",
        sign: "",
    },
    CsvFormat {
        name: "BurstGPT",
        clock: Clock::Seconds,
        time: "Timestamp",
        prompt: "Request tokens",
        output: "Response tokens",
        sign: "",
    },
    CsvFormat {
        name: "Vidur",
        clock: Clock::Seconds,
        time: "arrived_at",
        prompt: "num_prefill_tokens",
        output: "num_decode_tokens",
        sign: "",
    },
    CsvFormat {
        name: BLIS,
        clock: Clock::Micros,
        time: "arrival_time_us",
        prompt: "input_tokens",
        output: "output_tokens",
        sign: "slo_class",
    },
];

const BLIS: &str = "BLIS TraceV2";

/// Short names of the formats.
pub(super) fn names() -> [&'static str; KNOWN.len()] {
    KNOWN.each_ref().map(|known| known.name.split(' ').next().unwrap_or(known.name))
}

/// A CSV format and where its columns are.
#[derive(Clone, Debug)]
pub(super) struct Csv {
    pub(super) name: &'static str,
    /// The character between fields.
    separator: char,
    /// The names that were recognised, if the format is unknown.
    pub(super) names: Option<Names>,
    clock: Clock,
    time: usize,
    prompt: usize,
    output: usize,
    /// For each of [`Role::OPTIONAL`].
    optional: [Option<usize>; Role::OPTIONAL.len()],
    /// Of BLIS: the prefix group, its length, and the prompt's length as the server counts it.
    blis: [Option<usize>; 3],
    columns: usize,
    /// Names of columns that are not read.
    pub(super) ignored: Vec<String>,
}

impl Csv {
    /// The format that has this header; with `given` columns, those instead of a known format.
    pub(super) fn detect(header: &str, given: Option<&TraceColumns>) -> Option<Self> {
        let separator = separator(header);
        let fields = fields(header, separator);
        let all: Vec<&str> = fields.iter().map(|c| &**c).collect();
        let has = |name: &str| name.is_empty() || all.contains(&name);
        let known = || {
            let known = KNOWN.iter().find(|k| [k.time, k.prompt, k.output, k.sign].into_iter().all(has))?;
            Self::at(&all, known.name, known.clock, [known.time, known.prompt, known.output], None)
        };
        if let Some(known) = given.is_none().then(known).flatten() {
            return Some(Self { separator, ..known });
        }
        if given.is_none() && foreign::first_line(header).is_some() {
            return None;
        }
        let names = Names::among(&all, given)?;
        let csv = Self::at(&all, "CSV", Clock::Named, [&names.time, &names.prompt, &names.output], given)?;
        Some(Self { separator, names: Some(names), ..csv })
    }

    fn at(
        all: &[&str],
        name: &'static str,
        clock: Clock,
        [time, prompt, output]: [&str; 3],
        given: Option<&TraceColumns>,
    ) -> Option<Self> {
        let place = |name: &str| all.iter().position(|c| *c == name);
        let optional = named::optional(all, given).map(|name| name.as_deref().and_then(place));
        let blis = ["prefix_group", "prefix_length", "server_input_tokens"];
        let blis = blis.map(|column| if name == BLIS { place(column) } else { None });
        let needed = [place(time)?, place(prompt)?, place(output)?];
        let read: Vec<usize> =
            optional.iter().chain(&blis).flatten().copied().chain(needed.iter().copied()).collect();
        let ignored = all.iter().enumerate().filter(|(i, _)| !read.contains(i));
        Some(Self {
            name,
            separator: ',',
            names: None,
            clock,
            time: needed[0],
            prompt: needed[1],
            output: needed[2],
            optional,
            blis,
            columns: all.len(),
            ignored: ignored.map(|(_, name)| (*name).to_owned()).collect(),
        })
    }

    /// A column read by the format that occurs twice in the header.
    pub(super) fn repeated(&self, header: &str) -> Option<String> {
        let columns = fields(header, self.separator);
        let needed = [self.time, self.prompt, self.output].map(Some);
        let rest = self.optional.iter().chain(&self.blis).copied();
        let twice = |i: &usize| columns.iter().filter(|c| **c == columns[*i]).count() > 1;
        needed.into_iter().chain(rest).flatten().find(twice).map(|i| columns[i].to_string())
    }

    /// The columns that show the format.
    pub(super) fn signs(&self) -> String {
        let known = KNOWN.iter().find(|known| known.name == self.name);
        let signs = |k: &CsvFormat| [k.time, k.prompt, k.output, k.sign].map(str::to_owned).to_vec();
        let named = || self.names.iter().flat_map(|n| [n.time.clone(), n.prompt.clone(), n.output.clone()]);
        let mut all = known.map_or_else(|| named().collect(), signs);
        all.retain(|name| !name.is_empty());
        all.join(", ")
    }

    /// Microseconds in the unit of a plain number; `None` for dates, which have no unit.
    pub(super) fn unit_us(&self) -> Option<f64> {
        match self.clock {
            Clock::DateTime => None,
            Clock::Seconds => Some(1e6),
            Clock::Micros => Some(1.0),
            Clock::Named => self.names.as_ref().map(|names| names.unit_us.unwrap_or(1e6)),
        }
    }

    /// Reads one line.
    pub(super) fn row<'a>(&self, line: &'a str) -> Result<Row<'a>, Bad> {
        let mut fields = fields(line, self.separator);
        if fields.len() != self.columns {
            let bad = Bad::new(
                format!("{} columns", fields.len()),
                "as many columns as the header",
                "check the line; the file may be cut off here",
            );
            return Err(Bad { is_cut: fields.len() < self.columns, ..bad });
        }
        if self.separator != ',' {
            for i in [self.time, self.prompt, self.output] {
                with_point(&mut fields[i]);
            }
        }
        let mut row = Row {
            arrival_us: self.instant(&fields[self.time])?,
            prompt_tokens: number(&fields[self.prompt])?,
            output_tokens: number(&fields[self.output])?,
            ..Row::default()
        };
        for (role, column) in Role::OPTIONAL.into_iter().zip(self.optional) {
            let Some(column) = column else { continue };
            let field = &fields[column];
            match role {
                Role::Arrival | Role::Prompt | Role::Output => {}
                Role::Session => row.session = session(field),
                Role::Tenant => row.tenant.clone_from(field),
                Role::Class => row.class.clone_from(field),
                Role::Priority => row.priority = priority(field).transpose()?,
                Role::Model => row.model.clone_from(field),
                Role::Adapter => row.adapter.clone_from(field),
                Role::Id => row.id.clone_from(field),
            }
        }
        if self.name == BLIS {
            self.prefix_of_blis(&fields, &mut row)?;
        }
        Ok(row)
    }

    /// In traces of BLIS a prompt has its group's prefix before its own tokens; without a group, the server's count of
    /// the prompt wins over the client's.
    fn prefix_of_blis(&self, fields: &[Cow<'_, str>], row: &mut Row<'_>) -> Result<(), Bad> {
        let [group, length, counted] = self.blis.map(|column| column.map_or("", |i| &fields[i]));
        let of = |text: &str| if text.is_empty() { Ok(0.0) } else { number(text) };
        if group.is_empty() {
            let counted = of(counted)?;
            row.prompt_tokens = if counted > 0.0 { counted } else { row.prompt_tokens };
        } else {
            let length = of(length)?;
            row.prompt_tokens += length;
            row.prefix = Some((Digest::of(group.as_bytes()).value(), length));
        }
        Ok(())
    }

    fn instant(&self, text: &str) -> Result<i64, Bad> {
        let (found, allowed) = match self.clock {
            Clock::DateTime => (stamp::date_time(text), "such as 2023-11-16 18:15:46.6805900"),
            Clock::Seconds => {
                (stamp::decimal(text).and_then(|s| stamp::number(s, 1e6)), "a number of seconds")
            }
            Clock::Micros => {
                (stamp::decimal(text).and_then(|us| stamp::number(us, 1.0)), "a number of microseconds")
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

/// Writes the decimal comma of a number as a point: `0,25` is `0.25`.
fn with_point(field: &mut Cow<'_, str>) {
    let is_number = field.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'-' | b'+'));
    if is_number && field.matches(',').count() == 1 {
        *field = Cow::Owned(field.replace(',', "."));
    }
}
