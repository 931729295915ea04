//! The second run of a link: a branch, or the run to compare with. It is stored as its difference from the first.

use super::canonical::canonical;
use super::difference::{difference, endless_lists, put};
use super::usable::{Errors, usable};
use crate::{Scenario, limits};
use base::Diagnostics;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A second run, next to the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// What it is called, at most 40 characters.
    pub name: String,
    /// Its scenario, its edits included.
    pub scenario: Scenario,
}

/// A second run as stored in a link.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BesideParts {
    /// What it is called.
    #[serde(rename = "n")]
    name: String,
    /// What it differs in from the first run.
    #[serde(rename = "d")]
    difference: Value,
}

impl Beside {
    pub(super) fn parts(&self, first: &Value) -> BesideParts {
        let difference =
            difference(first, &canonical(&self.scenario)).unwrap_or_else(|| Value::Object(Map::new()));
        BesideParts { name: shortened(&self.name), difference }
    }

    /// The second run of a link. Parts that cannot be used are reported under `beside` and are as in the first run;
    /// `None` if it is larger than a scenario may be.
    pub(super) fn open(
        parts: &BesideParts,
        first: &Scenario,
        problems: &mut Diagnostics,
        errors: Errors<'_>,
    ) -> Option<Self> {
        let base = canonical(first);
        let mut document = base.clone();
        let mut own = Diagnostics::new();
        let fits = put(&mut document, &parts.difference, limits::SCENARIO_BYTES);
        let scenario = fits.then(|| usable(document, &base, &mut own, errors));
        if !fits {
            own.push(endless_lists());
        }
        problems.extend(own.into_iter().map(|mut problem| {
            let dot = if problem.path.is_empty() { "" } else { "." };
            problem.path = format!("beside{dot}{}", problem.path);
            problem
        }));
        Some(Self { name: shortened(&parts.name), scenario: scenario? })
    }
}

fn shortened(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(limits::RUN_NAME_CHARS).collect()
}
