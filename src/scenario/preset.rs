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
    preset!("chat-4xh100", 48),
    preset!("kv-pressure", 56),
    preset!("router-showdown", 42),
    preset!("long-chats", 58),
    preset!("regret-and-tail", 8),
    preset!("mixed-fleet@2", 25),
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
    preset!("day-in-ten-minutes", 140),
    preset!("flapping-threshold", 10),
    preset!("hpa-swallows-a-change", 110),
    preset!("scale-to-zero", 595),
    preset!("two-variants@2", 153),
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

/// Presets as they were before a newer one took their place: links still mean them, and no list has them.
const FORMER: &[Preset] = &[preset!("mixed-fleet", 25), preset!("two-variants", 168)];

impl Preset {
    /// The preset called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().chain(FORMER).find(|p| p.name == name)
    }

    /// The document.
    pub fn scenario(&self) -> Scenario {
        parse(self.text).expect("a built-in scenario reads")
    }
}

#[cfg(test)]
mod tests {
    use crate::base::digest::Digest;

    /// What links mean by each name. A preset that has to change gets a new name, such as `chat-4xh100@2`, and the old one stays.
    const MEANT: &[(&str, &str)] = &[
        ("chat-4xh100", "c3deaf8c0a9a54aa"),
        ("kv-pressure", "eef0621c8b3777f3"),
        ("router-showdown", "33c4f9288bda96dd"),
        ("long-chats", "bac2d748b14c6ad0"),
        ("regret-and-tail", "f8d1ed278247e54b"),
        ("mixed-fleet@2", "e18cefa5e405e36b"),
        ("stale-herd", "ede2c703e0610bd4"),
        ("cache-livelock", "e8f5482db969db0b"),
        ("chunked-prefill", "0abd27a9b4ce515e"),
        ("long-prompt", "579a38d2125bc453"),
        ("clients-give-up", "d43d0353db00bc51"),
        ("tenant-quotas", "d5829b42ac16c821"),
        ("priority-inversion", "d4b24f7958dd048d"),
        ("one-wide-eight-narrow", "24f910d0cb52d2ef"),
        ("azure-twin", "185448b1adf4ef48"),
        ("mooncake-twin", "2bb4c3259e426423"),
        ("fleet-256", "61952c32de746dca"),
        ("spike-cold-starts", "ce1345d0422ec056"),
        ("day-in-ten-minutes", "de4796f662c707b8"),
        ("flapping-threshold", "eb4b8c59fce8545c"),
        ("hpa-swallows-a-change", "f200054277eddac7"),
        ("scale-to-zero", "197d0293258b38aa"),
        ("two-variants@2", "c27c47ddb735de14"),
        ("filter-locked-out", "dee0037569d84caa"),
        ("filter-mended", "2e524bec77d5f52a"),
        ("sticky-until-saturated", "df3ecfd668319a1f"),
        ("queue-at-the-gateway", "14418e7a1580f7b1"),
        ("scrape-overshoot", "82f6804d3312209a"),
        ("prompts-among-decodes", "cf571ae1191f1e30"),
        ("ratio-of-the-day", "041df5d4d75449dd"),
        ("thin-link", "944ee1b9be2e05ba"),
        ("thin-link-threshold", "ebd540bdc17afc76"),
        ("llm-d-prefill-decode", "c5b6e1b28e2323b6"),
        ("crash-cold-cache", "e5894d46f8becc88"),
        ("slow-node-five-routers", "e7014403c2016f6e"),
        ("retry-storm", "e6302e81310bfbab"),
        ("partition-stale-signals", "7d1c85d902cadf2f"),
        ("rolling-restart", "c96d84cb811ff04c"),
        ("mixed-fleet", "47735583ceca1fe6"),
        ("two-variants", "967061df9c5e09a9"),
    ];

    #[test]
    fn what_links_mean_by_a_preset_never_changes() {
        let now: Vec<(&str, String)> =
            PRESETS.iter().chain(FORMER).map(|p| (p.name, Digest::of(p.text.as_bytes()).hex())).collect();
        let now: Vec<(&str, &str)> = now.iter().map(|(name, digest)| (*name, digest.as_str())).collect();
        assert_eq!(now, MEANT, "put the new text under a new name");
    }

    use super::super::check;
    use super::*;

    #[test]
    fn every_preset_is_a_good_scenario_with_a_title_and_a_note() {
        for preset in PRESETS.iter().chain(FORMER) {
            let scenario = preset.scenario();
            assert!(!scenario.title.is_empty() && !scenario.note.is_empty(), "{}", preset.name);
            let (_, warnings) = check(scenario).unwrap();
            assert_eq!(warnings, [], "{}", preset.name);
            assert_eq!(Preset::named(preset.name), Some(preset));
        }
    }
}
