//! Built-in scenarios, the files of `scenarios/`.

use crate::{Scenario, parse};

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
        Preset { name: $name, text: include_str!(concat!("scenarios/", $name, ".json")), opens_s: $opens_s }
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
    preset!("day-in-ten-minutes", 140),
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
    preset!("wide-expert-parallelism", 70),
    preset!("crash-cold-cache", 74),
    preset!("slow-node-five-routers", 16),
    preset!("retry-storm", 55),
    preset!("partition-stale-signals", 55),
    preset!("rolling-restart", 55),
    preset!("the-pause", 68),
    preset!("more-cache-lower-hit-rate", 66),
    preset!("eight-small-caches-or-one-store", 32),
    preset!("pull-or-compute", 42),
    preset!("one-latent-eight-gpus", 100),
    preset!("divided-cache", 150),
    preset!("drafts-by-load", 55),
    preset!("gpt-oss-agents", 175),
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
    use super::*;
    use crate::check;

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

    #[test]
    fn a_preset_is_the_same_without_the_line_of_its_version() {
        for preset in PRESETS {
            let line = "  \"tokenyard\": 1,\n";
            assert!(preset.text.contains(line), "{}", preset.name);
            let without = parse(&preset.text.replace(line, "")).expect("a built-in scenario reads");
            assert_eq!(without, preset.scenario(), "{}", preset.name);
        }
    }
}
