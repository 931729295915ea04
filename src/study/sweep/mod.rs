//! Sweeps and other studies of many runs: cases of a sweep, their knees and their Pareto front, the capacity of a
//! cluster, with each of several sizes of a cache or each ratio of prefill to decode replicas, a race of policies. The threads of a command or the workers of a page make the runs.

mod cache;
mod cache_study;
mod capacity;
mod cases;
mod curve;
mod elsewhere;
mod race;
mod ratio;
mod ratio_study;
mod row;
mod searched;
mod summary;
pub(crate) mod traffic;
mod vary;

pub use cache::{CacheCase, CacheKind, CacheSize, CacheSizes};
pub use cache_study::{CacheResult, CacheRow, CacheSearches};
pub use capacity::{
    Capacity, CapacityEnd, CapacitySearch, Objective, SeedCapacity, capacity, capacity_of_seed,
};
pub(crate) use cases::cell_text;
pub use cases::{Case, CaseRow, CaseText, Plan, Shard};
pub use curve::{CurveKnee, KNEE, knee};
pub use elsewhere::{PagePace, SweepElsewhere, elsewhere};
pub use race::{RaceBound, RaceEntry, RacePlace, RaceRanking, RaceWork, RankBy, Unranked, rank};
pub use ratio::{Ratio, RatioCase, Ratios};
pub use ratio_study::{RatioResult, RatioRow, RatioSearches};
pub use row::{RunFigure, RunRow};
pub use summary::{SweepCurve, SweepPoint, SweepRow, SweepSummary, SweepValue, summary};
pub use traffic::scale_traffic;
pub use vary::Vary;
