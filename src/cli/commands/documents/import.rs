//! `tokenyard import`: configurations of other programs as a scenario, and what each of their keys becomes.

use crate::args::import::Import;
use crate::failed::{BAD_INPUT, FILE_TROUBLE, Failed};
use crate::files::input::{read_text, scenario_document};
use crate::print::{refused, say, tell, tell_all, unreadable};
use base::{Diagnostic, json};
use config::import::configuration::{
    Conflict, Imported, Mapping, NewTraffic, Settled, TrafficAsked, imported,
};
use config::import::documents::Text;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Runs the command.
pub(crate) fn run(args: &Import) -> Result<(), Failed> {
    if args.files.iter().filter(|name| *name == "-").count() > 1 {
        let twice =
            Diagnostic::error("", "stdin given more than once", "`-` once", "give the others as files");
        return Err(refused("-", &[twice]));
    }
    let settled = settled(&args.settle)?;
    let mut texts = Vec::new();
    for name in &args.files {
        texts.push(Text { name: name.clone(), text: read_text(name)? });
    }
    let into = match &args.into {
        Some(name) => scenario_document(name)?.to_string(),
        None => String::new(),
    };
    let found = imported(&texts, &into, &settled, &asked(args));
    if let Some(flag) = flag_of_traffic(args)
        && found.new_scenario.traffic.is_none()
        && !found.new_scenario.scenario.is_empty()
    {
        let fix = "leave it out, or change workload.clients of the scenario";
        let said = Diagnostic::error("", "files that say the traffic", "files that say nothing of it", fix);
        return Err(refused(flag, &[said]));
    }
    if args.json {
        say(&format!("{}\n", json::indented(&found)))?;
    }
    tell_keys(&found);
    let source = if let [only] = args.files.as_slice() { only.as_str() } else { "import" };
    tell_all(source, &found.warnings);
    tell_all(source, &found.problems);
    for conflict in found.conflicts.iter().filter(|conflict| conflict.chosen.is_none()) {
        tell(&format!("{source}: {}", open(conflict, &found.keys)));
    }
    if found.scenario.is_empty() {
        return Err(Failed(BAD_INPUT));
    }
    if args.into.is_none() {
        found.new_scenario.traffic.iter().for_each(tell_traffic);
    }
    let text = format!("{}\n", found.scenario.trim_end());
    match &args.out {
        Some(path) => write_new(path, &text),
        None if args.json => Ok(()),
        None => say(&text),
    }
}

/// The traffic that the user asks for.
fn asked(args: &Import) -> TrafficAsked {
    let &Import { rate: rate_per_s, prompt_tokens, output_tokens, .. } = args;
    TrafficAsked { rate_per_s, prompt_tokens, output_tokens }
}

/// The first given flag of the traffic.
fn flag_of_traffic(args: &Import) -> Option<&'static str> {
    let flags = [
        ("--rate", args.rate),
        ("--prompt-tokens", args.prompt_tokens),
        ("--output-tokens", args.output_tokens),
    ];
    flags.iter().find(|(_, given)| given.is_some()).map(|(flag, _)| *flag)
}

/// Prints the traffic of a new scenario.
fn tell_traffic(traffic: &NewTraffic) {
    let carried = traffic
        .carried_per_s
        .map_or_else(String::new, |rate| format!("; the fleet carries about {rate} requests/s"));
    tell(&format!(
        "traffic, which no file says: {} requests/s, typical prompts of {} tokens, typical answers of {} tokens{carried}; \
         change it with --rate, --prompt-tokens and --output-tokens",
        traffic.rate_per_s, traffic.prompt_tokens, traffic.output_tokens
    ));
}

/// The choices of the user.
fn settled(settle: &[String]) -> Result<Vec<Settled>, Failed> {
    let mut all = Vec::new();
    for text in settle {
        let parts = text.rsplit_once('=').and_then(|(field, n)| Some((field, n.parse::<u32>().ok()?)));
        let Some((field, choice)) = parts else {
            let allowed = "FIELD=N, such as cluster.pools[0].kv.blocks=1";
            let fix = "name the field as the conflict does, and the number of the value to keep, from 0";
            return Err(refused("--settle", &[Diagnostic::error("", format!("{text:?}"), allowed, fix)]));
        };
        all.push(Settled { field: field.to_owned(), choice });
    }
    Ok(all)
}

/// Prints the table of keys: those that need a look first.
fn tell_keys(found: &Imported) {
    let several = found.documents.len() > 1;
    let line = |key: &Mapping| {
        let number = if several { format!("{}:", key.document + 1) } else { String::new() };
        let at = if key.line > 0 { format!("{number}{}", key.line) } else { number };
        tell(&format!("{at:>7}  {:<8}  {}: {} → {}", key.standing.name(), key.key, key.found, key.becomes));
    };
    for (i, document) in found.documents.iter().enumerate() {
        let from = if document.file.is_empty() { String::new() } else { format!(", from {}", document.file) };
        tell(&format!("{}  {} {}{from}", i + 1, document.title, document.detail));
    }
    for key in &found.keys {
        line(key);
    }
    let c = &found.counts;
    tell(&format!(
        "{} keys: {} exact, {} near, {} ignored, {} unknown, {} in conflict, {} of shape",
        found.keys.len(),
        c.exact,
        c.near,
        c.ignored,
        c.unknown,
        c.conflict,
        c.shape
    ));
}

/// A conflict in one line, with the way to settle it.
fn open(conflict: &Conflict, keys: &[Mapping]) -> String {
    let choices = conflict.choices.iter().enumerate().map(|(i, choice)| {
        let key = keys.get(choice.key as usize).map_or("", |key| key.key.as_str());
        format!("{i}: {} ({key})", choice.value)
    });
    let choices: Vec<String> = choices.collect();
    format!(
        "{}: error: said differently, {}; {}: --settle '{}=N'",
        conflict.field,
        choices.join(", "),
        conflict.note,
        conflict.field
    )
}

/// Writes a file that does not exist yet.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), Failed> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let fix = "give another name, or remove the file";
            let there = Diagnostic::error("", "a file that exists", "a new file", fix);
            tell_all(&path.display().to_string(), &[there]);
            Err(Failed(FILE_TROUBLE))
        }
        Err(e) => Err(unreadable(&path.display().to_string(), &e)),
    }
}
