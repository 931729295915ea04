//! What happened to the blocks of a replica lately, from the event log and from what the cache counts as it takes blocks back.

use super::BlockEvent;
use crate::observe::event_log::LogEntry;
use crate::session::Session;
use base::number_text::count;
use engine::{CacheFact, Fact, FaultFact, FleetFact, HandoverFact, Replica, ReplicaFact, RequestFact};

/// Most events, and most lines of the log that are looked at.
const MOST: usize = 200;
const LINES: usize = 20_000;

impl Session {
    /// What happened to the blocks of a replica, the newest first.
    pub(super) fn block_events(&self, replica: &Replica) -> Vec<BlockEvent> {
        let block = replica.kv().block_tokens();
        let lines = self.recorder.log.newest_first().take(LINES);
        let of_log = lines.filter_map(|(_, at_us, entry)| match entry {
            LogEntry::Fact(fact) if fact.replica() == Some(replica.id()) => event(fact, at_us, block),
            LogEntry::Fact(_) | LogEntry::Note(_) => None,
        });
        let log: Vec<BlockEvent> = of_log.take(MOST).collect();
        let evicted = replica.kv().evicted_lately().filter(|(_, blocks)| *blocks > 0).take(MOST);
        let mut evicted = evicted
            .map(|(at, blocks)| BlockEvent {
                at_us: at.map_or(self.playhead.0, |at| at.0),
                kind: "evicted",
                request: None,
                blocks: Some(blocks as u32),
                text: at.map_or("since the latest release", |_| "since the release before").to_owned(),
            })
            .peekable();
        let mut all = Vec::new();
        for of_log in log {
            while let Some(event) = evicted.next_if(|event| event.at_us >= of_log.at_us) {
                all.push(event);
            }
            all.push(of_log);
        }
        all.extend(evicted);
        all.truncate(MOST);
        all
    }
}

/// What a fact means for blocks.
fn event(fact: &Fact, at_us: u64, block: u32) -> Option<BlockEvent> {
    match *fact {
        Fact::Request(fact) => of_request(fact, at_us, block),
        Fact::Cache(fact) => of_cache(fact, at_us, block),
        Fact::Replica(
            ReplicaFact::StepStarted { .. } | ReplicaFact::StepEnded { .. } | ReplicaFact::Tokens { .. },
        )
        | Fact::Fleet(
            FleetFact::Scaled { .. }
            | FleetFact::Starting { .. }
            | FleetFact::Cold { .. }
            | FleetFact::Warm { .. }
            | FleetFact::StartGivenUp { .. }
            | FleetFact::Redirected { .. }
            | FleetFact::Serving { .. }
            | FleetFact::Draining { .. },
        )
        | Fact::Handover(
            HandoverFact::Decided { .. }
            | HandoverFact::Prefilled { .. }
            | HandoverFact::Reserved { .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Flows { .. }
            | HandoverFact::Landed { .. }
            | HandoverFact::Joined { .. }
            | HandoverFact::GivenUp { .. }
            | HandoverFact::KvLost { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. },
        )
        | Fact::Fault(
            FaultFact::Down { .. }
            | FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. }
            | FaultFact::Broken { .. }
            | FaultFact::CameAgain { .. }
            | FaultFact::Retried { .. }
            | FaultFact::Lost { .. },
        ) => None,
    }
}

fn of_request(fact: RequestFact, at_us: u64, block: u32) -> Option<BlockEvent> {
    match fact {
        RequestFact::Scheduled { request, cached, .. } if cached > 0 => Some(BlockEvent {
            at_us,
            kind: "hit",
            request: Some(request.0),
            blocks: Some(cached / block),
            text: format!("{} tokens not computed", count(cached.into())),
        }),
        RequestFact::Preempted { request, times, .. } => Some(BlockEvent {
            at_us,
            kind: "preempted",
            request: Some(request.0),
            blocks: None,
            text: if times > 1 { format!("{times} times so far") } else { String::new() },
        }),
        RequestFact::Arrived { .. }
        | RequestFact::Admitted { .. }
        | RequestFact::Rejected { .. }
        | RequestFact::Delayed { .. }
        | RequestFact::Enqueued { .. }
        | RequestFact::Dispatched { .. }
        | RequestFact::Expired { .. }
        | RequestFact::Routed { .. }
        | RequestFact::Queued { .. }
        | RequestFact::Dropped { .. }
        | RequestFact::Scheduled { .. }
        | RequestFact::Prefilled { .. }
        | RequestFact::FirstToken { .. }
        | RequestFact::Completed { .. } => None,
    }
}

fn of_cache(fact: CacheFact, at_us: u64, block: u32) -> Option<BlockEvent> {
    match fact {
        CacheFact::Loaded { request, blocks, .. } => Some(BlockEvent {
            at_us,
            kind: "from-cpu",
            request: Some(request.0),
            blocks: Some(blocks),
            text: format!("{} tokens not computed", count(u64::from(blocks) * u64::from(block))),
        }),
        CacheFact::ReloadedEarly { request, blocks, .. } => Some(BlockEvent {
            at_us,
            kind: "from-cpu",
            request: Some(request.0),
            blocks: Some(blocks),
            text: "right after they had gone there".to_owned(),
        }),
        CacheFact::Offloaded { blocks, forgotten, .. } => Some(BlockEvent {
            at_us,
            kind: "to-cpu",
            request: None,
            blocks: Some(blocks),
            text: if forgotten > 0 {
                format!("{} forgotten there", count(forgotten.into()))
            } else {
                String::new()
            },
        }),
        CacheFact::HeadBlocked { .. }
        | CacheFact::HeadUnblocked { .. }
        | CacheFact::LoadStarted { .. }
        | CacheFact::LoadGivenUp { .. }
        | CacheFact::AdapterLoaded { .. }
        | CacheFact::Livelock { .. } => None,
    }
}
