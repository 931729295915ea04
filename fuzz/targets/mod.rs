//! What the fuzzer feeds: from any bytes to the doors by which strangers' texts come in. A panic is a bug.
//!
//! The same functions run over the corpus in `tests/it/fuzz_corpus.rs`.

mod convert;
mod edit;
mod link;
mod model;
mod policies;
mod scenario;
mod trace;

pub(crate) use convert::convert;
pub(crate) use edit::edit;
pub(crate) use link::link;
pub(crate) use model::model;
pub(crate) use policies::policies;
pub(crate) use scenario::scenario;
pub(crate) use trace::trace;
