//! Traffic: clients with a bound, trace files and sessions.

mod agents;
mod bounded;
mod carried;
mod client_kinds;
mod figures;
mod kept_columns;
mod on_off;
mod operations;
mod public_traces;
mod readers;
mod sessions;
mod shared_prefixes;
mod trace_files;
mod traces;
mod trees;

use std::sync::Arc;
use tokenyard::session::report::SessionPart;
use tokenyard::session::{Session, Trace, TraceReader};

/// The trace of a text.
fn read(text: &str) -> Arc<Trace> {
    let mut reader = TraceReader::new("my.trace", 1 << 24);
    reader.push(text.as_bytes());
    let (trace, diagnostics, _) = reader.finish();
    trace.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Arrival in microseconds, prompt and answer of each row.
fn rows(trace: &Trace) -> Vec<(u64, u32, u32)> {
    (0..trace.len()).map(|i| (trace.arrival(i).0, trace.prompt_tokens(i), trace.output_tokens(i))).collect()
}

/// When each request was sent, in ms, and the length of its prompt.
fn sent(session: &Session) -> Vec<(u64, u32)> {
    session.engine().records().iter().map(|r| (r.arrival.0 / 1000, r.prompt_tokens)).collect()
}

fn sessions(session: &Session) -> SessionPart {
    session.report_data().sessions.expect("sessions are followed")
}
