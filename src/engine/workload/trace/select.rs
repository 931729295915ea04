//! Some rows of a trace as a trace of their own: the one place that knows all columns.

use super::Trace;

impl Trace {
    /// The rows with these numbers, in this order, which arrive at `arrivals_us`. Numbers of sessions, models and adapters
    /// stay: they mean the same in every part of a trace.
    pub(super) fn selected(&self, rows: &[u32], arrivals_us: Vec<u64>) -> Self {
        assert!(rows.len() == arrivals_us.len(), "INV-6: an arrival for each row");
        // Every column by name: a new one does not compile before it is carried along. A column that holds numbers of rows,
        // such as the row before in a session, needs them as positions in `rows`.
        let Self {
            arrivals_us: _,
            prompt_tokens,
            output_tokens,
            hashes,
            prefixes,
            sessions,
            models,
            adapters,
            kept,
            started_us,
            tree,
            hash_block_tokens,
            left_out,
        } = self;
        Self {
            arrivals_us,
            prompt_tokens: picked(prompt_tokens, rows),
            output_tokens: picked(output_tokens, rows),
            hashes: hashes.picked(rows),
            prefixes: picked(prefixes, rows),
            sessions: picked(sessions, rows),
            models: models.picked(rows),
            adapters: adapters.picked(rows),
            kept: kept.picked(rows),
            started_us: *started_us,
            tree: tree.selected(rows),
            hash_block_tokens: *hash_block_tokens,
            left_out: *left_out,
        }
    }
}

/// The values of `rows` in a column; a column that ends early, or is absent, stays so where nothing of it is left.
pub(super) fn picked<T: Copy + Default>(column: &[T], rows: &[u32]) -> Vec<T> {
    if column.is_empty() {
        return Vec::new();
    }
    rows.iter().map(|&row| column.get(row as usize).copied().unwrap_or_default()).collect()
}

/// The values of `column` in the order of `order`; an absent column stays absent.
pub(super) fn reordered<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
    if column.is_empty() {
        return Vec::new();
    }
    order.iter().map(|&row| column[row as usize]).collect()
}
