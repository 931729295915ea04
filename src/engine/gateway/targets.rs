//! The objectives of requests, which routers by predicted latency aim at.

use document::Slo;
use serde::{Deserialize, Serialize};

/// Objectives of TTFT and TPOT in milliseconds, 0 for none, by number of the class; number 0 is all others.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Targets([[f64; 2]; 6]);

impl Targets {
    pub(super) fn new(slo: &Slo) -> Self {
        let mut all = [[slo.ttft_ms, slo.tpot_ms]; 6];
        for own in &slo.classes {
            all[own.class.rank() as usize + 1] = [own.ttft_ms, own.tpot_ms];
        }
        Self(all)
    }

    /// The objectives of a class.
    pub(super) fn of(&self, class: u32) -> [f64; 2] {
        self.0[if class < 6 { class as usize } else { 0 }]
    }
}
