//! The flags of `vllm serve`, which are also the keys of its `--config` file, of its log and of its metrics: what each
//! becomes in a pool, in both directions.
//!
//! Source: vLLM's `engine/arg_utils.py` and `entrypoints/openai/cli_args.py`.

use crate::command::map::{FlagField, KnownFlag, UsualValue};
use document::limits;

/// The flags, in the order in which they are read.
pub(crate) const FLAGS: &[KnownFlag] = flags! {
    own Text ["model", "model-tag", "model-id"];
    group List ["served-model-name"]: ClientNames;
    group Text ["model-name", "model-dir"]: ClientNames;
    same Whole ["max-num-seqs"]
        => FlagField::new("engine.max_num_seqs", "max sequences", UsualValue::Chosen).within(1.0, limits::BATCH as f64);
    same Whole ["max-num-batched-tokens"]
        => FlagField::new("engine.max_num_batched_tokens", "token budget", UsualValue::Chosen).within(1.0, limits::STEP_TOKENS as f64);
    same Whole ["long-prefill-token-threshold"]
        => FlagField::new("engine.long_prefill_threshold_tokens", "prefill chunk", UsualValue::Whole(0)).within(0.0, limits::STEP_TOKENS as f64);
    group Whole ["max-num-partial-prefills"]: OneChunkRule;
    group Whole ["max-long-partial-prefills"]: OneChunkRule;
    written Text ["scheduling-policy"] => FlagField::new("engine.scheduler", "scheduler", UsualValue::Word("fcfs"));
    same Whole ["block-size"]
        => FlagField::new("kv.block_tokens", "block size", UsualValue::Whole(16)).within(1.0, limits::BLOCK_TOKENS as f64);
    same Whole ["num-gpu-blocks-override"]
        => FlagField::new("kv.blocks", "KV blocks", UsualValue::Chosen).within(1.0, limits::KV_BLOCKS as f64);
    same Whole ["tensor-parallel-size", "tp"]
        => FlagField::new("tp", "tensor parallel", UsualValue::Whole(1)).within(1.0, limits::TP as f64);
    same Number ["gpu-memory-utilization"]
        => FlagField::new("kv.gpu_memory_utilization", "memory share", UsualValue::Number(0.92)).within(limits::MEMORY_SHARE_MIN, 1.0);
    same Switch ["enable-prefix-caching"]
        => FlagField::new("kv.prefix_caching", "prefix cache", UsualValue::Switch(true));
    same Switch ["scheduler-reserve-full-isl"]
        => FlagField::new("engine.reserve_full_prompt", "whole prompt", UsualValue::Switch(true));
    same Number ["watermark"]
        => FlagField::new("engine.watermark", "watermark", UsualValue::Number(0.0)).within(0.0, limits::WATERMARK);
    own Whole ["kv-cache-memory-bytes", "kv-cache-memory"];
    written Number ["kv-offloading-size"] => FlagField::new("kv.cpu_blocks", "CPU blocks", UsualValue::Whole(0));
    group Text ["kv-offloading-backend"]: OneCpuTier;
    written Text ["kv-cache-dtype"]
        => FlagField::new("architecture.bytes_per_kv_value", "KV value, bytes", UsualValue::Word("auto"));
    own Text ["quantization", "q"];
    own Text ["dtype"];
    written Whole ["pipeline-parallel-size", "pp"] => FlagField::new("pp", "pipeline parallel", UsualValue::Whole(1));
    written Whole ["data-parallel-size", "dp"] => FlagField::new("expert_ranks", "expert ranks", UsualValue::Whole(1));
    written Switch ["enable-expert-parallel", "ep"]
        => FlagField::new("expert_ranks", "shared experts", UsualValue::Switch(false));
    own Json ["speculative-config", "sc"];
    group Text ["speculative-model"]: OlderSpeculation;
    group Whole ["num-speculative-tokens"]: OlderSpeculation;
    written Switch ["enable-lora"] => FlagField::new("lora", "LoRA", UsualValue::Switch(false));
    written Whole ["max-loras"]
        => FlagField::new("lora.max_loras", "most adapters", UsualValue::Whole(1)).within(1.0, limits::LORA_SLOTS as f64);
    written Whole ["max-cpu-loras"]
        => FlagField::new("lora.max_cpu_loras", "adapters in CPU memory", UsualValue::Whole(0)).within(0.0, limits::CPU_LORAS as f64);
    written Whole ["max-lora-rank"]
        => FlagField::new("lora.rank", "rank of adapters", UsualValue::Whole(16)).within(1.0, limits::LORA_RANK as f64);
    group List ["lora-modules"]: AdaptersOfClients;
    group Text ["lora-dtype", "lora-extra-vocab-size"]: AdapterBits;
    group Switch ["fully-sharded-loras"]: AdapterShards;
    written Json ["kv-transfer-config"]
        => FlagField::new("kv.secondary_tiers", "tiers below", UsualValue::Chosen);
    own Json ["kv-offload-config"];
    written Switch ["async-scheduling"]
        => FlagField::new("latency.calibrated.engine", "scheduling", UsualValue::Switch(true));
    own Switch ["enable-chunked-prefill"];
    group Text ["max-model-len"]: LengthLimits;
    group Text ["config"]: ConfigFile;
    group Switch ["enforce-eager"]: EagerSteps;
    group Number ["swap-space"]: Swapping;
    group Number ["cpu-offload-gb"]: CpuWeights;
    group Text ["preemption-mode"]: PreemptionModes;
    group Whole ["num-scheduler-steps"]: MultiStep;
    group Whole ["num-lookahead-slots"]: MultiStep;
    group Whole ["max-seq-len-to-capture", "max-cudagraph-capture-size"]: Kernels;
    group List ["cudagraph-capture-sizes", "cuda-graph-sizes"]: Kernels;
    group Json ["compilation-config", "cc"]: Kernels;
    group Text ["O", "optimization-level"]: Kernels;
    group Switch ["O0", "O1", "O2", "O3"]: Kernels;
    group Text [
        "attention-backend", "attention-config", "kernel-config", "moe-backend", "all2all-backend"
    ]: Kernels;
    group Switch [
        "disable-custom-all-reduce", "enable-dbo", "use-tqdm-on-load", "disable-cascade-attn",
        "calculate-kv-scales"
    ]: Kernels;
    own Switch ["enable-eplb"];
    own Json ["eplb-config"];
    own Whole ["num-redundant-experts"];
    group Text ["expert-placement-strategy"]: ExpertLoad;
    same Whole ["decode-context-parallel-size", "dcp"]
        => FlagField::new("dcp.size", "context parallel", UsualValue::Whole(1)).within(1.0, limits::TP as f64);
    group Whole ["prefill-context-parallel-size", "pcp"]: ContextParallel;
    group Whole [
        "data-parallel-size-local", "dpl", "data-parallel-rank", "dpn", "data-parallel-start-rank", "dpr",
        "data-parallel-rpc-port", "dpp"
    ]: RankMeeting;
    group Text [
        "data-parallel-address", "dpa", "data-parallel-backend", "dpb", "distributed-executor-backend",
        "master-addr"
    ]: RankMeeting;
    group Switch [
        "data-parallel-hybrid-lb", "dph", "data-parallel-external-lb", "dpe", "headless",
        "data-parallel-multi-port-external-lb"
    ]: RankMeeting;
    group Whole [
        "nnodes", "n", "node-rank", "r", "master-port", "max-parallel-loading-workers",
        "ray-workers-use-nsight"
    ]: RankMeeting;
    group Text ["worker-cls", "worker-extension-cls", "scheduler-cls", "logits-processors"]: OwnCode;
    group Switch ["disable-hybrid-kv-cache-manager", "enable-sleep-mode", "enable-elastic-ep"]: NoChange;
    group Text [
        "prefix-caching-hash-algo", "prefix-match-unit", "mamba-cache-dtype", "mamba-ssm-cache-dtype",
        "mamba-cache-mode", "mamba-block-size"
    ]: BlockHashes;
    group Switch ["kv-sharing-fast-prefill", "offload-prompt-only", "enable-kv-cache-events"]: NoChange;
    group Json ["kv-events-config"]: CacheEventDelay;
    group Text ["kv-connector-module-path", "ec-transfer-config"]: CodeOrEncoderCache;
    group Whole ["stream-interval"]: StreamIntervals;
    group Whole [
        "port", "p", "uds-port", "api-server-count", "asc", "uvicorn-timeout-keep-alive",
        "h11-max-incomplete-event-size", "h11-max-header-count"
    ]: ServerApi;
    group Text ["http-port", "grpc-port", "workers", "backend", "max-workers", "predictor-protocol"]: ServerApi;
    group Text [
        "host", "uds", "root-path", "api-key", "ssl-keyfile", "ssl-certfile", "ssl-ca-certs",
        "ssl-cert-reqs", "middleware", "response-role", "uvicorn-log-level"
    ]: ServerApi;
    group List ["allowed-origins", "allowed-methods", "allowed-headers"]: ServerApi;
    group Switch [
        "allow-credentials", "enable-ssl-refresh", "disable-frontend-multiprocessing",
        "enable-request-id-headers", "disable-fastapi-docs", "enable-server-load-tracking",
        "disable-uvicorn-access-log", "enable-offline-docs", "grpc"
    ]: ServerApi;
    group Switch [
        "disable-log-requests", "disable-log-stats", "enable-log-requests", "log-stats",
        "enable-log-outputs", "enable-log-deltas", "enable-logging-iteration-details", "enable-mfu-metrics",
        "kv-cache-metrics", "cudagraph-metrics", "enable-layerwise-nvtx-tracing",
        "aggregate-engine-logging", "enable-prompt-tokens-details", "enable-force-include-usage"
    ]: Logs;
    group Text [
        "otlp-traces-endpoint", "collect-detailed-traces", "show-hidden-metrics-for-version",
        "log-config-file", "kv-cache-metrics-sample", "max-log-len", "profiler-config",
        "custom-histogram-buckets"
    ]: Logs;
    group Text [
        "load-format", "download-dir", "tokenizer", "tokenizer-mode", "tokenizer-revision", "revision",
        "code-revision", "hf-config-path", "config-format", "safetensors-load-strategy", "hf-token",
        "runner", "convert", "task", "pt-load-map-location"
    ]: WeightLoading;
    group Text [
        "model-loader-extra-config", "hf-overrides", "additional-config", "ignore-patterns",
        "allowed-local-media-path", "allowed-media-domains"
    ]: WeightLoading;
    group Switch ["trust-remote-code", "skip-tokenizer-init", "allow-deprecated-quantization"]: WeightLoading;
    group Text ["seed"]: SamplingSeed;
    group Text ["max-logprobs"]: Sampling;
    group Text [
        "generation-config", "logprobs-mode", "guided-decoding-backend", "reasoning-parser-plugin",
        "pooler-config"
    ]: Sampling;
    group Json ["override-generation-config", "structured-outputs-config", "reasoning-config"]: Sampling;
    group Text [
        "chat-template", "chat-template-content-format", "tool-call-parser", "tool-parser-plugin",
        "tool-server", "reasoning-parser", "default-chat-template-kwargs", "chat-template-kwargs"
    ]: ChatTemplates;
    group Switch [
        "enable-auto-tool-choice", "enable-reasoning", "trust-request-chat-template",
        "exclude-tools-when-tool-choice-none", "return-tokens-as-token-ids",
        "enable-tokenizer-info-endpoint", "tokens-only", "enable-prompt-embeds"
    ]: ChatTemplates;
    group Json ["limit-mm-per-prompt", "mm-processor-kwargs", "media-io-kwargs"]: OtherInputs;
    group Text [
        "mm-processor-cache-gb", "mm-processor-cache-type", "mm-encoder-tp-mode", "mm-encoder-attn-backend",
        "mm-shm-cache-max-object-size-mb", "video-pruning-rate"
    ]: OtherInputs;
    group Switch [
        "interleave-mm-strings", "skip-mm-profiling", "disable-chunked-mm-input", "language-model-only",
        "enable-mm-embeds", "mm-encoder-only", "disable-mm-preprocessor-cache"
    ]: OtherInputs;
    group Text [
        "model-impl", "override-attention-dtype", "disable-sliding-window", "rope-scaling", "rope-theta"
    ]: ModelShape;
    group Text ["lora-target-modules", "default-mm-loras"]: AdapterTargets;
    group Switch [
        "enable-lora-bias", "enable-tower-connector-lora", "specialize-active-lora"
    ]: AdapterTargets;
    group Switch ["is-prefill-worker", "is-decode-worker"]: RoleOfService;
    own Text ["disaggregation-mode"];
    group Text [
        "connector", "endpoint", "publish-events-and-metrics", "extra-engine-args"
    ]: OfDynamo;
    group Text [
        "device", "env-file", "numa-bind-nodes", "weight-transfer-config", "performance-mode",
        "kv-offloading-dir"
    ]: Files;
};
