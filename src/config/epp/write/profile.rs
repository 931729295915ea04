//! A profile of a router.

use crate::yaml::want::Want;

/// A profile: plugins by name, with weights.
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) plugins: Vec<(String, Option<f64>)>,
}

/// A reference of a profile to a plugin.
pub(crate) fn reference(name: &str, weight: Option<f64>) -> Want<'static> {
    let weight = weight.map_or(Want::Anything, |w| Want::unless(w, 1.0));
    Want::Braces(vec![("pluginRef", Want::said(name)), ("weight", weight)])
}
