//! The mark of a link for a page that is part of another one: it comes before the preset.

use super::view::is_name;
use crate::limits;
use base::{Diagnostic, Diagnostics};

/// First word of a link that shows the page without its panels, for use in another page.
pub(super) const EMBED: &str = "embed";

/// The text after `embed;` or `embed=CHART,CHART;`, and the charts; the whole text of any other link.
pub(super) fn embedded<'a>(text: &'a str, problems: &mut Diagnostics) -> (&'a str, Option<Vec<String>>) {
    let (first, rest) = text.split_once(';').unwrap_or((text, ""));
    let Some(charts) = first.strip_prefix(EMBED) else { return (text, None) };
    let names = match charts.strip_prefix('=') {
        Some(names) => names,
        None if charts.is_empty() => return (rest, Some(Vec::new())),
        None => return (text, None),
    };
    let named: Vec<&str> = names.split(',').filter(|name| is_name(name)).take(limits::LINK_CHARTS).collect();
    if named.len() != names.split(',').count() {
        let found = names.chars().take(60).collect::<String>();
        let allowed = format!("at most {} names of charts with commas between", limits::LINK_CHARTS);
        problems.push(Diagnostic::error(EMBED, found, allowed, "such as embed=ttft,queue"));
    }
    (rest, Some(named.into_iter().map(str::to_owned).collect()))
}
