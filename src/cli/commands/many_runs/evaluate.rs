//! `tokenyard evaluate`: a candidate's policies on the cases of a suite, beside the baseline.

use crate::args::evaluate::Evaluate;
use crate::commands::many_runs::parallel::{each, threads};
use crate::commands::many_runs::suite_files::{SUITES, SuiteFile, open_suite};
use crate::failed::Failed;
use crate::files::input::read_at_most;
use crate::print::{refused, say, unreadable};
use document::limits;
use rayon::ThreadPool;
use std::fs::File;
use std::path::Path;
use study::evaluate::{Options, Runner, evaluate_with};

/// Runs on the threads of a pool.
struct Parallel(ThreadPool);

impl Runner for Parallel {
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        each(&self.0, count, work)
    }
}

/// The suite of an option; all problems are printed.
pub(crate) fn suite(name: &str) -> Result<SuiteFile, Failed> {
    let built_in = SUITES.iter().any(|(known, _)| *known == name);
    if !built_in || Path::new(name).exists() {
        File::open(name).map_err(|e| unreadable(&name, &e))?;
    }
    open_suite(name).map_err(|problems| refused(name, &problems))
}

/// `tokenyard evaluate`
pub(crate) fn run(args: &Evaluate) -> Result<(), Failed> {
    let SuiteFile { suite, .. } = suite(&args.suite)?;
    let bytes = read_at_most(&args.candidate, limits::CANDIDATE_BYTES)?;
    let candidate = String::from_utf8_lossy(&bytes);
    let options = Options {
        split: args.split.into(),
        stage: args.stage,
        cases: args.case.clone(),
        text_bytes: args.text_bytes as usize,
    };
    let pool = Parallel(threads(args.jobs)?);
    let found = evaluate_with(&candidate, &suite, &options, &pool);
    let found = found.map_err(|problems| refused(&args.suite, &problems))?;
    say(&found.json())
}
