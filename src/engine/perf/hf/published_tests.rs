//! Tests on models with a published number of parameters, with the keys that it depends on.

use super::*;
use serde_json::Value;

#[test]
fn models_have_as_many_parameters_as_was_published() {
    let models: Vec<Value> = serde_json::from_str(include_str!("published.json")).expect("a list of models");
    assert!(models.len() >= 20);
    for model in models {
        let (config, number) = (&model["config"], |key: &str| model[key].as_f64().expect("a number"));
        let a = architecture_from_hf(&config.to_string()).unwrap_or_else(|e| panic!("{e:?}")).architecture;
        let (found, published) = (memory::parameters(&a) / 1e9, number("billions"));
        assert!((found / published - 1.0).abs() < 0.006, "{found} {published}: {config}");
        assert!((Parts::of(&a).cached * 2.0 - number("kv_bytes")).abs() < 0.5, "{config}");
    }
}
