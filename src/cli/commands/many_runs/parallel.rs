//! Runs in parallel, on all cores or on the number that the user gives.

use crate::failed::{FILE_TROUBLE, Failed};
use crate::print::tell;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Threads for runs: the requested number, or one per core.
pub(crate) fn threads(jobs: Option<u32>) -> Result<ThreadPool, Failed> {
    let made = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0) as usize).build();
    made.map_err(|_| {
        let more = jobs.map_or(String::new(), |n| format!(" for {n} jobs"));
        tell(&format!("error: --jobs: the system gives no threads{more}; allowed: fewer"));
        Failed(FILE_TROUBLE)
    })
}

/// The results of the work for each number below `count`, in order.
pub(crate) fn each<T: Send>(
    pool: &ThreadPool,
    count: usize,
    work: impl Fn(usize) -> T + Send + Sync,
) -> Vec<T> {
    pool.install(|| (0..count).into_par_iter().map(work).collect())
}

/// A progress bar over `runs` runs; indicatif draws nothing unless stderr is a terminal.
pub(crate) fn progress(runs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} runs, {eta} left");
    ProgressBar::new(runs).with_style(style.expect("the template is a constant"))
}

/// Printed if several seeds are requested and the workload does not depend on the seed.
pub(crate) const NOTHING_DRAWN: &str =
    "note: this workload is not random, so that another seed is the same traffic: one seed is run";
