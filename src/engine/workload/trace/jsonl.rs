//! Traces in JSON lines: one object per request.

use super::row::{Bad, Row};
use super::scalar::Scalar;
use super::sessions::Link;
use super::stamp;
use super::wait::Wait;
use base::digest::Digest;
use document::limits;
use serde::Deserialize;
use serde_json::error::Category;
use std::borrow::Cow;

/// A JSON lines format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jsonl {
    /// `timestamp` in milliseconds, `input_length`, `output_length`, `hash_ids` of 512 tokens.
    Mooncake,
    /// The same keys with `chat_id`, and `parent_chat_id` for the turn before; seconds, and blocks of 16 tokens.
    QwenBailian,
    /// `ts` in milliseconds, `prompt_tokens`, `gen_tokens`, a named prefix.
    RouteSim,
}

/// All keys that any of the formats uses; others are ignored.
#[derive(Debug, Deserialize)]
struct JsonLine<'a> {
    timestamp: Option<f64>,
    delay: Option<f64>,
    input_length: Option<f64>,
    output_length: Option<f64>,
    hash_ids: Option<Vec<u64>>,
    #[serde(borrow)]
    session_id: Option<Scalar<'a>>,
    conversation_id: Option<Scalar<'a>>,
    chat_id: Option<Scalar<'a>>,
    parent_chat_id: Option<Scalar<'a>>,
    ts: Option<f64>,
    prompt_tokens: Option<f64>,
    gen_tokens: Option<f64>,
    prefix_hash: Option<String>,
    prefix_len: Option<f64>,
    model: Option<Scalar<'a>>,
    adapter: Option<Scalar<'a>>,
    lora_adapter: Option<Scalar<'a>>,
    tenant: Option<Scalar<'a>>,
    slo_class: Option<Scalar<'a>>,
    priority: Option<f64>,
    request_id: Option<Scalar<'a>>,
}

impl Jsonl {
    pub(super) const ALL: [Self; 3] = [Self::Mooncake, Self::QwenBailian, Self::RouteSim];

    /// The format of a file whose first object is `line`: `Ok(None)` if it has none of the keys.
    pub(super) fn detect(line: &str) -> Result<Option<Self>, Bad> {
        let line = parse(line)?;
        Ok(if line.ts.is_some() && line.prompt_tokens.is_some() {
            Some(Self::RouteSim)
        } else if line.input_length.is_none()
            || line.timestamp.or(line.delay).is_none()
                && (line.session_id.is_none() || line.output_length.is_none())
        {
            None
        } else if line.chat_id.is_some() {
            Some(Self::QwenBailian)
        } else {
            Some(Self::Mooncake)
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mooncake => "Mooncake",
            Self::QwenBailian => "Qwen-Bailian",
            Self::RouteSim => "RouteSim",
        }
    }

    /// The keys that show the format.
    pub(super) const fn keys(self) -> &'static str {
        match self {
            Self::Mooncake => "timestamp, input_length, output_length",
            Self::QwenBailian => "timestamp, input_length, output_length, chat_id",
            Self::RouteSim => "ts, prompt_tokens, gen_tokens",
        }
    }

    /// Microseconds in the unit of its instants.
    pub(super) fn unit_us(self) -> f64 {
        match self {
            Self::Mooncake | Self::RouteSim => 1e3,
            Self::QwenBailian => 1e6,
        }
    }

    /// Tokens in a block of its hashes, if the rows fit several sizes.
    pub(super) fn usual_block(self) -> u32 {
        match self {
            Self::Mooncake | Self::RouteSim => 512,
            Self::QwenBailian => 16,
        }
    }

