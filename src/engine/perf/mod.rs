//! Latency models and the catalogue of measured hardware: pure functions without state or randomness.

mod batch_limits;
mod cached;
mod calibrated;
mod calibrations;
mod catalogue;
mod cross_model;
mod drafting;
mod evidence;
mod evidence_class;
mod evidence_line;
mod experts;
mod facts;
mod fitted;
mod heads;
mod hf;
mod listed;
mod lora;
mod memory;
mod memory_shares;
mod model_names;
mod parts;
mod peak;
mod piecewise;
mod pipeline;
mod placed;
mod plan;
mod powers;
mod rates;
mod resolver;
mod roofline;
#[cfg(any(feature = "cli", feature = "compare", feature = "import"))]
pub mod sizing;
mod spread;
mod states;
mod step;
mod step_load;
mod store_doubts;
mod weights;

pub use calibrations::{Calibration, calibration, calibrations, carried, corrected, same_chip};
pub use catalogue::{Catalogue, Gpu, KnownModel, Row, catalogue};
pub use evidence::{
    ClassError, Configuration, ErrorBand, ErrorFigure, EvidenceClass, EvidenceTable, Found, KindError,
    LEAST_ROWS, MOST_CARRIED, MeasuredOn, Regime, RunKind, evidence,
};
pub use evidence_class::{Classified, ClassifiedValue, guess, precision};
pub use evidence_line::{FigureErrors, PoolEvidence, RegimeBasis};
pub use facts::{Facts, Published};
pub use hf::{ReadModel, architecture_from_hf};
pub use listed::{ModelEntry, models};
pub use lora::LoraFigures;
pub use memory_shares::{MemoryShares, memory_shares};
pub use model_names::{nearest_model, unquantised};
pub use plan::Plan;
pub use resolver::{Resolved, known_gpu, known_model, kv_bytes_per_token, resolve, resolve_uneven};
pub use spread::gpus;
pub use states::StateBlocks;
pub use step::StepModel;
pub use step_load::{Chunk, LONGEST, StepLoad};
pub use weights::weight_bytes;

use resolver::Resolver;
