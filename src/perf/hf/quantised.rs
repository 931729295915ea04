//! Quantisation by a file: the quantised weights, and the bytes of each with its share of the scales.

use super::config::{Config, shortened};
use super::modules::{Module, Part};
use super::pattern::Pattern;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bytes of a weight, on average over a part of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bytes {
    pub(super) common: f64,
    pub(super) expert: f64,
    pub(super) embedding: f64,
}

/// The quantised groups and their bits.
struct Plan {
    /// The first group that matches a module applies.
    groups: Vec<(Vec<Target>, f64)>,
    ignored: Vec<Pattern>,
}

enum Target {
    All,
    Experts,
    Named(Pattern),
}

const CONFIG: &[&str] = &["quantization_config", "compression_config", "quantization"];
/// Keys of lists of unquantised modules.
const IGNORED: &[&str] = &[
    "ignore",
    "modules_to_not_convert",
    "llm_int8_skip_modules",
    "exclude_modules",
    "exclude",
    "ignored_layers",
];
/// Bits of a four-bit value with its share of an eight-bit scale for a block of 32 or 16 values.
const FOUR_BITS_32: f64 = 4.0 + 8.0 / 32.0;
const FOUR_BITS_16: f64 = 4.0 + 8.0 / 16.0;

impl<'a> Config<'a> {
    /// Bytes of weights according to `quantization_config`, if there is one; `plain` are the bytes of unquantised
    /// weights.
    pub(super) fn quantised(
        &mut self,
        modules: &[Module],
        experts: bool,
        plain: (f64, f64),
    ) -> Option<Bytes> {
        let expert_bits = self.expert_bits();
        let Some((name, config)) = self.get(CONFIG).filter(|(_, v)| v.is_object()) else {
            let expert = expert_bits? / 8.0;
            return Some(Bytes { common: plain.0, expert, embedding: plain.0 });
        };
        let groups = self.groups(name, config, experts)?;
        let plan = Plan { groups, ignored: self.ignored(name, config) };
        let average = plan.averages(modules, plain.0 * 8.0);
        let [common, expert] = average.map(|bits| bits / 8.0);
        // Input embeddings are never quantised by these methods, and the output layer seldom.
        let wide = plain.0.max(2.0);
        let head = config.get("lm_head").is_some_and(|v| *v == true) && !self.tied();
        let embedding = if head { f64::midpoint(wide, plan.bits_of_all() / 8.0) } else { wide };
        Some(Bytes { common, expert: expert_bits.map_or(expert, |bits| bits / 8.0), embedding })
    }

    /// Bits of an expert's weight if the file gives them separately.
    fn expert_bits(&mut self) -> Option<f64> {
        let (key, value) = self.get(&["expert_dtype"])?;
        let bits = value.as_str().and_then(bits_of);
        if bits.is_none() {
            self.error(
                key,
                &shortened(value),
                "fp4, mxfp4, nvfp4, int4, fp8, int8, bfloat16",
                "write the nearest of these",
            );
        }
        bits
    }

    /// Bytes of a cached number, if the cache is quantised by the file.
    pub(super) fn cache_bytes(&mut self) -> Option<f64> {
        const KEYS: &[&str] = &[
            "kv_cache_scheme",
            "kv_cache_quant_algo",
            "kv_cache_quant",
            "kv_cache_quant_config",
            "kv_cache_dtype",
        ];
        let config = self.get(CONFIG).map(|(_, v)| v);
        let inner = config.and_then(|c| c.get("quantization"));
        let of =
            |place: &'a Value| KEYS.iter().find_map(|key| Some((*key, place.get(*key).filter(|v| says(v))?)));
        let (key, value) = config
            .and_then(of)
            .or_else(|| inner.and_then(of))
            .or_else(|| self.get(KEYS).filter(|(_, v)| says(v)))?;
        let bits = match value {
            Value::String(text) if text == "auto" => return None,
            Value::String(text) => bits_of(text),
            other => ["num_bits", "bits"]
                .iter()
                .find_map(|key| other.get(*key)?.as_f64())
                .or_else(|| dtype_in(other, 0)),
        };
        if bits.is_none() {
            self.error(
                key,
                &shortened(value),
                "num_bits, or a type such as fp8",
                "take it out and set `bytes_per_kv_value` in the scenario",
            );
        }
        bits.map(|bits| bits / 8.0)
    }

