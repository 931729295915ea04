//! When the session of a request goes on.

use base::Micros;

/// When the next turn of a session comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTurn {
    /// There is none.
    Ended,
    /// Some time.
    Open,
    /// Then.
    At(Micros),
}

impl NextTurn {
    pub(super) fn at(at: Option<Micros>, is_open: bool) -> Self {
        match at {
            Some(at) => Self::At(at),
            None if is_open => Self::Open,
            None => Self::Ended,
        }
    }
}
