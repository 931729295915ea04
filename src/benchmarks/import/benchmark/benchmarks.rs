//! The family of formats of benchmarks.

use super::{Benchmark, Problems, Text};
use base::import::Family;

/// The family of formats that benchmark tools and servers write.
pub enum Benchmarks {}

impl Family for Benchmarks {
    type Source<'a> = Text<'a>;
    type Report = Problems;
    type Read = Vec<Benchmark>;
}
