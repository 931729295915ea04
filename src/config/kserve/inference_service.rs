//! Import of `InferenceService` objects of KServe whose predictor runs vLLM, by its runtime for models of Hugging Face or by a
//! container of its own: a pool.
//!
//! Source: the API reference of KServe, serving.kserve.io/v1beta1.

use crate::command::flags::Word;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::{ObjectKind, no_engine};
use crate::kubernetes::pods::{Pods, container_of, engine_container, gpu_selectors, name_of, rest, words};
use serde_json::Value;

/// An object of this kind.
pub(crate) const INFERENCE_SERVICE: ObjectKind = ObjectKind { kind: "InferenceService", read };

const PREDICTOR: &str = "spec.predictor";
const MODEL: &str = "spec.predictor.model";
/// Formats of models whose runtime is vLLM, and parts of the names of such runtimes.
const FORMATS: [&str; 2] = ["huggingface", "vllm"];
const RUNTIMES: [&str; 4] = ["vllm", "huggingface", "llm", "hf"];

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let name = name_of(&mut r);
    let of = PoolOf::defined(&name);
    let container =
        engine_container(&mut r, PREDICTOR).or_else(|| runs_vllm(&mut r).then(|| MODEL.to_owned()));
    match container {
        None => no_engine(&mut r, &[PREDICTOR]),
        Some(container) => {
            let extra = parallelism_and_model(&mut r, &container);
            gpu_selectors(&mut r, PREDICTOR, &of);
            let replicas = format!("{PREDICTOR}.minReplicas");
            let own = Pods { name: &name, replicas: &replicas, nodes: 1, role: None, extra };
            container_of(&mut r, &container, &own, &of, None, None);
            for key in ["modelFormat.name", "modelFormat.version", "runtime", "protocolVersion", "name"] {
                r.shape(&format!("{MODEL}.{key}"), "the program that serves the model");
            }
            for key in [
                "maxReplicas",
                "scaleTarget",
                "scaleMetric",
                "scaleMetricType",
                "containerConcurrency",
                "autoScaling",
            ] {
                let why = "give the autoscaler that KServe makes of it: a HorizontalPodAutoscaler, a ScaledObject or Knative's";
                r.without_counterpart(&format!("{PREDICTOR}.{key}"), why);
            }
            r.without_counterpart_of_rest(PREDICTOR, "it does not change what the predictor serves");
        }
    }
    r.shape("metadata", "the pool has the name of the object");
    r.without_counterpart("spec.transformer", "what stands before the model is not simulated");
    r.without_counterpart("spec.explainer", "what stands beside the model is not simulated");
    rest(&mut r, &["apiVersion", "kind", "status", PREDICTOR]);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}

/// Whether the model of the predictor is served by vLLM.
fn runs_vllm(r: &mut Reader<'_>) -> bool {
    let word = |r: &mut Reader<'_>, key: &str| {
        r.get(&format!("{MODEL}.{key}")).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
    };
    let (format, runtime) = (word(r, "modelFormat.name"), word(r, "runtime"));
    FORMATS.contains(&format.as_str()) || RUNTIMES.iter().any(|part| runtime.contains(part))
}

/// Flags that the object gives by keys of its own: the model, unless the arguments name it, and the parallelism of its workers.
fn parallelism_and_model(r: &mut Reader<'_>, container: &str) -> Vec<Word> {
    let all = words(r, container);
    let named = ["--model=", "--model_id", "--model-id"];
    let is_named =
        all.iter().any(|word| word.text == "--model" || named.iter().any(|flag| word.text.starts_with(flag)));
    let mut extra = Vec::new();
    let uri = format!("{MODEL}.storageUri");
    if let Some(text) = r.get(&uri).and_then(Value::as_str) {
        if is_named {
            r.shape(&uri, "the arguments name the model");
        } else {
            extra.push(Word { path: uri, text: format!("--model={text}") });
        }
    }
    for (key, flag) in
        [("tensorParallelSize", "tensor-parallel-size"), ("pipelineParallelSize", "pipeline-parallel-size")]
    {
        let path = format!("{PREDICTOR}.workerSpec.{key}");
        let Some(value) = r.get(&path) else { continue };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        extra.push(Word { path, text: format!("--{flag}={text}") });
    }
    extra
}
