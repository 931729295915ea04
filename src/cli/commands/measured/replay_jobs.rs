//! Replays of experiments on all cores.

use crate::text::messages::of_file;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tools::validate::{Experiment, Options, Outcome, replay};

/// An experiment with its folder, and how it is replayed.
pub(crate) type Job<'a> = (&'a (Experiment, PathBuf), Options);

/// Replays on all cores; the order is that of the jobs.
pub(crate) fn replay_jobs(jobs: &[Job<'_>]) -> Vec<Outcome> {
    in_threads(jobs.len(), |i| {
        let ((experiment, folder), options) = &jobs[i];
        let files = |name: &str| std::fs::read(folder.join(name)).map_err(|e| of_file(&e));
        replay(experiment, &files, options)
    })
}

/// The results of the work for each number below `count`, on one thread per core.
fn in_threads<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let done: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let one_by_one = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(place) = done.get(i) else { break };
        let made = work(i);
        *place.lock().expect("no thread panics while it is locked") = Some(made);
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(one_by_one);
        }
        one_by_one();
    });
    done.into_iter()
        .filter_map(|place| place.into_inner().expect("no thread panics while it is locked"))
        .collect()
}
