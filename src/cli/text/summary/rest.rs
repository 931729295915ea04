//! The summary's lines on refusals, the variation of load and anomalies.

use crate::text::table::number;
use run::session::Report;
use std::fmt::{self, Write};

/// Why requests were refused, if some were.
pub(crate) fn write_refusals(out: &mut String, r: &Report) -> fmt::Result {
    if r.rejections.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = r.rejections.iter().map(|p| format!("{} {}", p.requests, p.reason)).collect();
    writeln!(out, "refused      {}", told.join(" + "))
}

/// How unevenly work was spread, and the anomalies of each kind that there were.
pub(crate) fn write_spread(out: &mut String, r: &Report) -> fmt::Result {
    let busy = r.throughput.seconds > 0.0;
    let variation = |x: f64| number(busy.then_some(x), 3);
    let f = &r.fairness;
    writeln!(
        out,
        "variation    {} of output tokens over tenants, {} of finished requests over replicas",
        variation(f.tenants_cov),
        variation(f.replicas_cov)
    )?;
    let Some(anomalies) = &r.anomalies else { return Ok(()) };
    let some = anomalies.counts.0.iter().filter(|(_, n)| *n > 0);
    let told: Vec<String> = some.map(|(kind, n)| format!("{n} {}", kind.replace('-', " "))).collect();
    writeln!(out, "anomalies    {}", if told.is_empty() { "none".to_owned() } else { told.join(", ") })
}
