//! Built-in scenarios, the files of `scenarios/`.

use super::{Scenario, parse};

/// A built-in scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, as used in links and on the command line.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All built-in scenarios; the first is what the page opens with.
pub const PRESETS: &[Preset] = &[
    Preset { name: "chat-4xh100", text: include_str!("../../scenarios/chat-4xh100.json") },
    Preset { name: "kv-pressure", text: include_str!("../../scenarios/kv-pressure.json") },
    Preset { name: "router-showdown", text: include_str!("../../scenarios/router-showdown.json") },
    Preset { name: "long-chats", text: include_str!("../../scenarios/long-chats.json") },
    Preset { name: "regret-and-tail", text: include_str!("../../scenarios/regret-and-tail.json") },
    Preset { name: "mixed-fleet", text: include_str!("../../scenarios/mixed-fleet.json") },
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
