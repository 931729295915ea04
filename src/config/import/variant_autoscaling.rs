//! Import of a variant of a model for llm-d's autoscaler (`VariantAutoscaling`).

use super::Import;
use super::configuration::kubernetes::{Patch, is_of, object, replicas, target};
use super::configuration::{Configuration, Reader, Report, Settings};
use serde_json::{Value, json};

/// An object of this kind.
pub(super) struct VariantAutoscaling;

impl Import<Configuration> for VariantAutoscaling {
    fn name(&self) -> &'static str {
        "VariantAutoscaling"
    }

    fn title(&self) -> &'static str {
        "VariantAutoscaling"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        object(source, report, |r| vec![variant(r)])
    }
}

/// A variant of a model.
fn variant(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    patch.model = r.word("spec.modelID").map(str::to_owned);
    r.note("spec.modelID", "pools that serve it");
    if let Some(cost) =
        r.quantity("spec.variantCost", "scaling.usd_per_hour, what a replica costs the optimiser")
    {
        patch.scaling.insert("usd_per_hour".to_owned(), json!(cost));
    }
    replicas(r, "spec.minReplicas", "min", &mut patch.scaling);
    replicas(r, "spec.maxReplicas", "max", &mut patch.scaling);
    r.note(
        "kind",
        "policy.wva-saturation-v2, with the optimizer cost-aware, unless another object says otherwise",
    );
    patch.weak.push((0, "policy", json!({ "wva-saturation-v2": {} })));
    patch.weak.push((0, "optimizer", json!("cost-aware")));
    patch
}
