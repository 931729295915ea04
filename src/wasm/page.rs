//! The boundary between the session and the page's worker, without arithmetic.
//!
//! Documents, questions and answers cross as JSON text, small results as JavaScript values, columns as typed arrays that the worker
//! gives away. Types are those of `www/src/generated/boundary.ts`; scripts/build-wasm keeps the declarations there too.

use crate::wasm::boundary::{answered, value};
use base::json;
use document::{parse, to_json};
use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array};
#[cfg(feature = "closeup")]
use run::session::closeup::CloseUp;
use run::session::questions::{RunQuestion, instant};
use run::session::view::ColumnsQuery;
use run::session::{self, Audience, Awaited, Budget, History, Pace, Session, SingleStep, StepKind, Stop};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Performance, WorkerGlobalScope};

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type Diagnostic = import('../src/generated/boundary.ts').Diagnostic;
type ColumnsQuery = import('../src/generated/boundary.ts').ColumnsQuery;
type FrameQuery = import('../src/generated/boundary.ts').FrameQuery;
type Occasion = import('../src/generated/boundary.ts').Occasion;
type RunFigures = import('../src/generated/boundary.ts').RunFigures;
type StepKind = import('../src/generated/boundary.ts').StepKind;
type Stop = import('../src/generated/boundary.ts').Stop;
type ColumnSet = { names: string[], columns: Float64Array<ArrayBuffer>[] };
";

fn stop(stop: Stop) -> String {
    match stop {
        Stop::Until => "until",
        Stop::Events => "events",
        Stop::Finished => "finished",
    }
    .to_owned()
}

/// A fresh seed as text, like all seeds on the page. It is below 2^32, short enough to be read aloud.
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Result<String, JsError> {
    let seed = getrandom::u32().map_err(|e| JsError::new(&format!("no randomness: {e}")))?;
    Ok(seed.to_string())
}

/// The wall clock of this thread, and how often it is read. It decides only where a slice ends; results do not depend
/// on it.
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

    /// Calls `run` with a number of events until it stops for another reason, or until the next call would end after
    /// `max_ms` milliseconds.
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

/// A recorded trace, as the module of links read it.
#[wasm_bindgen]
pub struct Trace(Arc<session::Trace>);

#[wasm_bindgen]
impl Trace {
    /// The trace from the bytes of `TraceFile.packed`.
    #[wasm_bindgen(constructor)]
    pub fn new(packed: &[u8]) -> Result<Self, JsError> {
        let trace = session::Trace::unpacked(packed).ok_or_else(|| JsError::new("not a packed trace"))?;
        Ok(Self(Arc::new(trace)))
    }
}

/// A run in progress, and its checkpoints.
#[wasm_bindgen]
pub struct Sim {
    history: History,
    clock: WallClock,
    /// The last single step and the last run to an occasion.
    step: Option<SingleStep>,
    awaited: Option<Awaited>,
}

#[wasm_bindgen]
impl Sim {
    /// All problems of a scenario text; never throws.
    #[wasm_bindgen(unchecked_return_type = "Diagnostic[]")]
    pub fn check(text: &str) -> JsValue {
        value(&Session::check(text))
    }

