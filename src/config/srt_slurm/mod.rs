//! Recipes of srt-slurm: servers, a router and a benchmark on a cluster that Slurm runs.

pub(crate) mod recipe;
mod workload;
