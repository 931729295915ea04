//! Records of vllm-vcr: a first line about the engine, then a line for each request in the order in which they ended.

use super::jsonl::{bad_json, needed};
use super::row::{Bad, Row};
use super::rows::Rows;
use super::scalar::Scalar;
use super::stamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The first line.
#[derive(Debug, Deserialize)]
struct First {
    meta: Meta,
}

#[derive(Debug, Deserialize)]
struct Meta {
    block_size: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct VcrLine<'a> {
    meta: Option<IgnoredAny>,
    arrival_ms: Option<f64>,
    prompt_tokens: Option<f64>,
    output_tokens: Option<f64>,
    block_hashes: Option<Vec<u64>>,
    #[serde(borrow)]
    request_id: Option<Scalar<'a>>,
}

/// A file of vllm-vcr.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vcr {
    /// Tokens in a block of its hashes; 0 if the file does not say.
    pub(super) block_size: u32,
}

impl Vcr {
    /// The file whose first line this is.
    pub(super) fn detect(line: &str) -> Option<Self> {
        let first: First = serde_json::from_str(line).ok()?;
        Some(Self { block_size: first.meta.block_size.unwrap_or(0) })
    }

    /// Reads one line; the first, about the engine, has no request.
    pub(super) fn read(line: &str, rows: &mut Rows) -> Result<(), Bad> {
        let line: VcrLine<'_> = serde_json::from_str(line).map_err(|e| bad_json(&e))?;
        if line.meta.is_some() {
            return Ok(());
        }
        let Some(ms) = line.arrival_ms else {
            let fix = "record with arrivals, or write a client with arrivals and lengths in workload.clients";
            let found = "a record of vllm-vcr without arrival_ms";
            return Err(Bad { of_the_file: true, ..Bad::new(found, "the arrival of every request", fix) });
        };
        let arrival_us = stamp::number(ms, 1e3).ok_or_else(|| {
            Bad::new(format!("arrival_ms {ms}"), "a time within 285 years", "correct or remove the line")
        })?;
        rows.push(&Row {
            arrival_us,
            prompt_tokens: needed(line.prompt_tokens, "prompt_tokens")?,
            output_tokens: needed(line.output_tokens, "output_tokens")?,
            hash_ids: line.block_hashes.unwrap_or_default(),
            id: line.request_id.map(Scalar::into_text).unwrap_or_default(),
            ..Row::default()
        })
    }
}
