//! How the runs of an evaluation are carried out: the caller has the threads.

/// Carries out pieces of work that do not depend on each other.
pub trait Runner {
    /// The results of the work for each number below `count`, in order.
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T>;
}

/// One piece after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneByOne;

impl Runner for OneByOne {
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        (0..count).map(work).collect()
    }
}
