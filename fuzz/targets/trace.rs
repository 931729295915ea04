//! Trace files: read piece by piece, and cut elsewhere they hold the same.

use std::sync::Arc;
use tokenyard::session::{Trace, TraceReader};

/// Most bytes of a file.
const MOST_BYTES: u64 = 1 << 20;

/// The first byte says how long the pieces are.
pub(crate) fn trace(data: &[u8]) {
    let [size, file @ ..] = data else { return };
    let whole = read(file, file.len().max(1));
    let cut = read(file, usize::from(*size).max(1));
    assert_eq!(
        whole.0.map(|t| t.digest().hex()),
        cut.0.map(|t| t.digest().hex()),
        "where a file is cut changes its trace"
    );
    assert_eq!(whole.1, cut.1, "where a file is cut changes what is said of it");
}

fn read(file: &[u8], piece: usize) -> (Option<Arc<Trace>>, Vec<String>) {
    let mut reader = TraceReader::new("trace", MOST_BYTES);
    for bytes in file.chunks(piece) {
        reader.push(bytes);
    }
    let (trace, diagnostics, _) = reader.finish();
    (trace, diagnostics.iter().map(|d| format!("{d:?}")).collect())
}
