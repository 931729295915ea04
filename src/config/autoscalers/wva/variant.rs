//! Import of a variant of a model for llm-d's autoscaler (`VariantAutoscaling`).

use crate::autoscalers::keys;
use crate::autoscalers::wva::map;
use crate::import::configuration::Reader;
use crate::import::configuration::patch::Patch;
use crate::kubernetes::object::{ObjectKind, object, target};
use serde_json::json;

/// An object of this kind.
pub(crate) const VARIANT_AUTOSCALING: ObjectKind = ObjectKind {
    kind: "VariantAutoscaling",
    read: |source, report| object(source, report, |r| vec![variant(r)]),
};

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
    keys::read(r, &[&map::MIN, &map::MAX], &mut patch.scaling);
    r.note(
        "kind",
        "policy.wva-saturation-v2, with the optimizer cost-aware, unless another object says otherwise",
    );
    patch.weak.push((0, "policy", json!({ "wva-saturation-v2": {} })));
    patch.weak.push((0, "optimizer", json!("cost-aware")));
    patch
}
