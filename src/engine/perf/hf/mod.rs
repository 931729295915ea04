//! Reads a model's shape from the `config.json` of a Hugging Face repository.
//!
//! Families use different names for the same value, describe their layers in many ways, and keep the language half of
//! multimodal models under a separate key. The layers are determined one by one and counted; values that the usual
//! formulas do not give are written to separate fields of the shape. All problems are reported at once; defaults for
//! missing values, and properties that a scenario cannot express, give a warning with the key.

mod config;
mod feeds;
mod formats;
mod keys;
mod layers;
mod modules;
mod pattern;
mod quantised;
mod refused;
mod state;
mod widths;

use super::memory;
use super::parts::Parts;
use base::pointer::pointer;
use base::small::decimal::fixed;
use base::{Diagnostic, Diagnostics, diag::has_errors, json};
use config::{Config, shortened};
use document::{
    Architecture, KvBlocks, LatencyModel, Precision, RooflineSettings, Scenario, check, grouped, limits,
    value_from_long_json,
};
use keys::{DTYPE, EXPERTS, EXPERTS_PER_TOKEN, HEAD_DIM, HEADS, HIDDEN, LAYERS, VOCAB};
use layers::{Layers, Mixer};
use modules::{Module, Part, Widths};
use quantised::Bytes;

/// The contents of a `config.json`, with warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadModel {
    /// The model's shape.
    pub architecture: Architecture,
    /// Defaults taken for missing values, and properties that the shape cannot express.
    pub warnings: Diagnostics,
    /// A summary of the shape in words.
    pub summary: String,
}

/// The shape of the model that a `config.json` describes.
pub fn architecture_from_hf(text: &str) -> Result<ReadModel, Diagnostics> {
    // Python writes these files, and it writes numbers that JSON does not allow.
    if let Some(pointer) = pointer(text) {
        return Err(vec![pointer]);
    }
    if text.len() > limits::MODEL_BYTES {
        let allowed = format!("at most {} MiB", limits::MODEL_BYTES >> 20);
        let fix = "`quantization_config.quantized_layers`, the longest part of such files, can be shortened to the modules of one expert";
        return Err(vec![Diagnostic::error("", format!("{} bytes", text.len()), allowed, fix)]);
    }
    let instead = ["the config.json of a model", "open the model's page, Files, config.json"];
    let document = value_from_long_json(&json::from_python(text), instead)?;
    if !document.is_object() {
        return Err(vec![Diagnostic::error("", "JSON that is not an object", instead[0], instead[1])]);
    }
    let mut config = Config::new(&document);
    config.look_for_the_unknown();
    let architecture = config.architecture();
    if has_errors(&config.found) {
        let errors = config.found.into_iter().filter(|d| has_errors(std::slice::from_ref(d)));
        return Err(errors.collect());
    }
    let architecture = in_range(architecture)?;
    let summary = summary(&architecture) + &drafting_layers(&config, architecture.layers);
    Ok(ReadModel { summary, architecture, warnings: config.found })
}

/// What to say of layers for multi-token prediction: they draft, and are not counted among the model's.
fn drafting_layers(config: &Config<'_>, layers: u32) -> String {
    let said = config.get(&["num_nextn_predict_layers", "mtp_num_hidden_layers"]);
    let Some(more) = said.and_then(|(_, n)| n.as_u64()).filter(|n| *n > 0) else { return String::new() };
    let share = fixed(1.0 / f64::from(layers.max(1)), 3);
    format!(
        "; not counted: {more} for multi-token prediction, a drafter for engine.speculative with a share of {share}"
    )
}

/// A summary of a shape: figures to compare with those published for the model.
fn summary(a: &Architecture) -> String {
    let parts = Parts::of(a);
    let count = |params: f64| match params {
        small if small < 1e9 => format!("{} million", fixed(small / 1e6, 1)),
        large => format!("{} billion", fixed(large / 1e9, 2)),
    };
    let head = f64::from(a.vocab) * f64::from(a.hidden);
    let active = parts.common + parts.expert * f64::from(a.experts_per_token) + head;
    format!(
        "{} parameters, {} of them computed for a token; {} GB of weights; {} bytes of KV cache for a token",
        count(memory::parameters(a)),
        count(active),
        fixed(memory::weight_bytes(a, 1) / 1e9, 2),
        grouped((parts.cached * a.bytes_per_kv_value) as u64),
    )
}

