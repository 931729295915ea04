//! The boundary of the module that the page loads when a configuration is pasted or taken home: texts and a scenario
//! in, tables of keys and a scenario out.

use crate::wasm::boundary::value;
use base::Diagnostic;
use config::export::{System, exported};
use config::import::configuration::{Settled, TrafficAsked, imported};
use config::import::documents::Text;
use document::parse;
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type Exported = import('../src/generated/boundary.ts').Exported;
type Imported = import('../src/generated/boundary.ts').Imported;
";

/// Imports texts into a scenario, and into a new one. `texts` is the JSON text of a list of `{name, text}`, `settled`
/// that of a list of `{field, choice}`, `asked` that of a `TrafficAsked`; `scenario` is JSON text.
#[wasm_bindgen(js_name = importTexts, unchecked_return_type = "Imported")]
pub fn import_texts(texts: &str, scenario: &str, settled: &str, asked: &str) -> Result<JsValue, JsError> {
    let (texts, settled): (Vec<Text>, Vec<Settled>) =
        (serde_json::from_str(texts)?, serde_json::from_str(settled)?);
    let asked: TrafficAsked = serde_json::from_str(asked)?;
    Ok(value(&imported(&texts, scenario, &settled, &asked)))
}

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
    let beside = beside.filter(|text| !text.trim().is_empty());
    Ok(value(&exported(&scenario, system, beside.as_deref())))
}
