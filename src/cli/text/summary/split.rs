//! The summary's lines on prefill and decode apart: ratio, share prefilled elsewhere, hand-overs, ports and the hint.

use crate::text::table::{known, number, visible};
use run::session::Report;
use run::session::report::{DisaggregationPart, LinkPart, PoolPart};
use std::fmt::{self, Write};

/// The lines, where a pool has the role prefill or decode.
pub(crate) fn write(out: &mut String, r: &Report) -> fmt::Result {
    let Some(d) = &r.disaggregation else { return Ok(()) };
    let pools: Vec<String> = r.pools.iter().filter_map(in_its_role).collect();
    writeln!(out, "split        {}", pools.join(", "))?;
    let percent = |share: Option<f64>| number(share.map(|share| 100.0 * share), 2);
    let kinds: Vec<String> = d.decisions.0.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let kinds = if kinds.is_empty() { "no decisions".to_owned() } else { kinds.join(", ") };
    writeln!(out, "prefilled    {} % elsewhere ({kinds})", percent(d.remote_share))?;
    write_times(out, d)?;
    write_ports(out, &r.links)?;
    if let Some(hint) = &d.hint {
        let [prefill, decode] = [hint.prefill_load, hint.decode_load].map(|load| percent(Some(load)));
        writeln!(
            out,
            "hint         prefill replicas are {prefill} % busy, decode replicas {decode} % full: {}:{} would load both alike",
            hint.suggested_prefill, hint.suggested_decode
        )?;
    }
    writeln!(out)
}

fn in_its_role(pool: &PoolPart) -> Option<String> {
    let split = pool.split.as_ref()?;
    Some(format!("{}: {} {}", visible(&pool.name), pool.replicas, split.role))
}

fn write_times(out: &mut String, d: &DisaggregationPart) -> fmt::Result {
    for (what, s) in [
        ("hand-over", &d.handover_ms),
        ("  for room", &d.room_wait_ms),
        ("  transfer", &d.transfer_ms),
        ("  to join", &d.join_wait_ms),
        ("at prefill", &d.ttft_prefill_ms),
    ] {
        let [p50, p99] = [s.p50, s.p99].map(|ms| known(s.count, ms, 3));
        let of = if what == "at prefill" { "TTFT " } else { "" };
        writeln!(out, "{what:<12} {of}{p50} ms p50, {p99} ms p99 of {}", s.count)?;
    }
    let [mb, early] = [d.bytes, d.overlapped_bytes].map(|bytes| bytes as f64 / 1e6);
    let early =
        if d.overlapped_bytes > 0 { format!(", {early:.1} MB during prefills") } else { String::new() };
    writeln!(out, "transfers    {} of {mb:.1} MB{early}, at most {} at once", d.transfers, d.peak_flows)
}

/// The busiest port of either direction.
fn write_ports(out: &mut String, links: &[LinkPart]) -> fmt::Result {
    for direction in ["out", "in"] {
        let of_it = links.iter().filter(|link| link.direction == direction);
        let Some(most) = of_it.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation)) else { continue };
        let what = format!("ports {direction}");
        let [used, busy] = [most.utilisation, most.busy].map(|share| number(Some(100.0 * share), 2));
        writeln!(
            out,
            "{what:<12} r{} most: {used} % used, a transfer flowed {busy} % of the time",
            most.replica
        )?;
    }
    Ok(())
}
