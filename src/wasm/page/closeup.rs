//! The boundary of close-ups: single steps, blocks and requests of the run on screen. In the module built for speed alone, so that a first
//! visit does not load it.

use super::Sim;
use crate::session::closeup::CloseUp;
use crate::study::lesson::live_figures;
use crate::wasm::boundary::{value, written};
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type CloseUp = import('../src/generated/boundary.ts').CloseUp;
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

    /// The values of expressions over `report`, `frame` and `scenario` of the run at the playhead; conditions are 1 and 0, a value
    /// that is missing is null.
    #[wasm_bindgen(unchecked_return_type = "(number | null)[]")]
    #[expect(clippy::needless_pass_by_value, reason = "lists come from JavaScript by value")]
    pub fn figures(&self, expressions: Vec<String>) -> JsValue {
        value(&live_figures(self.history.present(), &expressions))
    }
}
