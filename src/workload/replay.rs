//! Replay: the requests of a recorded trace at the scenario's speed.

use super::adapters::adapter_of_row;
use super::{NOT_LISTED, RequestSpec, Trace, family};
use crate::base::content::{under, unique_name};
use crate::base::small::decimal::plain;
use crate::base::{Micros, Piece, math};
use crate::scenario::TraceSettings;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The future rows of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Replay {
    speed: f64,
    /// Since when it has its speed, and the instant of the trace at that time, in microseconds.
    since: Micros,
    recorded_us: f64,
    /// Tokens in a block of the trace's hashes; 0 means the size found by the reader.
    hash_block_tokens: u32,
    next_row: u32,
    /// Not part of a snapshot: [`super::Source::attach`] restores it.
    #[serde(skip)]
    trace: Option<Arc<Trace>>,
}

impl Replay {
    /// Replays `trace` from its start.
    pub(super) fn new(settings: &TraceSettings, trace: &Arc<Trace>) -> Self {
        assert!(settings.speed > 0.0, "INV-3: a trace at {} times its speed", plain(settings.speed));
        Self {
            speed: settings.speed,
            since: Micros::ZERO,
            recorded_us: 0.0,
            hash_block_tokens: settings.hash_block_tokens,
            next_row: 0,
            trace: Some(Arc::clone(trace)),
        }
    }

    /// Attaches the trace after a restore.
    pub(super) fn attach(&mut self, trace: &Arc<Trace>) {
        self.trace = Some(Arc::clone(trace));
    }

    /// Sets the speed from `now` on. Overdue rows are due at once.
    pub(super) fn set_speed(&mut self, speed: f64, now: Micros) {
        assert!(speed > 0.0, "INV-3: a trace at {} times its speed", plain(speed));
        self.recorded_us += now.since(self.since).0 as f64 * self.speed;
        self.since = now;
        self.speed = speed;
    }

    /// When the next row arrives; [`Micros::MAX`] when there is none.
    pub(super) fn next(&self) -> Micros {
        let trace = self.trace();
        let row = self.next_row as usize;
        if row < trace.len() { self.at_speed(trace.arrival(row)) } else { Micros::MAX }
    }

    /// How many rows arrive between two instants.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> f64 {
        let trace = self.trace();
        let rows_before = |at: Micros| {
            let (mut low, mut high) = (0, trace.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                if self.at_speed(trace.arrival(middle)) < at { low = middle + 1 } else { high = middle }
            }
            low
        };
        (rows_before(to) - rows_before(from)) as f64
    }

    /// Makes the request of the next row, which must exist.
    pub(super) fn take(&mut self) -> RequestSpec {
        let arrival = self.next();
        let trace = self.trace();
        let row = self.next_row as usize;
        let adapter = adapter_of_row(trace.adapter(row));
        let prompt = trace.prompt(row, self.hash_block_tokens).under(adapter);
        let spec = RequestSpec {
            arrival,
            client: 0,
            tenant: trace.tenant(row),
            class: trace.class(row),
            model: trace.model(row),
            adapter,
            session: trace.session(row),
            priority: trace.priority(row),
            rank: self.next_row,
            listed: NOT_LISTED,
            prompt_tokens: trace.prompt_tokens(row),
            prompt,
            output: Piece {
                source: under(unique_name(family::TRACE_OUTPUT, u64::from(self.next_row)), adapter),
                start: 0,
                len: trace.output_tokens(row),
            },
        };
        self.next_row += 1;
        spec
    }

    /// A recorded instant at the replay's speed, rounded to whole microseconds.
    fn at_speed(&self, recorded: Micros) -> Micros {
        let us = (recorded.0 as f64 - self.recorded_us).max(0.0) / self.speed;
        self.since.saturating_add(math::round_to_span(us.min(Micros::END.0 as f64))).min(Micros::END)
    }

    fn trace(&self) -> &Arc<Trace> {
        self.trace.as_ref().expect("INV-6: a restored source got its trace back")
    }
}
