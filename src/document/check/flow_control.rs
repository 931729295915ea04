//! Checks flow control: bands, ceilings, and what it cannot be combined with.

use super::not_nothing::{check_not_nothing, seconds};
use crate::table::report::{Report, plain};
use crate::{Ceilings, Compat, Detector, FlowControl};

/// Checks the flow control at `path`.
pub(super) fn check_flow_control(path: &str, f: &FlowControl, compat: Compat, r: &mut Report) {
    let none = seconds("no limit");
    check_not_nothing(&format!("{path}.ttl_s"), f.ttl_s, none, r);
    check_not_nothing(&format!("{path}.no_replica_ttl_s"), f.no_replica_ttl_s, none, r);
    let priorities: Vec<String> = f.bands.iter().map(|band| band.priority.to_string()).collect();
    r.distinct(&format!("{path}.bands"), "priority", priorities.iter().map(String::as_str));
    if let Ceilings::PriorityHoldback(s) = &f.ceilings
        && s.min > s.max
        && r.are_fine(&format!("{path}.ceilings.priority-holdback"), &["min", "max"])
    {
        r.error(
            format!("{path}.ceilings.priority-holdback.min"),
            plain(s.min),
            format!("at most max, which is {}", plain(s.max)),
            "the lowest band holds back first: lower its ceiling",
        );
    }
    if f.eviction && compat == Compat::Blis {
        r.error(
            format!("{path}.eviction"),
            "true under compat \"blis\"",
            "false",
            "its replicas stop no request before it is done: remove the key, or compat",
        );
    }
    if let Detector::Utilization(s) = &f.detector
        && s.refresh_us > s.stale_us
        && r.are_fine(&format!("{path}.detector.utilization"), &["refresh_us", "stale_us"])
    {
        r.warning(
            format!("{path}.detector.utilization.refresh_us"),
            format!("{} µs, and a replica counts as saturated after {} µs", s.refresh_us, s.stale_us),
            "at most stale_us",
            "between the two ages every replica counts as saturated, whatever it has to do",
        );
    }
}
