//! Statistics: distributions, time series and intervals. Independent of the cluster.

#[cfg(any(feature = "cli", feature = "compare", feature = "theory"))]
mod blocked;
mod coverage;
mod dist;
mod histogram;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod log_bins;
#[cfg(feature = "cli")]
mod order;
mod ranked;
mod series;
mod sketch;
mod student;
mod tally;

#[cfg(any(feature = "cli", feature = "compare", feature = "theory"))]
pub use blocked::{Blocked, Draws, FIGURES, Weights};
pub use coverage::Coverage;
pub use dist::{
    HEADLINE, Ranks, RunLength, Summary, percentiles_of, push_pairs, take_pairs, upper_percentile,
};
pub use histogram::Histogram;
#[cfg(any(feature = "cli", feature = "closeup"))]
pub use log_bins::{BINS_PER_OCTAVE, BinCounts, log_bin, log_edge};
#[cfg(feature = "cli")]
pub use order::{PairOrder, spearman};
pub use ranked::{Ranked, doubled_pairs, jain, variation};
pub use series::{BucketLog, Percentiles, Timeline};
pub use sketch::{RELATIVE_ERROR, Sketch};
pub use student::{Interval, POSITIVE, SHARE, SHARE_DIFFERENCE, UNBOUNDED, mean_interval, t_975};
pub use tally::Tally;
