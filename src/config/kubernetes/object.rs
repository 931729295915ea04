//! What the objects of a Kubernetes cluster have in common: their kinds, their metadata, the targets of autoscalers. The
//! files next to this folder read the kinds of objects.
//!
//! Sources of the keys: the API references of Kubernetes (autoscaling/v2), KEDA (keda.sh/v1alpha1) and llm-d.

use crate::import::configuration::patch::Patch;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use base::Diagnostic;
use base::import::Import;
use serde_json::Value;

/// Whether an object is of a kind.
pub(crate) fn is_of(object: &Value, kind: &str) -> bool {
    object.get("kind").and_then(Value::as_str) == Some(kind)
}

/// A format that is recognised by the kind of an object, and named after it.
pub(crate) struct ObjectKind {
    pub(crate) kind: &'static str,
    pub(crate) read: fn(&Value, &mut Report) -> Settings,
}

impl Import<Configuration> for ObjectKind {
    fn name(&self) -> &'static str {
        self.kind
    }

    fn title(&self) -> &'static str {
        self.kind
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.kind)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        (self.read)(source, report)
    }
}

/// Reads an object: the keys of every kind here, the rest with `own`.
pub(crate) fn object(
    source: &Value,
    report: &mut Report,
    own: impl FnOnce(&mut Reader<'_>) -> Vec<Patch>,
) -> Settings {
    let mut r = Reader::new(source);
    r.shape("apiVersion", "every version is read the same way");
    r.shape("metadata", "names and labels of the object");
    r.shape("status", "it is what a cluster reports");
    r.get("kind");
    let autoscalers = own(&mut r);
    r.finish(Unknown::LeftOut, report);
    Settings { autoscalers, ..Settings::default() }
}

/// Whether a document is an object of Kubernetes.
pub(crate) fn is_object(document: &Value) -> bool {
    document.get("kind").is_some() || document.get("apiVersion").is_some()
}

/// The name of an autoscaler's target.
pub(crate) fn target(r: &mut Reader<'_>) -> Option<String> {
    r.without_counterpart("spec.scaleTargetRef.apiVersion", "every version is read the same way");
    r.without_counterpart("spec.scaleTargetRef.kind", "pools are all of a kind");
    let name = r.word("spec.scaleTargetRef.name")?.to_owned();
    r.note("spec.scaleTargetRef.name", "the pool of this name, or all if none has it");
    Some(name)
}

/// Says that an object runs no engine that is read: a router, a gateway or a server of another program.
pub(crate) fn no_engine(r: &mut Reader<'_>, paths: &[&str]) {
    let found = "no container with the command or the image of an engine";
    let fix = "give the object of the engines, or write its replicas as cluster.pools";
    r.problems.push(Diagnostic::warning(
        "kind",
        found,
        "a container that runs `vllm serve`, SGLang's or TensorRT-LLM's server",
        fix,
    ));
    for path in paths {
        r.without_counterpart(path, "no container of it is an engine that is read");
    }
}
