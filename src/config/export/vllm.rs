//! Export of engines: one `vllm serve` command for each pool, with the flags that differ from vLLM's defaults for its
//! GPU.

use super::command::{Flag, FlagValue, Wanted, written};
use super::model::{hub_id, is_same};
use super::scalar::{Scalar, number};
use super::{Export, Language, Row, Written};
use document::{
    BatchLimit, Compat, EngineGeneration, KvBlocks, LatencyModel, Pool, PreemptionVictim, PriorityPolicy,
    Scenario, Scheduler,
};
use engine::perf::{Resolved, resolve};

/// vLLM.
pub(super) struct Vllm;

/// Words that begin a server.
const PROGRAMS: super::command::Programs =
    &[&["vllm", "serve"], &["vllm.entrypoints.openai.api_server"], &["vllm.entrypoints.cli.main", "serve"]];

/// vLLM's share of a GPU's memory.
const MEMORY_SHARE: f64 = 0.92;
/// Bytes in a GiB.
const GIB: f64 = 1_073_741_824.0;

impl Export for Vllm {
    fn name(&self) -> &'static str {
        "vllm"
    }

    fn title(&self) -> &'static str {
        "vLLM"
    }

    fn file_name(&self) -> &'static str {
        "vllm-serve.sh"
    }

    fn language(&self) -> Language {
        Language::Shell
    }

    fn write(&self, scenario: &Scenario, beside: Option<&str>) -> Written {
        let pools = scenario.cluster.pools.iter().enumerate();
        let (mut wanted, mut rest) = (Vec::new(), Vec::new());
        for (i, pool) in pools {
            let at = format!("cluster.pools[{i}]");
            wanted.push(command(pool, &at, scenario));
            unmatched(pool, &at, scenario, &mut rest);
        }
        let mut written = written(wanted, PROGRAMS, beside, is_same);
        written.rows.extend(rest);
        written
    }
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
    let mut flags = Vec::new();
    parallel(pool, at, &mut flags);
    batch(pool, at, compat, &mut flags);
    cache(pool, at, compat, &mut flags);
    adapters(pool, at, &mut flags);
    Wanted { program: "vllm serve", subject: Some(subject), flags, about }
}

fn parallel(pool: &Pool, at: &str, flags: &mut Vec<Flag>) {
    let row = |key: &str, ours: &str, value: u32, theirs: &str| {
        Row::exact(format!("{at}.{key}"), ours, value, theirs)
    };
    let one = || Some(Scalar::Whole(1));
    let tp = row("tp", "tensor parallel", pool.tp, "--tensor-parallel-size");
    flags.push(Flag::new(tp, pool.tp, one()).or(&["tp"]));
    if pool.pp > 1 {
        let pp = row("pp", "pipeline parallel", pool.pp, "--pipeline-parallel-size");
        flags.push(Flag::new(pp, pool.pp, one()).or(&["pp"]));
    }
    if pool.expert_ranks > 1 {
        let why = "each replica here is a data-parallel rank of a server: that many replicas are one server";
        let path = format!("{at}.expert_ranks");
        let theirs = "--data-parallel-size";
        let dp = Row::near(&path, "expert ranks", pool.expert_ranks, theirs, why);
        flags.push(Flag::new(dp, pool.expert_ranks, one()).or(&["dp"]));
        let ep = Row::near(path, "shared experts", "on", "--enable-expert-parallel", why);
        flags.push(Flag::switch(ep, true, false).or(&["ep"]));
    }
}

/// A pool's figures with vLLM's choice of a limit.
fn chosen(pool: &Pool, compat: Compat, change: impl Fn(&mut Pool)) -> Option<Resolved> {
    let mut pool = pool.clone();
    change(&mut pool);
    resolve(&pool, compat, "").ok()
}

