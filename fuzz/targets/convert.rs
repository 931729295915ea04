//! Configurations of RouteSim, as the tree that their TOML is: what is read is a scenario, or each problem says its remedy.

use serde_json::Value;
use tokenyard::base::Severity;
use tokenyard::config::import::configuration::convert_routesim;
use tokenyard::scenario::from_value;

pub(crate) fn convert(data: &[u8]) {
    let Ok(tree) = serde_json::from_slice::<Value>(data) else { return };
    match convert_routesim(&tree) {
        Ok((scenario, _)) => {
            if let Err(problems) = from_value(scenario) {
                assert!(problems.iter().all(|d| !d.fix.is_empty()), "no remedy in {problems:?}");
            }
        }
        Err(problems) => {
            let errors = problems.iter().filter(|d| d.severity == Severity::Error);
            assert!(errors.clone().next().is_some(), "refused without an error: {problems:?}");
            assert!(errors.clone().all(|d| !d.fix.is_empty()), "no remedy in {problems:?}");
        }
    }
}
