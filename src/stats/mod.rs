//! Numbers about a run: distributions and time series. Knows nothing of the cluster.

mod coverage;
mod dist;
mod histogram;
mod ranked;
mod series;

pub use coverage::Coverage;
pub use dist::{Ranks, RunLength, Summary, percentiles_of};
pub use histogram::Histogram;
pub use ranked::{Ranked, doubled_pairs, jain, variation};
pub use series::{BucketLog, Timeline};