fn batch(pool: &Pool, at: &str, compat: Compat, flags: &mut Vec<Flag>) {
    let engine = &pool.engine;
    let auto = BatchLimit::Auto;
    let mut limit = |key: &str, ours: &str, theirs: &str, own: BatchLimit, default: Option<u32>| {
        let path = format!("{at}.engine.{key}");
        match own {
            BatchLimit::Count(n) => {
                let row = Row::exact(path, ours, n, theirs);
                flags.push(Flag::new(row, n, default.map(Scalar::from)));
            }
            BatchLimit::Auto => {
                let row = Row::exact(path, ours, "auto", theirs);
                let flag = Flag::new(row, default.unwrap_or_default(), default.map(Scalar::from));
                let value = if default.is_some() { flag.value.clone() } else { FlagValue::Any };
                flags.push(Flag { value, ..flag });
            }
        }
    };
    let seqs = chosen(pool, compat, |p| p.engine.max_num_seqs = auto).map(|r| r.max_num_seqs);
    limit("max_num_seqs", "max sequences", "--max-num-seqs", engine.max_num_seqs, seqs);
    let tokens =
        chosen(pool, compat, |p| p.engine.max_num_batched_tokens = auto).map(|r| r.max_num_batched_tokens);
    limit(
        "max_num_batched_tokens",
        "token budget",
        "--max-num-batched-tokens",
        engine.max_num_batched_tokens,
        tokens,
    );
    let path = format!("{at}.engine.long_prefill_threshold_tokens");
    let chunk = engine.long_prefill_threshold_tokens;
    let row = Row::exact(path, "prefill chunk", chunk, "--long-prefill-token-threshold");
    flags.push(Flag::new(row, chunk, Some(Scalar::Whole(0))));
    flags.push(scheduler(pool, at));
    let whole = engine.reserves_full_prompt(compat);
    let row = Row::exact(
        format!("{at}.engine.reserve_full_prompt"),
        "whole prompt",
        whole,
        "--scheduler-reserve-full-isl",
    );
    flags.push(Flag::switch(row, whole, true));
    if let LatencyModel::Calibrated(settings) = &pool.latency {
        let ahead = !matches!(settings.engine, EngineGeneration::Early | EngineGeneration::Synchronous);
        let value = if ahead { "ahead" } else { "synchronous" };
        let path = format!("{at}.latency.calibrated.engine");
        let row = if settings.engine == EngineGeneration::Early {
            Row::near(path, "scheduling", "early", "--async-scheduling", "the scenario is of vLLM up to 0.9")
        } else {
            Row::exact(path, "scheduling", value, "--async-scheduling")
        };
        flags.push(Flag::switch(row, ahead, true));
    }
    if engine.watermark > 0.0 {
        let row = Row::exact(
            format!("{at}.engine.watermark"),
            "watermark",
            number(engine.watermark),
            "--watermark",
        );
        flags.push(Flag::new(row, engine.watermark, Some(Scalar::Number(0.0))));
    }
}

/// The order of the queue.
fn scheduler(pool: &Pool, at: &str) -> Flag {
    let path = format!("{at}.engine.scheduler");
    let theirs = "--scheduling-policy";
    let (row, value) = match (pool.engine.scheduler, &pool.engine.priority) {
        (Scheduler::Fcfs, _) => (Row::exact(path, "scheduler", "fcfs", theirs), "fcfs"),
        (Scheduler::PriorityFcfs, PriorityPolicy::Request) => {
            let why = "vLLM serves low numbers first: clients send the priority with its sign turned";
            (Row::near(path, "scheduler", "priority-fcfs", theirs, why), "priority")
        }
        (Scheduler::PriorityFcfs, _) => {
            let why = "clients send the priority with each request, low numbers first; here a policy of the engine gives it";
            (Row::near(path, "scheduler", "priority-fcfs", theirs, why), "priority")
        }
        (Scheduler::Sjf, _) => (Row::ignored(path, "scheduler", "sjf", "vLLM has fcfs and priority"), "fcfs"),
        (Scheduler::ReversePriority, _) => {
            (Row::ignored(path, "scheduler", "reverse-priority", "vLLM has fcfs and priority"), "fcfs")
        }
    };
    let flag = Flag::new(Row { theirs: theirs.to_owned(), ..row.clone() }, value, Some(Scalar::text("fcfs")));
    Flag { row, ..flag }
}

