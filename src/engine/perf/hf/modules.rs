//! The modules of each layer with their weights, under their names in files. Weights are counted, and quantisation
//! patterns matched, by module. Normalisations, biases and routers are left out, as in the formulas of
//! docs/explanation/model/latency.md.

use super::config::Config;
use super::layers::{Feed, Layer, Layers, Mixer};

/// How a module's weights count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Every token passes it.
    Common,
    /// One routed expert.
    Expert,
}

/// Weights that are stored together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Module {
    pub(super) part: Part,
    pub(super) layer: usize,
    /// Possible places in its layer.
    pub(super) places: &'static [&'static str],
    /// Possible names there.
    pub(super) names: &'static [&'static str],
    pub(super) params: f64,
}

const ATTENTION: &[&str] = &["self_attn", "attention", "attn", "mixer", "cross_attn"];
/// Replacements of attention of an unknown kind.
const LINEAR: &[&str] =
    &["linear_attn", "self_attn", "attention", "mamba", "mixer", "conv", "temporal_block"];
const MAMBA: &[&str] = &["mamba", "mixer"];
const DENSE: &[&str] = &["mlp", "feed_forward", "ffn", "mixer"];
const EXPERTS: &[&str] = &[
    "mlp.experts.0",
    "mlp.experts",
    "feed_forward.experts",
    "block_sparse_moe.experts.0",
    "mixer.experts.0",
    "moe.experts.0",
];
/// Experts beside a dense part: below `mlp` there is the dense part alone.
const EXPERTS_BESIDE: &[&str] = &["experts.0", "experts", "moe.experts.0", "moe.experts"];
const SHARED: &[&str] = &[
    "mlp.shared_experts",
    "mlp.shared_expert",
    "feed_forward.shared_expert",
    "block_sparse_moe.shared_experts",
    "mixer.shared_experts",
    "shared_mlp",
];
const GATE: &[&str] = &["gate_proj", "gate_up_proj", "w1"];
const UP: &[&str] = &["up_proj", "gate_up_proj", "w3"];
const DOWN: &[&str] = &["down_proj", "w2"];

/// Heads of a kind of layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Heads {
    pub(super) heads: f64,
    pub(super) kv: f64,
    /// Width of a query and a key, and of a value.
    pub(super) key: f64,
    pub(super) value: f64,
    /// Weights of the values: none if they are the keys.
    pub(super) own_values: bool,
    /// Rank of the queries if they come from a narrower projection.
    pub(super) query_rank: Option<f64>,
    /// Gates on the output: 1 or none.
    pub(super) gates: f64,
}

/// Attention whose keys and values come from a latent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Latent {
    pub(super) rank: f64,
    pub(super) rotated: f64,
    /// Width of the unrotated part of a key, and of a value.
    pub(super) plain: f64,
    pub(super) value: f64,
    /// Rank of the queries, if they come from a latent too.
    pub(super) queries: Option<f64>,
    /// Heads and width of an index that selects the keys to read; 0 without one.
    pub(super) index: [f64; 2],
    /// Gates on the output: 1 or none.
    pub(super) gates: f64,
}

/// Attention to keys of several tokens together; the keys are also the values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compressed {
    /// Tokens for each key, by layer; 0 for layers that attend to a window of single tokens.
    pub(super) tokens: Vec<f64>,
    /// Rank of the queries, and of each group of the output.
    pub(super) queries: f64,
    pub(super) out: f64,
    pub(super) groups: f64,
    /// Heads and width of an index that selects the keys to read; 0 without one.
    pub(super) index: [f64; 2],
    /// Size of a key of the index in the cache, in numbers.
    pub(super) index_keys: f64,
}

/// Routed and shared experts of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Experts {
    pub(super) width: f64,
    /// Width of their input.
    pub(super) hidden: f64,
    /// Width of all shared experts together.
    pub(super) shared: f64,
}

/// Widths common to all layers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Widths {
    pub(super) hidden: f64,
    pub(super) full: Heads,
    pub(super) window: Heads,
    pub(super) latent: Option<Latent>,
    pub(super) compressed: Option<Compressed>,
    /// Width of dense layers, if known.
    pub(super) dense: f64,
    pub(super) experts: Option<Experts>,
    /// 3 with a gate, 2 without.
    pub(super) matrices: f64,
    /// Weights of the replacement of attention in a layer.
    pub(super) linear: Vec<(&'static [&'static str], f64)>,
    /// Its possible places in a layer.
    pub(super) linear_places: &'static [&'static str],
    pub(super) mamba: Vec<(&'static [&'static str], f64)>,
}

