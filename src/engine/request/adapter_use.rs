//! Which adapters requests name, and when they were loaded for them.

use crate::base::{Micros, RequestId, SortedMap};
use crate::engine::facts::AdapterSource;
use serde::{Deserialize, Serialize};

/// The adapter of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterUse {
    /// Its number.
    pub adapter: u32,
    /// The latest load of it that this request caused: where from, the beginning of the step that waited for it, and the
    /// instant when it was there.
    pub loaded: Option<(AdapterSource, Micros, Micros)>,
}

/// By request, its adapter; those of the base model have no entry.
pub(in crate::engine) type AdapterUses = SortedMap<RequestId, AdapterUse>;
