//! What a reader found in a file, each with its evidence: format, unit of time, size of hash blocks, sessions, and rows
//! that were left out.

use super::format::Format;
use super::left_out::Lines;
use super::rows::Rows;
use super::{Trace, TraceSummary};
use base::Diagnostics;
use base::number_text::duration;
use serde::Serialize;
use std::sync::Arc;

/// What came of reading a file.
#[derive(Clone, Debug)]
pub struct TraceReading {
    /// The trace, unless a diagnostic is an error.
    pub trace: Option<Arc<Trace>>,
    /// Problems of the file.
    pub diagnostics: Diagnostics,
    /// Its summary, beside the trace.
    pub summary: Option<TraceSummary>,
    /// What was found, once the format is known.
    pub found: Option<TraceFound>,
}

/// What was found in the file of a trace.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceFound {
    /// Name of its format.
    pub format: String,
    /// The columns or keys that show it.
    pub format_evidence: String,
    /// Unit of its times: `s`, `ms`, `us`, `ns`, `dates`, or `since 1970` in the unit of their size.
    pub unit: String,
    /// How long the trace lasts, and how long it would in another unit.
    pub unit_evidence: String,
    /// Tokens in a block of its prompt hashes; 0 if it has none.
    pub block_tokens: u32,
    /// How many rows fit that size.
    pub block_evidence: String,
    /// Whether rows name their sessions.
    pub has_sessions: bool,
    /// Columns or keys that are not read, as far as the format lists them.
    pub not_read: Vec<String>,
    /// Lines of the file.
    pub lines: u64,
    /// Rows that were left out, and rows about which something is odd.
    pub odd: Vec<TraceLines>,
}

/// Rows with something in common.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceLines {
    /// What they have in common.
    pub why: String,
    /// Whether they were left out.
    pub left_out: bool,
    /// How many.
    pub rows: u64,
    /// The lines of the first of them.
    pub lines: Vec<u64>,
}

/// Units of time in microseconds.
const UNITS: [(f64, &str); 4] = [(1e6, "s"), (1e3, "ms"), (1.0, "us"), (1e-3, "ns")];

impl TraceFound {
    /// What was found in a file of `lines` lines.
    pub(super) fn of(format: &Format, rows: &Rows, lines: u64) -> Self {
        let (unit, unit_evidence) = unit(format, rows);
        let (block_tokens, block_evidence) = block(format, rows);
        Self {
            format: format.name().to_owned(),
            format_evidence: format.evidence(),
            unit,
            unit_evidence,
            block_tokens,
            block_evidence,
            has_sessions: rows.have_sessions(),
            not_read: format.not_read(),
            lines,
            odd: odd(rows),
        }
    }
}

/// The unit of the times, and what speaks for it.
fn unit(format: &Format, rows: &Rows) -> (String, String) {
    let lasts_us = rows.lasts_us();
    let lasts = |us: f64| duration(us.min(9e18) as u64);
    let now = format!("lasts {}", lasts(lasts_us as f64));
    let Some(unit_us) = format.unit_us() else { return ("dates".to_owned(), now) };
    if format.names().is_some_and(|names| names.unit_us.is_none()) && rows.have_a_calendar() {
        return (
            "since 1970".to_owned(),
            format!("{now}; the unit is that of its size, from seconds to nanoseconds"),
        );
    }
    let is = |(us, _): &&(f64, &str)| us.total_cmp(&unit_us).is_eq();
    let name = UNITS.iter().find(is).map_or("s", |(_, name)| name);
    let (other_us, other) = if name == "s" { (1e3, "ms") } else { (1e6, "s") };
    let there = lasts(lasts_us as f64 / unit_us * other_us);
    (name.to_owned(), format!("{now}; in {other} it would last {there}"))
}

/// The size of hash blocks, and what speaks for it.
fn block(format: &Format, rows: &Rows) -> (u32, String) {
    let sizes = &rows.block_sizes;
    if sizes.rows == 0 {
        return (0, "no hash ids".to_owned());
    }
    if format.block_size() > 0 {
        return (format.block_size(), "as the file says".to_owned());
    }
    let found = sizes.found(format.usual_block());
    let fits = match found.misfits {
        0 => "in every row".to_owned(),
        n => format!("in all but {n} of {} rows", sizes.rows),
    };
    let mean = sizes.prompt_tokens as f64 / sizes.ids.max(1) as f64;
    (found.size, format!("{} {fits}; {mean:.0} tokens of prompt to an id", found.rule.formula()))
}

/// Rows left out, then odd ones, without empty lists.
fn odd(rows: &Rows) -> Vec<TraceLines> {
    let left_out = &rows.left_out;
    let all: [(&str, bool, &Lines); 5] = [
        ("no output tokens", true, &left_out.without_output),
        ("no prompt", true, &left_out.without_prompt),
        ("cut off at the end", true, &left_out.cut_off),
        ("spans that are no requests", true, &left_out.no_requests),
        ("before the row above; sorted in", false, &left_out.backwards),
    ];
    let some = all.into_iter().filter(|(_, _, lines)| lines.rows > 0);
    some.map(|(why, left_out, lines)| TraceLines {
        why: why.to_owned(),
        left_out,
        rows: lines.rows,
        lines: lines.lines.clone(),
    })
    .collect()
}