    /// Version of this program.
    pub fn version() -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    /// Loads a scenario; throws a list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Self, JsValue> {
        Self::start(text, None, Audience::Live)
    }

    /// Loads a scenario on a trace, which stays the caller's.
    #[wasm_bindgen(js_name = withTrace)]
    pub fn with_trace(text: &str, trace: &Trace) -> Result<Self, JsValue> {
        Self::start(text, Some(trace), Audience::Live)
    }

    /// Loads a scenario for a run without watchers: no event log and no latest window; throws a list of diagnostics.
    pub fn unwatched(text: &str) -> Result<Self, JsValue> {
        Self::start(text, None, Audience::Batch)
    }

    /// Runs up to and including an instant, for at most about `max_ms` milliseconds: `until`, `events` (the time was
    /// up) or `finished`.
    #[wasm_bindgen(unchecked_return_type = "Stop")]
    pub fn advance(&mut self, until_us: f64, max_ms: f64) -> String {
        let until = instant(until_us);
        self.clock.slice(max_ms, |events| self.history.advance(until, events))
    }

    /// Begins a single step of a kind.
    #[wasm_bindgen(js_name = beginStep)]
    pub fn begin_step(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "StepKind")] kind: &JsValue,
    ) -> Result<(), JsError> {
        self.step = Some(self.history.begin_step(written(kind)?));
        Ok(())
    }

    /// Runs towards the end of the last step, for at most about `max_ms` milliseconds: `until` (it has happened),
    /// `events` (not yet) or `finished` (it never will).
    #[wasm_bindgen(js_name = advanceStep, unchecked_return_type = "Stop")]
    pub fn advance_step(&mut self, max_ms: f64) -> String {
        let step = *self.step.get_or_insert_with(|| self.history.begin_step(StepKind::Event));
        self.clock.slice(max_ms, |events| self.history.advance_step(&step, events))
    }

    /// Begins a run to the next occurrence of an occasion.
    #[wasm_bindgen(js_name = beginTo)]
    pub fn begin_to(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Occasion")] occasion: &JsValue,
    ) -> Result<(), JsError> {
        self.awaited = Some(self.history.begin_to(written(occasion)?));
        Ok(())
    }

    /// Runs towards the occasion, as `advanceStep` does.
    #[wasm_bindgen(js_name = advanceTo, unchecked_return_type = "Stop")]
    pub fn advance_to(&mut self, max_ms: f64) -> String {
        let Some(awaited) = &mut self.awaited else { return stop(Stop::Until) };
        self.clock.slice(max_ms, |events| self.history.advance_to(awaited, events))
    }

    /// The entry of this run in a list of runs, as far as it was computed.
    #[wasm_bindgen(unchecked_return_type = "RunFigures")]
    pub fn figures(&self) -> JsValue {
        value(&self.history.figures())
    }

    /// The instant up to which the run was computed, in microseconds.
    #[wasm_bindgen(js_name = computedUs)]
    pub fn computed_us(&self) -> f64 {
        self.history.computed().0 as f64
    }

    /// Goes to the nearest checkpoint before an instant, or stays if the playhead is nearer; `advance` runs the rest.
    pub fn seek(&mut self, until_us: f64) {
        self.history.seek(instant(until_us));
    }

    /// Begins a step back of a kind.
    #[wasm_bindgen(js_name = beginBack)]
    pub fn begin_back(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "StepKind")] kind: &JsValue,
    ) -> Result<(), JsError> {
        self.history.begin_back(written(kind)?);
        Ok(())
    }

    /// Continues the step back, for at most about `max_ms` milliseconds: `until` (there), `events` (not yet) or
    /// `finished` (there was nothing of the kind: at the beginning).
    #[wasm_bindgen(js_name = advanceBack, unchecked_return_type = "Stop")]
    pub fn advance_back(&mut self, max_ms: f64) -> String {
        self.clock.slice(max_ms, |events| self.history.advance_back(events))
    }

    /// Loads another scenario, at its beginning; computed parts of runs that begin alike stay. Throws a list of
    /// diagnostics; then nothing has changed.
    pub fn adopt(&mut self, text: &str) -> Result<(), JsValue> {
        self.history.adopt(begin(text, None, Audience::Live)?);
        Ok(())
    }

    /// Loads a scenario on a trace, which stays the caller's.
    #[wasm_bindgen(js_name = adoptWithTrace)]
    pub fn adopt_with_trace(&mut self, text: &str, trace: &Trace) -> Result<(), JsValue> {
        self.history.adopt(begin(text, Some(trace), Audience::Live)?);
        Ok(())
    }

    /// Applies an edit, JSON text, at the playhead; with errors nothing has changed.
    #[wasm_bindgen(unchecked_return_type = "Diagnostic[]")]
    pub fn apply(&mut self, edit: &str) -> JsValue {
        value(&self.history.apply_text(edit))
    }

    /// The playhead in microseconds.
    #[wasm_bindgen(js_name = nowUs)]
    pub fn now_us(&self) -> f64 {
        self.history.present().now().0 as f64
    }

    /// Events run so far.
    pub fn events(&self) -> f64 {
        self.history.present().events() as f64
    }

    /// The state at the playhead, as the bytes of the JSON of a `Frame`, which pass between threads without a copy.
    ///
    /// Measured in Node 20, for 4 and 8 replicas: JSON takes 0.15 and 0.23 ms here and 0.05 and 0.10 ms to parse on the page.
    /// `serde_wasm_bindgen` takes 0.16 and 0.34 ms, and the clone that takes the object to the page 0.10 and 0.20 ms.
    pub fn frame(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "FrameQuery")] asked: &JsValue,
    ) -> Result<Vec<u8>, JsError> {
        Ok(json::compact(&self.history.frame(&written(asked)?)).into_bytes())
    }

    /// The answer to a question about the run at the playhead: a `RunQuestion` as JSON text. Answers are bytes of JSON text, then those that
    /// this names, which pass between threads without a copy.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>[]")]
    pub fn ask(&self, question: &str) -> Result<Vec<Uint8Array>, JsValue> {
        answered(question, Vec::new(), |question: RunQuestion, beside| question.answer(&self.history, beside))
    }

    /// The columns of a view, as a copy that can be transferred.
    #[wasm_bindgen(unchecked_return_type = "ColumnSet")]
    pub fn columns(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ColumnsQuery")] asked: &JsValue,
    ) -> Result<JsValue, JsError> {
        let found = self.history.columns(&written::<ColumnsQuery>(asked)?);
        let names: Array = found.names.iter().map(|name| JsValue::from_str(name)).collect();
        let columns: Array = found.columns.iter().map(|c| Float64Array::from(c.as_slice())).collect();
        let set = Object::new();
        for (key, part) in [("names", names), ("columns", columns)] {
            Reflect::set(&set, &JsValue::from_str(key), &part).expect("a new object takes any field");
        }
        Ok(set.into())
    }

    /// The scenario with all edits made so far, as JSON text.
    pub fn scenario(&self) -> String {
        to_json(&self.history.present().scenario())
    }

    fn start(text: &str, trace: Option<&Trace>, audience: Audience) -> Result<Self, JsValue> {
        // A run without watchers never goes back.
        let budget = match audience {
            Audience::Live => Budget::PAGE,
            Audience::Batch => Budget { bytes: 0, ..Budget::PAGE },
        };
        let history = History::new(begin(text, trace, audience)?, budget);
        Ok(Self { history, clock: WallClock::new(), step: None, awaited: None })
    }
}

