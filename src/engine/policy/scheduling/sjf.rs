//! Shortest prompt first. The whole prompt counts, cached or not, computed before or not.

use super::Order;
use crate::policy::priority::WaitingView;
use serde::{Deserialize, Serialize};

/// Shortest prompt first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sjf;

impl Order for Sjf {
    fn key(&self, request: &WaitingView, _: i64) -> i64 {
        i64::from(request.prompt_tokens)
    }
}
