//! Requests by where they are, and why they may not get on.

use super::RequestPart;
use super::shares::share;
use base::{Micros, RequestId};
use engine::Cluster;

/// Why the run cannot make progress; empty if it can.
pub(crate) fn trouble(engine: &Cluster) -> String {
    if let Some((RequestId(request), replica)) = engine.livelock() {
        let ended = if engine.gave_up() { " The run ended there." } else { "" };
        return format!(
            "Livelock on r{replica}: 1,000 preemptions and nothing finished between them. Request #{request} and its \
             neighbours take each other's KV blocks.{ended} Give the replica more blocks, or lower max_num_seqs."
        );
    }
    let Some(end) = engine.clock_ended() else { return String::new() };
    if end == Micros::END {
        return "The clock ends: what is still to happen lies more than 142 years after the start. Make the steps \
                shorter or the rates higher, or set run.horizon_s."
            .to_owned();
    }
    "The run ends after 30 days: an autoscaler would go on deciding for as long as anything is still to happen. Make the \
     steps shorter or the rates higher, set run.horizon_s, or switch the autoscaler off."
        .to_owned()
}

/// Requests by where they are.
pub(crate) fn request_part(engine: &Cluster) -> RequestPart {
    let c = engine.census();
    let mut p = RequestPart {
        arrived: c.arrived,
        in_pipeline: engine.at_gateway(),
        rejected: c.rejected,
        rejected_by_router: c.turned_away,
        ..RequestPart::default()
    };
    for r in engine.replicas() {
        p.in_pipeline += r.arriving();
        p.queued += r.waiting();
        p.running += r.running();
        p.landed += r.landed();
        p.completed += r.totals().completed;
        p.dropped += r.totals().dropped;
        p.timed_out += r.totals().timed_out;
        p.rejected_by_router -= r.totals().refused;
        p.preemptions += r.totals().preemptions;
    }
    p.transferring = engine.network().map_or(0, |network| network.under_way().len() as u32);
    let inside = p.in_pipeline + p.queued + p.running + p.transferring + p.landed;
    p.lost = c.lost;
    p.conserved = p.arrived == inside + p.completed + p.rejected + p.dropped + p.lost;
    p.preemption_rate = share(p.preemptions as f64, f64::from(p.completed));
    p
}
