//! Numbers about a run: exact distributions and time series. Knows nothing of the cluster.

mod coverage;
mod dist;
mod ranked;
mod series;

pub use coverage::Coverage;
pub use dist::{Ranks, RunLength, Summary, percentiles_of};
pub use ranked::{Ranked, doubled_pairs, jain, variation};
pub use series::{BucketLog, Timeline};
