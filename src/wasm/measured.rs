//! The boundary of the second module, which the page loads when a benchmark is dropped on it or
//! rows are downloaded: it takes a text and a scenario and gives figures or rows. It contains nothing of the first
//! module.

use crate::wasm::boundary::value;
use base::{Diagnostic, Diagnostics, Micros};
use benchmarks::import::benchmark::{Benchmark, read};
use benchmarks::{ToldLoad, bands, calibrate, compare, replay};
use document::{Scenario, limits, parse};
use export::{CANDIDATES, Format, MOST_SLICES, Output, Table, Tables, TraceOutput, page};
use run::session::{Session, Stop, TraceReader};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type Band = import('../src/generated/boundary.ts').Band;
type Benchmark = import('../src/generated/boundary.ts').Benchmark;
type Comparison = import('../src/generated/boundary.ts').Comparison;
type OneRun = import('../src/generated/boundary.ts').OneRun;
";

/// The runs in what a benchmark tool or a server wrote; throws a list of diagnostics.
#[wasm_bindgen(js_name = readBenchmark, unchecked_return_type = "Benchmark[]")]
pub fn read_benchmark(text: &str) -> Result<JsValue, JsValue> {
    read(text).map(|(runs, _)| value(&runs)).map_err(|p| value(&p))
}

/// Compares a run of a file with the same traffic on a scenario's cluster; `load` is the load that the user gives, as
/// JSON text. Throws a list of diagnostics.
#[wasm_bindgen(js_name = compareBenchmark, unchecked_return_type = "Comparison")]
pub fn compare_benchmark(text: &str, run: u32, scenario: &str, load: &str) -> Result<JsValue, JsValue> {
    let compared =
        one(text, run, scenario, load).and_then(|(b, scenario)| compare(&b, &replay(&b, &scenario)));
    compared.map(|c| value(&c)).map_err(|p| value(&p))
}

/// The scenario with the coefficients that a run of a file fixes, with the load that the user gives; throws a list of
/// diagnostics.
#[wasm_bindgen(js_name = calibrateBenchmark, unchecked_return_type = "OneRun")]
pub fn calibrate_benchmark(
    text: &str,
    run: u32,
    scenario: &str,
    load: &str,
    file: &str,
) -> Result<JsValue, JsValue> {
    let found = one(text, run, scenario, load).and_then(|(b, scenario)| calibrate(&b, &scenario, file));
    found.map(|c| value(&c)).map_err(|p| value(&p))
}

/// The bands of TTFT and TPOT from the intervals of built-in coefficients; throws a list of diagnostics.
#[wasm_bindgen(js_name = uncertaintyBands, unchecked_return_type = "Band[]")]
pub fn uncertainty_bands(scenario: &str) -> Result<JsValue, JsValue> {
    let found = parse(scenario).and_then(|scenario| bands(&scenario));
    found.map(|b| value(&b)).map_err(|p| value(&p))
}

/// Requests of a run that are written between two pieces.
const REQUESTS_AT_ONCE: u32 = 4096;

