//! A step under way.

use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// A step under way (`compat: none`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningStep {
    pub(crate) started: Micros,
    pub(crate) span: Span,
    /// Requests that decode one token in it.
    pub(crate) decode: u32,
}

/// The end of a step, and when its tokens are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepEnd {
    /// When it ends.
    pub(super) now: Micros,
    /// When the front end has written its tokens.
    pub(super) shown: Micros,
    /// When tokens of a step that ended as this one began were shown.
    pub(super) shown_before: Micros,
    /// Time for which each token is processed after that.
    pub(super) overhead: Span,
}
