//! All requests are admitted.

use super::{Admission, Circumstances, Verdict};
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// Admits every request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlwaysAdmit;

impl Admission for AlwaysAdmit {
    fn decide(&mut self, _: &RequestView<'_>, _: Circumstances) -> Verdict {
        Verdict::Admit
    }
}
