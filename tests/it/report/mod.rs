//! What a run reports: the report, notices, anomalies, figures of frames, rows.

mod anomalies;
pub(crate) mod definition;
mod detectors;
mod evidence;
mod figures;
mod handovers;
mod held_back;
mod notices;
mod parts;
mod rows;
mod summaries;
