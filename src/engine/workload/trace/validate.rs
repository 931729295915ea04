//! Validation of a completely read trace: whether it is empty, and whether its numbers are plausible.

use super::format::{Format, formats, no_trace};
use super::rows::Rows;
use super::{Trace, TraceSummary};
use base::{Diagnostic, Diagnostics};
use document::limits;
use std::sync::Arc;

/// Below this many requests the rate is not checked.
const FEW: u64 = 20;
/// Faster than any one recorded service, requests per second.
const FASTEST: f64 = 1000.0;
/// One request a minute: slower than any recorded service.
const SLOWEST: f64 = 1.0 / 60.0;

/// Units of time in microseconds, the likeliest first.
const UNITS: [(f64, &str); 4] =
    [(1e6, "seconds"), (1e3, "milliseconds"), (1.0, "microseconds"), (1e-3, "nanoseconds")];

/// The trace from `rows` with warnings; or errors.
pub(super) fn validate(
    file_name: &str,
    format: Option<&Format>,
    rows: Rows,
) -> (Option<Arc<Trace>>, Diagnostics, Option<TraceSummary>) {
    let Some(format) = format else {
        let empty = no_trace(file_name, "is not a trace: it is an empty file", "choose a file with requests");
        return (None, vec![empty], None);
    };
    let mut all = rows.left_out.warnings(file_name);
    all.extend(rows.kept.warning(file_name));
    if let Some(names) = format.names().filter(|names| !names.given) {
        let found = format!("a file of unknown format, read by its names: {}", names.told());
        all.push(Diagnostic::warning(file_name, found, formats(), "rename them if they are something else"));
    }
    if rows.len() == 0 {
        let fix = "choose a file with requests";
        all.push(Diagnostic::error(file_name, "a trace without requests", "at least one request", fix));
        return (None, all, None);
    }
    let block = match format.block_size() {
        0 => block_size(file_name, format, &rows, &mut all),
        known => known,
    };
    let trace = rows.into_trace(block);
    let summary = trace.summary(format.name());
    // Without arrival times there is no rate.
    if !trace.is_unplaced() {
        all.extend(implausible(file_name, format, &summary));
    }
    (Some(Arc::new(trace)), all, Some(summary))
}

/// Tokens in a block of the hashes, with a warning about rows that do not fit.
fn block_size(file_name: &str, format: &Format, rows: &Rows, all: &mut Diagnostics) -> u32 {
    if rows.declared_block > 0 {
        return rows.declared_block;
    }
    let sizes = &rows.block_sizes;
    if sizes.rows == 0 {
        return 0;
    }
    let found = sizes.found(format.usual_block());
    if found.misfits > 0 {
        let text = format!(
            "{} of {} requests have another number of hash_ids than prompt blocks of {} tokens, the size that fits most",
            found.misfits, sizes.rows, found.size
        );
        let fix = "no size fits them all: correct these requests, or set workload.trace.hash_block_tokens to the right size";
        all.push(Diagnostic::warning(file_name, text, found.rule.formula(), fix));
    }
    found.size
}

/// Warnings about a time unit that is probably wrong, and about a trace longer than a run.
fn implausible(file_name: &str, format: &Format, summary: &TraceSummary) -> Diagnostics {
    let mut all = Diagnostics::new();
    if let Some(unit_us) = format.unit_us() {
        all.extend(wrong_unit(file_name, unit_us, summary));
    }
    if all.is_empty() && summary.duration_s > limits::HORIZON_S {
        let days = summary.duration_s / 86_400.0;
        all.push(Diagnostic::warning(
            file_name,
            format!("{days:.0} days of requests"),
            "30 days in one run",
            "later requests are not reached; set workload.trace.window, or raise workload.trace.speed",
        ));
    }
    all
}

/// A warning if the rate is not plausible in the format's unit of `unit_us` microseconds; it names the unit with a
/// plausible rate, if there is one.
fn wrong_unit(file_name: &str, unit_us: f64, summary: &TraceSummary) -> Option<Diagnostic> {
    if summary.requests < FEW || summary.duration_s <= 0.0 {
        return None;
    }
    let rate = summary.requests as f64 / summary.duration_s;
    if (SLOWEST..=FASTEST).contains(&rate) {
        return None;
    }
    let found =
        format!("{} requests in {:.3} s, or {rate:.6} per second", summary.requests, summary.duration_s);
    let guess = UNITS.into_iter().find(|(us, _)| (SLOWEST..=FASTEST).contains(&(rate * unit_us / us)));
    let (allowed, fix) = match guess {
        Some((us, name)) => (
            format!("in this format times are in {}; these look like {name}", unit_name(unit_us)),
            format!("if they are, set workload.trace.speed to {}", unit_us / us),
        ),
        None => (
            format!("times in {}", unit_name(unit_us)),
            "if the times are in another unit, correct them with workload.trace.speed".to_owned(),
        ),
    };
    Some(Diagnostic::warning(file_name, found, allowed, fix))
}

fn unit_name(unit_us: f64) -> &'static str {
    UNITS.into_iter().find(|(us, _)| us.total_cmp(&unit_us).is_eq()).map_or("its unit", |(_, name)| name)
}
