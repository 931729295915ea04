//! `tokenyard trace --tiers`: what caches of given sizes could find again of a trace.

use crate::args::trace::Trace as Args;
use crate::failed::{BAD_INPUT, Failed};
use crate::print::{refused, say};
use crate::text::table::{Align, Table, bar};
use base::{Diagnostic, json};
use run::session::TraceReading;
use std::fmt::Write as _;
use study::trace::{DealtCeiling, TierSize, TraceCeiling};

/// Most tiers: those of a scenario.
const TIERS: usize = 10;
/// Most tokens of one.
const TOKENS: u64 = 1 << 50;

/// Prints it.
pub(super) fn run(reading: &TraceReading, sizes: &str, args: &Args) -> Result<(), Failed> {
    let tiers = tiers(sizes).map_err(|problem| refused("--tiers", &[problem]))?;
    let Some(trace) = &reading.trace else { return Err(Failed(BAD_INPUT)) };
    let Some(found) = TraceCeiling::of(trace, &tiers, args.replicas) else {
        let what = "a trace that names no text that prompts share";
        let allowed = "a trace with hash ids, named prefixes or sessions that grow";
        let problem = Diagnostic::error("", what, allowed, "without that, no cache finds anything again");
        return Err(refused("--tiers", &[problem]));
    };
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    say(&text(&found))
}

/// The tiers that a text names, or what is wrong with it.
fn tiers(text: &str) -> Result<Vec<TierSize>, Diagnostic> {
    let wrong = |found: &str| {
        let fix = "name each tier once, with the tokens that it holds: gpu=420000,cpu=4000000,store=40000000";
        let allowed = format!("1 to {TIERS} tiers of 1 to {TOKENS} tokens");
        Diagnostic::error("", found.chars().take(60).collect::<String>(), allowed, fix)
    };
    let mut all: Vec<TierSize> = Vec::new();
    for part in text.split(',') {
        let (name, tokens) = part.split_once('=').ok_or_else(|| wrong(part))?;
        let tokens = tokens.trim().parse().ok().filter(|n| (1..=TOKENS).contains(n));
        let (name, tokens) = (name.trim(), tokens.ok_or_else(|| wrong(part))?);
        if name.is_empty() || all.iter().any(|tier| tier.name == name) || all.len() == TIERS {
            return Err(wrong(part));
        }
        all.push(TierSize { name: name.to_owned(), tokens, is_shared: name == "store" });
    }
    Ok(all)
}

fn text(found: &TraceCeiling) -> String {
    let mut out = format!(
        "Prompts   {} requests, {} tokens, {} of them of different text\nCeiling   {} of the tokens were there before: no cache finds more\n",
        found.requests,
        found.prompt_tokens,
        found.distinct_tokens,
        percent(found.ceiling)
    );
    for dealt in &found.dealt {
        out.push_str(&one(dealt));
    }
    out
}

fn one(dealt: &DealtCeiling) -> String {
    let how = match dealt.routing {
        "one" => "One cache for all".to_owned(),
        "session" => format!("{} caches, a session always to the same one", dealt.caches),
        _ => format!("{} caches in turn", dealt.caches),
    };
    let mut out = format!(
        "\n{how}: {} without a bound; {} tokens each find 99 % of that\n",
        percent(dealt.unbounded),
        dealt.knee_tokens
    );
    let mut table = Table::new(&[
        ("tier", Align::Left, 0),
        ("tokens", Align::Right, 0),
        ("found here", Align::Right, 0),
        ("so far", Align::Right, 0),
        ("", Align::Left, 0),
    ]);
    for tier in &dealt.tiers {
        table.row(vec![
            tier.name.clone(),
            tier.tokens.to_string(),
            percent(tier.share),
            percent(tier.so_far),
            mark(tier.tokens, dealt.knee_tokens),
        ]);
    }
    out.push_str(&table.text());
    let mut curve =
        Table::new(&[("cache, tokens", Align::Right, 0), ("found", Align::Right, 0), ("", Align::Left, 0)]);
    for point in &dealt.points {
        let share = bar((point.share * 1e6) as u64, 1_000_000);
        curve.row(vec![point.tokens.to_string(), percent(point.share), share]);
    }
    let _ = write!(out, "{}", curve.text());
    out
}

/// Where a tier lies beside the size that is worth having.
fn mark(tokens: u64, knee: u64) -> String {
    if tokens >= knee { "99 % of the unlimited reuse fits" } else { "" }.to_owned()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
