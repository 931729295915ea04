//! Everybody is let in.

use super::{Admission, Standing, Verdict};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// Everybody is let in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlwaysAdmit;

impl Admission for AlwaysAdmit {
    fn decide(&mut self, _: &RequestView<'_>, _: Standing) -> Verdict {
        Verdict::Admit
    }
}
