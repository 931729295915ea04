//! The family of formats that configure another program.

use crate::import::configuration::{Report, Settings};
use base::import::Family;
use serde_json::Value;

/// The family of formats that configure another program.
pub enum Configuration {}

impl Family for Configuration {
    type Source<'a> = Value;
    type Report = Report;
    type Read = Settings;
}
