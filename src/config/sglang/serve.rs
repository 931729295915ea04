//! Import of a command that starts an SGLang server: `python -m sglang.launch_server` or `sglang serve`.

use crate::command::serve::EngineServe;
use crate::command::shell::EngineKind;
use crate::sglang::read::{command, pool_name};

/// A command of an SGLang server.
pub(crate) const SGLANG_SERVE: EngineServe = EngineServe {
    format: "sglang-serve",
    title: "a command of an SGLang server",
    kind: EngineKind::Sglang,
    port: 30_000,
    pool_name,
    read: command,
};
