//! What was read from sources, before it is merged.

use crate::import::configuration::mapping::Mapping;
use crate::import::configuration::server_identity::{RouterRole, ServerIdentity};
use crate::import::configuration::sets::Set;
use base::Diagnostic;
use serde_json::Value;

/// What was read from all sources.
#[derive(Default)]
pub(crate) struct ReadSources {
    /// A whole scenario, if a source is one.
    pub(crate) scenario: Option<Value>,
    pub(crate) sets: Vec<Set>,
    pub(crate) mappings: Vec<Mapping>,
    /// The roles that routers give servers, and what they can know these by.
    pub(crate) roles: Vec<RouterRole>,
    pub(crate) servers: Vec<ServerIdentity>,
    /// Problems with the numbers of their sources.
    pub(crate) problems: Vec<(u32, Diagnostic)>,
}
