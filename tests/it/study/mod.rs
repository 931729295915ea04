//! Work with whole runs: comparisons, what-if questions, redirected requests, scenarios derived from others.

mod compare;
mod compare_edits;
mod derived_scenarios;
mod evaluate;
mod files;
mod kv_regret;
mod lessons;
mod redirects;
mod roles;
mod tiers;
mod what_if;
