//! Quantisation by a file: the quantised weights, and the bytes of each with its share of the scales.

use super::config::{Config, shortened};
use super::formats::{Format, format_in, format_of, format_of_method, group_format, says};
use super::modules::{Module, Part};
use super::pattern::{Pattern, own_name};
use document::Precision;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bytes of a weight, on average over a part of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bytes {
    pub(super) common: f64,
    pub(super) expert: f64,
    pub(super) embedding: f64,
    /// Formats of most weights that every token passes, and of most weights of experts.
    pub(super) formats: [Precision; 2],
}

/// The quantised groups and their formats.
struct Plan {
    /// The first group that matches a module applies.
    groups: Vec<(Vec<Target>, Format)>,
    ignored: Vec<Pattern>,
    /// The formats of modules by their names, where the file lists them: others are not quantised.
    listed: Option<BTreeMap<String, Format>>,
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

impl<'a> Config<'a> {
    /// Bytes of weights according to `quantization_config`, if there is one; `plain` are the bytes of unquantised
    /// weights.
    pub(super) fn quantised(
        &mut self,
        modules: &[Module],
        experts: bool,
        plain: (f64, f64),
    ) -> Option<Bytes> {
        let own = self.expert_format();
        let Some((name, config)) = self.get(CONFIG).filter(|(_, v)| v.is_object()) else {
            let own = own?;
            let formats = [Precision::Bf16, own.precision];
            return Some(Bytes { common: plain.0, expert: own.bits / 8.0, embedding: plain.0, formats });
        };
        let listed = self.listed(name, config)?;
        let groups = if listed.is_some() { Vec::new() } else { self.groups(name, config, experts)? };
        let plan = Plan { groups, ignored: self.ignored(name, config), listed };
        let average = plan.averages(modules, plain.0 * 8.0);
        let [common, mut expert] = average.map(|of| of.bits / 8.0);
        let mut formats = average.map(|of| of.precision);
        if let Some(own) = own {
            (expert, formats[1]) = (own.bits / 8.0, own.precision);
        }
        // Input embeddings are never quantised by these methods, and the output layer seldom.
        let wide = plain.0.max(2.0);
        let head = if config.get("lm_head").is_some_and(|v| *v == true) {
            Some(plan.bits_of_all())
        } else {
            plan.in_list("lm_head").map(|format| format.bits)
        };
        let head = head.filter(|_| !self.tied());
        let embedding = head.map_or(wide, |bits| f64::midpoint(wide, bits / 8.0));
        Some(Bytes { common, expert, embedding, formats })
    }

