//! No request is admitted.

use super::{Admission, Circumstances, Verdict};
use crate::policy::Reason;
use crate::policy::RequestView;
use serde::{Deserialize, Serialize};

/// Admits no request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RejectAll;

impl Admission for RejectAll {
    fn decide(&mut self, _: &RequestView<'_>, _: Circumstances) -> Verdict {
        Verdict::Reject(Reason::RejectAll)
    }
}
