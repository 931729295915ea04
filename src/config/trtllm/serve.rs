//! Import of a command that starts a TensorRT-LLM server: `trtllm-serve`, or `python -m dynamo.trtllm`.

use crate::command::serve::EngineServe;
use crate::command::shell::EngineKind;
use crate::trtllm::read::{command, pool_name};

/// A command of a TensorRT-LLM server.
pub(crate) const TRTLLM_SERVE: EngineServe = EngineServe {
    format: "trtllm-serve",
    title: "a command of a TensorRT-LLM server",
    kind: EngineKind::Trtllm,
    port: 8000,
    pool_name,
    read: command,
};
