//! Recorded request traces: when requests arrived, how long they were, and which prompt blocks they shared.
//!
//! A trace is stored in columns, not rows: tens of bytes a request, whatever the format. The readers beside it take a
//! file piece by piece and keep at most one line of it.

mod aibrix;
mod block_size;
#[cfg(feature = "cli")]
mod carried;
mod columns;
mod copilot;
mod csv;
mod elements;
mod fields;
mod foreign;
mod format;
mod found;
mod hash_ids;
mod ids;
mod interned;
mod jsonl;
mod kept;
mod left_out;
mod named;
mod operations;
mod pick;
mod reader;
mod row;
mod rows;
mod scalar;
mod select;
mod sessions;
mod spans;
mod stamp;
mod tree;
mod validate;
mod vcr;
mod wait;
mod weka;

#[cfg(feature = "cli")]
pub use carried::{carried, carry};
pub use columns::TraceColumns;
pub use found::{TraceFound, TraceLines, TraceReading};
pub use reader::TraceReader;
pub use wait::Parent;

use super::family;
use base::content::{source_name, unique_name};
use base::digest::Digest;
use base::{Content, Micros, Piece};
use hash_ids::HashIds;
use interned::Interned;
use kept::Kept;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use tree::Tree;

/// A recorded trace in memory, shared between runs: rows in order of arrival, the first at 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    arrivals_us: Vec<u64>,
    prompt_tokens: Vec<u32>,
    output_tokens: Vec<u32>,
    hashes: HashIds,
    /// Named prefix of each row: digest of its name and its length. Empty if the format has none.
    prefixes: Vec<(u64, u32)>,
    /// Number of the session of each row, 0 for none. Empty if the format has none.
    sessions: Vec<u32>,
    models: Interned,
    adapters: Interned,
    kept: Kept,
    /// When its first request arrived, in microseconds since 1970, if its times are of a calendar.
    started_us: Option<i64>,
    /// The rows that wait for others. Empty if none does.
    tree: Tree,
    hash_block_tokens: u32,
    /// Rows of the file that were left out: without a prompt or without output.
    left_out: u64,
}

/// A summary of a trace.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceSummary {
    /// Name of its format.
    pub format: String,
    /// How many requests.
    pub requests: u64,
    /// From the first to the last arrival, in seconds.
    pub duration_s: f64,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// Tokens in a block of its prompt hashes; 0 if it has none.
    pub hash_block_tokens: u32,
    /// Digest of the rows, by which links name the trace.
    pub digest: String,
}

impl Trace {
    /// Its columns as bytes, for another module of the page; [`Self::unpacked`] reads them.
    pub fn packed(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("columns are plain data")
    }

    /// The trace from bytes of [`Self::packed`]; `None` if they are damaged.
    pub fn unpacked(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok().filter(Self::is_whole)
    }

    /// Whether its columns are consistent.
    fn is_whole(&self) -> bool {
        let rows = self.len();
        self.prompt_tokens.len() == rows
            && self.output_tokens.len() == rows
            && self.arrivals_us.is_sorted()
            && self.hashes.is_whole(rows)
            && self.models.is_whole(rows)
            && self.adapters.is_whole(rows)
            && self.kept.is_whole(rows)
            && self.tree.is_whole(rows)
    }

    /// How many requests.
    pub fn len(&self) -> usize {
        self.arrivals_us.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.arrivals_us.is_empty()
    }

    /// How many rows of the file were left out: failed requests, without a prompt or without output.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// When request `row` arrives, after the first.
    pub fn arrival(&self, row: usize) -> Micros {
        Micros(self.arrivals_us[row])
    }

    /// Length of its prompt.
    pub fn prompt_tokens(&self, row: usize) -> u32 {
        self.prompt_tokens[row]
    }

    /// Length of its answer.
    pub fn output_tokens(&self, row: usize) -> u32 {
        self.output_tokens[row]
    }

