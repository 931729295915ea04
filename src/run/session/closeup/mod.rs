//! Close-ups: the questions of the views that show single steps, blocks and requests. The page asks them only while such a view is open,
//! so they are in the module built for speed and not in the first one.
//!
//! Every number that these views show is in one of these answers. Times are whole microseconds; a missing value is `null`.

mod apart;
mod blocks;
mod density;
mod distribution;
mod heat_map;
mod lanes;
mod live;
mod pause_map;
mod points;
mod request_table;
mod reuse;
mod selected;
mod sessions;
mod tiers;

use crate::session::Session;
use crate::session::view::{ScalingQuery, ScalingRows};
use base::ask::Beside;

pub use blocks::{
    BlockDetail, BlockEvent, BlockPage, BlockQuery, Blocks, BlocksQuery, CpuBlocks, GroupBelief, PrefixNode,
};
pub use density::{Density, DensityQuery, Ecdf, EcdfQuery, PointsQuery, StepPoints};
pub use lanes::{
    Lane, LaneMark, LaneRequest, LaneSteps, Lanes, LanesQuery, OpenLane, StepChunk, StepDetail, StepQuery,
    StepTerms, StepTotals,
};
pub use request_table::{
    Apart, LatencyBox, Measure, RequestFilter, RequestRows, RequestRowsQuery, RequestTableRow, SelectionSide,
    SelectionSummary, SortKey,
};

pub use pause_map::{PauseCell, PauseMap};
pub use reuse::{Reuse, ReuseCurve, ReuseMark, ReusePoint, ReuseQuery};
pub use sessions::{
    FetchedPart, FoundPart, KeptStep, SessionRow, SessionRows, SessionTurn, SessionsQuery, WantedPart,
};
pub use tiers::{
    OriginPart, PromptOrigin, ReplicaTiers, StorePart, TierFlow, TierLayer, TierPort, Tiers, TiersQuery,
};

/// Most expressions of one question.
const MOST_FIGURES: usize = 64;

questions! {
    /// A question of a close-up.
    CloseUp, CloseUpAnswers of &Session;
    /// The lanes between two instants.
    lanes: Lanes(LanesQuery) -> Lanes = |run, query, _| Ok(run.lanes(&query));
    /// One step, if it is kept.
    step: Step(StepQuery) -> Option<StepDetail> = |run, query, _| Ok(run.step_detail(&query));
    /// The blocks of a replica, if there is such a one.
    blocks: Blocks(BlocksQuery) -> Option<Blocks> = |run, query, _| Ok(run.blocks(&query));
    /// One block, if there is such a one.
    block: Block(BlockQuery) -> Option<BlockDetail> = |run, query, _| Ok(run.block_detail(&query));
    /// A heat map.
    density: Density(DensityQuery) -> Density = |run, query, _| Ok(run.density(&query));
    /// A distribution over the requests of a filter.
    ecdf: Ecdf(EcdfQuery) -> Ecdf = |run, query, _| Ok(run.ecdf(&query));
    /// Steps by batch size.
    points: Points(PointsQuery) -> StepPoints = |run, query, _| Ok(run.step_points(&query));
    /// Rows of the table of requests.
    rows: Rows(RequestRowsQuery) -> RequestRows = |run, query, _| Ok(run.request_rows(&query));
    /// What sets the requests of a filter apart.
    summary: Summary(RequestFilter) -> SelectionSummary = |run, filter, _| Ok(run.selection_summary(&filter));
    /// The values of expressions over `report`, `frame` and `scenario` of the run, at most 64, in their order: conditions are 1 and 0, a
    /// missing value is null.
    figures: Figures(Vec<String>) -> Vec<Option<f64>> =
        |run, all, _| Ok(live::live_figures(run, &all[..all.len().min(MOST_FIGURES)]));
    /// Where blocks lie, in tiers and stores, and what moves between them.
    tiers: Tiers(TiersQuery) -> Tiers = |run, query, _| Ok(run.tiers(&query));
    /// What caches of any size could find again of the latest prompts.
    reuse: Reuse(ReuseQuery) -> Option<Reuse> = |run, query, _| Ok(run.reuse(&query));
    /// Sessions over time, with what each turn found.
    sessions: Sessions(SessionsQuery) -> SessionRows = |run, query, _| Ok(run.sessions(&query));
    /// The decisions of autoscalers.
    scaling: Scaling(ScalingQuery) -> ScalingRows = |run, query, _| Ok(run.scaling_rows(&query));
}

impl Session {
    /// The answer to a question as JSON text: that field of [`CloseUpAnswers`].
    pub fn close_up(&self, asked: &CloseUp) -> String {
        let answer = asked.clone().answer(self, &mut Beside::default());
        answer.expect("INV-6: no close-up is refused")
    }
}
