//! Prefixes of a client: which texts they are, and which one a request begins with.

use super::family;
use base::content::source_name;
use base::digest::Digest;
use base::rng::Stream;
use base::{Content, Shared, math};
use document::PrefixGroups;
use serde::{Deserialize, Serialize};

/// The prefix group of a client without any.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// The prefixes of one client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Prefixes {
    /// The number of the client, to which texts of its own belong.
    client: u32,
    groups: u32,
    tokens: u32,
    /// Digest of the name of the set that it shares with other clients.
    shared: Option<u64>,
    /// The cumulative weight up to each group; empty if all are equally likely.
    table: Shared<Vec<f64>>,
}

impl PartialEq for Prefixes {
    fn eq(&self, other: &Self) -> bool {
        let all = |p: &Self| (p.client, p.groups, p.tokens, p.shared);
        all(self) == all(other) && *self.table == *other.table
    }
}

impl Prefixes {
    pub(super) fn new(prefix: &PrefixGroups, client: u32) -> Self {
        let groups = if prefix.tokens == 0 { 0 } else { prefix.groups };
        let mut table = Vec::new();
        if prefix.zipf > 0.0 {
            let mut sum = 0.0;
            table.reserve(groups as usize);
            for k in 1..=groups {
                sum += math::pow(f64::from(k), -prefix.zipf);
                table.push(sum);
            }
        }
        let shared = (!prefix.shared.is_empty()).then(|| Digest::of(prefix.shared.as_bytes()).value());
        Self { client, groups, tokens: prefix.tokens, shared, table: Shared::new(table) }
    }

    /// How many different prefixes there are.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn groups(&self) -> u32 {
        self.groups
    }

    /// Whether other clients may have the same ones.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The group of the next request.
    pub(super) fn draw(&self, draws: &mut Stream) -> u32 {
        if self.groups == 0 {
            return NO_GROUP;
        }
        let Some(sum) = self.table.last() else { return draws.below(self.groups) };
        let u = draws.unit() * sum;
        // The product may round up to the total weight.
        (self.table.partition_point(|up_to| *up_to <= u) as u32).min(self.groups - 1)
    }

    /// The text of a group.
    pub(super) fn text(&self, group: u32) -> Content {
        if group == NO_GROUP {
            return Content::EMPTY;
        }
        let source = match self.shared {
            None => source_name(family::CLIENT_PREFIX, (u64::from(self.client) << 32) | u64::from(group)),
            Some(set) => source_name(source_name(family::SHARED_PREFIX, set), group.into()),
        };
        Content::single(source, 0, self.tokens)
    }
}
