//! The part of a report about what homes read from their CPU memory of prompts that were computed elsewhere.

use crate::observe::homes_read;
use base::stats::{Ranked, Summary};
use document::Scenario;
use engine::Handover;
use serde::Serialize;

/// What homes read from their CPU memory of prompts that were computed elsewhere. Requests are those that arrived in the
/// measurement window.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HomeReadsPart {
    /// Requests whose home read blocks.
    pub requests: u32,
    /// Blocks that it read for them.
    pub blocks: u64,
    /// Setting blocks aside to having the last of those that are read, in milliseconds.
    pub read_ms: Summary,
    /// Of these requests, those that landed before that and waited for it.
    pub waited: u32,
}

/// The reads of the requests that arrived in the measurement window.
#[derive(Default)]
pub(super) struct HomeReads {
    blocks: u64,
    waited: u32,
    /// Durations in microseconds, with the numbers of requests.
    times: Vec<(u64, u32)>,
}

impl HomeReads {
    /// The read of a request, if its home reads anything.
    pub(super) fn add(&mut self, request: u32, h: &Handover) {
        let Some((reserved, read)) = h.reserved.get().zip(h.home_read.get()) else { return };
        self.blocks += u64::from(h.home_below);
        self.waited += u32::from(h.landed.get().is_some_and(|landed| landed < read));
        self.times.push((read.0.saturating_sub(reserved.0), request));
    }

    /// The part; `None` where homes read nothing and are not asked to. `requests` is the number of all requests.
    pub(super) fn part(&self, scenario: &Scenario, requests: usize) -> Option<HomeReadsPart> {
        (homes_read(scenario) || !self.times.is_empty()).then(|| HomeReadsPart {
            requests: self.times.len() as u32,
            blocks: self.blocks,
            read_ms: super::in_ms(Ranked::new(requests, self.times.iter().copied()).summary()),
            waited: self.waited,
        })
    }
}
