//! The boundary of the module of links, which the page loads when it opens or makes one: it reads and writes links. It
//! also reads input that a first visit does not need: traces, descriptions of models, and expressions while they are
//! typed, and it makes the edits that split a fleet. It has no engine.

use crate::wasm::boundary::{value, written};
use base::json::compact;
use document::link::{Asked, TraceMark, make};
use document::{SplitAsked, TraceSettings, limits, parse, split_change};
use run::session::view::{DescribedModel, ExpressionReading, OpenedLink, TraceOutcome, scorer_as_expression};
use run::session::{
    Audience, Report, Session, Trace, TraceColumns, TraceReader, TraceReading, architecture_from_hf,
};
use serde::Serialize;
use std::sync::Arc;
use study::trace::{TraceFigures, TraceInspection};
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type DescribedModel = import('../src/generated/boundary.ts').DescribedModel;
type Diagnostic = import('../src/generated/boundary.ts').Diagnostic;
type MadeLink = import('../src/generated/boundary.ts').MadeLink;
type LinkAsked = import('../src/generated/boundary.ts').LinkAsked;
type TraceMark = import('../src/generated/boundary.ts').TraceMark;
type TraceFigures = import('../src/generated/boundary.ts').TraceFigures;
type TraceInspection = import('../src/generated/boundary.ts').TraceInspection;
type TraceOutcome = import('../src/generated/boundary.ts').TraceOutcome;
type OpenedLink = import('../src/generated/boundary.ts').OpenedLink;
type ExpressionReading = import('../src/generated/boundary.ts').ExpressionReading;
type SplitAsked = import('../src/generated/boundary.ts').SplitAsked;
";

/// The contents of a link, as far as they can be read and run.
#[wasm_bindgen(js_name = openLink, unchecked_return_type = "OpenedLink")]
pub fn open_link(text: &str) -> JsValue {
    value(&OpenedLink::from(Session::open_link(text, Audience::Live)))
}

/// The problem if a trace of `rows` rows and this digest is not the one that a link names; `null` if it is.
#[wasm_bindgen(js_name = refusesTrace, unchecked_return_type = "Diagnostic | null")]
pub fn refuses_trace(
    #[wasm_bindgen(unchecked_param_type = "TraceMark")] mark: &JsValue,
    rows: f64,
    digest: &str,
) -> Result<JsValue, JsError> {
    let mark: TraceMark = written(mark)?;
    Ok(value(&mark.refuses(rows as u64, digest)))
}

/// A report with the link of what ran.
#[wasm_bindgen(js_name = linkedReport)]
pub fn linked_report(report: &str, link: &str) -> String {
    Report::with_link(report, link)
}

/// The digest of a report's main figures, which links carry; `null` for a text that is no report.
#[wasm_bindgen(js_name = figuresDigest, unchecked_return_type = "string | null")]
pub fn figures_digest(report: &str) -> JsValue {
    value(&Report::figures_digest(report))
}

/// A report under the title and the note of a scenario, JSON text, from one of the same run that was made under others;
/// `null` if it is of another scenario.
#[wasm_bindgen(js_name = renamedReport, unchecked_return_type = "{ json: string, digest: string } | null")]
pub fn renamed_report(report: &str, scenario: &str, title: &str, note: &str) -> JsValue {
    let renamed = parse(scenario).ok().and_then(|s| Session::renamed_report(report, &s, title, note));
    value(&renamed.map(|json| Renamed { digest: Session::digest_of(&json), json }))
}

/// A report and its digest.
#[derive(Serialize)]
struct Renamed {
    json: String,
    digest: String,
}

/// The link of a scenario, JSON text, and of a second one where `asked` names a second run; `null` if it would be too
/// long for a link. Throws a list of diagnostics.
#[expect(clippy::needless_pass_by_value, reason = "texts come from JavaScript by value")]
#[wasm_bindgen(js_name = makeLink, unchecked_return_type = "MadeLink | null")]
pub fn make_link(
    scenario: &str,
    #[wasm_bindgen(unchecked_param_type = "LinkAsked")] asked: &JsValue,
    beside: Option<String>,
) -> Result<JsValue, JsValue> {
    let asked: Asked = written(asked)?;
    let read = |text: &str| parse(text).map_err(|problems| value(&problems));
    let scenario = read(scenario)?;
    let second = beside.as_deref().map(read).transpose()?;
    Ok(value(&make(&asked.of(scenario, second))))
}

/// The problems of an expression, and the completions of the word at the caret.
#[wasm_bindgen(js_name = readExpression, unchecked_return_type = "ExpressionReading")]
pub fn read_expression(text: &str, caret: u32) -> JsValue {
    value(&ExpressionReading::of(text, caret))
}

