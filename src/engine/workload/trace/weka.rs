//! Sessions of agents as WEKA writes them: an object for each session, with its requests in `requests`
//! and those of sub-agents inside.
//!
//! A request follows the one before it in its list, and the next one of a list also follows the sub-agents between the
//! two, unless these were launched without waiting. Sessions have no arrival times.

use super::row::{Bad, Row};
use super::rows::Rows;
use super::sessions::Link;
use super::stamp;
use super::wait::Recorded;
use base::digest::Digest;
use base::lookup::LookupMap;
use serde::Deserialize;
use serde_json::Value;

/// Tokens in a block of a session that does not say.
const BLOCK_TOKENS: u32 = 64;
/// Deepest nesting of sub-agents.
const DEPTH: u32 = 16;
/// Ids that are the same in all sessions are above those that are not.
const GLOBAL: u64 = 1 << 40;

#[derive(Debug, Deserialize)]
struct WekaSession {
    id: Option<Value>,
    block_size: Option<u32>,
    hash_id_scope: Option<String>,
    requests: Vec<Entry>,
}

/// A request, or a sub-agent with requests of its own.
#[derive(Debug, Deserialize)]
struct Entry {
    t: f64,
    #[serde(rename = "type")]
    kind: Option<String>,
    model: Option<String>,
    #[serde(rename = "in")]
    input: Option<f64>,
    #[serde(rename = "out")]
    output: Option<f64>,
    #[serde(default)]
    hash_ids: Vec<u64>,
    api_time: Option<f64>,
    think_time: Option<f64>,
    status: Option<String>,
    requests: Option<Vec<Entry>>,
}

/// Whether a text begins as such a session.
pub(super) fn begins(text: &str) -> bool {
    let has = |key: &str| text.contains(key);
    has("\"requests\"") && (has("\"hash_id_scope\"") || has("\"block_size\"") && has("\"hash_ids\""))
}

/// Reads the session of a line.
pub(super) fn session(line: &str, rows: &mut Rows) -> Result<(), Bad> {
    let session: WekaSession = serde_json::from_str(line).map_err(|e| unreadable(&e))?;
    WekaReader::new(&session, rows)?.read(&session)
}

fn unreadable(e: &serde_json::Error) -> Bad {
    Bad::new(
        format!("no session that can be read, at line {}, column {} of it", e.line(), e.column()),
        "an object with `requests`, each with `t`, `in` and `out`",
        "correct or remove the session",
    )
}

/// The reader of one session.
struct WekaReader<'a> {
    rows: &'a mut Rows,
    link: Link,
    /// The instant of its first request, in seconds.
    begin_s: f64,
    /// Numbers of block ids that mean something in this session only.
    local: Option<LookupMap<u64, u64>>,
}

impl<'a> WekaReader<'a> {
    fn new(session: &WekaSession, rows: &'a mut Rows) -> Result<Self, Bad> {
        let local = match session.hash_id_scope.as_deref() {
            None | Some("local") => Some(LookupMap::default()),
            Some("global") => None,
            Some(other) => {
                let found = format!("hash_id_scope {other:?}");
                return Err(Bad::new(found, "local or global", "correct or remove the key"));
            }
        };
        let block = session.block_size.unwrap_or(BLOCK_TOKENS);
        if block == 0 || rows.declared_block != 0 && rows.declared_block != block {
            let found = format!("a block_size of {block} tokens");
            let fix = "split the file by block size";
            return Err(Bad::new(found, "the same number above 0 in all sessions", fix));
        }
        rows.declared_block = block;
        rows.tree.unplace();
        rows.sessions_read += 1;
        // Two sessions of one name are two sessions.
        let id = session.id.as_ref().map(Value::to_string).unwrap_or_default();
        let name = Digest::of(format!("{} {id}", rows.sessions_read).as_bytes()).value();
        let begin_s = session.requests.iter().map(|r| r.t).min_by(f64::total_cmp).unwrap_or(0.0);
        Ok(Self { rows, link: Link { name, before: None }, begin_s, local })
    }

    fn read(mut self, session: &WekaSession) -> Result<(), Bad> {
        self.list(&session.requests, (None, 0.0), 0).map(|_| ())
    }

