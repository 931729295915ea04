//! The report as a page of text.

use crate::session::Report;
use std::fmt::{self, Write};

/// The report, readable; the same bytes on every machine, like the report itself.
pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    write(&mut out, report).expect("a String takes any text");
    out
}

fn write(out: &mut String, r: &Report) -> fmt::Result {
    if !r.title.is_empty() {
        writeln!(out, "{}\n", r.title)?;
    }
    let q = &r.requests;
    writeln!(out, "requests     {} arrived", q.arrived)?;
    let parts = [
        (q.completed, "completed"),
        (q.running, "running"),
        (q.queued, "queued"),
        (q.in_pipeline, "in pipeline"),
        (q.rejected, "rejected"),
        (q.dropped, "dropped"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    writeln!(out, "             {}", if told.is_empty() { "none".to_owned() } else { told.join(" + ") })?;
    writeln!(out, "             {}", if q.conserved { "all accounted for" } else { "NOT CONSERVED" })?;
    writeln!(out, "preemptions  {}", q.preemptions)?;
    writeln!(out, "clock        {:.6} s, {} events", r.run.clock_us as f64 / 1e6, r.run.events)?;
    writeln!(out)?;
    write_latencies(out, r)?;
    write_rates(out, r)?;
    write_replicas(out, r)?;
    write_clients(out, r)?;
    if !r.run.trouble.is_empty() {
        writeln!(out, "\ntrouble: {}", r.run.trouble)?;
    }
    Ok(())
}

fn write_latencies(out: &mut String, r: &Report) -> fmt::Result {
    let l = &r.latency_ms;
    let heads = ["mean", "p50", "p90", "p95", "p99", "max"];
    write!(out, "{:<13}{:>10}", "ms", "count")?;
    for head in heads {
        write!(out, "{head:>12}")?;
    }
    writeln!(out)?;
    for (name, s) in [
        ("TTFT", &l.ttft),
        ("ITL", &l.itl),
        ("TPOT", &l.tpot),
        ("E2E", &l.e2e),
        ("queue wait", &l.queue_wait),
    ] {
        write!(out, "{name:<13}{:>10}", s.count)?;
        for value in [s.mean, s.p50, s.p90, s.p95, s.p99, s.max] {
            write!(out, "{value:>12.3}")?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

fn write_rates(out: &mut String, r: &Report) -> fmt::Result {
    let t = &r.throughput;
    writeln!(out, "measured     {:.3} s", t.seconds)?;
    writeln!(out, "arrived      {:.3} requests/s", t.arrived_per_s)?;
    writeln!(out, "completed    {:.3} requests/s", t.completed_per_s)?;
    writeln!(
        out,
        "goodput      {:.3} requests/s ({:.2} % met the SLO)",
        t.goodput_per_s,
        t.attainment * 100.0
    )?;
    writeln!(out, "output       {:.1} tokens/s", t.output_tokens_per_s)?;
    writeln!(out, "cache hits   {:.2} % of prompt blocks", r.kv.hit_rate * 100.0)?;
    if r.cost.usd_per_hour > 0.0 {
        writeln!(
            out,
            "cost         {:.2} USD/h, {:.3} USD per million output tokens",
            r.cost.usd_per_hour, r.cost.usd_per_million_output_tokens
        )?;
    }
    writeln!(out)
}

/// Most replicas listed one by one.
const MOST_REPLICAS: usize = 32;

fn write_replicas(out: &mut String, r: &Report) -> fmt::Result {
    writeln!(
        out,
        "{:<9}{:<14}{:>10}{:>9}{:>12}{:>10}{:>18}{:>8}",
        "replica", "pool", "completed", "busy %", "mean batch", "preempted", "KV peak/blocks", "hit %"
    )?;
    for p in r.replicas.iter().take(MOST_REPLICAS) {
        writeln!(
            out,
            "{:<9}{:<14}{:>10}{:>9.2}{:>12.2}{:>10}{:>18}{:>8.2}",
            p.replica,
            p.pool,
            p.completed,
            p.busy * 100.0,
            p.mean_batch,
            p.preemptions,
            format!("{}/{}", p.kv_peak_blocks, p.kv_total_blocks),
            p.kv_hit_rate * 100.0
        )?;
    }
    if r.replicas.len() > MOST_REPLICAS {
        writeln!(out, "and {} more (--json lists all)", r.replicas.len() - MOST_REPLICAS)?;
    }
    Ok(())
}

fn write_clients(out: &mut String, r: &Report) -> fmt::Result {
    if r.clients.len() < 2 {
        return Ok(());
    }
    writeln!(
        out,
        "\n{:<23}{:>10}{:>10}{:>13}{:>13}{:>13}{:>13}",
        "client", "arrived", "finished", "TTFT p50 ms", "TTFT p99 ms", "E2E p50 ms", "E2E p99 ms"
    )?;
    for c in &r.clients {
        writeln!(
            out,
            "{:<23}{:>10}{:>10}{:>13.1}{:>13.1}{:>13.1}{:>13.1}",
            c.name, c.arrived, c.finished, c.ttft_ms.p50, c.ttft_ms.p99, c.e2e_ms.p50, c.e2e_ms.p99
        )?;
    }
    Ok(())
}