/// Checks the ranges of a scenario; paths are those of the shape's fields.
fn in_range(architecture: Architecture) -> Result<Architecture, Diagnostics> {
    let mut scenario = Scenario::default();
    let pool = &mut scenario.cluster.pools[0];
    pool.architecture = Some(architecture.clone());
    pool.latency = LatencyModel::Roofline(RooflineSettings::default());
    pool.kv.blocks = KvBlocks::Count(1);
    match check(scenario) {
        Err(mut problems) if has_errors(&problems) => {
            for problem in &mut problems {
                problem.path = problem.path.replace("cluster.pools[0].architecture.", "");
            }
            Err(problems)
        }
        _ => Ok(architecture),
    }
}

impl Config<'_> {
    fn architecture(&mut self) -> Architecture {
        let dtype = self.dtype();
        let mut plain = self.plain(dtype);
        if has_errors(&self.found) {
            return plain;
        }
        let experts = Some(plain.experts).filter(|n| *n > 0);
        // A count above the limit is reported as out of range; the layers are not expanded for it.
        let layers = self.layers(plain.layers.min(limits::LAYERS) as usize, experts);
        let widths = self.widths(&mut plain, &layers);
        if has_errors(&self.found) {
            return plain;
        }
        let modules = widths.modules(&layers);
        self.counted(&mut plain, &widths, &layers, &modules);
        let bytes = self.quantised(&modules, plain.experts > 0, dtype);
        said_of_bytes(&mut plain, bytes);
        self.layer_kinds(&mut plain, &layers, &widths, dtype.1);
        plain
    }

    /// The values taken from the file unchanged.
    fn plain(&mut self, dtype: (f64, f64)) -> Architecture {
        let experts = self.number(EXPERTS).filter(|n| *n > 1).unwrap_or(0);
        Architecture {
            layers: self.required(LAYERS),
            hidden: self.required(HIDDEN),
            heads: self.required(HEADS),
            kv_heads: self.kv_heads(),
            vocab: self.required(VOCAB),
            tied_embeddings: self.tied(),
            bytes_per_param: dtype.0,
            bytes_per_kv_value: self.cache_bytes().unwrap_or(dtype.1),
            experts,
            experts_per_token: if experts > 0 { self.required(EXPERTS_PER_TOKEN) } else { 0 },
            head_dim: self.number(HEAD_DIM).unwrap_or(0),
            intermediate: 0,
            ..Architecture::default()
        }
    }

    /// Bytes of an unquantised weight, and of an activation or cached number.
    fn dtype(&mut self) -> (f64, f64) {
        let Some((name, value)) = self.get(DTYPE) else {
            self.taken(DTYPE[0], "16 bits");
            return (2.0, 2.0);
        };
        let dtype = value.as_str().unwrap_or_default().trim_start_matches("torch.");
        match dtype {
            "float32" | "float" => (4.0, 4.0),
            "bfloat16" | "float16" | "half" => (2.0, 2.0),
            "int8" | "uint8" => (1.0, 2.0),
            "int4" | "uint4" | "nf4" | "fp4" => (0.5, 2.0),
            other if other.starts_with("float8") || other.starts_with("fp8") => (1.0, 2.0),
            _ => {
                let known = "float32, bfloat16, float16, float8…, fp8, int8, uint8, int4, nf4";
                self.error(name, &shortened(value), known, "write the nearest of these");
                (2.0, 2.0)
            }
        }
    }

    /// Sets the fields for values that the usual formulas do not give.
    fn counted(&mut self, a: &mut Architecture, widths: &Widths, layers: &Layers, modules: &[Module]) {
        let sum = |part: Part| modules.iter().filter(|m| m.part == part).map(|m| m.params).sum::<f64>();
        let with_experts = layers.count(|l| matches!(l.feed, layers::Feed::Experts | layers::Feed::Both));
        if a.experts > 0 && with_experts == 0 {
            self.error(
                EXPERTS[0],
                &format!("{} experts, and no layer that has them", a.experts),
                "layers with experts, or no experts",
                "correct the keys that say which layers have experts",
            );
            return;
        }
        if a.experts > 0 {
            a.dense_layers = a.layers.saturating_sub(with_experts as u32);
        }
        let usual = Parts::of(a);
        let (common, expert) = (sum(Part::Common), sum(Part::Expert));
        if differs(common, usual.common) {
            a.common_params_millions = common / 1e6;
        }
        if a.experts > 0 && differs(expert, usual.expert) {
            a.expert_params_millions = expert / with_experts.max(1) as f64 / 1e6;
        }
        let cached = widths.cached(layers, a.kv_latent);
        if cached <= 0.0 && a.layers > 0 {
            self.refuse(layers.mixers_from, "no layer that keeps keys and values");
        } else if differs(cached, usual.cached) {
            a.kv_values = cached as u32;
        }
    }

    /// Sets the kinds of layers; warns, with its key, of a window or a state of unknown size.
    fn layer_kinds(&mut self, a: &mut Architecture, layers: &Layers, widths: &Widths, bytes: f64) {
        let all = layers.all.len();
        let windows = layers.count(|l| l.mixer == Mixer::Window);
        match self.window().filter(|_| windows > 0) {
            Some((_, tokens)) => {
                a.sliding_layers = windows as u32;
                a.sliding_window = tokens.min(limits::REQUEST_TOKENS.into()) as u32;
            }
            None if windows > 0 => self.warning(
                layers.mixers_from,
                &format!("{windows} of {all} layers keep a window of unknown size"),
                "`sliding_window`",
                "all tokens count there: write `sliding_window` into the config.json",
            ),
            None => {}
        }
        let without_keys = |l: &layers::Layer| {
            matches!(
                l.mixer,
                Mixer::Linear
                    | Mixer::Mamba
                    | Mixer::Conv
                    | Mixer::Recurrent
                    | Mixer::Matrix
                    | Mixer::Nothing
            )
        };
        a.linear_layers = layers.count(without_keys) as u32;
        match self.state_kib(layers, widths.hidden, widths.full, bytes) {
            Some(kib) => a.state_kib_per_request = kib,
            None => self.warning(
                layers.mixers_from,
                &format!("some of {all} layers keep a state of unknown size for each request"),
                "`linear_num_value_heads` and its like, or `linear_attn_config`",
                "that state is counted in no memory: set `state_kib_per_request` in the scenario",
            ),
        }
        a.index_topk = self.positive(&["index_topk"]).unwrap_or(0);
    }
}

/// Whether two counts differ by more than rounding.
fn differs(a: f64, b: f64) -> bool {
    (a - b).abs() > 0.5
}

fn said_of_bytes(a: &mut Architecture, bytes: Option<Bytes>) {
    let Some(bytes) = bytes else { return };
    let rounded = |x: f64| (x * 1e6).round() / 1e6;
    a.bytes_per_param = rounded(bytes.common);
    let (expert, embedding) = (rounded(bytes.expert), rounded(bytes.embedding));
    if a.experts > 0 && differs(expert * 1e6, a.bytes_per_param * 1e6) {
        a.bytes_per_expert_param = expert;
    }
    if differs(embedding * 1e6, a.bytes_per_param * 1e6) {
        a.bytes_per_embedding_param = embedding;
    }
    let [common, expert] = bytes.formats;
    // 16 bits follow from the bytes, and experts take the format of the rest where they have its bytes.
    if common != Precision::Bf16 {
        a.precision = common;
    }
    if a.experts > 0 && expert != Precision::Bf16 && (expert != common || a.bytes_per_expert_param > 0.0) {
        a.expert_precision = expert;
    }
}

#[cfg(test)]
mod published_tests;
#[cfg(test)]
mod tests;
