//! Sessions of a coding agent as GitHub Copilot's traces have them: an object for each session, with the calls of a model and of
//! tools in each of its `turns`.
//!
//! A call follows the one before it. Its prompt is the beginning of the session's text; a prompt shorter than the one
//! before begins another text, since the context was cut.

use super::named;
use super::row::{Bad, Row};
use super::rows::Rows;
use super::sessions::Link;
use super::stamp;
use super::wait::Recorded;
use base::digest::Digest;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
struct CopilotSession {
    session_id: Value,
    turns: Vec<CopilotTurn>,
}

#[derive(Debug, Deserialize)]
struct CopilotTurn {
    #[serde(default)]
    llm_calls: Vec<Call>,
}

#[derive(Debug, Deserialize)]
struct Call {
    timestamp: Value,
    duration_ms: Option<f64>,
    model: Option<String>,
    tokens: Tokens,
}

#[derive(Debug, Deserialize)]
struct Tokens {
    prompt: f64,
    completion: f64,
}

/// Whether a text begins as such a session.
pub(super) fn begins(text: &str) -> bool {
    let has = |key: &str| text.contains(key);
    has("\"session_id\"") && has("\"turns\"") && has("\"llm_calls\"")
}

/// Reads the session of a line.
pub(super) fn session(line: &str, rows: &mut Rows) -> Result<(), Bad> {
    let session: CopilotSession = serde_json::from_str(line).map_err(|e| {
        Bad::new(
            format!("no session that can be read, at column {}", e.column()),
            "an object with `session_id` and `turns`, whose `llm_calls` have `timestamp` and `tokens`",
            "correct or remove the session",
        )
    })?;
    let name = Digest::of(session.session_id.to_string().as_bytes()).value();
    let mut calls: Vec<(i64, &Call)> = Vec::new();
    for call in session.turns.iter().flat_map(|turn| &turn.llm_calls) {
        calls.push((instant(&call.timestamp)?, call));
    }
    calls.sort_by_key(|(start_us, _)| *start_us);
    let (mut before, mut text, mut longest) = (None::<Recorded>, 0_u64, 0.0);
    for (start_us, call) in calls {
        if call.tokens.prompt < longest {
            text += 1;
        }
        longest = call.tokens.prompt;
        let mut named = Digest::of(&name.to_le_bytes());
        named.u64(text);
        let row = Row {
            arrival_us: start_us,
            prompt_tokens: call.tokens.prompt,
            output_tokens: call.tokens.completion,
            prefix: Some((named.value(), call.tokens.prompt)),
            session: Some(Link { name, before: None }),
            model: call.model.clone().unwrap_or_default().into(),
            wait: before.map(|before| Recorded::followed(&[before], start_us)),
            ..Row::default()
        };
        let number = rows.len();
        rows.push(&row)?;
        if rows.len() > number {
            let took = call.duration_ms.and_then(|ms| stamp::number(ms, 1e3));
            let end_us = took.map(|took| start_us.saturating_add(took));
            before = Some(Recorded { row: number as u32, start_us, end_us });
        }
    }
    Ok(())
}

/// A number in a unit by its size, or a date.
fn instant(value: &Value) -> Result<i64, Bad> {
    let found = match value {
        Value::Number(n) => n.as_f64().and_then(|x| named::instant(x, None)),
        Value::String(text) => stamp::date_time(text),
        _ => None,
    };
    found.ok_or_else(|| {
        let text: String = value.to_string().chars().take(40).collect();
        let allowed = "a number, or a date such as 2026-05-10T00:00:00.25Z";
        Bad::new(format!("{text} as a timestamp"), allowed, "correct or remove the session")
    })
}
