//! The part of a trace that is replayed.

use crate::limits;
use crate::table::fields::fields;

/// A stretch of a trace, in recorded time. Its start becomes the start of the run.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceWindow {
    /// Where it begins, in seconds after the first request of the trace.
    pub start_s: f64,
    /// How long it is, in seconds; a request at its end no longer belongs to it. 0 means up to the end of the trace.
    pub length_s: f64,
}

fields! {
    struct TraceWindow {
        start_s: "From" of "s" in [0.0, limits::TRACE_S]
            or "seconds after the first request of the trace" => Restart;
        length_s: "Length" of "s" in [0.0, limits::TRACE_S]
            or "use 0 for all requests after the start" first 3600.0 => Restart;
    }
}
