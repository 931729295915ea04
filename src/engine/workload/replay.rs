//! Replay: the requests of a recorded trace at the scenario's speed.

use super::adapters::adapter_of_row;
use super::released::Released;
use super::{CONTINUES, NOT_LISTED, NextTurn, RequestSpec, Trace, family};
use base::content::{under, unique_name};
use base::small::decimal::plain;
use base::{Micros, Piece, math};
use document::TraceSettings;
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
    /// Rows that wait for others, if there are any, or sessions that start by a process.
    released: Option<Box<Released>>,
    /// Not part of a snapshot: [`super::Source::attach`] restores it.
    #[serde(skip)]
    trace: Option<Arc<Trace>>,
}

impl Replay {
    /// Replays `trace` from its start.
    pub(super) fn new(settings: &TraceSettings, seed: u64, trace: &Arc<Trace>) -> Self {
        assert!(settings.speed > 0.0, "INV-3: a trace at {} times its speed", plain(settings.speed));
        let released = Released::new(settings, seed, trace).map(Box::new);
        let mut replay = Self {
            speed: settings.speed,
            since: Micros::ZERO,
            recorded_us: 0.0,
            hash_block_tokens: settings.hash_block_tokens,
            next_row: 0,
            released,
            trace: Some(Arc::clone(trace)),
        };
        replay.skip_released();
        replay
    }

    /// Attaches the trace after a restore.
    pub(super) fn attach(&mut self, trace: &Arc<Trace>) {
        self.trace = Some(Arc::clone(trace));
        if let Some(released) = &mut self.released {
            released.attach(trace);
        }
    }

    /// Sets the speed from `now` on. Overdue rows are due at once.
    pub(super) fn set_speed(&mut self, speed: f64, now: Micros) {
        assert!(speed > 0.0, "INV-3: a trace at {} times its speed", plain(speed));
        self.recorded_us += now.since(self.since).0 as f64 * self.speed;
        self.since = now;
        self.speed = speed;
        if let Some(released) = &mut self.released {
            released.set_speed(speed);
        }
    }

    /// When the next row arrives; [`Micros::MAX`] when there is none.
    pub(super) fn next(&self) -> Micros {
        self.upcoming().0
    }

    /// When the next row arrives, and which it is: of two at one instant the one that comes first in the trace.
    fn upcoming(&self) -> (Micros, u32) {
        let trace = self.trace();
        let row = self.next_row as usize;
        let at = if row < trace.len() { self.at_speed(trace.arrival(row)) } else { Micros::MAX };
        let due = self.released.as_ref().and_then(|released| released.due());
        due.map_or((at, self.next_row), |due| due.min((at, self.next_row)))
    }

    /// Goes on to the next row that arrives at its own time.
    fn skip_released(&mut self) {
        let (Some(released), Some(trace)) = (&self.released, &self.trace) else { return };
        while (self.next_row as usize) < trace.len() && !released.is_timed(self.next_row) {
            self.next_row += 1;
        }
    }

    /// The request of a row has ended: its user has the whole answer at `shown`, or will never have one.
    pub(super) fn ended(&mut self, row: u32, now: Micros, shown: Option<Micros>) {
        if let Some(released) = &mut self.released {
            released.ended(row, now, shown);
        }
    }

    /// The rows that wait for others, if there are any.
    pub(super) fn released(&self) -> Option<&Released> {
        self.released.as_deref()
    }

    /// When the session of a row that has ended goes on: as the trace recorded it, or once other rows of it are due.
    pub(super) fn next_turn(&self, session: u32, place: Option<u32>) -> NextTurn {
        if let (Some(released), Some(row)) = (&self.released, place) {
            return match released.due_of(row) {
                Some(at) => NextTurn::At(at),
                None if released.is_open(row) => NextTurn::Open,
                None => NextTurn::Ended,
            };
        }
        let trace = self.trace();
        let mut rows = self.next_row as usize..trace.len();
        let next = rows.find(|&row| trace.session(row) == session);
        next.map_or(NextTurn::Ended, |row| NextTurn::At(self.at_speed(trace.arrival(row))))
    }

    /// Leading tokens of the prompt of a row that are in the prompts that it waited for.
    pub(super) fn known_tokens(&self, row: u32) -> u32 {
        self.trace().known_tokens(row as usize, self.hash_block_tokens)
    }

    /// How many rows arrive between two instants; of sessions that start by a process, how many sessions.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> f64 {
        if let Some(begun) = self.released.as_ref().and_then(|released| released.expected(from, to)) {
            return begun;
        }
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
        let (arrival, number) = self.upcoming();
        let trace = self.trace();
        let row = number as usize;
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
            rank: number,
            listed: if self.released.is_some() { CONTINUES | number } else { NOT_LISTED },
            prompt_tokens: trace.prompt_tokens(row),
            prompt,
            output: Piece {
                source: under(unique_name(family::TRACE_OUTPUT, u64::from(number)), adapter),
                start: 0,
                len: trace.output_tokens(row),
            },
        };
        if number == self.next_row {
            self.next_row += 1;
            self.skip_released();
        }
        if let Some(released) = &mut self.released {
            released.taken(number, arrival);
        }
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
