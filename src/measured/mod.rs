//! The user's own measurements: what benchmark tools and servers write, read, run and compared.
//!
//! Each format has a file of its own, recognised by what stands in it and never by its name. `scenario` makes a run of a
//! result, `compare` puts measured and simulated figures beside each other, `calibrate` fixes the few coefficients that one
//! run can tell. Texts come from whoever calls; the page and the command line read the same way.

mod aiperf;
mod aiperf_load;
mod band;
mod benchmark;
mod calibrate;
mod capped;
mod clock;
mod compare;
mod engine_log;
mod guidellm;
mod inference_perf;
mod llmperf;
mod metrics;
mod model_names;
mod reading;
mod scenario;
mod simulated;
mod statistics;
mod vllm_bench;

pub use band::{Band, Halves, bands, bands_of};
pub use benchmark::{Benchmark, EngineFacts, Figure, Load, Request};
pub use calibrate::{CoefficientChange, OneRun, calibrate};
pub use compare::{Compared, Comparison, compare};
pub use reading::{FORMATS, Format, format, read};
pub use scenario::{Replay, replay};
