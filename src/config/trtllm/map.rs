//! The flags of `trtllm-serve`: what each becomes in a pool, which vLLM's rules simulate.
//!
//! Source: TensorRT-LLM's `commands/serve.py`, and Dynamo's arguments for it.

use crate::command::map::{FlagField, KnownFlag, UsualValue};
use document::limits;

/// The flags, in the order in which they are read.
pub(crate) const FLAGS: &[KnownFlag] = flags! {
    own Text ["model", "model-path"];
    group Text ["served-model-name"]: ClientNames;
    same Whole ["max-batch-size"]
        => FlagField::new("engine.max_num_seqs", "max sequences", UsualValue::Whole(2048)).within(1.0, limits::BATCH as f64);
    same Whole ["max-num-tokens"]
        => FlagField::new("engine.max_num_batched_tokens", "token budget", UsualValue::Whole(8192)).within(1.0, limits::STEP_TOKENS as f64);
    same Whole ["kv-block-size"]
        => FlagField::new("kv.block_tokens", "block size", UsualValue::Whole(32)).within(1.0, limits::BLOCK_TOKENS as f64);
    same Whole ["tensor-parallel-size", "tp-size"]
        => FlagField::new("tp", "tensor parallel", UsualValue::Whole(1)).within(1.0, limits::TP as f64);
    own Whole ["pipeline-parallel-size", "pp-size"];
    own Whole ["data-parallel-size"];
    group Whole ["ep-size", "expert-parallel-size", "moe-expert-parallel-size", "moe-tensor-parallel-size", "moe-cluster-parallel-size", "cluster-size"]: ExpertLoad;
    group Whole ["context-parallel-size", "cp-size"]: ContextParallel;
    own Number ["kv-cache-free-gpu-memory-fraction", "free-gpu-memory-fraction"];
    own Text ["kv-cache-dtype"];
    own Text ["quantization"];
    own Text ["dtype"];
    own Switch ["enable-chunked-prefill"];
    own Text ["disaggregation-mode", "server-role"];
    group Switch ["enable-attention-dp"]: AttentionRanks;
    group Text ["extra-llm-api-options", "config", "extra-engine-args", "override-engine-args"]: ConfigFile;
    group Text ["max-seq-len", "max-input-len"]: LengthLimits;
    group Text ["max-beam-width"]: Sampling;
    group Text ["backend", "num-postprocess-workers", "attn-backend", "allreduce-strategy", "moe-backend"]: Kernels;
    group Switch ["disable-overlap-scheduler"]: Kernels;
    group Text ["gpus-per-node", "metadata-server-config-file", "disagg-cluster-uri"]: RankMeeting;
    group Text ["host", "port", "grpc", "endpoint", "request-timeout", "api-key"]: ServerApi;
    group Text ["log-level", "otlp-traces-endpoint", "metrics-port"]: Logs;
    group Switch ["enable-iter-perf-stats", "print-iter-log", "telemetry", "no-telemetry"]: Logs;
    group Text ["tokenizer", "revision", "tokenizer-revision", "load-format", "checkpoint-format", "custom-tokenizer", "custom-module-dirs"]: WeightLoading;
    group Switch ["trust-remote-code", "fail-fast-on-attention-window-too-large"]: WeightLoading;
    group Text ["reasoning-parser", "tool-parser", "chat-template"]: ChatTemplates;
    group Text ["media-io-kwargs", "modality"]: OtherInputs;
    group Switch ["publish-events-and-metrics"]: OfDynamo;
    group Text ["disaggregation-strategy"]: OfDynamo;
};