    /// Number of its session; 0 for none.
    pub fn session(&self, row: usize) -> u32 {
        self.sessions.get(row).copied().unwrap_or(0)
    }

    /// Whether rows wait for others, or sessions have no arrival times.
    pub fn has_tree(&self) -> bool {
        !self.tree.is_empty()
    }

    /// Whether its sessions have no arrival times, so that something else must say when they start. A row then arrives that long
    /// after the start of its session.
    pub fn is_unplaced(&self) -> bool {
        self.tree.unplaced
    }

    /// Whether any row has a session.
    pub fn has_sessions(&self) -> bool {
        !self.sessions.is_empty()
    }

    /// The rows that `row` waits for, all before it. Without any it arrives at its own time.
    pub fn parents(&self, row: usize) -> impl ExactSizeIterator<Item = Parent> + '_ {
        self.tree.parents(row)
    }

    /// How long after the last of these it arrives, in microseconds.
    pub fn delay_us(&self, row: usize) -> u64 {
        self.tree.delay_us(row)
    }

    /// Leading tokens of its prompt that are in the prompt of a row that it waits for.
    pub fn known_tokens(&self, row: usize, block_tokens: u32) -> u32 {
        let block = if block_tokens == 0 { self.hash_block_tokens } else { block_tokens };
        let most = self.prompt_tokens[row];
        let common = |parent: Parent| {
            let parent = parent.row as usize;
            let named = match (self.prefixes.get(row), self.prefixes.get(parent)) {
                (Some(a), Some(b)) if a.0 == b.0 => a.1.min(b.1),
                _ => 0,
            };
            let hashed = self.hashes.common(row, parent).saturating_mul(block);
            named.max(hashed).min(most).min(self.prompt_tokens[parent])
        };
        self.parents(row).map(common).max().unwrap_or(0)
    }

    /// Number of its model; 0 for any, 1 for the first of [`Self::models`].
    pub fn model(&self, row: usize) -> u32 {
        self.models.of(row)
    }

    /// The models of its requests, in order of appearance.
    pub fn models(&self) -> &[String] {
        self.models.names()
    }

    /// Number of its adapter; 0 for the base model, 1 for the first of [`Self::adapters`].
    pub fn adapter(&self, row: usize) -> u32 {
        self.adapters.of(row)
    }

    /// The adapters of its requests, in order of appearance.
    pub fn adapters(&self) -> &[String] {
        self.adapters.names()
    }

    /// Number of its tenant; 0 for none, 1 for the first of [`Self::tenants`].
    pub fn tenant(&self, row: usize) -> u32 {
        self.kept.tenants.of(row)
    }

    /// The tenants of its requests, in order of appearance.
    pub fn tenants(&self) -> &[String] {
        self.kept.tenants.names()
    }

    /// Number of its SLO class, as [`super::class_number`] gives it; 0 for none.
    pub fn class(&self, row: usize) -> u32 {
        self.kept.class(row)
    }

    /// How urgent the file says it is.
    pub fn priority(&self, row: usize) -> i32 {
        self.kept.priority(row)
    }

    /// Its id in the file; empty for none.
    pub fn request_id(&self, row: usize) -> Cow<'_, str> {
        self.kept.ids.of(row)
    }

    /// When it arrived, in microseconds since 1970, if the file has times of a calendar.
    pub fn wall_clock_us(&self, row: usize) -> Option<i64> {
        self.started_us.map(|start| start.saturating_add_unsigned(self.arrivals_us[row]))
    }

    /// The same as a date in UTC, such as `2024-05-10T00:00:00.250000Z`.
    pub fn wall_clock(&self, row: usize) -> Option<String> {
        self.wall_clock_us(row).and_then(stamp::date_text)
    }

    /// Microseconds since 1970 as a date in UTC.
    pub fn date_text(us: i64) -> Option<String> {
        stamp::date_text(us)
    }

    /// Whether rows name text that others may share: by hash ids or a prefix.
    pub fn names_text(&self) -> bool {
        !self.prefixes.is_empty() || self.hashes.any()
    }

    /// Calls `f` with each hash id of a row, in order.
    pub fn for_each_hash(&self, row: usize, f: impl FnMut(u64)) {
        self.hashes.for_each(row, f);
    }

    /// Digest of the name of a row's prefix, and its length.
    pub fn prefix(&self, row: usize) -> Option<(u64, u32)> {
        self.prefixes.get(row).copied().filter(|(_, len)| *len > 0)
    }

    /// Tokens in a block of its hashes; 0 if it has none.
    pub fn hash_block_tokens(&self) -> u32 {
        self.hash_block_tokens
    }

    /// How many requests ask for each of [`Self::models`].
    pub fn requests_by_model(&self) -> Vec<u64> {
        let mut counts = vec![0; self.models().len()];
        for row in 0..self.len() {
            if let Some(model) = self.model(row).checked_sub(1) {
                counts[model as usize] += 1;
            }
        }
        counts
    }

    /// Its prompt: one piece for each hash id, `block_tokens` long (0: the size found by the reader), the last cut to
    /// the length of the prompt; or its named prefix. The part that neither covers is unique text.
    pub fn prompt(&self, row: usize, block_tokens: u32) -> Content {
        let block = if block_tokens == 0 { self.hash_block_tokens } else { block_tokens };
        let mut left = self.prompt_tokens[row];
        let mut prompt = Content::default();
        let mut add = |source: u64, len: u32| {
            let len = len.min(left);
            prompt.push(Piece { source, start: 0, len });
            left -= len;
        };
        if let Some(&(name, len)) = self.prefixes.get(row) {
            add(source_name(family::TRACE_PREFIX, name), len);
        }
        self.hashes.for_each(row, |id| add(source_name(family::TRACE_BLOCK, id), block));
        add(unique_name(family::TRACE_PROMPT, row as u64), u32::MAX);
        prompt
    }

    /// A digest of its contents: files with equal digests replay the same.
    pub fn digest(&self) -> Digest {
        let mut digest = Digest::default();
        for row in 0..self.len() {
            digest.u64(self.arrivals_us[row]);
            digest.u64((u64::from(self.prompt_tokens[row]) << 32) | u64::from(self.output_tokens[row]));
            if let Some(&(name, len)) = self.prefixes.get(row) {
                digest.u64(name);
                digest.u64(u64::from(len));
            }
            if let Some(&session) = self.sessions.get(row) {
                digest.u64(u64::from(session));
            }
            if self.model(row) > 0 {
                digest.u64(u64::from(self.model(row)));
            }
            if self.adapter(row) > 0 {
                digest.u64(!u64::from(self.adapter(row)));
            }
            self.kept.digest_row(row, &mut digest);
            self.hashes.for_each(row, |id| digest.u64(id));
        }
        for name in self.models().iter().chain(self.adapters()).chain(self.tenants()) {
            digest.bytes(name.as_bytes());
        }
        digest.u64(u64::from(self.hash_block_tokens));
        if self.has_tree() {
            self.tree.digest(&mut digest);
        }
        digest
    }

    /// When its last request arrives, at its own speed.
    pub fn last_arrival(&self) -> Micros {
        Micros(self.arrivals_us.last().copied().unwrap_or(0))
    }

    /// Its summary.
    fn summary(&self, format: &str) -> TraceSummary {
        let total = |column: &[u32]| column.iter().map(|&n| u64::from(n)).sum();
        TraceSummary {
            format: format.to_owned(),
            requests: self.len() as u64,
            duration_s: self.last_arrival().as_secs(),
            prompt_tokens: total(&self.prompt_tokens),
            output_tokens: total(&self.output_tokens),
            hash_block_tokens: self.hash_block_tokens,
            digest: self.digest().hex(),
        }
    }
}
