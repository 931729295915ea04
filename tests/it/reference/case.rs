//! The input of one case, as the golden files spell it.

use serde::{Deserialize, Serialize};

/// One scenario in the golden format; `expected` and other keys are not read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Case {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) config: Config,
    pub(crate) requests: Vec<RequestLine>,
    #[serde(default)]
    pub(crate) record: Record,
}

/// What to log beside the results.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(default)]
    pub(crate) max_steps_per_instance: usize,
    #[serde(default)]
    pub(crate) itl: bool,
}

/// Which of the two sets of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Compat {
    #[default]
    None,
    Blis,
}

/// The knobs of the cluster, with those of its first pool among them. Those of parts that do not exist here are read to be
/// able to say so.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Config {
    #[serde(default)]
    pub(crate) compat: Compat,
    #[serde(flatten)]
    pub(crate) pool: PoolConfig,
    /// What the golden format cannot say: pools beside the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) more_pools: Vec<PoolConfig>,
    pub(crate) horizon_us: u64,
    pub(crate) admission_latency_us: u64,
    pub(crate) routing_latency_us: u64,
    pub(crate) snapshot_refresh_interval_us: u64,
    pub(crate) routing_policy: String,
    pub(crate) admission_policy: String,
    pub(crate) latency_backend: String,
    pub(crate) kv_cpu_blocks: u64,
}

impl Config {
    /// All pools, in the order in which their replicas are numbered.
    pub(crate) fn pools(&self) -> impl Iterator<Item = &PoolConfig> {
        std::iter::once(&self.pool).chain(&self.more_pools)
    }
}

/// The knobs of the replicas of one pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PoolConfig {
    pub(crate) num_instances: usize,
    pub(crate) total_kv_blocks: usize,
    pub(crate) block_size_tokens: usize,
    pub(crate) max_num_running_reqs: usize,
    pub(crate) max_num_scheduled_tokens: usize,
    pub(crate) long_prefill_token_threshold: usize,
    pub(crate) alpha_coeffs: [f64; 3],
    pub(crate) beta_coeffs: Vec<f64>,
    pub(crate) scheduler: String,
    pub(crate) priority_policy: String,
    /// What the golden format cannot say: prompts that share nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) without_prefix_caching: bool,
    /// Nor this: a request joins only if its whole prompt fits beside what the prompts of the batch still need.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) whole_prompts: bool,
    /// Nor this: blocks in a thousand that stay free when a request joins others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) watermark_permille: u32,
    /// Nor this: who finds no block waits.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) without_preemption: bool,
    /// Nor this: who makes room; empty for the latest.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) victim: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// One request line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RequestLine {
    pub(crate) id: String,
    pub(crate) arrival_us: u64,
    pub(crate) input: Vec<Segment>,
    pub(crate) output: Segment,
}

/// `n` tokens of text `s`, from position `o`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Segment {
    pub(crate) s: u32,
    pub(crate) n: u32,
    #[serde(default)]
    pub(crate) o: u32,
}

impl Segment {
    /// The tokens themselves: a 32-bit mixing of text number and position.
    pub(crate) fn tokens(self) -> impl Iterator<Item = u32> {
        let first = self.s.wrapping_mul(0x9e37_79b1).wrapping_add(self.o);
        (0..self.n).map(move |k| {
            let mut x = first.wrapping_add(k);
            x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
            x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
            (x ^ (x >> 16)) % 128_000
        })
    }
}

impl Case {
    /// Parts of the model that the case needs and this engine does not have.
    pub(crate) fn missing(&self) -> Vec<String> {
        let c = &self.config;
        let mut all = Vec::new();
        let mut need = |what: &str, value: &str, known: &[&str]| {
            if !known.contains(&value) {
                all.push(format!("{what} {value}"));
            }
        };
        for p in c.pools() {
            need("scheduler", &p.scheduler, &["", "fcfs", "sjf", "priority-fcfs", "reverse-priority"]);
            need("priority policy", &p.priority_policy, &["", "constant", "slo-based", "inverted-slo"]);
        }
        let routers = ["", "round-robin", "least-loaded", "always-busiest", "least-kv"];
        need("routing policy", &c.routing_policy, &routers);
        need("admission policy", &c.admission_policy, &["", "always-admit"]);
        need("latency model", &c.latency_backend, &["", "blackbox"]);
        if c.kv_cpu_blocks > 0 {
            all.push("CPU tier".to_owned());
        }
        all
    }
}
