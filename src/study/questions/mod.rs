//! The page's questions about several runs, one table for each of its threads, and what these keep from one question to the next.

#[cfg(any(feature = "cli", feature = "lessons"))]
pub mod comparison;
#[cfg(any(feature = "cli", feature = "links"))]
pub mod links;
#[cfg(any(feature = "cli", feature = "lessons"))]
mod searches;
#[cfg(any(feature = "cli", feature = "theory"))]
pub mod theory;
#[cfg(any(feature = "cli", feature = "whatif"))]
pub mod whatif;
