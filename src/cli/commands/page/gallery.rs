//! `tokenyard gallery`: the cards of the built-in scenarios for the page.

use crate::args::lesson::Gallery;
use crate::files::input::refused;
use crate::{Failed, say};
use base::json;
use run::session::view::PresetInfo;
use tools::gallery::cards;

/// `tokenyard gallery`
pub(crate) fn run(args: &Gallery) -> Result<(), Failed> {
    let lines: Vec<String> = if args.names {
        PresetInfo::all().iter().map(json::compact).collect()
    } else {
        let cards = cards().map_err(|problems| refused("the built-in scenarios", &problems))?;
        cards.iter().map(json::compact).collect()
    };
    say(&format!("[\n{}\n]\n", lines.join(",\n")))
}
