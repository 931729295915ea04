//! Workloads of AIBrix: each line has an instant in milliseconds and the requests that are sent at it.

use super::jsonl::{bad_json, name};
use super::row::{Bad, Row};
use super::rows::Rows;
use super::scalar::Scalar;
use super::sessions::Link;
use super::stamp;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct AibrixLine<'a> {
    timestamp: f64,
    #[serde(borrow)]
    requests: Vec<Request<'a>>,
}

/// A request; its text is not read.
#[derive(Debug, Deserialize)]
struct Request<'a> {
    #[serde(alias = "Prompt Length")]
    prompt_length: Option<f64>,
    #[serde(alias = "Output Length")]
    output_length: Option<f64>,
    #[serde(borrow)]
    session_id: Option<Scalar<'a>>,
    model: Option<Scalar<'a>>,
    request_id: Option<Scalar<'a>>,
}

/// Whether a line is one of such a workload.
pub(super) fn recognises(line: &str) -> bool {
    serde_json::from_str::<AibrixLine<'_>>(line).is_ok()
}

/// Reads one line.
pub(super) fn read(line: &str, rows: &mut Rows) -> Result<(), Bad> {
    let line: AibrixLine<'_> = serde_json::from_str(line).map_err(|e| bad_json(&e))?;
    let arrival_us = stamp::number(line.timestamp, 1e3).ok_or_else(|| {
        let found = format!("arrival time {}", line.timestamp);
        Bad::new(found, "a time within 285 years", "correct or remove the line")
    })?;
    for request in line.requests {
        let text = |value: Option<Scalar<'_>>| value.map(|value| value.into_text().into_owned());
        let row = Row {
            arrival_us,
            prompt_tokens: length(request.prompt_length, "prompt_length")?,
            output_tokens: length(request.output_length, "output_length")?,
            session: name(request.session_id.as_ref())?.map(|name| Link { name, before: None }),
            model: text(request.model).unwrap_or_default().into(),
            id: text(request.request_id).unwrap_or_default().into(),
            ..Row::default()
        };
        rows.push(&row)?;
    }
    Ok(())
}

/// A length; workloads without completions have null there, and nothing can be replayed.
fn length(length: Option<f64>, key: &'static str) -> Result<f64, Bad> {
    length.ok_or_else(|| Bad {
        of_the_file: true,
        ..Bad::new(
            format!("a request of AIBrix without {key}"),
            "the tokens of every prompt and answer: texts are not counted here",
            "generate the workload with completions, or write a client with lengths in workload.clients",
        )
    })
}
