//! `tokenyard trace`: what a trace is like, before anything runs; or the trace in another format.

use crate::args::trace::Trace as Args;
use crate::failed::{BAD_INPUT, Failed};
use crate::files::outputs::Outputs;
use crate::files::trace_file;
use crate::print::{refused, say, tell, tell_all, unreadable};
use crate::text::table::{Align, Table, bar};
use base::{Diagnostic, json};
use export::TraceFormat;
use run::session::Trace;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use study::trace::{TraceInspection, TraceLengths, TraceName};

/// Buckets of time that are printed.
const BUCKETS: usize = 20;

/// `tokenyard trace`
pub(crate) fn run(args: &Args) -> Result<(), Failed> {
    let columns = trace_file::columns(args.columns.as_deref())?;
    if let (Some(format), Some(path)) = (args.format, &args.output) {
        let mut outputs = Outputs::beside([PathBuf::from(&args.file)]);
        outputs.add(path).map_err(|problem| refused("--output", &[problem]))?;
        let trace = trace_file::read(&args.file, columns)?;
        return export(&trace, format.format(), path);
    }
    let reading = trace_file::reading(&args.file, columns)?;
    tell_all(&args.file, &reading.diagnostics);
    if let Some(sizes) = &args.tiers {
        return super::trace_tiers::run(&reading, sizes, args);
    }
    let Some(inspection) = TraceInspection::of(&reading) else {
        return Err(Failed(BAD_INPUT));
    };
    if args.json {
        return say(&format!("{}\n", json::indented(&inspection)));
    }
    say(&text(&inspection))
}

/// Writes a trace; a file that exists stays as it is.
fn export(trace: &Trace, format: TraceFormat, path: &Path) -> Result<(), Failed> {
    let header = format.header_file().map(|text| (path.with_extension("yaml"), text));
    let mut out = BufWriter::new(create(path)?);
    let header = match header {
        Some((beside, text)) => Some((create(&beside)?, beside, text)),
        None => None,
    };
    let failed = |path: &Path, e: &std::io::Error| unreadable(&path.display(), e);
    format.write(trace, &mut out).and_then(|()| out.flush()).map_err(|e| failed(path, &e))?;
    if let Some((mut file, beside, text)) = header {
        file.write_all(text.as_bytes()).map_err(|e| failed(&beside, &e))?;
    }
    for lost in format.lost(trace) {
        tell(&format!("{}: the format has no {lost}", path.display()));
    }
    tell(&format!("{}: {} requests", path.display(), trace.len()));
    Ok(())
}

fn create(path: &Path) -> Result<File, Failed> {
    File::create_new(path).map_err(|e| {
        if e.kind() == ErrorKind::AlreadyExists {
            let found = path.display().to_string();
            let problem = Diagnostic::error("", found, "a file that does not exist yet", "give another name");
            return refused("--output", &[problem]);
        }
        unreadable(&path.display(), &e)
    })
}

/// The figures in words and tables.
fn text(t: &TraceInspection) -> String {
    let mut out = found(t);
    let _ = writeln!(
        out,
        "\nRequests  {} in {} s, {:.3} per second, at most {:.3} in {} s",
        t.summary.requests,
        seconds(t.summary.duration_s),
        t.rate.mean_per_s,
        t.rate.peak_per_s,
        t.rate.bucket_s
    );
    if let Some(started) = &t.started {
        let _ = writeln!(out, "Started   {started}");
    }
    let _ = writeln!(
        out,
        "Tokens    {} of prompts, {} of answers",
        t.summary.prompt_tokens, t.summary.output_tokens
    );
    let _ = writeln!(
        out,
        "Arrivals  {:.2} at one instant, {} s between instants{}",
        t.arrivals.at_once,
        seconds(t.arrivals.step_s),
        if t.arrivals.is_coarse { ": the clock of the file is coarse" } else { "" }
    );
    if t.repeated_ids + t.repeated_rows > 0 {
        let _ = writeln!(out, "Repeated  {} ids, {} rows", t.repeated_ids, t.repeated_rows);
    }
    out.push_str(&rate(t));
    out.push_str(&lengths(t));
    out.push_str(&reuse(t));
    out.push_str(&sessions(t));
    for (head, names) in
        [("Tenants", &t.tenants), ("Classes", &t.classes), ("Models", &t.models), ("Adapters", &t.adapters)]
    {
        out.push_str(&by_name(head, names));
    }
    let _ = writeln!(out, "\nDigest    {}", t.summary.digest);
    out
}

