//! The settings of an autoscaler, for the pools that they apply to.

use serde_json::{Map, Value};

/// The settings of an object, or of an entry of one, and the pools that they apply to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Prefix of the paths of its keys.
    pub(crate) start: String,
    /// Name of its target: it applies only to the pool of that name, if there is one.
    pub(crate) target: Option<String>,
    /// Its model: it applies only to pools that serve this model.
    pub(crate) model: Option<String>,
    pub(crate) scaling: Map<String, Value>,
    /// Settings with a rank: another object's plain setting overrides them, and so does one of a higher rank.
    pub(crate) weak: Vec<(u8, &'static str, Value)>,
}
