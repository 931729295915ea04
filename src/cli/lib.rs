//! The command line: turns arguments into text. All simulation is behind the session; nothing is computed here.
//!
//! The results of a run go to stdout and are the same on every machine; everything else (warnings, errors, progress,
//! inputs) goes to stderr.

mod args;
mod args_evaluate;
mod args_export;
mod args_import;
mod args_lesson;
mod args_link;
mod args_measured;
mod args_queueing;
mod args_rows;
mod args_studies;
mod args_trace;
mod arguments;
mod benchmark;
mod calibrate;
mod capacity;
mod compare;
mod evaluate;
mod explain;
mod export;
mod gallery;
mod glossary;
mod help;
mod import;
mod input;
mod lab;
mod leave_out;
mod lesson;
mod lesson_cards;
mod link;
mod list;
mod metrics;
mod outputs;
mod parallel;
mod rank;
mod ratio;
mod rows;
mod run;
mod said;
mod schema;
mod size;
mod suite_files;
mod summary;
mod summary_faults;
mod summary_groups;
mod summary_rest;
mod summary_sessions;
mod summary_split;
mod sweep;
mod table;
mod theory;
mod trace;
mod trace_file;
mod types;
mod validate;
mod what_if;
mod yaml;

pub use suite_files::{SUITES, SuiteFile, open_suite};

use args::{Args, Command, Golden};
use base::diag::cut;
use base::{Diagnostic, json};
use clap::CommandFactory;
use clap::error::ErrorKind;
use document::limits;
use std::fmt::Display;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use tools::golden;

/// Most characters of a file's name in a message.
const FILE_NAME: usize = 200;

/// Success.
const OK: u8 = 0;
/// A golden file differs.
const DIFFERENT: u8 = 1;
/// The input cannot be used.
const BAD_INPUT: u8 = 2;
/// A file cannot be read or written.
const FILE_TROUBLE: u8 = 3;

/// Why a command ended early; all messages have been printed to stderr.
struct Failed(u8);

/// Runs the command line.
pub fn main() -> ExitCode {
    let args = match arguments::parsed() {
        Ok(args) => args,
        Err(e) if !e.use_stderr() || e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return ExitCode::from(help::print(&e));
        }
        Err(e) => {
            tell(&arguments::problem(&e));
            return ExitCode::from(BAD_INPUT);
        }
    };
    let done = match args.command {
        Command::Link(args) => link::run(&args),
        Command::Run(run) => run::run(&run),
        Command::Compare(args) => compare::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Capacity(args) => capacity::run(&args),
        Command::WhatIf(args) => what_if::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Theory(args) => theory::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Rank(args) => rank::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::Check(check) => run::check(&check),
        Command::Digest(digest) => run::digest(&digest),
        Command::Trace(args) => trace::run(&args),
        Command::Convert(convert) => input::convert(&convert.file).and_then(|text| say(&text)),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Schema => say(&schema::text()),
        Command::Types => say(&types::text()),
        Command::Gallery(args) => gallery::run(&args),
        Command::Glossary => glossary::run(),
        Command::Lesson(args) => lesson::run(&args),
        Command::Model(model) => input::model(&model).and_then(|text| say(&text)),
        Command::List(list) => list::run(&list),
        Command::Golden(golden) => run_golden(&golden),
        Command::Size(args) => size::run(&args),
        Command::Queueing(args) => run_queueing(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Completions { shell } => say_bytes(&completions(shell)),
        Command::Man { command } => man(command.as_deref()).and_then(|page| say_bytes(&page)),
    };
    match done {
        Ok(()) => ExitCode::from(OK),
        Err(Failed(code)) => ExitCode::from(code),
    }
}

fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "tokenyard", &mut text);
    text
}

/// The man page of the program, or of a command.
fn man(command: Option<&str>) -> Result<Vec<u8>, Failed> {
    let mut program = Args::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => {
            let known: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            let Some(found) = program.find_subcommand(name) else {
                tell(&format!("error: man: no command \"{name}\"; allowed: {}", known.join(", ")));
                return Err(Failed(BAD_INPUT));
            };
            found.clone()
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|e| unreadable(&"the man page", &e))?;
    Ok(text)
}

fn run_golden(args: &Golden) -> Result<(), Failed> {
    let sections = golden::sections();
    if let Some(unknown) = args.only.iter().find(|name| !sections.contains(&name.as_str())) {
        tell(&format!("error: --only: no section \"{unknown}\"; allowed: {}", sections.join(", ")));
        return Err(Failed(BAD_INPUT));
    }
    let (mut passed, mut failed, mut unusable, mut code) = (0, 0, 0, OK);
    for path in &args.files {
        let name = path.display().to_string();
        match golden_text(path).and_then(|text| {
            golden::differences(&text, &args.only).map_err(|problems| input::refused(&name, &problems))
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
    match if failed > 0 { DIFFERENT } else { code } {
        OK => Ok(()),
        code => Err(Failed(code)),
    }
}

/// The results of a file of inputs of the queueing model.
fn run_queueing(args: &args_queueing::Queueing) -> Result<(), Failed> {
    let text = golden_text(&args.file)?;
    let results = golden::queueing_results(&text, args.mode.into());
    let results = results.map_err(|problems| input::refused(&args.file.display().to_string(), &problems))?;
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
        input::refused(&path.display().to_string(), &[Diagnostic::error("", found, allowed, fix)])
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

/// Writes to stdout.
fn say(text: &str) -> Result<(), Failed> {
    say_bytes(text.as_bytes())
}

fn say_bytes(bytes: &[u8]) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // The reader has closed the pipe, as `head` does.
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Failed(OK)),
        Err(e) => Err(unreadable(&"stdout", &e)),
    }
}

/// Writes a line to stderr and ignores errors of writing. Control characters are escaped, as user text may contain
/// anything.
fn tell(line: &dyn Display) {
    writeln!(std::io::stderr(), "{}", table::visible(&line.to_string())).ok();
}

fn unreadable(path: &dyn Display, error: &std::io::Error) -> Failed {
    let path = path.to_string();
    tell(&format!("error: {}: {}", cut(&path, FILE_NAME), said::of_file(error)));
    Failed(FILE_TROUBLE)
}
