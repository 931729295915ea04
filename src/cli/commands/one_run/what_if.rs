//! `tokenyard what-if`: one routing decision and its alternatives.

use crate::args::studies::{StageName, WhatIf as Arguments};
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say, tell_all};
use crate::text::table::{Align, MISSING, Table, number};
use base::{Diagnostic, json};
use document::limits;
use study::whatif::{Alternative, AskedStage, Asking, WhatIf, WhatIfQuery};

/// `tokenyard what-if`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let until_us = instant("--until", args.until)?;
    let name = &args.input.scenario;
    let Loaded { scenario, trace, .. } = load(&args.input)?;
    let (mut asking, warnings) = Asking::new(scenario, trace).map_err(|problems| refused(name, &problems))?;
    tell_all(name, &warnings);
    let stage = match args.stage {
        StageName::Home => AskedStage::Home,
        StageName::Prefill => AskedStage::Prefill,
    };
    let (request, to, most) = (args.request, args.to, args.most);
    let asked = WhatIfQuery { request, stage, to, until_us, most, routed_us: None };
    let found = asking.what_if(&asked).map_err(|problem| refused(name, &[problem]))?;
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    say(&text(&found))
}

/// An instant of an argument, in microseconds.
pub(crate) fn instant(argument: &str, seconds: Option<f64>) -> Result<Option<u64>, Failed> {
    let Some(seconds) = seconds else { return Ok(None) };
    if !(0.0..=limits::HORIZON_S).contains(&seconds) {
        let allowed = format!("0 to {} s", limits::HORIZON_S);
        let wrong = Diagnostic::error("", seconds.to_string(), allowed, "seconds after the start of the run");
        return Err(refused(argument, &[wrong]));
    }
    Ok(Some((seconds * 1e6) as u64))
}

fn signed(x: Option<f64>) -> String {
    x.map_or_else(|| MISSING.to_owned(), |x| format!("{x:+.1}"))
}

fn row(a: &Alternative) -> Vec<String> {
    let mark = if a.chosen { "*" } else { "" };
    let others = &a.others.e2e;
    let score = if a.excluded.is_some() { MISSING.to_owned() } else { format!("{:.3}", a.score) };
    vec![
        format!("r{}{mark}", a.replica),
        score,
        number(a.ttft_ms, 1),
        signed(a.ttft_diff_ms),
        number(a.e2e_ms, 1),
        signed(a.e2e_diff_ms),
        signed(Some(others.sum_ms)),
        signed(Some(others.p99_ms)),
        others.gained.to_string(),
        others.lost.to_string(),
        signed(Some(a.total_diff_ms)),
    ]
}

fn text(w: &WhatIf) -> String {
    let right = |name| (name, Align::Right, 6);
    let mut table = Table::new(&[
        ("", Align::Left, 4),
        right("score"),
        right("TTFT ms"),
        right("diff"),
        right("E2E ms"),
        right("diff"),
        right("others ms"),
        right("their p99"),
        right("gained"),
        right("lost"),
        right("all ms"),
    ]);
    for a in &w.alternatives {
        table.row(row(a));
    }
    let seconds = |us: u64| us as f64 / 1e6;
    let end = if w.ended { "the end" } else { "an instant" };
    let mut out = format!(
        "request {}, {} r{} at {} s; all ran to {end} at {} s\n\n{}",
        w.request,
        if w.stage == AskedStage::Home { "sent to" } else { "to be prefilled by" },
        w.chosen,
        seconds(w.routed_us),
        seconds(w.until_us),
        table.text()
    );
    out.push_str("\n* as it was; differences are what it would have been minus what it was; others: E2E of all other requests\n");
    let ms = |x: Option<f64>| x.map_or_else(|| MISSING.to_owned(), |x| format!("{x:.1} ms"));
    let regrets = [w.regret_ms, w.total_regret_ms].map(ms);
    let left_out = if w.left_out > 0 { format!("{} replicas left out\n", w.left_out) } else { String::new() };
    out + &format!(
        "score regret {:.3}; regret of this request {}, of all together {}\n{left_out}",
        w.score_regret, regrets[0], regrets[1]
    )
}