    /// The quantised groups and their bits. Problems are reported.
    fn groups(&mut self, name: &str, config: &'a Value, experts: bool) -> Option<Vec<(Vec<Target>, f64)>> {
        let method = config.get("quant_method").and_then(Value::as_str).unwrap_or_default();
        if let Some(groups) = config.get("config_groups").and_then(Value::as_object).filter(|g| !g.is_empty())
        {
            let read: Vec<_> =
                groups.iter().filter_map(|(key, group)| self.group(name, key, group)).collect();
            return (read.len() == groups.len()).then_some(read);
        }
        for key in ["quantized_layers", "layer_quant_config", "extra_config"] {
            if config.get(key).is_some_and(says) {
                self.error(
                    &format!("{name}.{key}"),
                    &shortened(&config[key]),
                    "one number of bits for all that is quantised",
                    "take `quantization_config` out and set `bytes_per_param` in the scenario",
                );
                return None;
            }
        }
        let all = |bits: f64| Some(vec![(vec![Target::All], bits)]);
        match bits_of_method(method, config) {
            // In a model with experts this method converts only the experts.
            Some(bits) if method == "mxfp4" && experts => Some(vec![(vec![Target::Experts], bits)]),
            Some(bits) => all(bits),
            None => {
                self.error(
                    name,
                    &format!("quant_method \"{method}\" without a number of bits"),
                    "bits, config_groups, load_in_4bit, load_in_8bit, quant_algo, or quant_method fp8 or mxfp4",
                    "take `quantization_config` out and set `bytes_per_param` in the scenario",
                );
                None
            }
        }
    }

    fn group(&mut self, name: &str, key: &str, group: &Value) -> Option<(Vec<Target>, f64)> {
        let path = format!("{name}.config_groups.{key}");
        // Groups without an entry for weights leave them unquantised.
        let bits = match group.get("weights").filter(|w| !w.is_null()) {
            None => 16.0,
            Some(weights) => {
                let Some(bits) = weights.get("num_bits").and_then(Value::as_f64) else {
                    self.error(&format!("{path}.weights"), &shortened(weights), "num_bits", "add it");
                    return None;
                };
                with_scales(bits, weights)
            }
        };
        let targets = group.get("targets").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut read = Vec::new();
        for target in targets.iter().filter_map(Value::as_str) {
            read.push(match target {
                "Linear" => Target::All,
                "FusedMoE" | "MoE" => Target::Experts,
                other => Target::Named(self.pattern(&format!("{path}.targets"), other)?),
            });
        }
        if targets.is_empty() {
            read.push(Target::All);
        }
        Some((read, bits))
    }

    fn ignored(&mut self, name: &str, config: &Value) -> Vec<Pattern> {
        let inner = config.get("quantization").unwrap_or(&Value::Null);
        let mut patterns = Vec::new();
        for (place, key) in
            [config, inner].iter().flat_map(|place| IGNORED.iter().map(move |key| (place, key)))
        {
            for entry in
                place.get(*key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
            {
                patterns.extend(self.pattern(&format!("{name}.{key}"), entry));
            }
        }
        for (entry, value) in config.get("dynamic").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{name}.dynamic");
            match entry.strip_prefix("-:") {
                Some(regex) => patterns.extend(self.pattern(&path, &format!("re:{regex}"))),
                None => self.error(
                    &path,
                    &format!("{entry}: {}", shortened(value)),
                    "entries that begin with -:",
                    "take it out, and set `bytes_per_param` in the scenario",
                ),
            }
        }
        patterns.retain(|pattern| !pattern.is_of_nothing());
        patterns
    }

    fn pattern(&mut self, path: &str, text: &str) -> Option<Pattern> {
        let pattern = Pattern::read(text);
        if pattern.is_none() {
            self.error(
                path,
                &shortened(&Value::from(text)),
                "names, `*`, and plain regular expressions",
                "write the names of the modules",
            );
        }
        pattern
    }
}

impl Plan {
    /// Bits of a weight, scales included, for weights that every token passes and for experts.
    fn averages(&self, modules: &[Module], plain: f64) -> [f64; 2] {
        let layered = self.patterns().any(Pattern::tells_layers_apart);
        let mut known = BTreeMap::new();
        let mut sums = [[0.0; 2]; 2];
        for module in modules {
            let layer = if layered { module.layer } else { 0 };
            let key = (layer, module.places.as_ptr() as usize, module.names.as_ptr() as usize);
            let bits = *known.entry(key).or_insert_with(|| self.bits(module, layer, plain));
            let sum = &mut sums[usize::from(module.part == Part::Expert)];
            *sum = [sum[0] + bits * module.params, sum[1] + module.params];
        }
        sums.map(|[bits, params]| if params > 0.0 { bits / params } else { plain })
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let of_targets =
            self.groups.iter().flat_map(|(targets, _)| targets).filter_map(|target| match target {
                Target::Named(pattern) => Some(pattern),
                Target::All | Target::Experts => None,
            });
        self.ignored.iter().chain(of_targets)
    }

