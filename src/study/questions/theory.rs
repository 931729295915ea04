//! Questions about laws of queueing theory. There is no engine here: runs come as the bytes of their outcomes.

use crate::compare::Outcomes;
use crate::theory::{CaseTheory, Law, Theorist, TheoryOfRun, of_cases};
use base::ask::AttachedBytes;
use base::{Diagnostic, Diagnostics};
use document::{Scenario, parse};
use serde::Deserialize;

questions! {
    /// A question about laws of queueing theory. Scenarios are JSON text; a law is its name, or empty for the one that fits best.
    TheoryQuestion, TheoryAnswers of &mut TheoryDesk;
    /// The laws for a run, and the line of the chosen one.
    run: Run(RunTheoryQuery) -> TheoryOfRun = |_, query, beside| {
        let theorist = Theorist::of_run(&parse(&query.scenario)?, &Outcomes::read(beside.asked.get(query.outcomes))?)?;
        Ok(theorist.of_law(law_of(&query.law)?))
    };
    /// The prediction of a law for each case of a sweep.
    cases: Cases(CaseTheoryQuery) -> Vec<CaseTheory> = |_, query, _| {
        let cases = query.scenarios.iter().map(|text| parse(text)).collect::<Result<Vec<Scenario>, _>>()?;
        of_cases(&cases, law_of(&query.law)?)
    };
}

/// Nothing is kept between these questions.
#[derive(Default)]
pub struct TheoryDesk;

/// A query for the laws of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTheoryQuery {
    /// The scenario.
    scenario: String,
    /// The outcomes of its requests.
    outcomes: AttachedBytes,
    /// The law.
    law: String,
}

/// A query for the laws of the cases of a sweep.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseTheoryQuery {
    /// The scenarios of the cases.
    scenarios: Vec<String>,
    /// The law.
    law: String,
}

fn law_of(name: &str) -> Result<Option<Law>, Diagnostics> {
    if name.is_empty() {
        return Ok(None);
    }
    let unknown = || vec![Diagnostic::error("law", name, "the name of a law", "leave it empty for the best")];
    Law::of_name(name).map(Some).ok_or_else(unknown)
}
