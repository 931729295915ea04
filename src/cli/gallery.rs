//! `tokenyard gallery`: the cards of the built-in scenarios for the page.

use super::args_lesson::Gallery;
use super::input::refused;
use super::{Failed, say};
use base::json;
use run::session::view::PresetInfo;
use tools::gallery::cards;

/// `tokenyard gallery`
pub(super) fn run(args: &Gallery) -> Result<(), Failed> {
    let lines: Vec<String> = if args.names {
        PresetInfo::all().iter().map(json::compact).collect()
    } else {
        let cards = cards().map_err(|problems| refused("the built-in scenarios", &problems))?;
        cards.iter().map(json::compact).collect()
    };
    say(&format!("[\n{}\n]\n", lines.join(",\n")))
}