/// A scorer of a weighted router, with settings as JSON text, as an expression; `null` if there is none for it.
#[wasm_bindgen(js_name = scorerAsExpression, unchecked_return_type = "string | null")]
pub fn as_expression(weighted: &str, index: u32) -> JsValue {
    value(&scorer_as_expression(weighted, index as usize))
}

/// The edit, JSON text, that a change of roles needs in a scenario, JSON text; throws a list of diagnostics.
#[wasm_bindgen(js_name = splitChange)]
pub fn split(
    scenario: &str,
    #[wasm_bindgen(unchecked_param_type = "SplitAsked")] asked: &JsValue,
) -> Result<String, JsValue> {
    let asked: SplitAsked = written(asked)?;
    let change = parse(scenario).and_then(|s| split_change(&s.cluster, asked).map_err(|d| vec![d]));
    change.map(|change| compact(&change)).map_err(|problems| value(&problems))
}

/// The shape of the model that a Hugging Face config.json describes; throws a list of diagnostics.
#[wasm_bindgen(js_name = architectureFromHf, unchecked_return_type = "DescribedModel")]
pub fn read_architecture(text: &str) -> Result<JsValue, JsValue> {
    architecture_from_hf(text).map(|read| value(&DescribedModel::from(read))).map_err(|p| value(&p))
}

/// The rows of a trace that was read, for figures of what would run.
#[wasm_bindgen]
pub struct TraceRows(Arc<Trace>);

#[wasm_bindgen]
impl TraceRows {
    /// The rows from bytes of `TraceFile.packed`; throws if they are damaged.
    #[wasm_bindgen(constructor)]
    pub fn new(packed: &[u8]) -> Result<Self, JsError> {
        let trace = Trace::unpacked(packed).ok_or_else(|| JsError::new("damaged rows of a trace"))?;
        Ok(Self(Arc::new(trace)))
    }

    /// The figures of what a run with this seed replays under the settings of `workload.trace`, JSON text; `null` if no
    /// row is left.
    #[wasm_bindgen(unchecked_return_type = "TraceFigures | null")]
    pub fn figures(&self, settings: &str, seed: f64) -> Result<JsValue, JsError> {
        let settings: TraceSettings = serde_json::from_str(settings)?;
        Ok(value(&TraceFigures::of(&self.0, &settings, seed as u64)))
    }
}

/// A file of a recorded trace, read piece by piece.
#[wasm_bindgen]
pub struct TraceFile {
    reader: Option<TraceReader>,
    reading: Option<TraceReading>,
}

#[wasm_bindgen]
impl TraceFile {
    /// A reader for a file of this name.
    #[wasm_bindgen(constructor)]
    pub fn new(file_name: &str) -> Self {
        Self { reader: Some(TraceReader::new(file_name, limits::TRACE_BYTES_PAGE)), reading: None }
    }

    /// Names columns of the file, before its first piece, as in `arrival:ms=t,prompt=in,output=out`; throws a list of
    /// diagnostics.
    #[wasm_bindgen(js_name = nameColumns)]
    pub fn name_columns(&mut self, columns: &str) -> Result<(), JsValue> {
        let columns = TraceColumns::parse(columns).map_err(|problems| value(&problems))?;
        self.reader = self.reader.take().map(|reader| reader.with_columns(columns));
        Ok(())
    }

    /// Takes the next piece of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(reader) = &mut self.reader {
            reader.push(bytes);
        }
    }

    /// Ends the file.
    #[wasm_bindgen(unchecked_return_type = "TraceOutcome")]
    pub fn finish(&mut self) -> JsValue {
        if let Some(reader) = self.reader.take() {
            self.reading = Some(reader.finish_reading());
        }
        let reading = self.reading.as_ref();
        let diagnostics = reading.map(|r| r.diagnostics.clone()).unwrap_or_default();
        let summary = reading.and_then(|r| r.summary.clone());
        value(&TraceOutcome { ok: self.trace().is_some(), diagnostics, summary })
    }

    /// What the trace is like, after its end; `null` if the file was refused.
    #[wasm_bindgen(js_name = inspectTrace, unchecked_return_type = "TraceInspection | null")]
    pub fn inspect_trace(&self) -> JsValue {
        value(&self.reading.as_ref().and_then(TraceInspection::of))
    }

    /// The trace in the form that the page's module takes; `undefined` if the file was refused.
    pub fn packed(&self) -> Vec<u8> {
        self.trace().map(|t| t.packed()).unwrap_or_default()
    }

    fn trace(&self) -> Option<&Arc<Trace>> {
        self.reading.as_ref()?.trace.as_ref()
    }
}
