//! `tokenyard link`, and scenarios from links.

use crate::args::input::Input;
use crate::args::link::Link as Arguments;
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::files::outputs::Outputs;
use crate::files::trace_file;
use crate::print::{refused, say, tell, unreadable};
use base::{Diagnostic, json};
use document::link::{Beside, Link, VIEW_KEYS, View, make};
use document::{Scenario, limits, to_json};
use run::session::{Session, Trace, carry as carry_text, trace_mark};
use serde_json::{Value, json};

/// `tokenyard link`
pub(crate) fn run(args: &Arguments) -> Result<(), Failed> {
    let source = &args.input.scenario;
    let Loaded { mut scenario, trace, trace_file, read } = load(&args.input)?;
    let mut view = View::default();
    let said = [&args.at, &args.speed, &args.select, &args.panel];
    let mut problems = Vec::new();
    for (key, text) in VIEW_KEYS.into_iter().zip(said) {
        if let Some(text) = text {
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
            problems.extend(view.take(key, &value).err());
        }
    }
    if !problems.is_empty() {
        return Err(refused("link", &problems));
    }
    problems = document::check(scenario.clone()).err().unwrap_or_default();
    if !problems.is_empty() {
        return Err(refused(source, &problems));
    }
    if let Some(path) = &args.carry {
        Outputs::beside(read).add(path).map_err(|problem| refused("--carry", &[problem]))?;
        carry(&mut scenario, source, trace.as_deref(), trace_file.as_deref())?;
        std::fs::write(path, to_json(&scenario)).map_err(|e| unreadable(&path.display(), &e))?;
    }
    let trace = trace.as_deref().map(|trace| trace_mark(&scenario, trace));
    let beside = match &args.beside {
        Some(second) => {
            let Loaded { scenario, .. } =
                load(&Input { allow_guess: args.input.allow_guess, ..Input::of(second) })?;
            let problems = document::check(scenario.clone()).err().unwrap_or_default();
            if !problems.is_empty() {
                return Err(refused(second, &problems));
            }
            let name = args.beside_name.clone().unwrap_or_else(|| "Second run".to_owned());
            Some(Beside { name, scenario })
        }
        None => None,
    };
    let Some(made) = make(&Link { scenario, view, trace, embed: None, beside }) else {
        let found = format!("a link of more than {} characters", limits::LINK_CHARS);
        if let Some(path) = &args.carry {
            tell(&format!("{source}: {found}: the scenario with its trace is in {}", path.display()));
            return Ok(());
        }
        let allowed = format!("at most {}", limits::LINK_CHARS);
        let long = Diagnostic::error("", found, allowed, "pass the scenario on as a file");
        return Err(refused(source, &[long]));
    };
    let link = format!("{}{}", args.site.as_deref().unwrap_or_default(), made.link);
    if args.json {
        let all = json!({
            "link": link, "characters": link.chars().count(), "contains": made.contains, "holds": made.holds,
        });
        return say(&format!("{}\n", json::indented(&all)));
    }
    tell(&format!("{} characters: {}", link.chars().count(), made.contains));
    say(&format!("{link}\n"))
}

/// Puts the trace that a scenario replays into it.
fn carry(
    scenario: &mut Scenario,
    source: &str,
    trace: Option<&Trace>,
    file: Option<&str>,
) -> Result<(), Failed> {
    let wrong = |found: &str, allowed: &str, fix: &str| {
        refused(source, &[Diagnostic::error("workload.trace", found, allowed, fix)])
    };
    let (Some(trace), Some(settings)) = (trace, &mut scenario.workload.trace) else {
        return Err(wrong(
            "no trace to carry",
            "a scenario that replays a trace",
            "give the file with --trace FILE",
        ));
    };
    settings.digest = trace.digest().hex();
    // Without a file it is carried already.
    let Some(file) = file else { return Ok(()) };
    if file == "-" {
        return Err(wrong("a trace from stdin, which is read once", "a file", "give the trace as a file"));
    }
    settings.rows = carry_text(&trace_file::text(file)?).map_err(|problem| refused(file, &[problem]))?;
    Ok(())
}

/// The link of a run's scenario with all its edits; `None` if it would be too long for a link.
pub(crate) fn of_run(session: &Session) -> Option<String> {
    let scenario = session.scenario();
    let trace = session.trace().map(|trace| trace_mark(&scenario, trace));
    make(&Link { scenario, trace, ..Link::default() }).map(|made| made.link)
}