    /// The format of an expert's weight if the file gives it separately.
    fn expert_format(&mut self) -> Option<Format> {
        let (key, value) = self.get(&["expert_dtype"])?;
        let format = value.as_str().and_then(format_of);
        if format.is_none() {
            self.error(
                key,
                &shortened(value),
                "fp4, mxfp4, nvfp4, int4, fp8, int8, bfloat16",
                "write the nearest of these",
            );
        }
        format
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
            Value::String(text) => format_of(text).map(|of| of.bits),
            other => ["num_bits", "bits"]
                .iter()
                .find_map(|key| other.get(*key)?.as_f64())
                .or_else(|| format_in(other, 0).map(|of| of.bits)),
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

    /// The quantised groups and their formats. Problems are reported.
    fn groups(&mut self, name: &str, config: &'a Value, experts: bool) -> Option<Vec<(Vec<Target>, Format)>> {
        let method = config.get("quant_method").and_then(Value::as_str).unwrap_or_default();
        if let Some(groups) = config.get("config_groups").and_then(Value::as_object).filter(|g| !g.is_empty())
        {
            let read: Vec<_> =
                groups.iter().filter_map(|(key, group)| self.group(name, key, group)).collect();
            return (read.len() == groups.len()).then_some(read);
        }
        for key in ["layer_quant_config", "extra_config"] {
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
        match format_of_method(method, config) {
            // In a model with experts this method converts only the experts.
            Some(format) if method == "mxfp4" && experts => Some(vec![(vec![Target::Experts], format)]),
            Some(format) => Some(vec![(vec![Target::All], format)]),
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

    /// The modules that a file lists one by one with the format of each; `None` after a problem.
    #[expect(clippy::option_option, reason = "a problem is reported; a file without the list has none")]
    fn listed(&mut self, name: &str, config: &Value) -> Option<Option<BTreeMap<String, Format>>> {
        let inner = config.get("quantization").unwrap_or(&Value::Null);
        let found = [config, inner].iter().find_map(|place| place.get("quantized_layers")?.as_object());
        let Some(entries) = found.filter(|entries| !entries.is_empty()) else { return Some(None) };
        let mut listed = BTreeMap::new();
        for (module, how) in entries {
            let Some(format) = how.get("quant_algo").and_then(Value::as_str).and_then(format_of) else {
                self.error(
                    &format!("{name}.quantized_layers"),
                    &format!("{module}: {}", shortened(how)),
                    "a quant_algo such as NVFP4 or FP8",
                    "take `quantization_config` out and set `bytes_per_param` in the scenario",
                );
                return None;
            };
            let own = own_name(module);
            if !own.is_empty() {
                listed.insert(own.to_owned(), format);
            }
        }
        Some(Some(listed))
    }

    fn group(&mut self, name: &str, key: &str, group: &Value) -> Option<(Vec<Target>, Format)> {
        let path = format!("{name}.config_groups.{key}");
        // Groups without an entry for weights leave them unquantised.
        let format = match group.get("weights").filter(|w| !w.is_null()) {
            None => Format { bits: 16.0, precision: Precision::Bf16 },
            Some(weights) => {
                let Some(bits) = weights.get("num_bits").and_then(Value::as_f64) else {
                    self.error(&format!("{path}.weights"), &shortened(weights), "num_bits", "add it");
                    return None;
                };
                group_format(bits, weights, group.get("input_activations"))
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
        Some((read, format))
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
    /// Bits of a weight, scales included, and the format of most weights, for weights that every token passes and for
    /// experts.
    fn averages(&self, modules: &[Module], plain: f64) -> [Format; 2] {
        let layered = self.listed.is_some() || self.patterns().any(Pattern::tells_layers_apart);
        let mut known = BTreeMap::new();
        let plain = Format { bits: plain, precision: Precision::Bf16 };
        let mut sums = [[0.0; 2]; 2];
        let mut by_format = [BTreeMap::new(), BTreeMap::new()];
        for module in modules {
            let layer = if layered { module.layer } else { 0 };
            let key = (layer, module.places.as_ptr() as usize, module.names.as_ptr() as usize);
            let format = *known.entry(key).or_insert_with(|| self.format(module, layer, plain));
            let part = usize::from(module.part == Part::Expert);
            let sum = &mut sums[part];
            *sum = [sum[0] + format.bits * module.params, sum[1] + module.params];
            *by_format[part].entry(format.precision).or_insert(0.0) += module.params;
        }
        [0, 1].map(|part| {
            let [bits, params] = sums[part];
            let most = by_format[part].iter().max_by(|a, b| a.1.total_cmp(b.1));
            match most {
                Some((precision, _)) if params > 0.0 => Format { bits: bits / params, precision: *precision },
                _ => plain,
            }
        })
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let of_targets =
            self.groups.iter().flat_map(|(targets, _)| targets).filter_map(|target| match target {
                Target::Named(pattern) => Some(pattern),
                Target::All | Target::Experts => None,
            });
        self.ignored.iter().chain(of_targets)
    }

    fn format(&self, module: &Module, layer: usize, plain: Format) -> Format {
        let mut names = Vec::new();
        for place in module.places {
            names.extend(module.names.iter().map(|name| format!("layers.{layer}.{place}.{name}")));
        }
        let named =
            |pattern: &Pattern| pattern.may_name(layer) && names.iter().any(|name| pattern.names(name));
        if self.ignored.iter().any(named) {
            return plain;
        }
        if self.listed.is_some() {
            return names.iter().find_map(|name| self.in_list(name)).unwrap_or(plain);
        }
        let is = |target: &Target| match target {
            Target::All => true,
            Target::Experts => module.part == Part::Expert,
            Target::Named(pattern) => named(pattern),
        };
        self.groups.iter().find(|(targets, _)| targets.iter().any(is)).map_or(plain, |(_, format)| *format)
    }

    /// The format in the list of a module, or of one that it is part of.
    fn in_list(&self, name: &str) -> Option<Format> {
        let listed = self.listed.as_ref()?;
        let mut name = name;
        loop {
            if let Some(format) = listed.get(name) {
                return Some(*format);
            }
            name = &name[..name.rfind('.')?];
        }
    }

    /// Bits of the first group.
    fn bits_of_all(&self) -> f64 {
        self.groups.first().map_or(16.0, |(_, format)| format.bits)
    }
}

#[cfg(test)]
#[path = "quantised_tests.rs"]
mod tests;
