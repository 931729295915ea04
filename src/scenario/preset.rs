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
    preset!("day-in-ten-minutes", 165),
    preset!("flapping-threshold", 10),
    preset!("hpa-swallows-a-change", 110),
    preset!("scale-to-zero", 595),
    preset!("two-variants@2", 153),
    preset!("filter-locked-out", 164),
    preset!("filter-mended", 194),
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

    /// The digest of each preset's document without its title and note: a link promises the same run, not the same sentence.
    /// A preset whose run has to change gets a new name, such as `chat-4xh100@2`, and the old one stays.
    const MEANT: &[(&str, &str)] = &[
        ("chat-4xh100", "7038678659f8a31f"),
        ("kv-pressure", "3669d1b3a433e7bf"),
        ("router-showdown", "2484954209bd71fa"),
        ("long-chats", "86d66c6e1a005dad"),
        ("regret-and-tail", "55c4feed7854842a"),
        ("mixed-fleet@2", "43c89ec7496ffe5f"),
        ("stale-herd", "51e4fc4fe8190055"),
        ("cache-livelock", "5d2dc9aa6f30b108"),
        ("chunked-prefill", "892ff8eceafc6058"),
        ("long-prompt", "cf31dc02129f16bd"),
        ("clients-give-up", "bfecb6c6de2fc7dc"),
        ("tenant-quotas", "90a07f64c88a7f0b"),
        ("priority-inversion", "e5d080076b209757"),
        ("one-wide-eight-narrow", "233b0e56f694683c"),
        ("azure-twin", "a8a90648a4cf1b17"),
        ("mooncake-twin", "1dd5cbef20b864ee"),
        ("fleet-256", "51cdc84344bff10f"),
        ("spike-cold-starts", "3e270b846a49cf04"),
        ("day-in-ten-minutes", "700efe746787025e"),
        ("flapping-threshold", "80df8d8d2cdaf58a"),
        ("hpa-swallows-a-change", "9ffcb29c7bd8e5fe"),
        ("scale-to-zero", "9e6ba1932c54ff71"),
        ("two-variants@2", "e92ef305cea36175"),
        ("filter-locked-out", "2f62d3a8921a236a"),
        ("filter-mended", "bccca3d5d4704ca1"),
        ("mixed-fleet", "8152ca9737a8d822"),
        ("two-variants", "e92ef305cea36175"),
    ];

    /// The digest of a document without its title and note.
    fn run_digest(text: &str) -> String {
        let mut document: serde_json::Value = serde_json::from_str(text).expect("a preset is JSON");
        let fields = document.as_object_mut().expect("a preset is an object");
        fields.shift_remove("title");
        fields.shift_remove("note");
        Digest::of(document.to_string().as_bytes()).hex()
    }

    #[test]
    fn what_links_mean_by_a_preset_never_changes() {
        let now: Vec<(&str, String)> =
            PRESETS.iter().chain(FORMER).map(|p| (p.name, run_digest(p.text))).collect();
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
