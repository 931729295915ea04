//! Descriptions of models, the config.json of Hugging Face: what is read is a shape that a scenario can have.

use tokenyard::scenario::parse;
use tokenyard::session::scenario_from_hf;

pub(crate) fn model(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match scenario_from_hf("mine", &text) {
        Ok((scenario, _)) => {
            assert!(parse(&scenario).is_ok(), "a shape that no scenario can have: {scenario}");
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a problem");
            assert!(problems.iter().all(|d| !d.fix.is_empty()), "no remedy in {problems:?}");
        }
    }
}