impl Widths {
    /// All modules of all layers.
    pub(super) fn modules(&self, layers: &Layers) -> Vec<Module> {
        let mut all = Vec::new();
        for (i, layer) in layers.all.iter().enumerate() {
            self.mixer(i, layer, &mut all);
            self.feed(i, layer.feed, &mut all);
        }
        all
    }

    /// The heads of a layer.
    pub(super) fn heads(&self, layer: &Layer) -> Heads {
        let usual = if layer.mixer == Mixer::Window { self.window } else { self.full };
        Heads { kv: layer.kv_heads.map_or(usual.kv, f64::from), ..usual }
    }

    fn mixer(&self, i: usize, layer: &Layer, all: &mut Vec<Module>) {
        let d = self.hidden;
        let mut add = |places, names, params| {
            all.push(Module { part: Part::Common, layer: i, places, names, params });
        };
        let attends = matches!(layer.mixer, Mixer::Full | Mixer::Window | Mixer::Keyless | Mixer::Both);
        if let Some(compressed) = &self.compressed {
            for (names, params) in compressed.modules(i, d, self.full) {
                add(ATTENTION, names, params);
            }
        } else if let (true, Some(latent)) = (attends, self.latent) {
            for (names, params) in latent.modules(d, self.full.heads) {
                add(ATTENTION, names, params);
            }
        } else if attends {
            for (names, params) in self.heads(layer).modules(d, layer.mixer) {
                add(ATTENTION, names, params);
            }
        }
        match layer.mixer {
            Mixer::Mamba | Mixer::Both => {
                self.mamba.iter().for_each(|(names, params)| add(MAMBA, names, *params));
            }
            Mixer::Linear | Mixer::Conv | Mixer::Recurrent => {
                let places = self.linear_places;
                self.linear.iter().for_each(|(names, params)| add(places, names, *params));
            }
            Mixer::Matrix => add(ATTENTION, &["linear_attn"], d * d),
            Mixer::Full | Mixer::Window | Mixer::Keyless | Mixer::Nothing => {}
        }
    }

    fn feed(&self, i: usize, feed: Feed, all: &mut Vec<Module>) {
        let d = self.hidden;
        let gates: &[&[&str]] = if self.matrices > 2.0 { &[GATE, UP, DOWN] } else { &[UP, DOWN] };
        let mut add = |part, places, params: f64| {
            for names in gates {
                all.push(Module { part, layer: i, places, names, params });
            }
        };
        match feed {
            Feed::Dense(width) => add(Part::Common, DENSE, d * width.map_or(self.dense, f64::from)),
            Feed::Both => add(Part::Common, DENSE, d * self.dense),
            Feed::Matrix => all.push(Module {
                part: Part::Common,
                layer: i,
                places: DENSE,
                names: &["linear_mlp"],
                params: d * d,
            }),
            Feed::Experts | Feed::Nothing => {}
        }
        let (Feed::Experts | Feed::Both, Some(experts)) = (feed, self.experts) else { return };
        let mut add = |part, places, params: f64| {
            for names in gates {
                all.push(Module { part, layer: i, places, names, params });
            }
        };
        let places = if feed == Feed::Both { EXPERTS_BESIDE } else { EXPERTS };
        add(Part::Expert, places, experts.hidden * experts.width);
        if experts.shared > 0.0 {
            add(Part::Common, SHARED, d * experts.shared);
        }
        if experts.hidden < d {
            // Projections to and from the narrower space in which experts work.
            let (places, names) = (DENSE, &["latent_proj"][..]);
            all.push(Module {
                part: Part::Common,
                layer: i,
                places,
                names,
                params: 2.0 * d * experts.hidden,
            });
        }
    }
}

type Named = (&'static [&'static str], f64);

impl Heads {
    fn modules(&self, d: f64, mixer: Mixer) -> Vec<Named> {
        let out = self.heads * self.value;
        let queries = match self.query_rank {
            Some(rank) => (d + self.heads * self.key) * rank,
            None => d * self.heads * self.key,
        };
        let mut all: Vec<Named> = vec![
            (&["q_proj", "qkv_proj"], queries + self.gates * d * out),
            (&["o_proj", "out_proj"], out * d),
        ];
        all.push((&["k_proj", "qkv_proj"], d * self.kv * self.key));
        if self.own_values || mixer == Mixer::Window {
            all.push((&["v_proj", "qkv_proj"], d * self.kv * self.value));
        }
        all
    }
}