/// What was found in the file, with the evidence.
fn found(t: &TraceInspection) -> String {
    let f = &t.found;
    let mut out = format!("Format    {} ({})\n", f.format, f.format_evidence);
    let _ = writeln!(
        out,
        "Times     {} ({}); --columns arrival:UNIT=COLUMN overrules it",
        f.unit, f.unit_evidence
    );
    if f.block_tokens > 0 {
        let _ = writeln!(
            out,
            "Blocks    {} tokens ({}); workload.trace.hash_block_tokens overrules it",
            f.block_tokens, f.block_evidence
        );
    }
    if !f.not_read.is_empty() {
        let _ = writeln!(out, "Not read  {}", f.not_read.join(", "));
    }
    for odd in &f.odd {
        let lines: Vec<String> = odd.lines.iter().map(u64::to_string).collect();
        let what = if odd.left_out { "Left out" } else { "Kept    " };
        let more = if odd.rows > odd.lines.len() as u64 { " …" } else { "" };
        let _ = writeln!(
            out,
            "{what}  {} of {} lines: {}; lines {}{more}",
            odd.rows,
            f.lines,
            odd.why,
            lines.join(" ")
        );
    }
    out
}

fn rate(t: &TraceInspection) -> String {
    let at_once = t.rate.requests.len().div_ceil(BUCKETS);
    let all: Vec<u64> = t.rate.requests.chunks(at_once).map(|part| part.iter().sum()).collect();
    let most = all.iter().copied().max().unwrap_or(0);
    let width = t.rate.bucket_s * at_once as f64;
    let mut table =
        Table::new(&[("from, s", Align::Right, 0), ("req/s", Align::Right, 0), ("", Align::Left, 0)]);
    for (i, &requests) in all.iter().enumerate() {
        let from = format!("{:.0}", i as f64 * width);
        table.row(vec![from, format!("{:.3}", requests as f64 / width), bar(requests, most)]);
    }
    format!("\nRate\n{}", table.text())
}

fn lengths(t: &TraceInspection) -> String {
    let side = |l: &TraceLengths, head: &str| {
        let mut table =
            Table::new(&[("tokens", Align::Right, 0), ("requests", Align::Right, 0), ("", Align::Left, 0)]);
        let most = l.bins.iter().map(|bin| bin.count).max().unwrap_or(0);
        for bin in &l.bins {
            table.row(vec![range(bin.from, bin.to), bin.count.to_string(), bar(bin.count, most)]);
        }
        let figures = format!("mean {:.1}, p50 {}, p99 {}, longest {}", l.mean, l.p50, l.p99, l.max);
        format!("\n{head}: {figures}\n{}", table.text())
    };
    side(&t.prompt, "Prompt") + &side(&t.output, "Output")
}

fn reuse(t: &TraceInspection) -> String {
    let Some(reuse) = &t.reuse else { return String::new() };
    let mut table =
        Table::new(&[("cache, tokens", Align::Right, 0), ("found", Align::Right, 0), ("", Align::Left, 0)]);
    for point in &reuse.points {
        let percent = format!("{:.1} %", 100.0 * point.share);
        table.row(vec![point.tokens.to_string(), percent, bar((point.share * 1e6) as u64, 1_000_000)]);
    }
    let part = if reuse.requests == t.summary.requests {
        String::new()
    } else {
        format!(", of the first {} requests", reuse.requests)
    };
    format!(
        "\nReuse of prompts by an ideal cache: {:.1} % without a bound, {} tokens of different text{part}\n{}",
        100.0 * reuse.unbounded,
        reuse.distinct_tokens,
        table.text()
    )
}

fn sessions(t: &TraceInspection) -> String {
    let Some(s) = &t.sessions else { return "\nSessions  none named\n".to_owned() };
    let mut table =
        Table::new(&[("requests", Align::Right, 0), ("sessions", Align::Right, 0), ("", Align::Left, 0)]);
    let most = s.bins.iter().map(|bin| bin.count).max().unwrap_or(0);
    for bin in &s.bins {
        table.row(vec![range(bin.from, bin.to), bin.count.to_string(), bar(bin.count, most)]);
    }
    let gaps = match (s.gap_p50_s, s.gap_p99_s) {
        (Some(p50), Some(p99)) => {
            format!("; from a request to the next p50 {} s, p99 {} s", seconds(p50), seconds(p99))
        }
        _ => String::new(),
    };
    format!(
        "\nSessions: {} with {} requests, mean {:.2}{gaps}\n{}",
        s.sessions,
        s.requests,
        s.mean_requests,
        table.text()
    )
}

fn by_name(head: &str, names: &[TraceName]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let name = |n: &TraceName| if n.name.is_empty() { "(none)".to_owned() } else { n.name.clone() };
    let all: Vec<String> = names.iter().map(|n| format!("{} {}", name(n), n.requests)).collect();
    format!("\n{head}  {}\n", all.join(", "))
}

fn range(from: u32, to: u32) -> String {
    match to {
        u32::MAX => format!("{from} and more"),
        to if to == from => from.to_string(),
        to => format!("{from}–{to}"),
    }
}

/// Seconds with up to three decimals.
fn seconds(s: f64) -> String {
    let text = format!("{s:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
