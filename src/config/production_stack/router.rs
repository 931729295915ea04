//! Import of `VLLMRouter` objects of vLLM's production stack: the router, by its keys and further flags.
//!
//! Source: the definition of the kind, production-stack.vllm.ai/v1alpha1.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::ObjectKind;
use crate::kubernetes::pods::rest;
use crate::production_stack::parts::router;
use serde_json::Value;

/// An object of this kind.
pub(crate) const VLLM_ROUTER: ObjectKind = ObjectKind { kind: "VLLMRouter", read };

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    router(&mut r, "spec");
    r.shape("metadata", "names and labels of the object");
    rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}
