//! `tokenyard theory`: compares a run with laws of queueing theory.

use crate::args::studies::Theory as Arguments;
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::print::{refused, say};
use crate::text::table::{Align, MISSING, Table, number};
use base::{Diagnostic, json};
use std::fmt::Write;
use study::compare::Outcomes;
use study::theory::{AssumptionVerdict, Law, LawFound, Measured, Theorist, Theory};

/// `tokenyard theory`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let asked = args.law.as_deref().map(law).transpose()?;
    let name = &args.input.scenario;
    let Loaded { scenario, trace, .. } = load(&args.input)?;
    let failed = |problems: Vec<Diagnostic>| refused(name, &problems);
    let outcomes = Outcomes::of_run(scenario.clone(), trace).map_err(failed)?;
    let found = Theorist::of_run(&scenario, &outcomes).map_err(failed)?.theory(asked);
    if args.json {
        return say(&format!("{}\n", json::indented(&found)));
    }
    say(&text(&found))
}

fn law(name: &str) -> Result<Law, Failed> {
    Law::of_name(name).ok_or_else(|| {
        let allowed = Law::ALL.map(Law::name).join(", ");
        let fix = "leave out --law for the law that fits best";
        refused("--law", &[Diagnostic::error("", format!("\"{name}\""), allowed, fix)])
    })
}

fn text(t: &Theory) -> String {
    let mut out = format!("{} requests, {} a second", t.requests, number(Some(t.rate_per_s), 3));
    if let Some(cv) = t.gap_cv {
        let _ = write!(out, ", CV of the gaps {cv:.2}");
    }
    out.push_str("\n\n");
    let right = |name| (name, Align::Right, 9);
    let mut table = Table::new(&[
        ("law", Align::Left, 22),
        ("violated", Align::Right, 8),
        right("load"),
        right("wait ms"),
        right("TTFT ms"),
        right("ITL ms"),
        right("E2E ms"),
    ]);
    let s = &t.simulated;
    let mean = |m: Option<Measured>| number(m.map(|m| m.mean), 3);
    let measured = [s.wait_ms, s.ttft_ms, s.itl_ms, s.e2e_ms];
    let row = |head: [String; 3], figures: [String; 4]| head.into_iter().chain(figures).collect::<Vec<_>>();
    let blank = || MISSING.to_owned();
    table.row(row(["simulated".to_owned(), blank(), blank()], measured.map(mean)));
    let error = |m: Option<Measured>| number(m.and_then(|m| m.error), 3);
    table.row(row(["standard error".to_owned(), blank(), blank()], measured.map(error)));
    for l in t.laws.iter().filter(|l| l.fits || l.law == t.chosen) {
        let mark = if l.law == t.chosen { "*" } else { "" };
        let p = &l.predicted;
        let figures = [p.wait_ms, p.ttft_ms, p.itl_ms, p.e2e_ms].map(|x| number(x, 3));
        let head = [format!("{}{mark}", l.law.name()), l.violated.to_string(), number(Some(p.rho), 3)];
        table.row(row(head, figures));
    }
    out.push_str(&table.text());
    if let Some(l) = t.laws.iter().find(|l| l.law == t.chosen) {
        write_assumptions(&mut out, l);
    }
    out
}

fn write_assumptions(out: &mut String, l: &LawFound) {
    let _ = write!(out, "\n* {} ({})", l.title, l.law.name());
    out.push_str(if l.fits {
        "\n"
    } else {
        ": the cluster does not have the structure that this law assumes\n"
    });
    for a in &l.assumptions {
        let verdict = match a.verdict {
            AssumptionVerdict::Kept => "kept",
            AssumptionVerdict::Violated => "violated",
            AssumptionVerdict::Unknown => "unknown",
        };
        let _ = writeln!(out, "  {verdict:<9} {}", a.text);
    }
}
