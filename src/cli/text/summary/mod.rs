//! The report as readable text.

mod faults;
mod groups;
mod rest;
mod sessions;
mod split;

use crate::text::table::{Align, NO_PRICE, Table, known, name, number, visible};
use base::small::decimal;
use run::session::Report;
use std::fmt::{self, Write};

/// The report as readable text; the same bytes on every machine, like the report itself.
pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    write(&mut out, report).expect("a String takes any text");
    out
}

fn write(out: &mut String, r: &Report) -> fmt::Result {
    if !r.title.is_empty() {
        writeln!(out, "{}\n", visible(&r.title))?;
    }
    let q = &r.requests;
    writeln!(out, "requests     {} arrived", q.arrived)?;
    let parts = [
        (q.completed, "completed"),
        (q.running, "running"),
        (q.queued, "queued"),
        (q.transferring, "in transfer"),
        (q.landed, "landed"),
        (q.in_pipeline, "in pipeline"),
        (q.rejected, "rejected"),
        (q.dropped, "dropped"),
        (q.lost, "lost"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    writeln!(out, "             {}", if told.is_empty() { "none".to_owned() } else { told.join(" + ") })?;
    writeln!(out, "             {}", if q.conserved { "all accounted for" } else { "NOT CONSERVED" })?;
    rest::write_refusals(out, r)?;
    let rate = number((q.completed > 0).then_some(q.preemption_rate), 3);
    let rate = if q.preemptions > 0 { format!(", {rate} per finished request") } else { String::new() };
    writeln!(out, "preemptions  {}{rate}", q.preemptions)?;
    writeln!(out, "clock        {:.6} s, {} events", r.run.clock_us as f64 / 1e6, r.run.events)?;
    if let Some(verdict) = &r.verdict {
        writeln!(out, "load         {}", verdict.text)?;
    }
    for of_pool in &r.evidence {
        let pool = if r.evidence.len() > 1 { format!("{}: ", visible(&of_pool.pool)) } else { String::new() };
        writeln!(out, "evidence     {pool}{}", visible(&of_pool.text))?;
    }
    writeln!(out)?;
    out.push_str(&latencies(r).text());
    if let Some(error) = r.percentile_error {
        writeln!(out, "Percentiles are estimates, ± {} %.", decimal::fixed(error * 100.0, 1))?;
    }
    writeln!(out)?;
    write_rates(out, r)?;
    faults::write(out, r)?;
    sessions::write(out, r)?;
    split::write(out, r)?;
    write_replicas(out, r)?;
    groups::write(out, r)?;
    write_notices(out, r)
}

/// The narrowest column of a duration.
const MS: usize = 10;

fn latencies(r: &Report) -> Table {
    let heads = ["mean", "p50", "p90", "p95", "p99", "max"];
    let mut columns = vec![("ms", Align::Left, 11), ("count", Align::Right, 10)];
    columns.extend(heads.map(|head| (head, Align::Right, MS)));
    let mut table = Table::new(&columns);
    let l = &r.latency_ms;
    for (what, s) in [
        ("TTFT", &l.ttft),
        ("ITL", &l.itl),
        ("TPOT", &l.tpot),
        ("E2E", &l.e2e),
        ("queue wait", &l.queue_wait),
    ] {
        let mut row = vec![what.to_owned(), s.count.to_string()];
        row.extend([s.mean, s.p50, s.p90, s.p95, s.p99, s.max].map(|ms| known(s.count, ms, 3)));
        table.row(row);
    }
    table
}

fn write_rates(out: &mut String, r: &Report) -> fmt::Result {
    let t = &r.throughput;
    let rate = |x: f64, decimals: usize| number((t.seconds > 0.0).then_some(x), decimals);
    let percent = |share: Option<f64>| number(share.map(|s| s * 100.0), 2);
    let length = if r.run.warmup_over { format!("{:.3} s", t.seconds) } else { "nothing".to_owned() };
    writeln!(out, "measured     {length}")?;
    writeln!(out, "arrived      {} requests/s", rate(t.arrived_per_s, 3))?;
    writeln!(out, "completed    {} requests/s", rate(t.completed_per_s, 3))?;
    let met = percent(r.slo.met_share.or(t.attainment));
    let base = if r.slo.unserved > 0 { "of those finished, refused or dropped " } else { "" };
    writeln!(out, "goodput      {} requests/s ({met} % {base}met the SLO)", rate(t.goodput_per_s, 3))?;
    let of = |share: Option<f64>| percent(share);
    let [ttft, tpot, e2e] = [r.slo.ttft_attainment, r.slo.tpot_attainment, r.slo.e2e_attainment].map(of);
    let of = if r.slo.unserved > 0 { " of those finished" } else { "" };
    writeln!(out, "objectives   TTFT met by {ttft} %, TPOT by {tpot} %, E2E by {e2e} %{of}")?;
    let tokens = [t.prompt_tokens_per_s, t.output_tokens_per_s, t.total_tokens_per_s].map(|x| rate(x, 1));
    writeln!(out, "tokens       {} prompt/s, {} output/s, {} in all", tokens[0], tokens[1], tokens[2])?;
    let looked_up = r.kv.hits + r.kv.misses > 0;
    // Shares of blocks include the warm-up, those of requests and tokens do not.
    let measured = |share: f64| percent((looked_up && t.seconds > 0.0).then_some(share));
    let blocks = percent(looked_up.then_some(r.kv.hit_rate));
    let [requests, tokens] = [r.kv.request_hit_rate, r.kv.reused_prompt_share].map(measured);
    writeln!(
        out,
        "cache hits   {blocks} % of prompt blocks, {tokens} % of prompt tokens, {requests} % of requests"
    )?;
    for p in &r.pools {
        let Some(s) = &p.speculative else { continue };
        let (length, rate) = (number(s.mean_acceptance_length, 3), percent(s.acceptance_rate));
        let pool = if r.pools.len() > 1 { format!("{}: ", visible(&p.name)) } else { String::new() };
        writeln!(out, "drafts       {pool}{length} tokens a step, {rate} % of draft tokens accepted")?;
    }
    let (hour, million) = (r.cost.usd_per_hour, r.cost.usd_per_million_output_tokens);
    let thousand = number(r.cost.usd_per_1k_tokens, 5);
    let (hour_text, million) = (number(hour, 2), number(million, 3));
    let cost = format!(
        "{hour_text} USD/h, {million} USD per million output tokens, {thousand} per 1,000 tokens of both kinds"
    );
    writeln!(out, "cost         {}", if hour.is_none() { NO_PRICE } else { &cost })?;
    let gpu = number(r.cost.gpu_busy_seconds_per_request, 4);
    writeln!(out, "GPU time     {gpu} busy GPU-seconds per finished request")?;
    writeln!(out)
}

/// Most replicas listed one by one.
const MOST_REPLICAS: usize = 32;

fn write_replicas(out: &mut String, r: &Report) -> fmt::Result {
    let mut table = Table::new(&[
        ("replica", Align::Left, 7),
        ("pool", Align::Left, 12),
        ("completed", Align::Right, 9),
        ("busy %", Align::Right, 7),
        ("mean batch", Align::Right, 10),
        ("preempted", Align::Right, 9),
        ("KV peak/blocks", Align::Right, 16),
        ("hit %", Align::Right, 6),
    ]);
    for p in r.replicas.iter().take(MOST_REPLICAS) {
        table.row(vec![
            p.replica.to_string(),
            name(&p.pool),
            p.completed.to_string(),
            number((p.up_s > 0.0).then_some(p.busy * 100.0), 2),
            known(p.steps, p.mean_batch, 2),
            p.preemptions.to_string(),
            format!("{}/{}", p.kv_peak_blocks, p.kv_total_blocks),
            known(p.steps, p.kv_hit_rate * 100.0, 2),
        ]);
    }
    out.push_str(&table.text());
    if r.replicas.len() > MOST_REPLICAS {
        writeln!(out, "and {} more (--json lists all)", r.replicas.len() - MOST_REPLICAS)?;
    }
    Ok(())
}

fn write_notices(out: &mut String, r: &Report) -> fmt::Result {
    if !r.notices.is_empty() || !r.run.trouble.is_empty() {
        writeln!(out)?;
    }
    for notice in &r.notices {
        writeln!(out, "notice: {}", in_one_line(notice))?;
    }
    if !r.run.trouble.is_empty() {
        writeln!(out, "trouble: {}", r.run.trouble)?;
    }
    Ok(())
}

/// The message, its source and the advice.
pub(crate) fn in_one_line(notice: &run::session::Notice) -> String {
    visible(&format!("{} ({}: {})", notice.text, notice.path, notice.remedy))
}
