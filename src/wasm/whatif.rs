//! The boundary of the module of what-if questions, which the page loads when one is asked. It has its own engine and
//! runs in its own thread, so that the run on screen continues.

use crate::wasm::boundary::{value, written};
use base::Diagnostics;
use document::{Scenario, limits, parse};
use run::session::{Trace, TraceReader};
use std::sync::Arc;
use study::whatif::{Asking, ExplainQuery, Explaining, Explanation, WhatIfQuery};
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type ExplainQuery = import('../src/generated/boundary.ts').ExplainQuery;
type Explanation = import('../src/generated/boundary.ts').Explanation;
type WhatIf = import('../src/generated/boundary.ts').WhatIf;
type WhatIfQuery = import('../src/generated/boundary.ts').WhatIfQuery;
";

/// The run of one scenario, and questions about it.
#[wasm_bindgen]
pub struct Questions {
    scenario: Scenario,
    trace: Option<Arc<Trace>>,
    /// The run so far: later questions about its decisions use its checkpoints.
    asking: Option<Asking>,
    /// The latest explanation, and its question.
    explained: Option<(ExplainQuery, Explanation)>,
}

#[wasm_bindgen]
impl Questions {
    /// Questions about a scenario (JSON text) and the trace that it replays, if any; throws a list of diagnostics.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, trace_name: &str, trace: &[u8]) -> Result<Self, JsValue> {
        let scenario = parse(text).map_err(|problems| value(&problems))?;
        let trace = read_trace(trace_name, trace).map_err(|problems| value(&problems))?;
        Ok(Self { scenario, trace, asking: None, explained: None })
    }

    /// One decision and its alternatives; throws a list of diagnostics.
    #[wasm_bindgen(js_name = whatIf, unchecked_return_type = "WhatIf")]
    pub fn what_if(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "WhatIfQuery")] asked: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let asked: WhatIfQuery = written(asked)?;
        self.asking()?.what_if(&asked).map(|found| value(&found)).map_err(|problem| value(&[problem]))
    }

    /// Runs ahead what the question needs, so that its answer comes sooner; throws a list of diagnostics.
    pub fn prepare(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "WhatIfQuery")] asked: &JsValue,
    ) -> Result<(), JsValue> {
        let asked: WhatIfQuery = written(asked)?;
        self.asking()?.prepare(&asked);
        Ok(())
    }

    /// Why slow requests are slow; throws a list of diagnostics.
    #[wasm_bindgen(unchecked_return_type = "Explanation")]
    pub fn explain(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "ExplainQuery")] asked: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let asked: ExplainQuery = written(asked)?;
        self.explained(&asked).map(value)
    }

    /// The same as Markdown; throws a list of diagnostics.
    #[wasm_bindgen(js_name = explainMarkdown)]
    pub fn explain_markdown(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "ExplainQuery")] asked: &JsValue,
    ) -> Result<String, JsValue> {
        let (asked, title): (ExplainQuery, _) = (written(asked)?, self.scenario.title.clone());
        self.explained(&asked).map(|found| found.markdown(&title))
    }
}

impl Questions {
    fn explained(&mut self, asked: &ExplainQuery) -> Result<&Explanation, JsValue> {
        let known = self.explained.take().filter(|(query, _)| query == asked);
        let found = if let Some((_, found)) = known {
            found
        } else {
            let begun = Explaining::new(self.scenario.clone(), self.trace.clone());
            let (mut explaining, _) = begun.map_err(|problems| value(&problems))?;
            explaining.explain(asked).map_err(|problem| value(&[problem]))?
        };
        Ok(&self.explained.insert((*asked, found)).1)
    }

    fn asking(&mut self) -> Result<&mut Asking, JsValue> {
        match &mut self.asking {
            Some(asking) => Ok(asking),
            none => {
                let begun = Asking::new(self.scenario.clone(), self.trace.clone());
                Ok(none.insert(begun.map_err(|problems| value(&problems))?.0))
            }
        }
    }
}

fn read_trace(name: &str, bytes: &[u8]) -> Result<Option<Arc<Trace>>, Diagnostics> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut reader = TraceReader::new(name, limits::TRACE_BYTES_PAGE);
    reader.push(bytes);
    let (trace, diagnostics, _) = reader.finish();
    trace.map(Some).ok_or(diagnostics)
}