impl Latent {
    fn modules(&self, d: f64, heads: f64) -> Vec<Named> {
        let query = heads * (self.plain + self.rotated);
        let mut all: Vec<Named> = vec![
            (&["kv_a_proj_with_mqa"], d * (self.rank + self.rotated)),
            (&["kv_b_proj"], self.rank * heads * (self.plain + self.value)),
            (&["o_proj"], heads * self.value * d),
        ];
        match self.queries {
            Some(rank) => all.extend([(&["q_a_proj"][..], d * rank), (&["q_b_proj"][..], rank * query)]),
            None => all.push((&["q_proj"], d * query)),
        }
        if self.gates > 0.0 {
            all.push((&["g_proj"], self.gates * d * heads * self.value));
        }
        let [index_heads, width] = self.index;
        if width > 0.0 {
            let from = self.queries.unwrap_or(d);
            all.push((&["indexer"], from * index_heads * width + d * width + d * index_heads));
        }
        all
    }
}

/// If few tokens share a key, keys overlap and have an index.
const FEW: f64 = 16.0;

impl Compressed {
    fn modules(&self, layer: usize, d: f64, heads: Heads) -> Vec<Named> {
        let all = heads.heads * heads.key;
        let mut modules: Vec<Named> = vec![
            (&["wq_a", "q_a_proj"], d * self.queries),
            (&["wq_b", "q_b_proj"], self.queries * all),
            (&["wkv", "kv_proj"], d * heads.key),
            (&["wo_a", "o_a_proj"], all * self.out),
            (&["wo_b", "o_b_proj"], self.groups * self.out * d),
        ];
        let tokens = self.tokens[layer];
        let few = tokens > 0.0 && tokens <= FEW;
        if tokens > 0.0 {
            // Keys and their gates.
            modules.push((&["compressor"], 2.0 * d * heads.key * if few { 2.0 } else { 1.0 }));
        }
        if few {
            let [index_heads, width] = self.index;
            let keys = 4.0 * d * width;
            modules.push((&["indexer"], self.queries * index_heads * width + d * index_heads + keys));
        }
        modules
    }

    /// Numbers that a token has in the cache of a layer.
    pub(super) fn cached(&self, layer: usize, key: f64) -> f64 {
        match self.tokens[layer] {
            tokens if tokens <= 0.0 => key,
            tokens if tokens <= FEW => (key + self.index_keys) / tokens,
            tokens => key / tokens,
        }
    }
}

