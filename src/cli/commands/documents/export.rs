//! `tokenyard export`: the policies of a scenario as the configuration of another system.

use crate::args::export::Export;
use crate::failed::Failed;
use crate::files::input::{load, read_bounded};
use crate::files::outputs::Outputs;
use crate::print::{refused, say, tell, tell_all, unreadable};
use base::{Diagnostic, json};
use config::export::{Exported, LineMark, System, exported};
use document::text_from_bytes;
use run::session::Session;
use std::path::PathBuf;

/// `tokenyard export`
pub(crate) fn run(args: &Export) -> Result<(), Failed> {
    let input = &args.input;
    let named = [Some(&input.scenario), input.policies.as_ref(), input.trace.as_ref(), args.beside.as_ref()];
    if named.into_iter().flatten().filter(|name| *name == "-").count() > 1 {
        let fix = "give one of them as a file";
        let twice = Diagnostic::error("", "stdin given more than once", "`-` for one input", fix);
        return Err(refused("-", &[twice]));
    }
    let loaded = load(input)?;
    let read = loaded.read.iter().cloned().chain(args.beside.as_ref().map(PathBuf::from));
    Outputs::beside(read).add_all(args.output.iter().map(|path| ("--output", path.clone())))?;
    let problems = Session::check(&document::to_json(&loaded.scenario));
    if base::diag::has_errors(&problems) {
        return Err(refused(&args.input.scenario, &problems));
    }
    let beside = args.beside.as_deref().map(|name| beside_text(name).map(|text| (name, text))).transpose()?;
    let found =
        exported(&loaded.scenario, System::from(args.system), beside.as_ref().map(|(_, text)| text.as_str()));
    if let Some((name, _)) = &beside {
        tell_difference(name, &found);
    }
    tell(&format!(
        "{}: {} exact, {} near, {} left out",
        found.title, found.exact, found.near, found.left_out
    ));
    let text = if args.json { format!("{}\n", json::indented(&found)) } else { found.text };
    match &args.output {
        Some(path) => std::fs::write(path, text).map_err(|e| unreadable(&path.display(), &e)),
        None => say(&text),
    }
}

/// The text of a file beside which the export is written.
fn beside_text(name: &str) -> Result<String, Failed> {
    let bytes = read_bounded(name)?;
    let text = text_from_bytes(&bytes).map_err(|d| refused(name, &[d]))?;
    Ok(text.to_owned())
}

/// The lines that differ from the file beside it.
fn tell_difference(name: &str, found: &Exported) {
    if let Some(why) = &found.not_beside {
        let fix = "what follows is a new file";
        tell_all(name, &[Diagnostic::warning("", why.as_str(), format!("a file of {}", found.title), fix)]);
        return;
    }
    for line in &found.lines {
        match line.mark {
            LineMark::Added => tell(&format!("+ {}", line.text)),
            LineMark::Removed => tell(&format!("- {}", line.text)),
            LineMark::Same | LineMark::Comment => {}
        }
    }
    let count = |mark: LineMark| found.lines.iter().filter(|line| line.mark == mark).count();
    let (added, removed, kept) = (count(LineMark::Added), count(LineMark::Removed), count(LineMark::Same));
    let comments = count(LineMark::Comment);
    tell(&format!("{name}: lines added {added}, removed {removed}, kept {kept}, of comment {comments}"));
}
