//! The rows of a trace while it is read: columns, and data for their validation at the end.

use super::Trace;
use super::block_size::BlockSizes;
use super::hash_ids::HashIds;
use super::interned::{Interned, InternedColumn};
use super::kept::{Kept, KeptColumns};
use super::left_out::LeftOut;
use super::row::{Bad, Row};
use super::select::reordered;
use super::sessions::Sessions;
use super::tree::{Tree, TreeBuilder};
use base::small::sort::sort_by_key;
use document::limits;

/// Most different models of a trace, and most different adapters.
const MOST_NAMES: usize = 256;
/// Instants since 1970 are at least this large in microseconds: September 2001.
const SINCE_1970_US: i64 = 1_000_000_000_000_000;

/// All rows so far.
#[derive(Debug)]
pub(super) struct Rows {
    arrivals_us: Vec<i64>,
    prompt_tokens: Vec<u32>,
    output_tokens: Vec<u32>,
    hashes: HashIds,
    prefixes: Vec<(u64, u32)>,
    sessions: Sessions,
    models: InternedColumn,
    adapters: InternedColumn,
    pub(super) kept: KeptColumns,
    pub(super) tree: TreeBuilder,
    /// Tokens in a block, as the file says; 0 if it does not.
    pub(super) declared_block: u32,
    /// Sessions that were read whole, and the ids that their blocks have taken.
    pub(super) sessions_read: u64,
    pub(super) block_ids: u64,
    pub(super) block_sizes: BlockSizes,
    /// The line that is being read.
    pub(super) line: u64,
    /// Rows without a prompt or without output.
    pub(super) left_out: LeftOut,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            arrivals_us: Vec::new(),
            prompt_tokens: Vec::new(),
            output_tokens: Vec::new(),
            hashes: HashIds::default(),
            prefixes: Vec::new(),
            sessions: Sessions::default(),
            models: InternedColumn::of_at_most(MOST_NAMES),
            adapters: InternedColumn::of_at_most(MOST_NAMES),
            kept: KeptColumns::default(),
            tree: TreeBuilder::default(),
            declared_block: 0,
            sessions_read: 0,
            block_ids: 0,
            block_sizes: BlockSizes::default(),
            line: 0,
            left_out: LeftOut::default(),
        }
    }
}

impl Rows {
    /// Whether any row has a session.
    pub(super) fn have_sessions(&self) -> bool {
        self.sessions.any()
    }

    /// Whether the arrivals are times of a calendar.
    pub(super) fn have_a_calendar(&self) -> bool {
        self.arrivals_us.iter().min().is_some_and(|first| *first >= SINCE_1970_US)
    }

    /// Microseconds from the first to the last arrival.
    pub(super) fn lasts_us(&self) -> u64 {
        let ends = self.arrivals_us.iter().min().zip(self.arrivals_us.iter().max());
        ends.map_or(0, |(first, last)| last.abs_diff(*first))
    }

    /// How many rows were kept.
    pub(super) fn len(&self) -> usize {
        self.arrivals_us.len()
    }

