//! What clients want of the KV of their requests: how much of it may leave the GPU.

use super::record::Record;
use base::lookup::LookupMap;
use document::Workload;
use serde::{Deserialize, Serialize};

/// What clients want, as far as they say anything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wishes {
    /// By position in the scenario's list of requests: blocks that end within this token may leave the GPU.
    offload: LookupMap<u32, u32>,
}

impl Wishes {
    /// Those of a workload.
    pub(crate) fn new(workload: &Workload) -> Self {
        let listed = (0..).zip(&workload.requests);
        Self { offload: listed.filter_map(|(i, request)| Some((i, request.max_offload_tokens?))).collect() }
    }

    /// Blocks of a request that end within this token may leave the GPU: of its prompt alone if its replica says so.
    pub(crate) fn may_leave_to(&self, record: &Record, prompt_only: bool) -> u32 {
        let own = self.offload.get(record.listed).unwrap_or(u32::MAX);
        if prompt_only { own.min(record.prompt_tokens) } else { own }
    }
}
