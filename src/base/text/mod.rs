//! Text: what is alike, CSV, HTML, YAML, numbers in words.

pub mod alike;
pub mod csv_text;
#[cfg(any(feature = "cli", feature = "outcomes"))]
pub mod html_text;
pub mod log_lines;
pub mod number_text;
#[cfg(any(feature = "cli", feature = "outcomes"))]
pub mod yaml_text;