/// Bytes that a table writes and the page takes away.
#[derive(Clone, Default)]
struct Pieces(Rc<RefCell<Vec<u8>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is made of a run.
#[derive(Clone, Copy)]
enum Asked {
    /// The rows of a table.
    Rows(Table, Format),
    /// A trace for Perfetto.
    Perfetto,
    /// One page of HTML.
    Page,
}

impl Asked {
    /// By the names of the command line's options and of file extensions.
    fn named(table: &str, format: &str) -> Option<Self> {
        match (table, format) {
            ("perfetto", "json") => Some(Self::Perfetto),
            ("page", "html") => Some(Self::Page),
            _ => {
                let table = Table::ALL.into_iter().find(|t| t.name() == table)?;
                let format = Format::ALL.into_iter().find(|f| f.extension() == format)?;
                Some(Self::Rows(table, format))
            }
        }
    }
}

/// The rows of one table, a trace or a page, from a run of their own: the bytes that the command line writes.
#[wasm_bindgen]
pub struct Rows {
    scenario: Scenario,
    asked: Asked,
    /// The part of the run that a trace holds.
    span: Option<[Micros; 2]>,
    /// The address that a page gives for the run.
    link: Option<String>,
    trace: Option<TraceReader>,
    run: Option<(Session, Tables)>,
    ran: bool,
    done: bool,
    pieces: Pieces,
}

#[wasm_bindgen]
impl Rows {
    /// The rows of a table by its name, as `csv` or `jsonl`, the trace `perfetto` as `json`, or the `page` as `html`;
    /// throws a list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str, table: &str, format: &str) -> Result<Self, JsValue> {
        let scenario = parse(scenario).map_err(|p| value(&p))?;
        let unknown = |what: &str| {
            value(&vec![Diagnostic::error("", what, "a table and a format", "see docs/reference/output.md")])
        };
        let found = format!("{table} as {format}");
        let asked = Asked::named(table, format).ok_or_else(|| unknown(&found))?;
        let (span, link, trace, run, pieces) = (None, None, None, None, Pieces::default());
        Ok(Self { scenario, asked, span, link, trace, run, ran: false, done: false, pieces })
    }

    /// The part of the run that a trace holds, in microseconds; all of it by default.
    pub fn span(&mut self, from_us: f64, to_us: f64) {
        self.span = Some([Micros(from_us as u64), Micros(to_us as u64)]);
    }

    /// The address that a page gives for the run.
    pub fn link(&mut self, address: String) {
        self.link = Some(address);
    }

    /// What a trace holds, if it has no room for all of the run; at its end.
    pub fn note(&self) -> Option<String> {
        let (session, tables) = self.run.as_ref()?;
        tables.held(session).map(|held| held.sentence())
    }

    /// Takes the next piece of the trace that the scenario replays.
    pub fn trace(&mut self, bytes: &[u8]) {
        let name = self.scenario.workload.trace.as_ref().map(|t| t.file.clone()).unwrap_or_default();
        self.trace.get_or_insert_with(|| TraceReader::new(&name, limits::TRACE_BYTES_PAGE)).push(bytes);
    }

    /// Begins the run; throws a list of diagnostics.
    pub fn start(&mut self) -> Result<(), JsValue> {
        let trace = match self.trace.take().map(TraceReader::finish) {
            Some((None, problems, _)) => return Err(value(&problems)),
            Some((trace, ..)) => trace,
            None => None,
        };
        let started = Session::start_for_rows(self.scenario.clone(), trace);
        let (session, _) = started.map_err(|p| value(&p))?;
        let out = Box::new(self.pieces.clone());
        let tables = match self.asked {
            Asked::Rows(table, format) => {
                Tables::new(&session, vec![Output { table, format, out }], CANDIDATES)
            }
            Asked::Perfetto => {
                let trace = TraceOutput { span: self.span, most: MOST_SLICES, out };
                Tables::new(&session, Vec::new(), CANDIDATES).with_trace(&session, trace)
            }
            Asked::Page => Tables::new(&session, Vec::new(), CANDIDATES),
        };
        self.run = Some((session, tables));
        Ok(())
    }

    /// Runs at most a number of events and returns the bytes written; `undefined` once all were returned.
    pub fn next(&mut self, events: u32) -> Option<Vec<u8>> {
        let (session, tables) = self.run.as_mut()?;
        if self.done {
            return None;
        }
        if self.ran && matches!(self.asked, Asked::Page) {
            self.done = true;
            return Some(page(session, self.link.as_deref()).into_bytes());
        }
        if self.ran {
            self.done = tables.write_rest(session, REQUESTS_AT_ONCE).expect("memory takes all");
        } else {
            let stop = tables.advance(session, Micros::MAX, u64::from(events)).expect("memory takes all");
            self.ran = stop == Stop::Finished;
        }
        Some(std::mem::take(&mut *self.pieces.0.borrow_mut()))
    }

    /// The playhead of the run, in microseconds.
    #[wasm_bindgen(js_name = nowUs)]
    pub fn now_us(&self) -> f64 {
        self.run.as_ref().map_or(0.0, |(session, _)| session.now().0 as f64)
    }
}

fn one(text: &str, run: u32, scenario: &str, load: &str) -> Result<(Benchmark, Scenario), Diagnostics> {
    let (mut runs, _) = read(text)?;
    let scenario = parse(scenario)?;
    if run as usize >= runs.len() {
        let allowed = format!("below {}", runs.len());
        return Err(vec![Diagnostic::error(
            "",
            format!("run {run}"),
            allowed,
            "choose one of the file's runs",
        )]);
    }
    let mut b = runs.swap_remove(run as usize);
    let told = serde_json::from_str::<ToldLoad>(load);
    let unread = |e: serde_json::Error| {
        vec![Diagnostic::error("", format!("a load that is not read: {e}"), "numbers", "give the load again")]
    };
    told.map_err(unread)?.add_to(&mut b)?;
    Ok((b, scenario))
}
