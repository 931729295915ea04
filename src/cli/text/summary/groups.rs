//! The summary's tables of groups and of the slowest requests, and its lines on fairness, the CPU tier and decisions.

use crate::text::table::{Align, Table, known, name, number};
use run::session::Report;
use run::session::report::{GroupPart, TierServedPart};
use std::fmt::{self, Write};

/// The tables of parts of the traffic, if there is more than one part.
pub(crate) fn write(out: &mut String, r: &Report) -> fmt::Result {
    let classes: Vec<&GroupPart> = r.classes.iter().map(|c| &c.requests).collect();
    let tenants: Vec<&GroupPart> = r.tenants.iter().collect();
    let clients: Vec<&GroupPart> = r.clients.iter().collect();
    let pools: Vec<&GroupPart> = r.pools.iter().map(|p| &p.requests).collect();
    for (what, groups) in [("class", classes), ("tenant", tenants), ("client", clients), ("pool", pools)] {
        if groups.len() > 1 {
            write!(out, "\n{}", table(what, &groups).text())?;
        }
    }
    write_slowest(out, r)?;
    write_shares(out, r)
}

fn table(what: &str, groups: &[&GroupPart]) -> Table {
    let mut columns = vec![
        (what, Align::Left, 12),
        ("arrived", Align::Right, 8),
        ("finished", Align::Right, 8),
        ("met %", Align::Right, 6),
    ];
    let heads = ["TTFT p50 ms", "TTFT p90 ms", "TTFT p99 ms", "TPOT p99 ms", "E2E p50 ms", "E2E p99 ms"];
    columns.extend(heads.map(|head| (head, Align::Right, 11)));
    let mut table = Table::new(&columns);
    for g in groups {
        let (ttft, tpot, e2e) = (&g.ttft_ms, &g.tpot_ms, &g.e2e_ms);
        table.row(vec![
            name(&g.name),
            g.arrived.to_string(),
            g.finished.to_string(),
            number(g.met_share.or(g.attainment).map(|share| share * 100.0), 2),
            known(ttft.count, ttft.p50, 1),
            known(ttft.count, ttft.p90, 1),
            known(ttft.count, ttft.p99, 1),
            known(tpot.count, tpot.p99, 1),
            known(e2e.count, e2e.p50, 1),
            known(e2e.count, e2e.p99, 1),
        ]);
    }
    table
}

/// Each of the slowest requests with the two parts that took most of its time.
fn write_slowest(out: &mut String, r: &Report) -> fmt::Result {
    if r.slowest.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[
        ("slowest", Align::Left, 12),
        ("client", Align::Left, 12),
        ("TTFT ms", Align::Right, 10),
        ("E2E ms", Align::Right, 10),
        ("preempted", Align::Right, 9),
        ("most of it", Align::Left, 10),
    ]);
    for slow in &r.slowest {
        let mut parts = slow.parts.clone();
        parts.sort_by_key(|part| std::cmp::Reverse(part.us));
        let most = parts.iter().take(2).map(|part| format!("{} {} ms", part.kind.name(), in_ms(part.us)));
        table.row(vec![
            format!("#{} on r{}", slow.request, slow.replica),
            name(&slow.client),
            in_ms(slow.ttft_us),
            in_ms(slow.e2e_us),
            slow.preemptions.to_string(),
            most.collect::<Vec<_>>().join(", "),
        ]);
    }
    write!(out, "\n{}", table.text())
}

fn in_ms(us: u64) -> String {
    number(Some(us as f64 / 1000.0), 3)
}

/// What a tier gave to prompts, and how long they waited for it.
fn write_served(out: &mut String, s: &TierServedPart) -> fmt::Result {
    let (wait, age) = (&s.wait_ms, &s.age_at_hit_s);
    writeln!(
        out,
        "  gave       {:.2} % of the blocks of prompts; {} ms waited on average, {} at p99; age of hits {} s at p50, {} at p99",
        s.share * 100.0,
        known(wait.count, wait.mean, 1),
        known(wait.count, wait.p99, 1),
        known(age.count, age.p50, 1),
        known(age.count, age.p99, 1)
    )
}

/// The tiers below CPU memory.
fn write_tiers(out: &mut String, r: &Report) -> fmt::Result {
    for tier in &r.kv_tiers {
        writeln!(
            out,
            "tier below   {} of {}: {} blocks read ({:.3} GB), {} written ({:.3} GB), {} flows failed",
            name(&tier.tier),
            name(&tier.pool),
            tier.read_blocks,
            tier.read_gb,
            tier.written_blocks,
            tier.written_gb,
            tier.failed_flows
        )?;
        write_served(out, &tier.served)?;
    }
    if let Some(loads) = &r.kv.loads {
        writeln!(
            out,
            "loads        {} blocks useful, {} given back; {:.1} blocks held by loads on average; {} tokens computed although stored",
            loads.useful_blocks,
            loads.wasted_blocks,
            loads.mean_held_blocks,
            loads.refused_tokens + loads.cut_tokens + loads.failed_tokens
        )?;
    }
    let Some(p) = &r.kv.pauses else { return Ok(()) };
    writeln!(
        out,
        "pauses       {} prefetches: {} landed, {} late, {} refused, {} stopped, {} failed, {} with nothing to bring; of {} blocks {} were hit, {} wasted",
        p.prefetches,
        p.landed,
        p.late,
        p.refused,
        p.stopped,
        p.failed,
        p.nothing,
        p.blocks,
        p.useful_blocks,
        p.wasted_blocks
    )
}

/// Fairness, fitness, the CPU tier and the decisions, each if present.
fn write_shares(out: &mut String, r: &Report) -> fmt::Result {
    let (f, busy) = (&r.fairness, r.throughput.seconds > 0.0);
    let index = |x: f64| number(busy.then_some(x), 3);
    writeln!(out)?;
    writeln!(
        out,
        "fairness     Jain's index {} over tenants, {} over replicas; longest queue by shortest {}",
        index(f.tenants_jain),
        index(f.replicas_jain),
        index(f.max_min_queue_ratio)
    )?;
    crate::text::summary::rest::write_spread(out, r)?;
    if let Some(fitness) = &r.fitness {
        writeln!(out, "fitness      {:.4}", fitness.score)?;
    }
    if let Some(cpu) = &r.kv.cpu {
        writeln!(
            out,
            "CPU tier     {:.2} % of the blocks looked for, {} loads of {:.3} ms, {} offloads, {} of {} blocks in use",
            cpu.hit_rate * 100.0,
            cpu.loads,
            cpu.mean_load_ms,
            cpu.offloads,
            cpu.used_blocks,
            cpu.total_blocks
        )?;
        if let Some(served) = &cpu.served {
            write_served(out, served)?;
        }
    }
    write_tiers(out, r)?;
    for pool in &r.pools {
        let Some(lora) = &pool.lora else { continue };
        writeln!(
            out,
            "LoRA         {}: {:.2} % of the requests found their adapter on the GPU, {} loads from CPU memory, {} from \
             disk, {:.3} s of steps waiting for them, {:.3} s of steps for adapters",
            name(&pool.name),
            lora.hit_rate * 100.0,
            lora.cpu_loads,
            lora.disk_loads,
            lora.load_s,
            lora.step_s
        )?;
    }
    if let Some(d) = &r.decisions {
        writeln!(
            out,
            "decisions    {} routed to {} replicas; score regret {:.4} on average, {:.4} at most",
            d.routed, d.unique_targets, d.score_regret_mean, d.score_regret_max
        )?;
    }
    Ok(())
}