    /// Reads one line.
    pub(super) fn row(self, line: &str) -> Result<Row<'_>, Bad> {
        let line = parse(line)?;
        let session = session(&line)?;
        let wait = match (self, line.timestamp, session) {
            (Self::Mooncake, None, Some(_)) => {
                Some(Wait::Turn(delay(line.delay.unwrap_or(0.0), self.unit_us())?))
            }
            (Self::Mooncake, None, None) if line.delay.is_some() => return Err(alone()),
            _ => None,
        };
        let (time, prompt, output) = match self {
            Self::Mooncake | Self::QwenBailian => (
                needed(line.timestamp.or(wait.as_ref().map(|_| 0.0)), "timestamp")?,
                needed(line.input_length, "input_length")?,
                needed(line.output_length, "output_length")?,
            ),
            Self::RouteSim => (
                needed(line.ts, "ts")?,
                needed(line.prompt_tokens, "prompt_tokens")?,
                needed(line.gen_tokens, "gen_tokens")?,
            ),
        };
        let arrival_us = stamp::number(time, self.unit_us()).ok_or_else(|| {
            Bad::new(format!("arrival time {time}"), "a time within 285 years", "correct or remove the line")
        })?;
        let name = line.prefix_hash.map(|name| Digest::of(name.as_bytes()).value());
        Ok(Row {
            arrival_us,
            prompt_tokens: prompt,
            output_tokens: output,
            hash_ids: line.hash_ids.unwrap_or_default(),
            prefix: name.zip(line.prefix_len),
            session,
            model: text(line.model),
            adapter: text(line.adapter.or(line.lora_adapter)),
            tenant: text(line.tenant),
            class: text(line.slo_class),
            priority: line.priority,
            id: text(line.request_id),
            wait,
        })
    }
}

/// The session of a line: its name, or the names of this turn and the turn before.
fn session(line: &JsonLine<'_>) -> Result<Option<Link>, Bad> {
    let (session, conversation) = (name(line.session_id.as_ref())?, name(line.conversation_id.as_ref())?);
    if let Some(name) = session.or(conversation) {
        return Ok(Some(Link { name, before: None }));
    }
    let before = name(line.parent_chat_id.as_ref())?;
    Ok(name(line.chat_id.as_ref())?.map(|name| Link { name, before }))
}

/// The digest of a name, text or number. A missing value, an empty text and a negative number are no name.
pub(super) fn name(value: Option<&Scalar<'_>>) -> Result<Option<u64>, Bad> {
    let text: Cow<'_, str> = match value {
        None | Some(Scalar::Null) => return Ok(None),
        Some(Scalar::Text(text)) => Cow::Borrowed(text.trim()),
        Some(Scalar::Number(n)) if n.as_f64().is_some_and(|x| x < 0.0) => return Ok(None),
        Some(Scalar::Number(n)) => Cow::Owned(n.to_string()),
        Some(other @ Scalar::Other(_)) => {
            let fix = "leave the key out for a request without a session";
            return Err(Bad::new(format!("{} as a session", other.beginning()), "a number or text", fix));
        }
    };
    Ok((!text.is_empty()).then(|| Digest::of(text.as_bytes()).value()))
}

fn text(value: Option<Scalar<'_>>) -> Cow<'_, str> {
    value.map(Scalar::into_text).unwrap_or_default()
}

fn parse(line: &str) -> Result<JsonLine<'_>, Bad> {
    serde_json::from_str(line).map_err(|e| bad_json(&e))
}

/// The problem of a line that is not JSON, or has values of other kinds.
pub(super) fn bad_json(e: &serde_json::Error) -> Bad {
    // Serde's message describes its own types, so it is replaced.
    let what = match e.classify() {
        Category::Data => "a value of the wrong kind",
        Category::Eof => "a line that ends in the middle",
        Category::Syntax | Category::Io => "text that is not JSON",
    };
    let bad = Bad::new(
        format!("{what}, at column {}", e.column()),
        "one JSON object per line",
        "correct or remove the line; the file may be cut off here",
    );
    Bad { is_cut: e.is_eof(), ..bad }
}

/// A delay in whole microseconds, at most the longest run.
pub(super) fn delay(delay: f64, unit_us: f64) -> Result<u64, Bad> {
    let us = stamp::number(delay, unit_us).and_then(|us| u64::try_from(us).ok());
    us.filter(|&us| us <= limits::HORIZON_US).ok_or_else(|| {
        let found = format!("a delay of {delay}");
        Bad::new(found, "a time from 0 to 30 days after the answer before", "correct or remove the line")
    })
}

/// Refuses a turn with a delay after nothing.
fn alone() -> Bad {
    let fix = "name the session of each turn under session_id, or give the line a timestamp";
    let found = "a delay without a timestamp and without a session";
    Bad { of_the_file: true, ..Bad::new(found, "a session, whose turn before it follows", fix) }
}

pub(super) fn needed(value: Option<f64>, key: &str) -> Result<f64, Bad> {
    value.ok_or_else(|| {
        Bad::new(
            format!("no number under {key:?}"),
            "every line with the keys of the first",
            "correct or remove the line",
        )
    })
}
