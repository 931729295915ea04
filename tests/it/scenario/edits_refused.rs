//! Invalid edits: each gets its message, with the place in the list of edits and in the document.

use super::diagnostics::says_of_edits;
use tokenyard::session::Session;

#[test]
fn edits_refer_to_what_exists_and_come_in_order() {
    says_of_edits(
        r#"{"edits": [
            {"at_us": 5, "set": {"workload.clients[1].arrivals.poisson.rate_per_s": 3}},
            {"at_us": 4, "set": {"cluster.pools[0].replicas": 2000, "cluster.pools[0].tp": 0}},
            {"at_us": 300000000, "set": {"cluster.routing": "random"}}
        ]}"#,
        "error: edits[0].set.workload.clients[1]: no such entry; allowed: entries 0 to 0; list numbers start at 0\n\
         error: edits[1].at_us: 4 us, which is before the edit above it; allowed: edits in the order in which they apply; sort the list\n\
         error: edits[1].set.cluster.pools[0].replicas: 2,000; allowed: 0 to 1,024; an edit to 0 drains the pool\n\
         error: edits[1].set.cluster.pools[0].tp: 0; allowed: 1 to 64; 1 means one GPU for each replica\n\
         warning: edits[2].at_us: 300,000,000 us, which is after the end of the run; allowed: up to run.horizon_s (240 s); it never applies: lengthen the run or move the edit",
    );
    says_of_edits(
        r#"{"workload": {"trace": {}}, "edits": [{"at_us": 5, "set": {"workload.clients[0].arrivals.poisson.rate_per_s": 1}}]}"#,
        "error: edits[0].set.workload.clients: clients and requests; allowed: nothing: the workload replays a trace; change workload.trace.speed instead",
    );
}

#[test]
fn an_edit_with_an_unknown_key_is_refused() {
    says_of_edits(
        r#"{"edits": [{"at_us": 5, "change": {"replicas": {"pool": 0, "replicas": 8, "blocks": 9}}}]}"#,
        "error: edits[0].change: unknown key `change`; allowed: at_us, after_events, set, add, route, fault, off; remove it",
    );
}

#[test]
fn an_edit_says_what_it_cannot_change() {
    let one = |edit: &str| format!(r#"{{"edits": [{{"at_us": 5, {edit}}}]}}"#);
    let restart = "change it in the scenario itself: the run starts again";
    says_of_edits(
        &one(r#""set": {"seed": 3, "run.horizon_s": 5}"#),
        &format!(
            "error: edits[0].set.seed: a field that cannot change during the run; allowed: fields under cluster, workload and slo; {restart}\n\
             error: edits[0].set.run.horizon_s: a field that cannot change during the run; allowed: fields under cluster, workload and slo; {restart}"
        ),
    );
    says_of_edits(
        &one(r#""set": {"cluster.compat": "blis"}"#),
        &format!(
            "error: edits[0].set.cluster.compat: other engine semantics in the middle of a run; allowed: the \
            value at the start of the run; {restart}"
        ),
    );
    says_of_edits(
        &one(r#""set": {"workload.trace": {"file": "a.csv"}}"#),
        &format!(
            "error: edits[0].set.workload.trace: another trace in the middle of a run; allowed: the value at \
            the start of the run; its speed may change; {restart}"
        ),
    );
    says_of_edits(
        &one(r#""set": {"cluster.pools": []}"#),
        "error: edits[0].set.cluster.pools: 0 entries, where there were 1; allowed: no fewer: positions stay; give the pool 0 replicas instead\n\
         error: edits[0].set.cluster.pools: no pools; allowed: at least one; add a pool of replicas, or leave the key out for the default",
    );
    says_of_edits(
        &one(r#""add": {"cluster": {}}"#),
        "error: edits[0].add.cluster: no list; allowed: a list of the document, such as cluster.pools or workload.clients; set the field instead",
    );
    says_of_edits(
        &one(r#""add": {"workload.clients": {"name": "chat"}}"#),
        "error: edits[0].add.workload.clients[1].name: \"chat\", which is the name of workload.clients[0] too; allowed: a name of its own; rename one of them",
    );
    let unknown = Session::check(&one(r#""set": {"cluster.pools[0].gpu": "H999"}"#));
    assert_eq!(
        unknown.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(),
        ["edits[0].set.cluster.pools[0].gpu"]
    );
    says_of_edits(
        r#"{"edits": [{"at_us": 5}]}"#,
        "error: edits[0]: an edit that changes nothing; allowed: fields under cluster, workload and slo; set a field, such as {\"set\": {\"cluster.pools[0].replicas\": 8}}, add an entry to a list, route a request, or break something",
    );
}
