//! Checks what a run that keeps summaries only can run: the report on some parts of a scenario reads requests one by one.

use crate::table::report::{Report, grouped};
use crate::{Compat, Keep, Role, Scenario, limits};

/// What cannot be summed up as requests leave, with its path.
fn unfit(s: &Scenario) -> impl Iterator<Item = (String, &'static str)> {
    let c = &s.cluster;
    let flow = c.flow_control.is_some().then_some(("cluster.flow_control", "the gateway's queue"));
    let blis = (c.compat == Compat::Blis).then_some(("cluster.compat", "the counts of BLIS"));
    let roles = (0..).zip(&c.pools).filter(|(_, pool)| pool.role != Role::Mixed);
    let roles =
        roles.map(|(i, _): (usize, _)| (format!("cluster.pools[{i}].role"), "prefill and decode apart"));
    let clients = (0..).zip(&s.workload.clients);
    let sessions = clients.filter(|(_, client)| client.conversation.is_some() || client.agent.is_some());
    let sessions = sessions.map(|(i, client): (usize, _)| {
        let field = if client.agent.is_some() { "agent" } else { "conversation" };
        (format!("workload.clients[{i}].{field}"), "sessions that wait for answers")
    });
    let whole = flow.into_iter().chain(blis).map(|(path, what)| (path.to_owned(), what));
    whole.chain(roles).chain(sessions)
}

/// A run that keeps summaries only has none of what reads single requests.
pub(super) fn check_keep(s: &Scenario, r: &mut Report) {
    let keep = s.observe.keep;
    if keep == Keep::Summary {
        for (path, what) in unfit(s) {
            r.error(
                path,
                format!("{what}, in a run that keeps summaries only"),
                "nothing whose figures are made of single requests",
                "leave observe.keep out, or set it to rows",
            );
        }
    }
    let (asked, most) = (s.run.max_requests, keep.most_requests());
    if asked > most && asked <= limits::REQUESTS_SUMMARISED {
        r.error(
            "run.max_requests",
            grouped(asked),
            format!("0 to {}", grouped(most)),
            format!(
                "lower it, or set observe.keep to summary: up to {} requests on the command line, without rows",
                grouped(limits::REQUESTS_SUMMARISED)
            ),
        );
    }
}
