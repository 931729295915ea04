//! Built-in scenarios, the files of `scenarios/`.

use super::{Scenario, parse};

/// A built-in scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, as used in links and on the command line.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Where the page opens it, in seconds: shortly before what there is to see.
    pub opens_s: u32,
}

/// What links call the scenario that says nothing, which has the default of every field.
pub const DEFAULT_PRESET: &str = "default";

/// The preset of a file of `scenarios/`, and where it opens.
macro_rules! preset {
    ($name:literal, $opens_s:literal) => {
        Preset {
            name: $name,
            text: include_str!(concat!("../../scenarios/", $name, ".json")),
            opens_s: $opens_s,
        }
    };
}

/// All built-in scenarios; the first is what the page opens with.
pub const PRESETS: &[Preset] = &[
    preset!("slow-replica", 48),
    preset!("chat-4xh100", 48),
    preset!("kv-pressure", 56),
    preset!("router-showdown", 42),
    preset!("long-chats", 58),
    preset!("regret-and-tail", 8),
    preset!("mixed-fleet", 25),
    preset!("stale-herd", 36),
    preset!("cache-livelock", 37),
    preset!("chunked-prefill", 57),
    preset!("long-prompt", 29),
    preset!("clients-give-up", 57),
    preset!("tenant-quotas", 47),
    preset!("priority-inversion", 56),
    preset!("one-wide-eight-narrow", 27),
    preset!("azure-twin", 53),
    preset!("mooncake-twin", 25),
    preset!("fleet-256", 27),
    preset!("spike-cold-starts", 86),
    preset!("day-in-ten-minutes", 165),
    preset!("flapping-threshold", 10),
    preset!("hpa-swallows-a-change", 110),
    preset!("scale-to-zero", 595),
    preset!("two-variants", 170),
    preset!("filter-locked-out", 164),
    preset!("filter-mended", 194),
    preset!("sticky-until-saturated", 55),
    preset!("queue-at-the-gateway", 52),
    preset!("scrape-overshoot", 52),
    preset!("prompts-among-decodes", 54),
    preset!("ratio-of-the-day", 55),
    preset!("thin-link", 38),
    preset!("thin-link-threshold", 38),
    preset!("llm-d-prefill-decode", 54),
    preset!("crash-cold-cache", 74),
    preset!("slow-node-five-routers", 16),
    preset!("retry-storm", 55),
    preset!("partition-stale-signals", 55),
    preset!("rolling-restart", 55),
];

impl Preset {
    /// The preset called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|p| p.name == name)
    }

    /// The document.
    pub fn scenario(&self) -> Scenario {
        parse(self.text).expect("a built-in scenario reads")
    }
}

#[cfg(test)]
mod tests {
    use crate::base::digest::Digest;

    /// What links mean by each name.
    const MEANT: &[(&str, &str)] = &[
        ("slow-replica", "a801d8e16639b518"),
        ("chat-4xh100", "3197474adbe96583"),
        ("kv-pressure", "4ab53e8cd21b2052"),
        ("router-showdown", "add967df13582551"),
        ("long-chats", "97b085adf0781b49"),
        ("regret-and-tail", "a4527bd1381aebf2"),
        ("mixed-fleet", "d57adfe72c05ec06"),
        ("stale-herd", "a83f43a6fc2a2fe8"),
        ("cache-livelock", "a78fdd28ba6c854c"),
        ("chunked-prefill", "70d64ec36c6a8696"),
        ("long-prompt", "a42d4ffa8393403c"),
        ("clients-give-up", "2181ceeaef6aa247"),
        ("tenant-quotas", "bf0213471f786d1e"),
        ("priority-inversion", "c3ab1a4e33180819"),
        ("one-wide-eight-narrow", "b3200e73e7819a71"),
        ("azure-twin", "275743ae2dc43586"),
        ("mooncake-twin", "5d263cfb8f0c01e1"),
        ("fleet-256", "e030866a3dce3702"),
        ("spike-cold-starts", "a9cc81128a25a753"),
        ("day-in-ten-minutes", "8209e738322a6dad"),
        ("flapping-threshold", "ba384593d0ae5b1c"),
        ("hpa-swallows-a-change", "0818552e6c9f6e84"),
        ("scale-to-zero", "11c8b28088acccad"),
        ("two-variants", "febf8b14de972ec8"),
        ("filter-locked-out", "c704fef4932b6209"),
        ("filter-mended", "dee3b85b368d4261"),
        ("sticky-until-saturated", "2aff5a9ed3930776"),
        ("queue-at-the-gateway", "6dcbb62aa667e76f"),
        ("scrape-overshoot", "eb26a22ca3540dd1"),
        ("prompts-among-decodes", "85618a2e7517f573"),
        ("ratio-of-the-day", "6db63c7f1e6f468e"),
        ("thin-link", "413525f23c448f0a"),
        ("thin-link-threshold", "ee4118582fc0a1c2"),
        ("llm-d-prefill-decode", "043a605f7b41679c"),
        ("crash-cold-cache", "51dc12ec05bb0043"),
        ("slow-node-five-routers", "e5667e364ff60202"),
        ("retry-storm", "34be6ea43a294f76"),
        ("partition-stale-signals", "c08fe53ef7ae09c4"),
        ("rolling-restart", "76daded447bf2ca1"),
    ];

    #[test]
    fn what_links_mean_by_a_preset_never_changes() {
        let now: Vec<(&str, String)> =
            PRESETS.iter().map(|p| (p.name, Digest::of(p.text.as_bytes()).hex())).collect();
        let now: Vec<(&str, &str)> = now.iter().map(|(name, digest)| (*name, digest.as_str())).collect();
        assert_eq!(now, MEANT, "put the new text under a new name");
    }

    use super::super::check;
    use super::*;

    #[test]
    fn every_preset_is_a_good_scenario_with_a_title_and_a_note() {
        for preset in PRESETS {
            let scenario = preset.scenario();
            assert!(!scenario.title.is_empty() && !scenario.note.is_empty(), "{}", preset.name);
            let (_, warnings) = check(scenario).unwrap();
            assert_eq!(warnings, [], "{}", preset.name);
            assert_eq!(Preset::named(preset.name), Some(preset));
        }
    }
}
