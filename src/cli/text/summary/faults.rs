//! The summary's lines on what broke: availability, attempts, what was lost, and each fault.

use crate::text::table::{number, visible};
use run::session::Report;
use std::fmt::{self, Write};

/// Most faults listed one by one.
const MOST: usize = 16;

/// The lines, where something broke.
pub(crate) fn write(out: &mut String, r: &Report) -> fmt::Result {
    let Some(f) = &r.faults else { return Ok(()) };
    let percent = |share: f64| number(Some(share * 100.0), 2);
    writeln!(
        out,
        "faults       replicas available {} % of the time, {} % of ended requests completed",
        percent(f.availability),
        percent(f.success)
    )?;
    let broken: Vec<String> =
        f.broken.iter().map(|b| format!("{} {} ({} lost)", b.attempts, b.reason, b.lost)).collect();
    let each = number(Some(f.retry_amplification), 3);
    writeln!(out, "attempts     {}, {each} per request; {} retried", f.attempts, f.retried)?;
    if !broken.is_empty() {
        writeln!(out, "broken       {}", broken.join(", "))?;
    }
    writeln!(
        out,
        "lost         {} requests, {} for lack of retry budget; {} prompt tokens and {} shown tokens wasted",
        f.lost, f.budget_denied, f.wasted_prefill_tokens, f.wasted_decode_tokens
    )?;
    if f.ejections > 0 {
        writeln!(out, "ejections    {}", f.ejections)?;
    }
    if f.stranded_block_s > 0.0 {
        let held = number(Some(f.stranded_block_s), 1);
        writeln!(out, "stranded     {held} block-seconds held on prefill replicas for homes that crashed")?;
    }
    for c in f.each.iter().take(MOST) {
        let at = number(Some(c.at_us as f64 / 1e6), 3);
        let back = match c.back_us {
            Some(back) => format!("over at {} s", number(Some(back as f64 / 1e6), 3)),
            None => "never over".to_owned(),
        };
        let recovery = match c.recovery_s {
            Some(s) => format!("goodput back after {} s", number(Some(s), 0)),
            None => "goodput not back".to_owned(),
        };
        let whose = match (c.replica, &c.pool) {
            (Some(replica), Some(pool)) => format!("r{replica} ({})", visible(pool)),
            (Some(_) | None, _) => "all replicas".to_owned(),
        };
        let (kind, broken, lost) = (c.kind, c.broken, c.lost);
        writeln!(out, "{kind:<13}{whose} at {at} s, {back}: {broken} broken, {lost} lost, {recovery}")?;
    }
    if f.each.len() > MOST {
        writeln!(out, "             and {} more (--json lists all)", f.each.len() - MOST)?;
    }
    writeln!(out)
}