fn cache(pool: &Pool, at: &str, compat: Compat, flags: &mut Vec<Flag>) {
    let kv = &pool.kv;
    let path = |key: &str| format!("{at}.kv.{key}");
    let row = Row::exact(path("block_tokens"), "block size", kv.block_tokens, "--block-size");
    flags.push(Flag::new(row, kv.block_tokens, Some(Scalar::Whole(16))));
    let share = kv.gpu_memory_utilization;
    let row =
        Row::exact(path("gpu_memory_utilization"), "memory share", number(share), "--gpu-memory-utilization");
    flags.push(Flag::new(row, share, Some(Scalar::Number(MEMORY_SHARE))));
    let theirs = "--num-gpu-blocks-override";
    match kv.blocks {
        KvBlocks::Count(n) => {
            let row = Row::exact(path("blocks"), "KV blocks", n, theirs);
            flags.push(Flag::new(row, n, None));
        }
        KvBlocks::Auto => {
            let flag = Flag::new(Row::exact(path("blocks"), "KV blocks", "auto", theirs), 0_u32, None);
            flags.push(Flag { value: FlagValue::Any, ..flag });
        }
    }
    let row =
        Row::exact(path("prefix_caching"), "prefix cache", kv.prefix_caching, "--enable-prefix-caching");
    flags.push(Flag::switch(row, kv.prefix_caching, true));
    if kv.cpu_blocks > 0 {
        let bytes = resolve(pool, compat, "").ok().and_then(|r| r.kv_bytes_per_token);
        let theirs = "--kv-offloading-size";
        if let Some(bytes) = bytes {
            let gib = f64::from(kv.cpu_blocks) * f64::from(kv.block_tokens) * bytes as f64 / GIB;
            let gib = (gib * 100.0).round() / 100.0;
            let why = "vLLM takes the size in GiB, rounded here";
            let row = Row::near(path("cpu_blocks"), "CPU blocks", kv.cpu_blocks, theirs, why);
            flags.push(Flag::new(row, gib, Some(Scalar::Number(0.0))));
        } else {
            let why = "vLLM takes the size in GiB, and the model's shape is not known";
            let row = Row::ignored(path("cpu_blocks"), "CPU blocks", kv.cpu_blocks, why);
            let flag = Flag::new(Row { theirs: theirs.to_owned(), ..row.clone() }, 0_u32, None);
            flags.push(Flag { row, value: FlagValue::Any, ..flag });
        }
    }
    if pool.architecture.as_ref().is_some_and(|a| a.bytes_per_kv_value <= 1.0) {
        let why = "the scenario says one byte for each value";
        let row = Row::near(
            format!("{at}.architecture.bytes_per_kv_value"),
            "KV value, bytes",
            "1",
            "--kv-cache-dtype",
            why,
        );
        flags.push(Flag::new(row, "fp8", Some(Scalar::text("auto"))));
    }
}

/// LoRA adapters.
fn adapters(pool: &Pool, at: &str, flags: &mut Vec<Flag>) {
    let Some(lora) = &pool.lora else { return };
    let why = "adapters are loaded by their names (--lora-modules), which the scenario does not have";
    let row = Row::near(format!("{at}.lora"), "LoRA", "on", "--enable-lora", why);
    flags.push(Flag::switch(row, true, false));
    for (key, ours, n, theirs, default) in [
        ("max_loras", "most adapters", lora.max_loras, "--max-loras", 1),
        ("max_cpu_loras", "adapters in CPU memory", lora.max_cpu_loras, "--max-cpu-loras", 0),
        ("rank", "rank of adapters", lora.rank, "--max-lora-rank", 16),
    ] {
        let row = Row::exact(format!("{at}.lora.{key}"), ours, n, theirs);
        flags.push(Flag::new(row, n, Some(Scalar::Whole(default))));
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