#[cfg(feature = "closeup")]
#[wasm_bindgen]
impl Sim {
    /// As `ask`, for a `CloseUp`: single steps, blocks and requests.
    #[wasm_bindgen(js_name = closeUp, unchecked_return_type = "Uint8Array<ArrayBuffer>[]")]
    pub fn close_up(&self, question: &str) -> Result<Vec<Uint8Array>, JsValue> {
        answered(question, Vec::new(), |question: CloseUp, _| Ok(self.history.present().close_up(&question)))
    }
}

/// Reads a value that the page wrote; the error says why it does not have the type. By way of a tree: the types have
/// one reader then, which refuses unknown fields (`serde_wasm_bindgen` passes over them).
fn written<T: DeserializeOwned>(value: &JsValue) -> Result<T, JsError> {
    let malformed = |e: &dyn std::fmt::Display| JsError::new(&format!("a malformed value: {e}"));
    let tree = serde_wasm_bindgen::from_value(value.clone()).map_err(|e| malformed(&e))?;
    json::data(&tree).map_err(|e| malformed(&e))
}

/// A run at its beginning, or a list of diagnostics.
fn begin(text: &str, trace: Option<&Trace>, audience: Audience) -> Result<Session, JsValue> {
    let trace = trace.map(|t| Arc::clone(&t.0));
    let scenario = parse(text).map_err(|p| value(&p))?;
    Session::start(scenario, trace, audience).map(|(session, _)| session).map_err(|p| value(&p))
}
