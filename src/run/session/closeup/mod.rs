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
mod points;
mod request_table;
mod selected;

use crate::session::Session;
use base::json;
use serde::{Deserialize, Serialize};

pub use blocks::{
    BlockDetail, BlockEvent, BlockPage, BlockQuery, Blocks, BlocksQuery, CpuBlocks, GroupBelief, PrefixNode,
};
pub use density::{
    Around, AroundQuery, Density, DensityQuery, Ecdf, EcdfQuery, PointsQuery, SpanFigures, StepPoints,
};
pub use lanes::{
    Lane, LaneMark, LaneRequest, LaneSteps, Lanes, LanesQuery, OpenLane, StepChunk, StepDetail, StepQuery,
    StepTerms, StepTotals,
};
pub use request_table::{
    Apart, LatencyBox, Measure, RequestFilter, RequestRows, RequestRowsQuery, RequestTableRow, SelectionSide,
    SelectionSummary, SortKey,
};

/// A question of a close-up.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CloseUp {
    /// The lanes between two instants.
    Lanes(LanesQuery),
    /// One step.
    Step(StepQuery),
    /// The blocks of a replica.
    Blocks(BlocksQuery),
    /// One block.
    Block(BlockQuery),
    /// A heat map.
    Density(DensityQuery),
    /// A distribution over the requests of a filter.
    Ecdf(EcdfQuery),
    /// The figures before and after an instant.
    Around(AroundQuery),
    /// Steps by batch size.
    Points(PointsQuery),
    /// Rows of the table of requests.
    Rows(RequestRowsQuery),
    /// What sets the requests of a filter apart.
    Summary(RequestFilter),
    /// The values of expressions over `report`, `frame` and `scenario` of the run, at most 64; conditions are 1 and 0.
    Figures(Vec<String>),
    /// Questions that are answered at one instant: at most 16, none of which is of this kind.
    Several(Vec<CloseUp>),
}

/// Most questions at once.
const MOST_AT_ONCE: usize = 16;

/// Most expressions of one question.
const MOST_FIGURES: usize = 64;

/// The answers, by the name of the question.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CloseUpAnswers {
    /// The lanes.
    pub lanes: Lanes,
    /// The step, if it is kept.
    pub step: Option<StepDetail>,
    /// The blocks, if there is such a replica.
    pub blocks: Option<Blocks>,
    /// The block, if there is such a one.
    pub block: Option<BlockDetail>,
    /// The heat map.
    pub density: Density,
    /// The distribution.
    pub ecdf: Ecdf,
    /// The figures.
    pub around: Around,
    /// The steps.
    pub points: StepPoints,
    /// The rows.
    pub rows: RequestRows,
    /// What sets them apart.
    pub summary: SelectionSummary,
    /// The values in the order of the expressions; null for one that is missing.
    pub figures: Vec<Option<f64>>,
    /// The answers in the order of the questions.
    #[cfg_attr(feature = "schema", ts(type = "unknown[]"))]
    pub several: Vec<String>,
}

impl Session {
    /// The answer to a question as JSON text: that field of [`CloseUpAnswers`].
    pub fn close_up(&self, asked: &CloseUp) -> String {
        match asked {
            CloseUp::Lanes(query) => json::compact(&self.lanes(query)),
            CloseUp::Step(query) => json::compact(&self.step_detail(query)),
            CloseUp::Blocks(query) => json::compact(&self.blocks(query)),
            CloseUp::Block(query) => json::compact(&self.block_detail(query)),
            CloseUp::Density(query) => json::compact(&self.density(query)),
            CloseUp::Ecdf(query) => json::compact(&self.ecdf(query)),
            CloseUp::Around(query) => json::compact(&self.around(query)),
            CloseUp::Points(query) => json::compact(&self.step_points(query)),
            CloseUp::Rows(query) => json::compact(&self.request_rows(query)),
            CloseUp::Summary(filter) => json::compact(&self.selection_summary(filter)),
            CloseUp::Figures(all) => {
                json::compact(&live::live_figures(self, &all[..all.len().min(MOST_FIGURES)]))
            }
            CloseUp::Several(all) => {
                let answer = |asked: &CloseUp| match asked {
                    CloseUp::Several(_) => "null".to_owned(),
                    CloseUp::Lanes(_)
                    | CloseUp::Step(_)
                    | CloseUp::Blocks(_)
                    | CloseUp::Block(_)
                    | CloseUp::Density(_)
                    | CloseUp::Ecdf(_)
                    | CloseUp::Around(_)
                    | CloseUp::Points(_)
                    | CloseUp::Rows(_)
                    | CloseUp::Summary(_)
                    | CloseUp::Figures(_) => self.close_up(asked),
                };
                let answers: Vec<String> = all.iter().take(MOST_AT_ONCE).map(answer).collect();
                format!("[{}]", answers.join(","))
            }
        }
    }
}
