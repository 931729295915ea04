//! Many runs at once, on as many cores as there are or as the user gives.

use super::FILE_TROUBLE;
use super::{Failed, tell};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Threads for runs: as many as asked for, or as the machine has cores.
pub(super) fn threads(jobs: Option<u32>) -> Result<ThreadPool, Failed> {
    let made = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0) as usize).build();
    made.map_err(|_| {
        let more = jobs.map_or(String::new(), |n| format!(" for {n} jobs"));
        tell(&format!("error: --jobs: the system gives no threads{more}; allowed: fewer"));
        Failed(FILE_TROUBLE)
    })
}

/// What the work gives for each number below `count`, in order.
pub(super) fn each<T: Send>(
    pool: &ThreadPool,
    count: usize,
    work: impl Fn(usize) -> T + Send + Sync,
) -> Vec<T> {
    pool.install(|| (0..count).into_par_iter().map(work).collect())
}

/// A bar of so many runs; indicatif draws nothing unless stderr is a terminal.
pub(super) fn progress(runs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} runs, {eta} left");
    ProgressBar::new(runs).with_style(style.expect("the template is a constant"))
}

/// Said where several seeds are asked for and the workload has no use for them.
pub(super) const NOTHING_DRAWN: &str =
    "note: nothing of this workload is drawn, so that another seed is the same traffic: one seed is run";
