//! The boundary between the session and the page's worker: text, numbers and columns cross, nothing else. No arithmetic here.

use crate::base::Micros;
use crate::base::json::{self, compact as json};
use crate::scenario::{limits, to_json};
use crate::session::view::{Columns, ColumnsQuery, EventsQuery, FrameQuery, PresetInfo, TraceOutcome};
use crate::session::{self, Pace, Session, SingleStep, StepKind, Stop};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Performance, WorkerGlobalScope};

/// Installs the hook that prints a panic's message and place.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

fn query<T: DeserializeOwned>(text: &str) -> Result<T, JsError> {
    let malformed = |e: &dyn std::fmt::Display| JsError::new(&format!("a malformed query: {e}"));
    let tree = serde_json::from_str(text).map_err(|e| malformed(&e))?;
    json::data(&tree).map_err(|e| malformed(&e))
}

fn stop(stop: Stop) -> String {
    json(&stop).trim_matches('"').to_owned()
}

/// An instant from JavaScript; what is not a whole number of microseconds there is cut to one.
fn instant(us: f64) -> Micros {
    if us >= Micros::MAX.0 as f64 { Micros::MAX } else { Micros(us as u64) }
}

/// The wall clock of this thread, and how often it is looked at. Results do not depend on it: only where a slice ends does.
struct WallClock {
    performance: Performance,
    pace: Pace,
}

impl WallClock {
    fn new() -> Self {
        let global: WorkerGlobalScope = js_sys::global().unchecked_into();
        let performance = global.performance().expect("every worker has a clock");
        Self { performance, pace: Pace::default() }
    }

    /// Calls `run` with numbers of events until it stops for another reason, or another call would end after `max_ms`
    /// milliseconds.
    fn slice(&mut self, max_ms: f64, mut run: impl FnMut(u64) -> Stop) -> String {
        let mut looked = self.performance.now();
        let end = looked + max_ms;
        loop {
            let stopped = run(self.pace.events());
            let now = self.performance.now();
            let took = now - looked;
            self.pace.took(took);
            looked = now;
            if stopped != Stop::Events || now + took > end {
                return stop(stopped);
            }
        }
    }
}

/// A recorded trace, read piece by piece.
#[wasm_bindgen]
pub struct Trace {
    reader: Option<session::TraceReader>,
    trace: Option<Arc<session::Trace>>,
}

#[wasm_bindgen]
impl Trace {
    /// A reader for a file of this name.
    #[wasm_bindgen(constructor)]
    pub fn new(file_name: &str) -> Self {
        Self { reader: Some(session::TraceReader::new(file_name, limits::TRACE_BYTES_PAGE)), trace: None }
    }

    /// Takes the next piece of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(reader) = &mut self.reader {
            reader.push(bytes);
        }
    }

    /// Ends the file: `{ok, diagnostics, summary}` as JSON.
    pub fn finish(&mut self) -> String {
        let Some(reader) = self.reader.take() else {
            return json(&TraceOutcome { ok: self.trace.is_some(), diagnostics: Vec::new(), summary: None });
        };
        let (trace, diagnostics, summary) = reader.finish();
        let ok = trace.is_some();
        self.trace = trace;
        json(&TraceOutcome { ok, diagnostics, summary })
    }
}

/// A run in progress.
#[wasm_bindgen]
pub struct Sim {
    session: Session,
    columns: Columns,
    clock: WallClock,
    /// The single step begun last.
    step: Option<SingleStep>,
}

#[wasm_bindgen]
impl Sim {
    /// All problems of a scenario text, as JSON; never throws.
    pub fn check(text: &str) -> String {
        json(&Session::check(text))
    }

    /// The built-in scenarios as JSON: `[{name, title, note, text}]`.
    pub fn presets() -> String {
        json(&PresetInfo::all())
    }

    /// The shape of the model that a Hugging Face config.json describes, as JSON; throws an error whose message is a
    /// JSON list of diagnostics.
    #[wasm_bindgen(js_name = architectureFromHf)]
    pub fn architecture_from_hf(text: &str) -> Result<String, JsError> {
        session::architecture_from_hf(text).map(|a| json(&a)).map_err(|p| JsError::new(&json(&p)))
    }

