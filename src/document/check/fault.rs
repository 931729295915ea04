//! Checks a fault: its numbers, which replica it names, and what cannot break.

use crate::At;
use crate::table::fields::Fields;
use crate::table::report::Report;
use crate::{Aim, Cluster, Compat, Fault, Role, limits};
use base::Diagnostics;
use base::small::decimal::plain;

/// Problems of a fault in a cluster as it is then. Whether there is a replica of that number is known with the edits before it.
pub(crate) fn check_fault(fault: &Fault, c: &Cluster) -> Diagnostics {
    let mut r = Report::default();
    fault.check_ranges(&At::path("fault"), &mut r);
    let path = format!("fault.{}", fault.name());
    match fault.aim() {
        None => r.error(
            path.as_str(),
            "a fault of no replica, or of a replica and a pool",
            "either replica or pool",
            "name the replica by its number, or the pool and which of its replicas",
        ),
        Some(Aim::Pool(name, _)) if !c.pools.iter().any(|pool| pool.name == name) => {
            let known: Vec<&str> = c.pools.iter().map(|pool| pool.name.as_str()).collect();
            r.error(
                format!("{path}.pool"),
                format!("\"{name}\", which is no pool"),
                known.join(", "),
                "name a pool of the scenario",
            );
        }
        Some(Aim::Store(name)) if !c.kv_stores.iter().any(|store| store.name == name) => {
            let known: Vec<&str> = c.kv_stores.iter().map(|store| store.name.as_str()).collect();
            let allowed =
                if known.is_empty() { "a store of cluster.kv_stores".to_owned() } else { known.join(", ") };
            r.error(
                format!("{path}.name"),
                format!("\"{name}\", which is no store"),
                allowed,
                "name a store of the scenario",
            );
        }
        Some(Aim::Pool(..) | Aim::Replica(_) | Aim::All | Aim::Store(_)) => {}
    }
    if matches!(fault, Fault::TransferLink(_)) && c.pools.iter().all(|pool| pool.role == Role::Mixed) {
        r.error(
            path.as_str(),
            "a fault of a link over which nothing is sent",
            "pools with the roles prefill and decode",
            "give pools these roles, or take the fault out",
        );
    }
    check_breakable(&path, c, &mut r);
    r.finish()
}

/// Replicas that crash at random.
pub(super) fn check_random_faults(c: &Cluster, r: &mut Report) {
    let mtbf_s = c.faults.crash_mtbf_s;
    if mtbf_s <= 0.0 {
        return;
    }
    if mtbf_s < limits::CRASH_MTBF_S && r.is_fine("cluster.faults.crash_mtbf_s") {
        let allowed = format!("0, or at least {} s", plain(limits::CRASH_MTBF_S));
        let found = format!("{} s", plain(mtbf_s));
        r.error("cluster.faults.crash_mtbf_s", found, allowed, "give a longer time, or 0 for none");
    }
    check_breakable("cluster.faults.crash_mtbf_s", c, r);
}

/// What cannot break.
fn check_breakable(path: &str, c: &Cluster, r: &mut Report) {
    let mut refuse = |found: &str, allowed: &str, fix: &str| r.error(path, found, allowed, fix);
    if c.compat != Compat::None {
        refuse("a fault under compat \"blis\"", "compat \"none\"", "that simulator has no faults");
    }
}