impl Config<'_> {
    /// The possible places of what stands in for attention: a list of modules names those of its own kind alone.
    pub(super) fn linear_places(&self, layers: &Layers) -> &'static [&'static str] {
        let is = |mixer| layers.count(|layer| layer.mixer == mixer) > 0;
        if is(Mixer::Conv) {
            &["conv"]
        } else if is(Mixer::Recurrent) {
            &["temporal_block"]
        } else if self.get(&["linear_num_value_heads"]).is_some() {
            &["linear_attn"]
        } else if self.get(&["linear_attn_config"]).is_some() {
            &["self_attn"]
        } else {
            LINEAR
        }
    }

    /// Weights of a layer of linear attention, of a short convolution or of a recurrent unit; empty if no layer is
    /// one.
    pub(super) fn linear(&mut self, layers: &Layers, d: f64, full: Heads) -> Vec<Named> {
        let is = |mixer| layers.count(|layer| layer.mixer == mixer) > 0;
        if is(Mixer::Conv) {
            return vec![(&["in_proj"], 3.0 * d * d), (&["out_proj"], d * d)];
        }
        if is(Mixer::Recurrent) {
            let width = f64::from(self.or_usual(&["lru_width"], d as u32));
            let gates = 2.0 * width * width / full.heads.max(1.0);
            return vec![
                (&["linear_x", "linear_y"], 2.0 * d * width),
                (&["rg_lru"], gates),
                (&["linear_out"], width * d),
            ];
        }
        if !is(Mixer::Linear) {
            return Vec::new();
        }
        if let Some(delta) = self.gated_delta(d) {
            return delta;
        }
        if let Some(kimi) = self.kimi_delta(d) {
            return kimi;
        }
        let queries = full.heads * full.value;
        if !self.is_of(&["minimax", "bailing"]) {
            let found = "layers of linear attention of unknown widths: their weights are counted as those of attention";
            let key = layers.mixers_from;
            self.warning(
                key,
                found,
                "`linear_num_value_heads` and its like, or `linear_attn_config`",
                "add them",
            );
            return full.modules(d, Mixer::Full);
        }
        // Keys and values of all heads, and a gate as wide as the output.
        vec![
            (&["qkv_proj", "q_proj"], 3.0 * d * queries),
            (&["output_gate", "g_proj"], d * queries),
            (&["out_proj", "o_proj"], queries * d),
        ]
    }

    fn gated_delta(&mut self, d: f64) -> Option<Vec<Named>> {
        let values = f64::from(self.positive(&["linear_num_value_heads"])?);
        let mut number = |name| f64::from(self.required(&[name]));
        let (keys, key, value) =
            (number("linear_num_key_heads"), number("linear_key_head_dim"), number("linear_value_head_dim"));
        let (keys, out) = (keys * key, values * value);
        Some(vec![
            (&["in_proj_qkvz", "in_proj_qkv", "in_proj_z"], d * (2.0 * keys + 2.0 * out)),
            (&["in_proj_ba", "in_proj_b", "in_proj_a"], d * 2.0 * values),
            (&["out_proj"], out * d),
        ])
    }

    fn kimi_delta(&mut self, d: f64) -> Option<Vec<Named>> {
        let (_, config) = self.get(&["linear_attn_config"])?;
        let number = |name: &str| config.get(name).and_then(serde_json::Value::as_f64);
        let (Some(heads), Some(width)) = (number("num_heads"), number("head_dim")) else {
            self.error(
                "linear_attn_config",
                "no `num_heads` or no `head_dim`",
                "both",
                "check that the file is complete",
            );
            return Some(Vec::new());
        };
        let all = heads * width;
        let full = config.get("use_full_rank_gate").is_some_and(|v| v == true);
        let gate = if full { d * all } else { d * width + width * all };
        Some(vec![
            (&["q_proj", "k_proj", "v_proj"], 3.0 * d * all),
            (&["f_a_proj", "f_b_proj"], d * width + width * all),
            (&["g_proj", "g_a_proj", "g_b_proj"], gate),
            (&["b_proj"], d * heads),
            (&["o_proj"], all * d),
        ])
    }

    /// Weights of a Mamba layer; empty if no layer is one.
    pub(super) fn mamba(&mut self, layers: &Layers, d: f64) -> Vec<Named> {
        if layers.count(|layer| matches!(layer.mixer, Mixer::Mamba | Mixer::Both)) == 0 {
            return Vec::new();
        }
        let expand = ["expand", "mamba_expand"];
        if self.is_of(&["jamba", "zamba"]) || self.get(&["mamba_dt_rank"]).is_some() {
            // Mamba 1.
            let inner = f64::from(self.or_usual(&["mamba_expand"], 2)) * d;
            let state = f64::from(self.or_usual(&["mamba_d_state"], 16));
            let steps = match self.get(&["mamba_dt_rank"]) {
                Some((_, value)) if !value.is_string() => f64::from(self.required(&["mamba_dt_rank"])),
                _ => (d / 16.0).ceil(),
            };
            return vec![
                (&["in_proj"], 2.0 * d * inner),
                (&["x_proj"], inner * (steps + 2.0 * state)),
                (&["dt_proj"], steps * inner),
                (&["A_log"], inner * state),
                (&["out_proj"], inner * d),
            ];
        }
        let heads = self.positive(&["mamba_num_heads", "mamba_n_heads"]);
        let width = match self.get(&["mamba_d_head"]) {
            Some((_, value)) if value.is_string() => None,
            _ => heads.map(|_| self.or_usual(&["mamba_head_dim", "mamba_d_head"], 64)),
        };
        let inner = match (self.positive(&["mamba_d_ssm", "mamba_intermediate_size"]), heads.zip(width)) {
            (Some(inner), _) => f64::from(inner),
            (None, Some((heads, width))) => f64::from(heads) * f64::from(width),
            (None, None) => f64::from(self.or_usual(&expand, 2)) * d,
        };
        let heads = heads.map_or(inner / 64.0, f64::from);
        let groups = f64::from(self.or_usual(&["n_groups", "mamba_n_groups", "mamba_num_groups"], 1));
        let state = f64::from(self.or_usual(&["ssm_state_size", "mamba_d_state", "mamba_state_dim"], 128));
        vec![(&["in_proj"], d * (2.0 * inner + 2.0 * groups * state + heads)), (&["out_proj"], inner * d)]
    }
}
