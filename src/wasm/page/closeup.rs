//! The boundary of close-ups: single steps, blocks and requests of the run on screen. In the module built for speed alone, so that a first
//! visit does not load it.

use super::Sim;
use crate::wasm::boundary::{value, written};
use run::session::closeup::CloseUp;
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type CloseUp = import('../src/generated/boundary.ts').CloseUp;
type ScalingQuery = import('../src/generated/boundary.ts').ScalingQuery;
type ScalingRows = import('../src/generated/boundary.ts').ScalingRows;
";

#[wasm_bindgen]
impl Sim {
    /// The answer to a question at the playhead, as the bytes of its JSON, which pass between threads without a copy: the field of
    /// `CloseUpAnswers` that has the name of the question.
    #[wasm_bindgen(js_name = closeUp)]
    pub fn close_up(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CloseUp")] asked: &JsValue,
    ) -> Result<Vec<u8>, JsError> {
        let asked: CloseUp = written(asked)?;
        Ok(self.history.present().close_up(&asked).into_bytes())
    }
    /// The decisions of autoscalers.
    #[wasm_bindgen(js_name = scalingRows, unchecked_return_type = "ScalingRows")]
    pub fn scaling_rows(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ScalingQuery")] asked: &JsValue,
    ) -> Result<JsValue, JsError> {
        Ok(value(&self.history.present().scaling_rows(&written(asked)?)))
    }
}