    /// Version of this program.
    pub fn version() -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    /// Loads a scenario; throws an error whose message is a JSON list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Self, JsError> {
        Self::load(text, None)
    }

    /// The same on a trace, which stays the caller's.
    #[wasm_bindgen(js_name = withTrace)]
    pub fn with_trace(text: &str, trace: &Trace) -> Result<Self, JsError> {
        Self::load(text, Some(trace))
    }

    /// Runs up to and including an instant, but for no more than about `max_ms` milliseconds: `until`, `events` (the time was
    /// up) or `finished`.
    pub fn advance(&mut self, until_us: f64, max_ms: f64) -> String {
        let until = instant(until_us);
        self.clock.slice(max_ms, |events| self.session.advance(until, events))
    }

    /// Begins a single step of a kind.
    #[wasm_bindgen(js_name = beginStep)]
    pub fn begin_step(&mut self, kind: &str) -> Result<(), JsError> {
        self.step = Some(self.session.begin_step(query(&json(kind))?));
        Ok(())
    }

    /// Runs towards the end of the step begun last, but for no more than about `max_ms` milliseconds: `until`
    /// (it has happened), `events` (not yet) or `finished` (it never will).
    #[wasm_bindgen(js_name = advanceStep)]
    pub fn advance_step(&mut self, max_ms: f64) -> String {
        let step = *self.step.get_or_insert_with(|| self.session.begin_step(StepKind::Event));
        self.clock.slice(max_ms, |events| self.session.advance_step(&step, events))
    }

    /// Applies an edit at the playhead; problems as JSON, and then nothing has changed.
    pub fn apply(&mut self, edit: &str) -> String {
        json(&self.session.apply_text(edit))
    }

    /// The playhead in microseconds.
    #[wasm_bindgen(js_name = nowUs)]
    pub fn now_us(&self) -> f64 {
        self.session.now().0 as f64
    }

    /// Events run so far.
    pub fn events(&self) -> f64 {
        self.session.events() as f64
    }

    /// What the playhead shows, as JSON.
    pub fn frame(&mut self, text: &str) -> Result<String, JsError> {
        let query: FrameQuery = query(text)?;
        Ok(json(&self.session.frame(&query)))
    }

    /// Lines of the event log, as JSON.
    #[wasm_bindgen(js_name = eventRows)]
    pub fn event_rows(&self, text: &str) -> Result<String, JsError> {
        let query: EventsQuery = query(text)?;
        Ok(json(&self.session.event_rows(&query)))
    }

    /// One request in full as JSON; `null` if it has not arrived.
    pub fn inspect(&self, request: u32) -> String {
        json(&self.session.inspect(request))
    }

    /// Fills the columns of a view and returns their names as JSON.
    pub fn columns(&mut self, text: &str) -> Result<String, JsError> {
        let query: ColumnsQuery = query(text)?;
        self.columns = self.session.columns(&query);
        Ok(json(&self.columns.names))
    }

    /// Address of column `i` in wasm memory; valid until the next call.
    #[wasm_bindgen(js_name = columnPtr)]
    pub fn column_ptr(&self, i: usize) -> usize {
        self.columns.columns.get(i).map_or(0, |c| c.as_ptr() as usize)
    }

    /// Length of column `i` in 64-bit floats.
    #[wasm_bindgen(js_name = columnLen)]
    pub fn column_len(&self, i: usize) -> usize {
        self.columns.columns.get(i).map_or(0, Vec::len)
    }

    /// The report: the bytes that the command line prints.
    pub fn report(&self) -> String {
        self.session.report()
    }

    /// Digest of the report.
    pub fn digest(&self) -> String {
        self.session.digest()
    }

    /// The scenario with all edits made so far, as JSON text.
    pub fn scenario(&self) -> String {
        to_json(&self.session.scenario())
    }

    fn load(text: &str, trace: Option<&Trace>) -> Result<Self, JsError> {
        let trace = trace.and_then(|t| t.trace.clone());
        let (session, _) = Session::load(text, trace).map_err(|p| JsError::new(&json(&p)))?;
        Ok(Self { session, columns: Columns::default(), clock: WallClock::new(), step: None })
    }
}
