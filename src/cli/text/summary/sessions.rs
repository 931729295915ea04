//! The summary's lines on sessions: how many, how long, and how much of their prompts was in the cache by turn.

use crate::text::table::{known, number};
use run::session::Report;
use std::fmt::{self, Write};

/// The lines, where sessions are followed.
pub(crate) fn write(out: &mut String, r: &Report) -> fmt::Result {
    let Some(s) = &r.sessions else { return Ok(()) };
    let open = s.begun - s.finished - s.cut_short;
    let unsent =
        if s.turns_not_sent > 0 { format!(" ({} turns not sent)", s.turns_not_sent) } else { String::new() };
    writeln!(
        out,
        "sessions     {} begun: {} finished, {} cut short{unsent}, {open} under way",
        s.begun, s.finished, s.cut_short
    )?;
    let [mean, p50, p99] =
        [s.time_ms.mean, s.time_ms.p50, s.time_ms.p99].map(|ms| known(s.time_ms.count, ms / 1000.0, 3));
    let turns = known(s.turns.count, s.turns.mean, 1);
    writeln!(out, "  time       {mean} s mean, {p50} p50, {p99} p99; {turns} turns each")?;
    let part = |t: &run::session::report::TurnPart| {
        let turns = if t.from == t.to { t.from.to_string() } else { format!("{}–{}", t.from, t.to) };
        format!("{} % of turn {turns}", number(t.hit_rate.map(|share| 100.0 * share), 1))
    };
    let by_turn: Vec<String> = s.by_turn.iter().filter(|t| t.requests > 0).map(part).collect();
    writeln!(out, "  cached     {}", if by_turn.is_empty() { "-".to_owned() } else { by_turn.join(", ") })?;
    writeln!(
        out,
        "  again      {} of {} known prompt tokens computed again",
        s.recomputed_tokens, s.known_tokens
    )?;
    writeln!(out)
}
