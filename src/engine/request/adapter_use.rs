//! Which adapters requests name, and when they were loaded for them.

use crate::facts::AdapterSource;
use base::{Micros, RequestId, SortedMap};
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
pub(crate) type AdapterUses = SortedMap<RequestId, AdapterUse>;
