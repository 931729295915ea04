//! The keys of llm-d's autoscaler: those of a `VariantAutoscaling`, and those of its analysers in a `ConfigMap`.

use crate::autoscalers::keys::ScalingKey;

pub(crate) const MIN: ScalingKey = ScalingKey::replicas("minReplicas", "min", "fewest replicas", None);
pub(crate) const MAX: ScalingKey = ScalingKey::replicas("maxReplicas", "max", "most replicas", None);

/// An analyser, with the name of its policy here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Analyser {
    SaturationV1,
    SaturationV2,
    Queueing,
}

impl Analyser {
    pub(crate) const ALL: [Self; 3] = [Self::SaturationV1, Self::SaturationV2, Self::Queueing];

    pub(crate) fn policy(self) -> &'static str {
        match self {
            Self::SaturationV1 => "wva-saturation-v1",
            Self::SaturationV2 => "wva-saturation-v2",
            Self::Queueing => "wva-queueing-model",
        }
    }

    /// The name of its map.
    pub(crate) fn config_map(self) -> &'static str {
        match self {
            Self::SaturationV1 | Self::SaturationV2 => "wva-saturation-scaling-config",
            Self::Queueing => "wva-queueing-model-config",
        }
    }

    /// Its keys.
    pub(crate) fn settings(self) -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(move |setting| setting.of == self)
    }
}

/// A key of an analyser's entry, which is a number of its policy.
pub(crate) struct Setting {
    of: Analyser,
    pub(crate) theirs: &'static str,
    pub(crate) field: &'static str,
    pub(crate) ours: &'static str,
}

const fn setting(of: Analyser, theirs: &'static str, field: &'static str, ours: &'static str) -> Setting {
    Setting { of, theirs, field, ours }
}

/// The keys of all analysers, in the order in which they are read. One that two have is read once.
pub(crate) const SETTINGS: [Setting; 10] = [
    setting(Analyser::SaturationV1, "kvCacheThreshold", "kv", "KV full at"),
    setting(Analyser::SaturationV1, "queueLengthThreshold", "queue", "queue full at"),
    setting(Analyser::SaturationV1, "kvSpareTrigger", "kv_spare", "KV to spare"),
    setting(Analyser::SaturationV1, "queueSpareTrigger", "queue_spare", "queue to spare"),
    setting(Analyser::SaturationV2, "kvCacheThreshold", "kv", "KV share"),
    setting(Analyser::SaturationV2, "scaleUpThreshold", "up", "up above"),
    setting(Analyser::SaturationV2, "scaleDownBoundary", "down", "down below"),
    setting(Analyser::Queueing, "sloMultiplier", "slo_multiplier", "multiple of the idle time"),
    setting(Analyser::Queueing, "targetTTFT", "ttft_ms", "TTFT, ms"),
    setting(Analyser::Queueing, "targetITL", "itl_ms", "ITL, ms"),
];

/// The keys that say which analyser an entry is for, each once.
pub(crate) fn keys() -> Vec<&'static str> {
    let mut all = Vec::new();
    for Setting { theirs, .. } in &SETTINGS {
        if !all.contains(theirs) {
            all.push(*theirs);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::ScalingPolicy;
    use serde_json::json;

    #[test]
    fn settings_of_analysers_are_fields_of_their_policies() {
        for Setting { of, field, .. } in &SETTINGS {
            let policy = json!({ of.policy(): { *field: 1.0 } });
            let read = serde_json::from_value::<ScalingPolicy>(policy);
            assert!(read.is_ok(), "{field}: {read:?}");
        }
    }
}
