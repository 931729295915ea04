//! Export of engines: one `vllm serve` command for each pool, with the flags that differ from vLLM's defaults for its
//! GPU.

mod tiers;

use crate::command::write::{FlagWriter, Wanted, written};
use crate::export::kept::of_router;
use crate::export::model::{hub_id, is_same};
use crate::export::{Language, Row, SystemExport, Written};
use crate::vllm::map::FLAGS;
use crate::yaml::scalar::Scalar;
use document::{
    BatchLimit, Compat, EngineGeneration, LatencyModel, Pool, PreemptionVictim, PriorityPolicy, Scenario,
    Scheduler, Write as _,
};
use engine::perf::{Resolved, resolve};
use tiers::{has_rules, stores, tiers_below, unmatched_tiers};

/// Words that begin a server.
const PROGRAMS: crate::command::words::Programs =
    &[&["vllm", "serve"], &["vllm.entrypoints.openai.api_server"], &["vllm.entrypoints.cli.main", "serve"]];

/// Bytes in a GiB.
const GIB: f64 = 1_073_741_824.0;

/// vLLM.
pub(crate) const EXPORT: SystemExport = SystemExport {
    name: "vllm",
    title: "vLLM",
    file_name: "vllm-serve.sh",
    language: Language::Shell,
    write,
};

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let pools = scenario.cluster.pools.iter().enumerate();
    let (mut wanted, mut rest) = (Vec::new(), Vec::new());
    for (i, pool) in pools {
        let at = format!("cluster.pools[{i}]");
        wanted.push(command(pool, &at, scenario));
        unmatched(pool, &at, scenario, &mut rest);
        unmatched_tiers(pool, &at, &mut rest);
    }
    rest.extend(stores(scenario));
    rest.extend(of_router(&scenario.cluster, "the router does it: export as epp"));
    let mut written = written(wanted, PROGRAMS, beside, is_same);
    written.rows.extend(rest);
    written
}

/// The command of a pool.
fn command(pool: &Pool, at: &str, scenario: &Scenario) -> Wanted {
    let compat = scenario.cluster.compat;
    let (subject, mut about) = match hub_id(pool) {
        Ok(id) => (id, Vec::new()),
        Err(name) => {
            (name, vec!["the model has the scenario's name: give its id at Hugging Face".to_owned()])
        }
    };
    let gpus = pool.tp * pool.pp;
    let replicas = format!(
        "pool {}: {} replicas, each with {gpus} × {} (replicas and nvidia.com/gpu: {gpus} of its Deployment)",
        pool.name, pool.replicas, pool.gpu
    );
    about.insert(0, replicas);
    let fields = pool.write();
    let mut writer = FlagWriter::new(FLAGS, at, &fields);
    parallel(pool, &mut writer);
    batch(pool, compat, &mut writer);
    cache(pool, compat, &mut writer);
    adapters(pool, &mut writer);
    Wanted { program: "vllm serve", subject: Some(subject), flags: writer.flags, about }
}

fn parallel(pool: &Pool, flags: &mut FlagWriter<'_>) {
    flags.same("tensor-parallel-size");
    if pool.pp > 1 {
        flags.own("pipeline-parallel-size", pool.pp, pool.pp, "");
    }
    if pool.expert_ranks > 1 {
        let why = "each replica here is a data-parallel rank of a server: that many replicas are one server";
        flags.own("data-parallel-size", pool.expert_ranks, pool.expert_ranks, why);
        flags.own("enable-expert-parallel", "on", true, why);
    }
}

/// A pool's figures with vLLM's choice of a limit.
fn chosen(pool: &Pool, compat: Compat, change: impl Fn(&mut Pool)) -> Option<Resolved> {
    let mut pool = pool.clone();
    change(&mut pool);
    resolve(&pool, compat, "").ok()
}

fn batch(pool: &Pool, compat: Compat, flags: &mut FlagWriter<'_>) {
    let auto = BatchLimit::Auto;
    let seqs = chosen(pool, compat, |p| p.engine.max_num_seqs = auto).map(|r| r.max_num_seqs);
    flags.same_or("max-num-seqs", seqs.map(Scalar::from));
    let tokens =
        chosen(pool, compat, |p| p.engine.max_num_batched_tokens = auto).map(|r| r.max_num_batched_tokens);
    flags.same_or("max-num-batched-tokens", tokens.map(Scalar::from));
    flags.same("long-prefill-token-threshold");
    scheduler(pool, flags);
    let whole = pool.engine.reserves_full_prompt(compat);
    flags.own("scheduler-reserve-full-isl", whole, whole, "");
    if let LatencyModel::Calibrated(settings) = &pool.latency {
        let ahead = !matches!(settings.engine, EngineGeneration::Early | EngineGeneration::Synchronous);
        let (shown, why) = match settings.engine {
            EngineGeneration::Early => ("early", "the scenario is of vLLM up to 0.9"),
            _ if ahead => ("ahead", ""),
            _ => ("synchronous", ""),
        };
        flags.own("async-scheduling", shown, ahead, why);
    }
    if pool.engine.watermark > 0.0 {
        flags.same("watermark");
    }
}

