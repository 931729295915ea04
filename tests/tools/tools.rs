//! Tools of this repository that no user of the simulator needs: `cargo run -p project-tools -- COMMAND`. They make what the page
//! has of the Rust types, the presets and the lessons.

mod gallery;
mod lesson_cards;
mod types;

#[cfg(test)]
mod tests;

use base::{Diagnostic, json};
use clap::Parser;
use run::session::view::PresetInfo;
use serde::Serialize;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Make what the page has of the Rust types, the presets and the lessons
#[derive(Parser)]
enum Command {
    /// Print the TypeScript types of the WebAssembly module's boundary
    Types,
    /// Print the cards of the built-in scenarios as JSON, with a picture drawn from a run of each
    Gallery {
        /// Print names, titles and opening instants instead, for the page's menu
        #[arg(long)]
        names: bool,
    },
    /// Print the cards of lessons as JSON, each with a picture of its runs and what these say of its claims; those of
    /// the road come first, in their order
    LessonCards {
        /// Leave out the runs, and with them what they say of the claims
        #[arg(long)]
        unchecked: bool,
        /// Lessons: YAML or JSON files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Draw the image that other pages show beside a link to a lesson: PNG, 1200 × 630
    LessonImage {
        /// The lesson: a YAML or JSON file
        file: PathBuf,
        /// The file to write
        #[arg(short, long)]
        output: PathBuf,
    },
}

/// What went wrong, in words.
type Trouble = String;

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Types => Ok(types::text()),
        Command::Gallery { names } => cards(names),
        Command::LessonCards { unchecked, files } => {
            lesson_cards::cards(&files, unchecked).map(|all| lines(&all))
        }
        Command::LessonImage { file, output } => lesson_cards::image(&file)
            .and_then(|bytes| {
                std::fs::write(&output, bytes).map_err(|e| format!("{}: {e}", output.display()))
            })
            .map(|()| String::new()),
    };
    let printed = done.and_then(|text| {
        std::io::stdout().write_all(text.as_bytes()).map_err(|e| format!("standard output: {e}"))
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            let _ = writeln!(std::io::stderr(), "error: {trouble}");
            ExitCode::FAILURE
        }
    }
}

/// The cards of the built-in scenarios, or the rows of the page's menu.
fn cards(names: bool) -> Result<String, Trouble> {
    if names {
        return Ok(lines(&PresetInfo::all()));
    }
    gallery::cards().map(|all| lines(&all)).map_err(|all| trouble("the built-in scenarios", &all))
}

/// A list as JSON, an entry on each line.
fn lines<T: Serialize>(entries: &[T]) -> String {
    let lines: Vec<String> = entries.iter().map(json::compact).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// The problems of a document in one text.
fn trouble(of: &str, problems: &[Diagnostic]) -> Trouble {
    let said =
        problems.iter().map(|p| format!("{of}: {}: {}; allowed: {}; {}", p.path, p.found, p.allowed, p.fix));
    said.collect::<Vec<_>>().join("\nerror: ")
}