    /// Adds a row, unless it is bad; a row of a failed request is counted and left out.
    pub(super) fn push(&mut self, row: &Row<'_>) -> Result<(), Bad> {
        let prompt = tokens(row.prompt_tokens)?;
        let output = tokens(row.output_tokens)?;
        if prompt + output > limits::REQUEST_TOKENS {
            return Err(Bad::new(
                format!("{prompt} + {output} tokens of prompt and output"),
                "at most 1,048,576 together",
                "leave the line out or check its columns",
            ));
        }
        let prefix = match row.prefix {
            Some((name, len)) => (name, tokens(len)?),
            None => (0, 0),
        };
        let model = self.models.number_of(&row.model).ok_or_else(|| {
            Bad::new("a 257th model", "at most 256 different models", "remove the column, or merge models")
        })?;
        let adapter = self.adapters.number_of(&row.adapter).ok_or_else(|| {
            Bad::new(
                "a 257th adapter",
                "at most 256 different adapters",
                "remove the column, or merge adapters",
            )
        })?;
        let parts = self.kept.parts(row)?;
        let set = self.sessions.link(row.session);
        if output == 0 {
            self.left_out.without_output.add(self.line);
            return Ok(());
        }
        if prompt == 0 {
            self.left_out.without_prompt.add(self.line);
            return Ok(());
        }
        let arrival_us = self.tree.push(self.len() as u32, row, &self.arrivals_us)?;
        if self.arrivals_us.last().is_some_and(|&before| before > arrival_us) {
            self.left_out.backwards.add(self.line);
        }
        // The column starts with the first row that has a prefix; rows before it get none.
        if row.prefix.is_some() || !self.prefixes.is_empty() {
            self.prefixes.resize(self.len(), (0, 0));
            self.prefixes.push(prefix);
        }
        self.sessions.push(self.len(), set);
        self.models.push(self.len(), model);
        self.adapters.push(self.len(), adapter);
        self.kept.push(self.len(), &parts, &row.id);
        if !row.hash_ids.is_empty() {
            self.block_sizes.push(prompt, row.hash_ids.len() as u32);
        }
        self.arrivals_us.push(arrival_us);
        self.prompt_tokens.push(prompt);
        self.output_tokens.push(output);
        self.hashes.push(&row.hash_ids);
        Ok(())
    }

    /// The trace: rows sorted by arrival, rows of one instant in the order of the file, the first at 0.
    pub(super) fn into_trace(self, hash_block_tokens: u32) -> Trace {
        let first = self.arrivals_us.iter().copied().min().unwrap_or(0);
        let arrivals_us: Vec<u64> = self.arrivals_us.into_iter().map(|t| t.abs_diff(first)).collect();
        let mut trace = Trace {
            arrivals_us,
            prompt_tokens: self.prompt_tokens,
            output_tokens: self.output_tokens,
            hashes: self.hashes,
            prefixes: self.prefixes,
            sessions: Vec::new(),
            models: Interned::default(),
            adapters: Interned::default(),
            kept: Kept::default(),
            started_us: (first >= SINCE_1970_US).then_some(first),
            tree: Tree::default(),
            hash_block_tokens,
            left_out: self.left_out.rows(),
        };
        if trace.arrivals_us.is_sorted() {
            trace.sessions = self.sessions.numbers(trace.len(), None);
            trace.models = self.models.finish(trace.len(), None);
            trace.adapters = self.adapters.finish(trace.len(), None);
            trace.kept = self.kept.finish(trace.len(), None);
            trace.tree = self.tree.finish(trace.len(), None);
        } else {
            let mut order: Vec<u32> = (0..trace.arrivals_us.len() as u32).collect();
            sort_by_key(&mut order, |&row| trace.arrivals_us[row as usize]);
            trace.arrivals_us = reordered(&trace.arrivals_us, &order);
            trace.prompt_tokens = reordered(&trace.prompt_tokens, &order);
            trace.output_tokens = reordered(&trace.output_tokens, &order);
            trace.hashes.reorder(&order);
            trace.prefixes = reordered(&trace.prefixes, &order);
            trace.sessions = self.sessions.numbers(trace.len(), Some(&order));
            trace.models = self.models.finish(trace.len(), Some(&order));
            trace.adapters = self.adapters.finish(trace.len(), Some(&order));
            trace.kept = self.kept.finish(trace.len(), Some(&order));
            trace.tree = self.tree.finish(trace.len(), Some(&order));
        }
        trace
    }
}

/// A number of tokens within the limits. Tools that go through floats write 374 as 374.0.
fn tokens(x: f64) -> Result<u32, Bad> {
    let whole = x.is_finite() && x >= 0.0 && x.fract() <= 0.0;
    if whole && x <= f64::from(limits::REQUEST_TOKENS) {
        return Ok(x as u32);
    }
    Err(Bad::new(
        format!("{x} tokens"),
        "whole numbers from 0 to 1,048,576",
        "leave the line out or check its columns",
    ))
}
