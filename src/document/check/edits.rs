//! Checks the list of edits: their number and order. The document after each edit is checked when the edit is applied.

use super::scaling::check_first_replicas;
use crate::table::report::{Report, grouped};
use crate::{Scenario, limits};
use base::Diagnostics;
use base::small::decimal::plain;

/// Problems of the list of edits.
pub fn check_edits(s: &Scenario) -> Diagnostics {
    let mut report = Report::default();
    check_first_replicas(s, &mut report);
    check_list(s, &mut report);
    report.finish()
}

pub(super) fn check_list(s: &Scenario, r: &mut Report) {
    r.count("edits", s.edits.len(), limits::EDITS, "edits");
    let (mut latest, mut most_events) = (0, 0);
    let horizon_us = s.run.horizon_s * 1e6;
    for (i, edit) in s.edits.iter().enumerate() {
        let path = format!("edits[{i}]");
        let longest = limits::HORIZON_S as u64 * 1_000_000;
        let fix = "it is in microseconds after the start";
        if !r.int(&format!("{path}.at_us"), edit.at_us, 0, longest, fix) {
            continue;
        }
        let events = edit.after_events.unwrap_or(if edit.at_us > latest { 0 } else { most_events });
        // The count of events only orders the edits of one instant.
        if edit.at_us < latest || (edit.at_us == latest && events < most_events) {
            r.error(
                format!("{path}.at_us"),
                format!("{} us, which is before the edit above it", grouped(edit.at_us)),
                "edits in the order in which they apply",
                "sort the list",
            );
        }
        (latest, most_events) = (edit.at_us, events);
        if horizon_us >= 0.5 && edit.at_us as f64 > horizon_us && r.is_fine("run.horizon_s") {
            r.warning(
                format!("{path}.at_us"),
                format!("{} us, which is after the end of the run", grouped(edit.at_us)),
                format!("up to run.horizon_s ({} s)", plain(s.run.horizon_s)),
                "it never applies: lengthen the run or move the edit",
            );
        }
    }
}
