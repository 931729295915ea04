//! Files of other programs: `import` reads their configuration and their benchmarks, `export` writes rows of a run for
//! them.
//!
//! The shells supply texts and documents, and the destination of rows.

pub mod export;
pub mod import;
