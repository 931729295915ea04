//! Import of a command that starts a vLLM server: `vllm serve`, `python -m vllm.entrypoints.openai.api_server`, or
//! `docker run` with an image of vLLM.

use crate::command::serve::EngineServe;
use crate::command::shell::EngineKind;
use crate::vllm::command::{command, flags, pool_name};

/// A command of a vLLM server.
pub(crate) const VLLM_SERVE: EngineServe = EngineServe {
    format: "vllm-serve",
    title: "a command of a vLLM server",
    kind: EngineKind::Vllm,
    port: 8000,
    pool_name: |r, found| pool_name(&flags(r, &found.flags)),
    read: command,
};
