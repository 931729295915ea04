//! The cards of the built-in scenarios, as the page has them.

use super::input::refused;
use super::{Failed, say};
use crate::base::json;
use crate::session::gallery::cards;

/// `tokenyard gallery`
pub(super) fn run() -> Result<(), Failed> {
    let cards = cards().map_err(|problems| refused("the built-in scenarios", &problems))?;
    let lines: Vec<String> = cards.iter().map(json::compact).collect();
    say(&format!("[\n{}\n]\n", lines.join(",\n")))
}
