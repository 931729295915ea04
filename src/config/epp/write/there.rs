//! What a router's file has: plugins by their names and types, and the profiles that refer to them.

use crate::epp::write::profile::{Profile, reference};
use crate::yaml::node::{YamlItem, YamlNode};
use crate::yaml::want::{Items, Want};
use std::collections::BTreeMap;

/// Types by other names that the router had for them.
const FORMER: [(&str, &str); 3] = [
    ("queue-depth-scorer", "queue-scorer"),
    ("running-request-scorer", "running-requests-size-scorer"),
    ("pd-profile-handler", "disagg-profile-handler"),
];

/// Types of plugins of profiles and handlers that are simulated: one in use that the scenario no longer has is removed
/// from a file.
const SIMULATED: [&str; 21] = [
    "queue-scorer",
    "kv-cache-utilization-scorer",
    "running-requests-size-scorer",
    "active-request-scorer",
    "prefix-cache-scorer",
    PRECISE,
    "no-hit-lru-scorer",
    "load-aware-scorer",
    "token-load-scorer",
    "lora-affinity-scorer",
    "latency-scorer",
    "session-affinity-scorer",
    "session-affinity-filter",
    "prefix-cache-affinity-filter",
    "slo-headroom-tier-filter",
    "utilization-filter",
    "max-score-picker",
    "random-picker",
    "weighted-random-picker",
    "always-disagg-pd-decider",
    "prefix-based-pd-decider",
];

/// The key of a scorer of prefixes that replicas report.
pub(crate) const PRECISE: &str = "precise-prefix-cache-scorer";
const PRECISE_PRODUCER: &str = "precise-prefix-cache-producer";

/// A plugin of a file.
struct Known {
    /// Its type, or another key where two plugins of one type differ.
    key: String,
    name: String,
    node: YamlNode,
}

/// What a file has; empty without one.
#[derive(Default)]
pub(crate) struct There {
    plugins: Vec<Known>,
    /// Names of plugins by profile, in the order of the file, with the weights as they are written.
    profiles: Vec<(String, BTreeMap<String, Option<String>>)>,
    has_profiles: bool,
    whole: Option<YamlNode>,
    /// The place of the handler that splits requests among the plugins.
    pub(crate) handler: Option<usize>,
}

