//! `tokenyard explain`: explains where the time of the slow requests went.

use crate::args::studies::{Explain as Arguments, SpanName, TimeName};
use crate::commands::one_run::what_if::instant;
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say, tell_all};
use crate::text::table::{Align, Table, visible};
use base::{Diagnostic, json};
use study::whatif::{AccountedTime, CausePart, ExplainQuery, Explaining, Explanation, SpanBy};

/// `tokenyard explain`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let (from_us, to_us) = (instant("--from", args.from)?, instant("--to", args.to)?);
    let time = match args.time {
        TimeName::Ttft => AccountedTime::Ttft,
        TimeName::E2e => AccountedTime::E2e,
    };
    let by = match args.by {
        SpanName::Arrival => SpanBy::Arrival,
        SpanName::End => SpanBy::End,
    };
    let above = args.above.as_deref().map(percentile).transpose()?;
    let name = &args.input.scenario;
    let Loaded { scenario, trace, .. } = load(&args.input)?;
    let title = scenario.title.clone();
    let (mut explaining, warnings) =
        Explaining::new(scenario, trace).map_err(|problems| refused(name, &problems))?;
    tell_all(name, &warnings);
    let asked = ExplainQuery { time, above, from_us, to_us, by, until_us: None };
    let found = explaining.explain(&asked).map_err(|problem| refused(name, &[problem]))?;
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    if args.markdown {
        return say(&found.markdown(&title));
    }
    say(&text(&found))
}

/// `p99`, `99` or `99.9`.
fn percentile(text: &str) -> Result<f64, Failed> {
    let number = text.strip_prefix('p').unwrap_or(text);
    number.parse::<f64>().ok().filter(|p| (0.0..100.0).contains(p)).ok_or_else(|| {
        let allowed = "a percentile from p0 to below p100";
        refused("--above", &[Diagnostic::error("", text, allowed, "p99 takes the slowest hundredth")])
    })
}

fn evidence(part: &CausePart) -> String {
    let named = part.evidence.iter().take(3).map(|e| format!("#{} r{}", e.request, e.replica));
    named.collect::<Vec<_>>().join(", ")
}

fn text(e: &Explanation) -> String {
    let mut out = String::new();
    for sentence in &e.sentences {
        out.push_str(&visible(&sentence.text));
        out.push('\n');
    }
    let right = |name| (name, Align::Right, 8);
    let heads = [
        ("where the time went", Align::Left, 20),
        right("slow ms"),
        right("fast ms"),
        right("diff"),
        right("share"),
        ("most of it", Align::Left, 10),
    ];
    let mut table = Table::new(&heads);
    for part in e.causes.iter().filter(|p| p.slow_ms > 0.0 || p.fast_ms > 0.0) {
        let whose: Vec<String> =
            part.clients.iter().map(|c| format!("{} {:.0} %", visible(&c.client), c.share * 100.0)).collect();
        let whose = if whose.is_empty() { String::new() } else { format!(" (by {})", whose.join(", ")) };
        table.row(vec![
            part.name.clone(),
            format!("{:.1}", part.slow_ms),
            format!("{:.1}", part.fast_ms),
            format!("{:+.1}", part.diff_ms),
            format!("{:+.0} %", part.diff_share * 100.0),
            format!("{}{whose}", evidence(part)),
        ]);
    }
    let row = |name: &str, of: fn(&study::whatif::RequestGroup) -> f64| {
        format!(
            "{name}: {:.0} % of the slow, {:.0} % of the fast\n",
            of(&e.slow) * 100.0,
            of(&e.fast) * 100.0
        )
    };
    out.push('\n');
    out.push_str(&table.text());
    out.push('\n');
    out.push_str(&row("prompt tokens from the cache", |g| g.cached_share));
    out.push_str(&row("preempted", |g| g.preempted_share));
    out.push_str(&row("sent to a replica with more to do than the router saw", |g| g.stale_share));
    out
}
