//! The boundary of the module of laws of queueing theory, which the page loads when they are first shown: it takes a
//! scenario and the outcomes of its run, and gives the laws and their lines. It has no engine.

use crate::wasm::boundary::value;
use base::{Diagnostic, Diagnostics};
use document::{Scenario, parse};
use study::compare::Outcomes;
use study::theory::{Law, Theorist, of_cases};
use wasm_bindgen::prelude::*;

/// Types that the declarations below use.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
type CaseTheory = import('../src/generated/boundary.ts').CaseTheory;
type TheoryOfRun = import('../src/generated/boundary.ts').TheoryOfRun;
";

/// The laws for a run and the line of the chosen one, from a scenario as JSON text and the bytes of `Sim.outcomes`;
/// `law` is the name of one, or empty for the one that fits best. Throws a list of diagnostics.
#[wasm_bindgen(js_name = theoryOfRun, unchecked_return_type = "TheoryOfRun")]
pub fn theory_of_run(scenario: &str, outcomes: &[u8], law: &str) -> Result<JsValue, JsValue> {
    let found = || {
        let theorist = Theorist::of_run(&parse(scenario)?, &Outcomes::read(outcomes)?)?;
        Ok(theorist.of_law(asked(law)?))
    };
    found().map(|found| value(&found)).map_err(|problems: Diagnostics| value(&problems))
}

/// The prediction of a law for each case of a sweep, from their scenarios as JSON texts; `law` as above. Throws a list
/// of diagnostics.
#[expect(clippy::needless_pass_by_value, reason = "lists come from JavaScript by value")]
#[wasm_bindgen(js_name = theoryOfCases, unchecked_return_type = "CaseTheory[]")]
pub fn theory_of_cases(scenarios: Vec<String>, law: &str) -> Result<JsValue, JsValue> {
    let found = || {
        let cases = scenarios.iter().map(|text| parse(text)).collect::<Result<Vec<Scenario>, _>>()?;
        of_cases(&cases, asked(law)?)
    };
    found().map(|found| value(&found)).map_err(|problems: Diagnostics| value(&problems))
}

fn asked(law: &str) -> Result<Option<Law>, Diagnostics> {
    if law.is_empty() {
        return Ok(None);
    }
    let unknown = || vec![Diagnostic::error("law", law, "the name of a law", "leave it empty for the best")];
    Law::of_name(law).map(Some).ok_or_else(unknown)
}
