//! A file of coefficients, as `tokenyard calibrate -o` writes it.

use crate::commands::measured::rows_of::rows_of;
use crate::failed::Failed;
use crate::print::unreadable;
use base::SortedMap;
use document::{CalibratedCoefficients, EngineGeneration};
use serde::Serialize;
use std::path::Path;
use tools::validate::Found as Coefficients;

/// One row of a file of coefficients.
#[derive(Clone, Serialize)]
pub(crate) struct OwnRow {
    pub(crate) gpu: String,
    pub(crate) engine: EngineGeneration,
    /// The experiments that the coefficients were fitted to.
    pub(crate) rests_on: Vec<String>,
    pub(crate) coefficients: CalibratedCoefficients,
    /// By coefficient: half of its 95 % interval; missing if the data do not determine it.
    pub(crate) intervals: SortedMap<String, Option<f64>>,
    /// By coefficient: number of experiments that determine it.
    pub(crate) experiments: SortedMap<String, u32>,
    /// By model: how much longer its layers take than those of others, in microseconds.
    pub(crate) models: SortedMap<String, f64>,
}

document::shape! {
    read entry OwnRow {
        gpu engine rests_on [default] coefficients intervals [default] experiments [default] models [default]
    }
}

/// Coefficients by GPU and release.
pub(crate) type Own = Vec<(String, EngineGeneration, Coefficients)>;

pub(crate) fn coefficients(path: &Path) -> Result<Own, Failed> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(&path.display(), &e))?;
    let rows: Vec<OwnRow> = rows_of(path, &text, "a file that `tokenyard calibrate -o` wrote")?;
    let found = |r: OwnRow| Coefficients { coefficients: r.coefficients, models: r.models };
    Ok(rows.into_iter().map(|r| (r.gpu.clone(), r.engine, found(r))).collect())
}
