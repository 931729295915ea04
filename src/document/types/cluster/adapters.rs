//! LoRA adapters: which ones the requests of a client name, and how the replicas of a pool hold them.

use crate::limits;
use crate::table::fields::fields;

/// Which LoRA adapter a request names. Adapters are numbered `adapter-1`, `adapter-2` and so on, or have names: clients that draw the same name use the same adapter.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub enum Adapters {
    /// All equally likely.
    Uniform {
        /// Number of adapters.
        count: u32,
    },
    /// A few are used most: adapter k has weight 1 / k to the power of the exponent.
    Zipf {
        /// Number of adapters.
        count: u32,
        /// Exponent: 0 is uniform, 1 is common, 2 leaves nearly all requests to a few adapters.
        exponent: f64,
    },
    /// Your own names, each with its weight.
    Weighted {
        /// The adapters, in any order. An adapter is drawn with probability weight / sum of all weights.
        adapters: Vec<WeightedAdapter>,
    },
}

fields! {
    enum Adapters [] {
        Uniform "uniform" {
            count: "Adapters" of "adapters" in [1, limits::ADAPTERS]
                or "leave `adapters` out for the base model alone" and { "x-role": "typical" } first 8 => Arrivals;
        }
        Zipf "zipf" {
            count: "Adapters" of "adapters" in [1, limits::ADAPTERS]
                or "leave `adapters` out for the base model alone" and { "x-role": "typical" } first 32 => Arrivals;
            exponent: "Exponent" in [0.0, limits::ZIPF_EXPONENT] or "0 is uniform, 1 is common" first 1.0 => Arrivals;
        }
        Weighted "weighted" {
            adapters: "Adapters" up_to [limits::NAMED_ADAPTERS, "adapters", "adapter"]
                first [WeightedAdapter { name: "sql".to_owned(), weight: 3.0 }, WeightedAdapter { name: String::new(), weight: 1.0 }]
                => Arrivals;
        }
    }
}

/// An adapter and how often requests name it.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedAdapter {
    /// Name of the adapter. Empty means the base model.
    pub name: String,
    /// How often: a share, a percentage or a count; only the proportions matter.
    pub weight: f64,
}

fields! {
    entry WeightedAdapter {
        name: "Adapter" first "sql" => Arrivals;
        weight: "Weight" in [0.0, limits::LENGTH_WEIGHT]
            or "a weight is a share, a percentage or a count" first 1.0 => Arrivals;
    }
}

/// How the replicas of a pool serve LoRA adapters (vLLM: `--enable-lora`).
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Lora {
    /// Adapters in GPU memory at once, and most different adapters in one batch (vLLM: `--max-loras`).
    pub max_loras: u32,
    /// Adapters in CPU memory, those on the GPU among them (vLLM: `--max-cpu-loras`). 0 means the same as `max_loras`.
    pub max_cpu_loras: u32,
    /// Rank for which memory is kept and which all adapters have (vLLM: `--max-lora-rank`).
    pub rank: u32,
    /// Which weights have adapters.
    pub targets: LoraTargets,
    /// Size of one adapter in MiB. 0 means that it follows from the model's shape, the rank and the targets.
    pub adapter_mib: f64,
    /// Speed of the copy from CPU memory to the GPU, in GB/s.
    pub cpu_gb_per_s: f64,
    /// Fixed time of such a copy, in milliseconds.
    pub cpu_load_ms: f64,
    /// Speed of reading an adapter from disk into CPU memory, in GB/s.
    pub disk_gb_per_s: f64,
    /// Fixed time of such a read, in milliseconds: opening, parsing and pinning the adapter.
    pub disk_load_ms: f64,
    /// Time that adapters add to each layer of a step with any adapter, in microseconds. The default is that of Punica: 2 ms for each step of 32 layers.
    pub step_us_per_layer: f64,
    /// Time that each different adapter adds to a step, in microseconds: reading its weights.
    pub step_us_per_adapter: f64,
    /// Time that each token of a request with an adapter adds to a step, in microseconds.
    pub step_us_per_token: f64,
}

fields! {
    struct Lora {
        max_loras: "GPU slots" of "adapters" in [1, limits::LORA_SLOTS] or "vLLM's default is 1" => Replace;
        max_cpu_loras: "CPU slots" of "adapters" in [0, limits::CPU_LORAS]
            or "use 0 for as many as on the GPU" => Replace;
        rank: "Rank" in [1, limits::LORA_RANK] or "vLLM's default is 16" => Replace;
        targets: "Targets" => Replace;
        adapter_mib: "Adapter" of "MiB" in [0.0, limits::ADAPTER_MIB]
            or "use 0 for the size that follows from shape and rank" => Replace;
        cpu_gb_per_s: "CPU to GPU" of "GB/s" in [limits::LOAD_GB_PER_S_MIN, limits::LOAD_GB_PER_S]
            or "13 is a link of PCIe 4.0 with some loss" => Replace;
        cpu_load_ms: "CPU to GPU, fixed" of "ms" in [0.0, limits::LATENCY_MS] or "times cannot be negative" => Replace;
        disk_gb_per_s: "From disk" of "GB/s" in [limits::LOAD_GB_PER_S_MIN, limits::LOAD_GB_PER_S]
            or "2 is a local disk" => Replace;
        disk_load_ms: "From disk, fixed" of "ms" in [0.0, limits::LATENCY_MS] or "times cannot be negative" => Replace;
        step_us_per_layer: "Per layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" => Replace;
        step_us_per_adapter: "Per adapter" of "µs" in [0.0, limits::COEFFICIENT_US]
            or "times cannot be negative" => Replace;
        step_us_per_token: "Per token" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" => Replace;
    }
}

impl Default for Lora {
    fn default() -> Self {
        Self {
            max_loras: 1,
            max_cpu_loras: 0,
            rank: 16,
            targets: LoraTargets::All,
            adapter_mib: 0.0,
            cpu_gb_per_s: 13.0,
            cpu_load_ms: 0.0,
            disk_gb_per_s: 2.0,
            disk_load_ms: 0.0,
            step_us_per_layer: 62.5,
            step_us_per_adapter: 0.0,
            step_us_per_token: 0.0,
        }
    }
}

impl Lora {
    /// Adapters in CPU memory.
    pub fn cpu_loras(&self) -> u32 {
        if self.max_cpu_loras == 0 { self.max_loras } else { self.max_cpu_loras }
    }
}

/// Which weights of a model have adapters.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoraTargets {
    /// All linear layers: attention and feed-forward, of each expert too.
    #[default]
    All,
    /// Queries, keys, values and output of attention.
    Attention,
}

fields! {
    names LoraTargets { All "all" Attention "attention" }
}
