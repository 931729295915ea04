//! Tokenyard: a deterministic simulator of an LLM-serving cluster.
//!
//! A run is a value: scenario, seed and edits. The engine is a pure function of the three, so that the command line, the page,
//! a bug report and a test give the same bytes for the same run, on every target.
//!
//! # Example
//! Load a built-in scenario, run ten seconds of it, add replicas, run on, and read the report:
//!
//! ```
//! use tokenyard::base::Micros;
//! use tokenyard::scenario::Change;
//! use tokenyard::scenario::preset::Preset;
//! use tokenyard::session::{Audience, Session, Stop};
//!
//! let mut scenario = Preset::named("chat-4xh100").expect("a built-in scenario").scenario();
//! scenario.run.horizon_s = 20.0;
//! scenario.run.warmup_s = 1.0;
//!
//! // A scenario that is not sound comes back as a list of problems, each with its path and its remedy.
//! let (mut session, _) = Session::start(scenario, None, Audience::Batch).expect("it is sound");
//! while session.advance(Micros(10_000_000), 10_000) == Stop::Events {}
//!
//! // Any field under `cluster`, `workload` and `slo` can be edited while the run goes on.
//! let problems = session.apply(Change::set("cluster.pools[0].replicas", 6));
//! assert!(problems.is_empty());
//! session.advance(Micros::MAX, u64::MAX);
//!
//! let report = session.report_data();
//! assert!(report.requests.conserved);
//! assert_eq!(report.replicas.len(), 6);
//! assert!(report.latency_ms.ttft.p99 > report.latency_ms.ttft.p50);
//! // The same run again has the same digest.
//! println!("{} {}", session.report(), session.digest());
//! ```
//!
//! `examples/` has more: comparing routers, searching a capacity, rows as CSV, rewinding.
//!
//! # Modules
//! Each is a package of its own or a room of one, and uses only those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | [`base`] | quantities with units, random streams, digests, diagnostics |
//! | [`queueing`] | the queueing model of a server, and laws of textbook queues |
//! | [`scenario`] | the document that says what to run, its checks, presets and edits |
//! | [`perf`], [`workload`], [`kv`], [`stats`] | step times, requests, cache blocks, distributions |
//! | [`policy`] | admission, routing, scheduling, scaling: from views to decisions |
//! | [`engine`] | clock, events, gateway and replicas; it emits facts |
//! | [`observe`] | what follows from the facts: series, anomalies, the report |
//! | [`session`] | one run under way: advance, step, edit, rewind, frames |
//! | `export` | rows of a run, traces for Perfetto, metrics and pages of a run |
//! | `config` | configuration of other programs, in and out |
//! | `study` | work with several runs: comparisons, sweeps, capacity, what-if questions |
//! | `benchmarks`, `golden`, `validate` | measured runs and recorded results to compare with |
//! | `glossary` | words and formulas of the documentation, as data |
//! | `cli`, `wasm` | the shells: the command line and the page's modules |
//!
//! # Where to read on
//! - `ARCHITECTURE.md`: the layers, the way of a request, which file to open for which change.
//! - `docs/README.md`: the index of the documents, from how-tos to the equations of the model.
//! - `docs/reference/invariants.md`: what holds at every instant, and which test says so.

pub use base::{self, stats};
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
pub use cli;
pub use document as scenario;
pub use engine::{self, kv, perf, policy, workload};
pub use queueing;
pub use run::{observe, session};
#[cfg(any(
    feature = "cli",
    feature = "closeup",
    feature = "compare",
    feature = "links",
    feature = "theory",
    feature = "whatif"
))]
pub use study;
#[cfg(feature = "cli")]
pub use tools::{glossary, golden, validate};
#[cfg(any(feature = "cli", feature = "outcomes"))]
pub use {benchmarks, config, export};

#[cfg(target_arch = "wasm32")]
pub mod wasm;