/// The order of the queue.
fn scheduler(pool: &Pool, flags: &mut FlagWriter<'_>) {
    let name = "scheduling-policy";
    let mut no = |shown| flags.ignored(name, shown, Some(Scalar::text("fcfs")), "vLLM has fcfs and priority");
    match (pool.engine.scheduler, &pool.engine.priority) {
        (Scheduler::Fcfs, _) => _ = flags.own(name, "fcfs", "fcfs", ""),
        (Scheduler::PriorityFcfs, PriorityPolicy::Request) => {
            let why = "vLLM serves low numbers first: clients send the priority with its sign turned";
            flags.own(name, "priority-fcfs", "priority", why);
        }
        (Scheduler::PriorityFcfs, _) => {
            let why = "clients send the priority with each request, low numbers first; here a policy of the engine gives it";
            flags.own(name, "priority-fcfs", "priority", why);
        }
        (Scheduler::Sjf, _) => no("sjf"),
        (Scheduler::ReversePriority, _) => no("reverse-priority"),
    }
}

fn cache(pool: &Pool, compat: Compat, flags: &mut FlagWriter<'_>) {
    let kv = &pool.kv;
    for name in ["block-size", "gpu-memory-utilization", "num-gpu-blocks-override", "enable-prefix-caching"] {
        flags.same(name);
    }
    let block_bytes = resolve(pool, compat, "").ok().and_then(|r| r.kv_bytes_per_token);
    let cpu_bytes =
        block_bytes.map(|bytes| f64::from(kv.cpu_blocks) * f64::from(kv.block_tokens) * bytes as f64);
    if !kv.secondary_tiers.is_empty() || (kv.cpu_blocks > 0 && has_rules(kv)) {
        tiers_below(pool, cpu_bytes, flags);
    } else if kv.cpu_blocks > 0 {
        let name = "kv-offloading-size";
        if let Some(bytes) = cpu_bytes {
            let gib = (bytes / GIB * 100.0).round() / 100.0;
            flags.own(name, kv.cpu_blocks, gib, "vLLM takes the size in GiB, rounded here");
        } else {
            let why = "vLLM takes the size in GiB, and the model's shape is not known";
            flags.ignored(name, kv.cpu_blocks, None, why);
        }
    }
    if pool.architecture.as_ref().is_some_and(|a| a.bytes_per_kv_value <= 1.0) {
        flags.own("kv-cache-dtype", "1", "fp8", "the scenario says one byte for each value");
    }
}

/// LoRA adapters.
fn adapters(pool: &Pool, flags: &mut FlagWriter<'_>) {
    if pool.lora.is_some() {
        let why = "adapters are loaded by their names (--lora-modules), which the scenario does not have";
        flags.own("enable-lora", "on", true, why);
        for name in ["max-loras", "max-cpu-loras", "max-lora-rank"] {
            flags.same(name);
        }
    }
}

/// Settings of engines that vLLM does not have.
fn unmatched(pool: &Pool, at: &str, scenario: &Scenario, rows: &mut Vec<Row>) {
    let engine = &pool.engine;
    let mut no =
        |path: String, ours: &str, value: String, why: &str| rows.push(Row::ignored(path, ours, value, why));
    if engine.max_waiting > 0 {
        no(
            format!("{at}.engine.max_waiting"),
            "most waiting",
            engine.max_waiting.to_string(),
            "vLLM's queue has no bound",
        );
    }
    if !engine.preemption {
        no(format!("{at}.engine.preemption"), "preemption", "off".to_owned(), "vLLM always preempts");
    }
    if engine.victim != PreemptionVictim::Latest {
        no(
            format!("{at}.engine.victim"),
            "victim",
            String::new(),
            "vLLM preempts the latest, or the lowest priority under its priority scheduler",
        );
    }
    if engine.speculative.is_some() {
        let why =
            "write it as --speculative-config: the scenario has acceptance rates and no name of a drafter";
        no(format!("{at}.engine.speculative"), "speculative decoding", String::new(), why);
    }
    if pool.role != document::Role::Mixed && scenario.cluster.disaggregation.is_some() {
        let why = "write it as --kv-transfer-config: the scenario names no connector";
        no(format!("{at}.role"), "role", pool.role.name().to_owned(), why);
    }
}
