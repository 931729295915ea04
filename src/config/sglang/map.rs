//! The flags of SGLang's servers: what each becomes in a pool, which vLLM's rules simulate.
//!
//! Source: SGLang's `srt/server_args.py`.

use crate::command::map::{FlagField, KnownFlag, UsualValue};
use document::limits;

/// The flags, in the order in which they are read.
pub(crate) const FLAGS: &[KnownFlag] = flags! {
    own Text ["model", "model-path"];
    group Text ["served-model-name"]: ClientNames;
    same Whole ["max-running-requests"]
        => FlagField::new("engine.max_num_seqs", "max sequences", UsualValue::Chosen).within(1.0, limits::BATCH as f64);
    own Number ["chunked-prefill-size"];
    same Whole ["page-size"]
        => FlagField::new("kv.block_tokens", "block size", UsualValue::Whole(1)).within(1.0, limits::BLOCK_TOKENS as f64);
    same Whole ["tensor-parallel-size", "tp-size", "tp"]
        => FlagField::new("tp", "tensor parallel", UsualValue::Whole(1)).within(1.0, limits::TP as f64);
    own Whole ["pipeline-parallel-size", "pp-size", "pp"];
    own Whole ["data-parallel-size", "dp-size", "dp"];
    own Switch ["enable-dp-attention"];
    group Whole ["ep-size", "expert-parallel-size", "ep", "ep-num-redundant-experts", "eplb-rebalance-num-iterations"]: ExpertLoad;
    group Switch ["enable-eplb", "enable-ep-moe", "enable-deepep-moe"]: ExpertLoad;
    own Number ["mem-fraction-static"];
    own Whole ["max-total-tokens"];
    own Switch ["disable-radix-cache"];
    own Text ["radix-eviction-policy"];
    own Switch ["enable-hierarchical-cache"];
    own Number ["hicache-ratio"];
    own Number ["hicache-size"];
    own Text ["hicache-write-policy"];
    own Text ["hicache-storage-backend"];
    own Text ["hicache-storage-prefetch-policy"];
    own Text ["hicache-storage-backend-extra-config"];
    group Text ["hicache-io-backend", "hicache-mem-layout"]: TierProgram;
    group Switch ["disable-hicache-numa-detect", "enable-lmcache"]: TierProgram;
    own Text ["kv-cache-dtype"];
    own Text ["quantization"];
    own Text ["dtype"];
    own Text ["schedule-policy"];
    own Switch ["enable-priority-scheduling"];
    own Text ["disaggregation-mode"];
    group Text [
        "disaggregation-transfer-backend", "disaggregation-ib-device", "disaggregation-bootstrap-port",
        "disaggregation-decode-tp", "disaggregation-decode-dp", "disaggregation-prefill-pp"
    ]: TransferProgram;
    group Switch ["disaggregation-decode-enable-offload-kvcache", "disaggregation-decode-enable-radix-cache"]: TransferProgram;
    group Number ["schedule-conservativeness"]: AnswersReserved;
    group Whole ["max-prefill-tokens", "prefill-max-requests", "max-queued-requests"]: SeparateBatches;
    group Switch ["enable-mixed-chunk", "enable-dynamic-chunking", "disable-overlap-schedule"]: SeparateBatches;
    group Whole ["num-continuous-decode-steps", "priority-scheduling-preemption-threshold"]: SeparateBatches;
    group Switch ["schedule-low-priority-values-first", "disable-priority-preemption"]: SeparateBatches;
    group Text [
        "speculative-algorithm", "speculative-algo", "speculative-draft-model-path", "speculative-draft-model",
        "speculative-num-steps", "speculative-eagle-topk", "speculative-num-draft-tokens", "speculative-token-map",
        "speculative-attention-mode", "speculative-accept-threshold-single", "speculative-accept-threshold-acc"
    ]: DraftsByHand;
    group Switch ["enable-lora", "enable-multi-layer-eagle"]: AdaptersByHand;
    group List ["lora-paths", "lora-target-modules"]: AdaptersByHand;
    group Text ["max-loras-per-batch", "max-loaded-loras", "max-lora-rank", "lora-backend"]: AdaptersByHand;
    group Text ["context-length", "max-model-len"]: LengthLimits;
    group Text [
        "attention-backend", "prefill-attention-backend", "decode-attention-backend", "sampling-backend",
        "grammar-backend", "moe-runner-backend", "moe-a2a-backend", "deepep-mode", "fp8-gemm-backend", "mm-attention-backend",
        "cuda-graph-max-bs", "torch-compile-max-bs", "flashinfer-mxfp4-moe-precision", "swa-full-tokens-ratio"
    ]: Kernels;
    group List ["cuda-graph-bs"]: Kernels;
    group Switch [
        "disable-cuda-graph", "disable-cuda-graph-padding", "enable-torch-compile", "enable-flashinfer-allreduce-fusion",
        "disable-custom-all-reduce", "enable-two-batch-overlap", "enable-single-batch-overlap", "enable-dp-lm-head",
        "enable-symm-mem", "enable-mscclpp", "disable-shared-experts-fusion", "disable-piecewise-cuda-graph",
        "disable-hybrid-swa-memory", "enable-nccl-nvls"
    ]: Kernels;
    group Text [
        "nnodes", "node-rank", "dist-init-addr", "nccl-init-addr", "dist-timeout", "nccl-port", "base-gpu-id", "gpu-id-step",
        "load-balance-method"
    ]: RankMeeting;
    group Text ["host", "port", "api-key", "grpc-mode", "fastapi-root-path", "warmups"]: ServerApi;
    group Switch ["skip-server-warmup", "enable-p2p-check", "smg-grpc-mode"]: ServerApi;
    group Text [
        "log-level", "log-level-http", "log-requests-level", "decode-log-interval", "crash-dump-folder", "kv-events-config",
        "tokenizer-metrics-custom-labels-header", "otlp-traces-endpoint", "stream-interval", "watchdog-timeout"
    ]: Logs;
    group Switch [
        "enable-metrics", "log-requests", "show-time-cost", "enable-cache-report", "enable-metrics-for-all-schedulers",
        "enable-trace", "stream-output"
    ]: Logs;
    group Text [
        "tokenizer-path", "tokenizer-mode", "tokenizer-worker-num", "load-format", "model-loader-extra-config", "revision",
        "download-dir", "model-impl", "json-model-override-args", "random-seed", "device", "config", "mem-fraction-static-draft"
    ]: WeightLoading;
    group Switch [
        "trust-remote-code", "skip-tokenizer-init", "weight-loader-disable-mmap", "enable-memory-saver", "is-embedding"
    ]: WeightLoading;
    group Text [
        "chat-template", "completion-template", "tool-call-parser", "reasoning-parser", "hf-chat-template-name", "tool-server"
    ]: ChatTemplates;
    group Switch ["enable-multimodal", "keep-mm-feature-on-device", "language-only"]: OtherInputs;
    group Text ["limit-mm-data-per-request", "mm-process-config"]: OtherInputs;
    group Text ["preferred-sampling-params", "sampling-defaults"]: Sampling;
    group Switch ["enable-deterministic-inference", "enable-custom-logit-processor", "enable-return-hidden-states"]: Sampling;
    group Text ["cpu-offload-gb", "offload-group-size", "offload-num-in-group", "offload-prefetch-step"]: CpuWeights;
    group Text ["endpoint", "disaggregation-strategy", "publish-events-and-metrics"]: OfDynamo;
};
