//! Heads, divided among the GPUs of a replica.

use base::Diagnostic;
use document::Architecture;

/// Whether every GPU of a replica must have the same number of heads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Heads {
    Even,
    Any,
}

impl Heads {
    /// Checks that `tp` GPUs can divide the heads of a shape; `path` is the pool's.
    pub(super) fn check(self, shape: &Architecture, tp: u32, path: &str) -> Result<(), Diagnostic> {
        let (heads, kv_heads, tp) = (shape.heads, shape.kv_heads(), tp.max(1));
        let found = if self == Self::Any {
            return Ok(());
        } else if !heads.is_multiple_of(tp) {
            format!("{heads} heads on {tp} GPUs")
        } else if shape.kv_latent == 0 && kv_heads >= tp && !kv_heads.is_multiple_of(tp) {
            format!("{kv_heads} KV heads on {tp} GPUs")
        } else {
            return Ok(());
        };
        Err(Diagnostic::error(
            format!("{path}.tp"),
            found,
            "a number of GPUs that divides both, or the heads alone if it is above the KV heads",
            "use a power of two",
        ))
    }
}
