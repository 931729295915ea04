//! SMG, the router that SGLang's became (`smg launch`, `sglang_router`).

pub(crate) mod map;
pub(crate) mod read;
pub(crate) mod write;
