//! The command line: turns arguments into text. All simulation is behind the session; nothing is computed here.
//!
//! The results of a run go to stdout and are the same on every machine; everything else (warnings, errors, progress,
//! inputs) goes to stderr.

mod args;
mod commands;
mod failed;
mod files;
mod print;
mod text;

pub use commands::many_runs::suite_files::{SUITES, SuiteFile, open_suite};

use args::{Args, Command};
use clap::CommandFactory;
use clap::error::ErrorKind;
use commands::{documents, golden, many_runs, measured, one_run, page};
use failed::{BAD_INPUT, Failed, OK};
use files::{input, model_files};
use print::{say, say_bytes, tell, unreadable};
use std::process::ExitCode;
use text::help;

/// Runs the command line.
pub fn main() -> ExitCode {
    let args = match args::messages::parsed() {
        Ok(args) => args,
        Err(e) if !e.use_stderr() || e.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return ExitCode::from(help::print(&e));
        }
        Err(e) => {
            tell(&args::messages::problem(&e));
            return ExitCode::from(BAD_INPUT);
        }
    };
    let done = match args.command {
        Command::Link(args) => documents::link::run(&args),
        Command::Run(run) => one_run::run::run(&run),
        Command::Compare(args) => many_runs::compare::run(&args),
        Command::Sweep(args) => many_runs::sweep::run(&args),
        Command::Capacity(args) => many_runs::capacity::run(&args),
        Command::WhatIf(args) => one_run::what_if::run(&args),
        Command::Explain(args) => one_run::explain::run(&args),
        Command::Regret(args) => one_run::regret::run(&args),
        Command::Theory(args) => one_run::theory::run(&args),
        Command::Evaluate(args) => many_runs::evaluate::run(&args),
        Command::Rank(args) => many_runs::rank::run(&args),
        Command::Lab(args) => many_runs::lab::run(&args),
        Command::Check(check) => one_run::run::check(&check),
        Command::Digest(digest) => one_run::run::digest(&digest),
        Command::Trace(args) => documents::trace::run(&args),
        Command::Convert(convert) => input::convert(&convert.file).and_then(|text| say(&text)),
        Command::Import(args) => documents::import::run(&args),
        Command::Export(args) => documents::export::run(&args),
        Command::Schema => say(&page::schema::text()),
        Command::Glossary => page::glossary::run(),
        Command::Lesson(args) => page::lesson::run(&args),
        Command::Model(model) => model_files::model(&model).and_then(|text| say(&text)),
        Command::List(list) => documents::list::run(&list),
        Command::Golden(golden) => golden::run(&golden),
        Command::Size(args) => measured::size::run(&args),
        Command::Queueing(args) => golden::queueing(&args),
        Command::Validate(args) => measured::validate::run(&args),
        Command::Calibrate(args) => measured::calibrate::run(&args),
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