    /// Reads the requests of the session or of a sub-agent, whose times count from `offset_s`. The first one follows `spawned_by`.
    /// Returns the rows that a request which waits for all of them follows.
    fn list(
        &mut self,
        entries: &[Entry],
        (spawned_by, offset_s): (Option<Recorded>, f64),
        depth: u32,
    ) -> Result<Vec<Recorded>, Bad> {
        if depth > DEPTH {
            return Err(Bad::new("sub-agents inside of sub-agents", "at most 16 levels", "flatten them"));
        }
        let mut order: Vec<&Entry> = entries.iter().collect();
        order.sort_by(|a, b| a.t.total_cmp(&b.t));
        let mut last: Vec<Recorded> = spawned_by.into_iter().collect();
        // Sub-agents since the last request.
        let mut joined: Vec<Recorded> = Vec::new();
        for entry in order {
            // A sub-agent of which nothing was recorded.
            if entry.requests.is_none() && entry.kind.as_deref() == Some("subagent") {
                continue;
            }
            let Some(inner) = &entry.requests else {
                let mut before = last.clone();
                before.append(&mut joined);
                if let Some(kept) = self.request(entry, &before, offset_s)? {
                    last = vec![kept];
                } else {
                    last = before;
                }
                continue;
            };
            // Times inside count from the start of the session, or from that of the sub-agent.
            let first = inner.iter().map(|r| r.t).min_by(f64::total_cmp).unwrap_or(entry.t);
            let inner_offset_s = offset_s + if first < entry.t { entry.t } else { 0.0 };
            let ends = self.list(inner, (last.last().copied(), inner_offset_s), depth + 1)?;
            if entry.status.as_deref() != Some("async_launched") {
                joined.extend(ends.into_iter().filter(|end| !last.contains(end)));
            }
        }
        last.append(&mut joined);
        Ok(last)
    }

    /// Reads one request; `None` if it is left out.
    fn request(
        &mut self,
        entry: &Entry,
        before: &[Recorded],
        offset_s: f64,
    ) -> Result<Option<Recorded>, Bad> {
        let of = |what: &str| format!("a request at {} s without {what}", entry.t);
        let needed = |value: Option<f64>, what: &str| {
            let fix = "correct or remove the request";
            value.ok_or_else(|| Bad::new(of(what), "`t`, `in` and `out` in every request", fix))
        };
        if let Some(kind) = entry.kind.as_deref().filter(|kind| !matches!(*kind, "n" | "s")) {
            let found = format!("a request of type {kind:?}");
            return Err(Bad::new(
                found,
                "n, s, or subagent with `requests`",
                "correct or remove the request",
            ));
        }
        let start_us = micros(entry.t + offset_s - self.begin_s)?;
        let answered = entry.api_time.map(micros).transpose()?;
        let wait = match (entry.think_time, before) {
            (Some(think), [_, ..]) if before.iter().any(|r| r.end_us.is_none()) => {
                Recorded::delayed(before, micros(think)?)
            }
            _ => Recorded::followed(before, start_us),
        };
        let row = Row {
            arrival_us: start_us,
            prompt_tokens: needed(entry.input, "`in`")?,
            output_tokens: needed(entry.output, "`out`")?,
            hash_ids: entry.hash_ids.iter().map(|&id| self.block(id)).collect(),
            session: Some(self.link),
            model: entry.model.clone().unwrap_or_default().into(),
            wait: Some(wait),
            ..Row::default()
        };
        let number = self.rows.len();
        self.rows.push(&row)?;
        let end_us = answered.map(|took| start_us.saturating_add(took));
        let kept = self.rows.len() > number;
        Ok(kept.then_some(Recorded { row: number as u32, start_us, end_us }))
    }

    /// The id of a block that no other text has.
    fn block(&mut self, id: u64) -> u64 {
        let Some(local) = &mut self.local else { return GLOBAL.saturating_add(id) };
        if let Some(known) = local.get(id) {
            return known;
        }
        let new = self.rows.block_ids;
        self.rows.block_ids += 1;
        local.insert(id, new);
        new
    }
}

/// Seconds in whole microseconds.
fn micros(s: f64) -> Result<i64, Bad> {
    stamp::number(s, 1e6).ok_or_else(|| {
        Bad::new(format!("a time of {s} s"), "a time within 285 years", "correct or remove the request")
    })
}
