//! Fields of the scenario that sources set, before they are merged.

use serde_json::Value;

/// The rank of a value that a source says; lower ranks are defaults, which any source overrides.
pub(crate) const SAID: u8 = u8::MAX;

/// The pools that a value is about: those of a name if there are any, those that serve a model, or all.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PoolOf {
    pub(crate) name: Option<String>,
    pub(crate) model: Option<String>,
    /// Whether the source describes the pool, so that it is added where no pool has its name.
    pub(crate) defines: bool,
    /// Whether it is described only where sources describe several pools: a command does not name its pool.
    pub(crate) unnamed: bool,
}

impl PoolOf {
    /// The pool of a command, which gets this name where there are several.
    pub(crate) fn unnamed(name: &str) -> Self {
        Self { name: Some(name.to_owned()), unnamed: true, ..Self::default() }
    }

    /// The pool that a source describes.
    pub(crate) fn defined(name: &str) -> Self {
        Self { name: Some(name.to_owned()), defines: true, ..Self::default() }
    }
}

/// The longest last part of a model's name that becomes the name of a pool.
const NAME_BYTES: usize = 80;

/// The name of a pool: the last part of its model's name, with its role.
pub(crate) fn name_with_role(model: &str, role: Option<&str>) -> Option<String> {
    let last = model.trim_end_matches('/').rsplit('/').next()?.to_ascii_lowercase();
    let role = role.map(|role| format!("-{role}")).unwrap_or_default();
    (!last.is_empty() && last.len() <= NAME_BYTES).then(|| format!("{last}{role}"))
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    /// A path of the scenario, such as `cluster.routing`.
    Scenario(String),
    /// A path of pools, such as `kv.blocks`.
    Pool(PoolOf, String),
}

/// A field that a source sets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Set {
    /// Number of its document.
    pub(crate) document: usize,
    /// Its key in the source; empty if a mapping says it by the field's name.
    pub(crate) key: String,
    /// The beginning of the keys of its source.
    pub(crate) start: String,
    pub(crate) field: Field,
    pub(crate) value: Value,
    pub(crate) rank: u8,
    /// Whether it is only what the other program does where nothing is said: a pool that is there keeps its own value.
    pub(crate) usual: bool,
}

impl Set {
    /// A value that the key of a source says.
    pub(crate) fn said(key: &str, field: Field, value: Value) -> Self {
        Self {
            document: 0,
            key: key.to_owned(),
            start: String::new(),
            field,
            value,
            rank: SAID,
            usual: false,
        }
    }
}
