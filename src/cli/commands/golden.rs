//! `tokenyard golden` and `tokenyard queueing`: recorded inputs run again.

use crate::args::Golden;
use crate::args::queueing::Queueing;
use crate::failed::{BAD_INPUT, DIFFERENT, Failed, OK};
use crate::print::{refused, say, tell, unreadable};
use base::{Diagnostic, json};
use document::limits;
use std::io::Read;
use std::path::Path;
use tools::golden;

/// `tokenyard golden`: recorded inputs run again, and compared with the recorded results.
pub(crate) fn run(args: &Golden) -> Result<(), Failed> {
    let sections = golden::sections();
    if let Some(unknown) = args.only.iter().find(|name| !sections.contains(&name.as_str())) {
        tell(&format!("error: --only: no section \"{unknown}\"; allowed: {}", sections.join(", ")));
        return Err(Failed(BAD_INPUT));
    }
    let (mut passed, mut failed, mut unusable, mut code) = (0, 0, 0, OK);
    for path in &args.files {
        let name = path.display().to_string();
        match golden_text(path).and_then(|text| {
            golden::differences(&text, &args.only).map_err(|problems| refused(&name, &problems))
        }) {
            Ok(differences) if differences.is_empty() => passed += 1,
            Ok(differences) => {
                failed += 1;
                say_differences(&name, &differences, args.most)?;
            }
            Err(Failed(why)) => {
                unusable += 1;
                code = if code == OK { why } else { code };
            }
        }
    }
    let rest = if unusable > 0 { format!(", {unusable} unusable") } else { String::new() };
    say(&format!("{passed} passed, {failed} failed{rest}\n"))?;
    let code = if failed > 0 { DIFFERENT } else { code };
    if code == OK { Ok(()) } else { Err(Failed(code)) }
}

/// The results of a file of inputs of the queueing model.
pub(crate) fn queueing(args: &Queueing) -> Result<(), Failed> {
    let text = golden_text(&args.file)?;
    let results = golden::queueing_results(&text, args.mode.into());
    let results = results.map_err(|problems| refused(&args.file.display().to_string(), &problems))?;
    say(&format!("{}\n", json::indented(&results)))
}

fn say_differences(name: &str, differences: &[String], most: usize) -> Result<(), Failed> {
    say(&format!("{name}: FAILED\n"))?;
    for line in differences.iter().take(most) {
        say(&format!("  {line}\n"))?;
    }
    if differences.len() > most {
        say(&format!("  and {} more\n", differences.len() - most))?;
    }
    Ok(())
}

/// The text of a golden file, which may be longer than a scenario.
fn golden_text(path: &Path) -> Result<String, Failed> {
    let most = limits::TRACE_BYTES_CLI;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    let length = read.map_err(|e| unreadable(&path.display(), &e))? as u64;
    let refuse = |found: String, allowed: String, fix: &str| {
        refused(&path.display().to_string(), &[Diagnostic::error("", found, allowed, fix)])
    };
    if length > most {
        let found = format!("more than {most} bytes");
        return Err(refuse(found, format!("at most {most} bytes"), "check that this is the right file"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let found = format!("bytes that are not UTF-8, first at position {}", e.utf8_error().valid_up_to());
        refuse(found, "a golden file: JSON text in UTF-8".to_owned(), "check that this is the right file")
    })
}
