//! Names of clients, tenants, SLO classes, models and adapters by number.

use document::{Client, SloClass};
use serde::{Deserialize, Serialize};

/// The tenant and class of requests without one.
pub(super) const DEFAULT: &str = "default";

/// Names by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Names {
    pub(super) clients: Vec<String>,
    pub(super) tenants: Vec<String>,
    pub(super) classes: Vec<String>,
    /// Number 0 is any model.
    pub(super) models: Vec<String>,
    /// Those of adapters that are not numbered.
    pub(super) adapters: Vec<String>,
}

impl Names {
    pub(super) fn new() -> Self {
        let classes = SloClass::ALL.iter().map(|class| class.name());
        Self {
            clients: Vec::new(),
            tenants: Vec::new(),
            classes: std::iter::once(DEFAULT).chain(classes).map(str::to_owned).collect(),
            models: vec![String::new()],
            adapters: Vec::new(),
        }
    }

    /// The numbers of a client's tenant and model; new names are added.
    pub(super) fn of(&mut self, client: &Client) -> [u32; 2] {
        [number_of(&mut self.tenants, tenant_of(client)), number_of(&mut self.models, &client.model)]
    }
}

/// The tenant of a client's requests.
pub(super) fn tenant_of(client: &Client) -> &str {
    if client.tenant.is_empty() { &client.name } else { &client.tenant }
}

/// Position of `name` in `names`, to which it is appended if it is new.
pub(super) fn number_of(names: &mut Vec<String>, name: &str) -> u32 {
    if let Some(found) = names.iter().position(|n| n == name) {
        return found as u32;
    }
    names.push(name.to_owned());
    (names.len() - 1) as u32
}
