//! The boundary of what a scenario's policies are as another system's configuration: a scenario and a file of the user
//! in, the lines of the new file and its settings out.

use crate::base::Diagnostic;
use crate::exchange::export::configuration::{System, exported};
use crate::scenario::parse;
use crate::wasm::boundary::value;
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type Exported = import('../src/generated/boundary.ts').Exported;
";

/// The policies of a scenario, JSON text, as the configuration of a system by its name, beside a file of the user if
/// there is one; throws a list of diagnostics.
#[wasm_bindgen(js_name = exportConfiguration, unchecked_return_type = "Exported")]
pub fn export_configuration(
    scenario: &str,
    system: &str,
    beside: Option<String>,
) -> Result<JsValue, JsValue> {
    let scenario = parse(scenario).map_err(|problems| value(&problems))?;
    let Some(system) = System::named(system) else {
        let allowed = System::ALL.map(System::name).join(", ");
        let unknown = Diagnostic::error("", system, allowed, "name one of these");
        return Err(value(&vec![unknown]));
    };
    Ok(value(&exported(&scenario, system, beside.as_deref())))
}