    fn bits(&self, module: &Module, layer: usize, plain: f64) -> f64 {
        let mut names = Vec::new();
        for place in module.places {
            names.extend(module.names.iter().map(|name| format!("layers.{layer}.{place}.{name}")));
        }
        let named =
            |pattern: &Pattern| pattern.may_name(layer) && names.iter().any(|name| pattern.names(name));
        if self.ignored.iter().any(named) {
            return plain;
        }
        let is = |target: &Target| match target {
            Target::All => true,
            Target::Experts => module.part == Part::Expert,
            Target::Named(pattern) => named(pattern),
        };
        self.groups.iter().find(|(targets, _)| targets.iter().any(is)).map_or(plain, |(_, bits)| *bits)
    }

    /// Bits of the first group.
    fn bits_of_all(&self) -> f64 {
        self.groups.first().map_or(16.0, |(_, bits)| *bits)
    }
}

/// Bits of a weight by the method's name and figures.
fn bits_of_method(method: &str, config: &Value) -> Option<f64> {
    let yes = |key: &str| config.get(key).is_some_and(|v| *v == true);
    if let Some(bits) = config.get("bits").or_else(|| config.get("w_bit")).and_then(Value::as_f64) {
        return Some(with_scales(bits, config));
    }
    if yes("load_in_4bit") {
        // A scale of 32 bits for each 64, or of 8 where scales are quantised too.
        return Some(4.0 + if yes("bnb_4bit_use_double_quant") { 8.0 } else { 32.0 } / 64.0);
    }
    if yes("load_in_8bit") {
        return Some(8.0);
    }
    let inner = config.get("quantization").and_then(|inner| inner.get("quant_algo"));
    if let Some(algorithm) = config.get("quant_algo").or(inner).and_then(Value::as_str) {
        return bits_of(algorithm);
    }
    if let Some(bits) = config.get("global_quant_config").and_then(|c| dtype_in(c.get("weight")?, 0)) {
        return Some(bits);
    }
    match method {
        "mxfp4" => Some(FOUR_BITS_32),
        _ if method.contains("nvfp4") || method == "modelopt_fp4" => Some(FOUR_BITS_16),
        _ if method.contains("fp8") || method.contains("int8") => Some(8.0),
        _ => None,
    }
}

/// Bits of a type or an algorithm by its name, scales included if its block size is fixed.
fn bits_of(name: &str) -> Option<f64> {
    let name = name.to_ascii_lowercase();
    let has = |part: &str| name.contains(part);
    match () {
        () if has("mixed") => None,
        () if has("nvfp4") => Some(FOUR_BITS_16),
        () if has("fp4") => Some(FOUR_BITS_32),
        // Of 128 weights each.
        () if has("w4a") || has("awq") || has("int4") => Some(4.0 + 16.0 / 128.0),
        () if has("fp8") || has("int8") || has("float8") || has("w8a") || has("e4m3") || has("e5m2") => {
            Some(8.0)
        }
        () if has("bfloat16") || has("float16") || has("bf16") || has("fp16") => Some(16.0),
        () => None,
    }
}

/// The type that an object, or the first of a list, names.
fn dtype_in(value: &Value, depth: u32) -> Option<f64> {
    match value {
        Value::Array(list) => dtype_in(list.first()?, depth),
        Value::Object(map) => match map.get("dtype").and_then(Value::as_str) {
            Some(dtype) => bits_of(dtype),
            None if depth < 3 => map.values().find_map(|inner| dtype_in(inner, depth + 1)),
            None => None,
        },
        _ => None,
    }
}

/// Bits with the share of the group's scale and, if there is one, its zero point.
fn with_scales(bits: f64, of: &Value) -> f64 {
    let Some(group) = of.get("group_size").and_then(Value::as_f64).filter(|n| *n > 0.0) else { return bits };
    let says = |key: &str, value: bool| of.get(key).is_some_and(|v| *v == value);
    let float = of.get("type").and_then(Value::as_str) == Some("float");
    let scale = if float { 8.0 } else { 16.0 };
    let zero =
        if says("zero_point", true) || says("symmetric", false) || says("sym", false) { bits } else { 0.0 };
    bits + (scale + zero) / group
}

/// Whether a value is set.
fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
#[path = "quantised_tests.rs"]
mod tests;
