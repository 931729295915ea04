//! The arguments of `tokenyard lesson`.

use crate::failed::EXIT_CODES;
use clap::Subcommand;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Lesson {
    #[command(subcommand)]
    pub(crate) command: LessonCommand,
}

#[derive(Subcommand)]
pub(crate) enum LessonCommand {
    /// Run the claims and questions of lessons over their seeds, and print whether each holds and by how much
    #[command(after_help = EXIT_CODES)]
    Check(CheckLesson),
    /// Write the skeleton of a lesson; an existing file stays as it is
    #[command(after_help = EXIT_CODES)]
    New(NewLesson),
    /// Print a lesson as JSON, as the page loads it
    #[command(after_help = EXIT_CODES)]
    Json {
        /// The lesson: a YAML or JSON file
        file: PathBuf,
    },
}

#[derive(clap::Args)]
pub(crate) struct CheckLesson {
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Number of threads, in place of one per core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<u32>,
    /// Check these steps alone, from 1
    #[arg(long, value_name = "N")]
    pub(crate) step: Vec<u32>,
    /// Lessons: YAML or JSON files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct NewLesson {
    /// The file to write, such as my-lesson.yaml
    pub(crate) file: PathBuf,
}