impl There {
    pub(crate) fn of(whole: &YamlNode) -> Self {
        let items = whole.get("plugins").map(YamlNode::items).unwrap_or_default();
        let producer = |name: &str| {
            items.iter().any(|i| Self::name_of(&i.value) == name && type_of(&i.value) == PRECISE_PRODUCER)
        };
        let known = |item: &YamlItem| {
            let kind = type_of(&item.value);
            let producer_name =
                item.value.at(&["parameters", "prefixMatchInfoProducerName"]).and_then(YamlNode::scalar);
            let precise = kind == "prefix-cache-scorer" && producer_name.is_some_and(producer);
            let key = if precise { PRECISE.to_owned() } else { canonical(kind).to_owned() };
            Known { key, name: Self::name_of(&item.value), node: item.value.clone() }
        };
        let plugins: Vec<Known> = items.iter().map(known).collect();
        let profile = |item: &YamlItem| {
            let refs = item.value.get("plugins").map(YamlNode::items).unwrap_or_default();
            let refs = refs.iter().map(|r| (ref_of(&r.value), word(&r.value, "weight").map(str::to_owned)));
            (word(&item.value, "name").unwrap_or_default().to_owned(), refs.collect())
        };
        let list = whole.get("schedulingProfiles").map(YamlNode::items).unwrap_or_default();
        let handler = plugins.iter().position(|p| p.key == "disagg-profile-handler");
        Self {
            plugins,
            profiles: list.iter().map(profile).collect(),
            has_profiles: !list.is_empty(),
            whole: Some(whole.clone()),
            handler,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.whole.is_none()
    }

    /// The name of a plugin in a list.
    pub(crate) fn name_of(node: &YamlNode) -> String {
        word(node, "name").unwrap_or_else(|| type_of(node)).to_owned()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.plugins.iter().any(|p| p.name == name)
    }

    /// The name of the plugin with a key: that of a profile, or else any.
    pub(crate) fn named(&self, key: &str, profile: &str) -> Option<String> {
        let refs = self.profiles.iter().find(|(name, _)| name == profile).map(|(_, refs)| refs);
        let all = || self.plugins.iter().filter(|p| p.key == key);
        let used = all().find(|p| refs.is_some_and(|refs| refs.contains_key(&p.name)));
        used.or_else(|| all().next()).map(|p| p.name.clone())
    }

    /// The values of a plugin's parameters.
    pub(crate) fn parameter(&self, key: &str, parameter: &[&str]) -> Option<&str> {
        let plugin = self.plugins.iter().find(|p| p.key == key)?;
        plugin.node.get("parameters")?.at(parameter)?.scalar()
    }

    /// The weight of a plugin in a profile, as it is written; 1 if it is used without one.
    pub(crate) fn weight(&self, name: &str, profile: &str) -> Option<String> {
        let (_, refs) = self.profiles.iter().find(|(known, _)| known == profile)?;
        refs.get(name).map(|weight| weight.clone().unwrap_or_else(|| "1".to_owned()))
    }

    /// The name of the only profile, or of the first.
    pub(crate) fn first_profile(&self) -> Option<&str> {
        self.profiles.first().map(|(name, _)| name.as_str())
    }

    /// The key of the plugin that a profile refers to by this name.
    pub(crate) fn key(&self, name: &str) -> Option<&str> {
        self.plugins.iter().find(|p| p.name == name).map(|p| p.key.as_str())
    }

    /// A value below the top of the file.
    pub(crate) fn at(&self, keys: &[&str]) -> Option<&str> {
        self.whole.as_ref()?.at(keys)?.scalar()
    }

    /// Whether a section is there.
    pub(crate) fn section(&self, key: &str) -> bool {
        self.whole.as_ref().is_some_and(|whole| whole.get(key).is_some())
    }

    /// Whether a plugin that is no longer wanted may be removed: it is simulated, and something refers to it.
    pub(crate) fn may_go(&self, node: &YamlNode) -> bool {
        let name = Self::name_of(node);
        let in_profile = !self.has_profiles || self.profiles.iter().any(|(_, refs)| refs.contains_key(&name));
        let keys: [&[&str]; 3] =
            [&["deciders", "prefill"], &["prefillDeciderPluginName"], &["deciderPluginName"]];
        let decides =
            keys.iter().any(|key| self.parameter("disagg-profile-handler", key) == Some(name.as_str()));
        (in_profile || decides) && self.key(&name).is_some_and(|key| SIMULATED.contains(&key))
    }

    /// The profiles as they are wanted; `None` if the file has none and needs none.
    pub(crate) fn follow<'t>(&'t self, profiles: &[Profile]) -> Option<Want<'t>> {
        let unweighted = |p: &Profile| {
            p.plugins.iter().all(|(_, weight)| weight.is_none_or(|w| w.to_bits() == 1.0_f64.to_bits()))
        };
        if profiles.is_empty() || (!self.is_empty() && !self.has_profiles && profiles.iter().all(unweighted))
        {
            return None;
        }
        let profile = |p: &Profile| {
            let items =
                p.plugins.iter().map(|(name, weight)| (name.clone(), reference(name, *weight))).collect();
            let ours = |node: &YamlNode| self.key(&ref_of(node)).is_some_and(|key| SIMULATED.contains(&key));
            let refs = Items { items, name_of: Box::new(ref_of), is_ours: Box::new(ours) };
            let want = Want::Map(vec![("name", Want::said(p.name.as_str())), ("plugins", Want::List(refs))]);
            (p.name.clone(), want)
        };
        let name_of = |node: &YamlNode| word(node, "name").unwrap_or_default().to_owned();
        let items = profiles.iter().map(profile).collect();
        Some(Want::List(Items { items, name_of: Box::new(name_of), is_ours: Box::new(|_| false) }))
    }
}

/// The present name of a type.
fn canonical(kind: &str) -> &str {
    FORMER.iter().find(|(former, _)| *former == kind).map_or(kind, |(_, now)| now)
}

fn word<'n>(node: &'n YamlNode, key: &str) -> Option<&'n str> {
    node.get(key).and_then(YamlNode::scalar).filter(|word| !word.is_empty())
}

fn type_of(node: &YamlNode) -> &str {
    word(node, "type").unwrap_or_default()
}

fn ref_of(node: &YamlNode) -> String {
    word(node, "pluginRef").unwrap_or_default().to_owned()
}
