//! Fills in values that a document leaves out and another part of it decides, before anything else reads it.

use crate::types::routing::ROUTERS;
use crate::types::workload::client_kind;
use crate::{Client, FitnessMetric, Pool, limits};
use serde_json::{Map, Value, json};

/// Writes it out.
pub(super) fn normalise(document: &mut Value) {
    let_the_cap_decide(document);
    name_fitness(document);
    name_all(document, "/cluster/pools", &Pool::default().name, limits::POOLS);
    name_all(document, "/workload/clients", &Client::default().name, limits::CLIENTS);
    weighted_routers(document, |_, weighted| let_scorers_decide(weighted));
    if let Some(Value::Array(clients)) = document.pointer_mut("/workload/clients") {
        for client in clients {
            close_the_loop(client);
            if let Value::Object(client) = client {
                client_kind::fill(client);
            }
        }
    }
}

/// A bound on requests in flight alone means a closed loop, and a number says how many it has.
fn close_the_loop(client: &mut Value) {
    let Value::Object(client) = client else { return };
    if !client.contains_key("arrivals")
        && client.get("concurrency").and_then(Value::as_u64).is_some_and(|most| most > 0)
        && let Some(most) = client.shift_remove("concurrency")
    {
        client.insert("arrivals".to_owned(), json!({ "concurrency": most }));
    }
    if let Some(requests @ Value::Number(_)) =
        client.get_mut("arrivals").and_then(|arrivals| arrivals.get_mut("concurrency"))
    {
        *requests = json!({ "requests": requests.take() });
    }
}

/// Parts of the fitness score may have the names that reports have.
fn name_fitness(document: &mut Value) {
    let Some(Value::Array(parts)) = document.pointer_mut("/observe/fitness") else { return };
    for metric in parts.iter_mut().filter_map(|part| part.get_mut("metric")) {
        if let Some(own) = metric.as_str().and_then(FitnessMetric::of_report) {
            *metric = Value::from(own.name());
        }
    }
}

/// If only one of the horizon and the cap on requests is given, it decides: with only a cap, there is no default
/// horizon.
fn let_the_cap_decide(document: &mut Value) {
    let Some(Value::Object(run)) = document.get_mut("run") else { return };
    let capped = run.get("max_requests").and_then(Value::as_u64).is_some_and(|most| most > 0);
    if capped && !run.contains_key("horizon_s") {
        run.insert("horizon_s".to_owned(), Value::from(0));
    }
}

/// Gives entries without a name the first that is free of their kind or `first`, with `-2`, `-3`, … behind it. A longer list than `most` is refused.
fn name_all(document: &mut Value, list: &str, first: &str, most: usize) {
    let Some(Value::Array(list)) = document.pointer_mut(list) else { return };
    if list.len() > most {
        return;
    }
    let own = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut taken: Vec<String> = list.iter().filter_map(own).collect();
    for entry in list {
        let Value::Object(entry) = entry else { continue };
        // An empty name is a problem of its own.
        if entry.contains_key("name") {
            continue;
        }
        let first = entry.get("kind").and_then(Value::as_str).unwrap_or(first).to_owned();
        let (mut free, mut n) = (first.clone(), 1);
        while taken.contains(&free) {
            n += 1;
            free = format!("{first}-{n}");
        }
        taken.push(free.clone());
        entry.insert("name".to_owned(), Value::String(free));
    }
}

/// Own scorers mean an own profile.
fn let_scorers_decide(weighted: &mut Map<String, Value>) {
    let listed = weighted.get("scorers").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    if listed && !weighted.contains_key("profile") {
        weighted.insert("profile".to_owned(), Value::from("custom"));
    }
}

/// Visits the settings of each weighted router, with the path of the router.
pub(super) fn weighted_routers(document: &mut Value, mut visit: impl FnMut(&str, &mut Map<String, Value>)) {
    for router in ROUTERS {
        let settings = format!("/{}/weighted", router.replace('.', "/"));
        if let Some(Value::Object(weighted)) = document.pointer_mut(&settings) {
            visit(router, weighted);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Change, Profile, RoutingPolicy, Scenario, check, from_value};
    use serde_json::{Value, json};

    fn read(document: Value) -> Scenario {
        from_value(document).unwrap_or_else(|all| panic!("{all:?}"))
    }

    fn names(s: &Scenario) -> [Vec<&str>; 2] {
        [
            s.cluster.pools.iter().map(|p| p.name.as_str()).collect(),
            s.workload.clients.iter().map(|c| c.name.as_str()).collect(),
        ]
    }

    #[test]
    fn pools_and_clients_without_a_name_get_one_that_is_free() {
        let s = read(json!({
            "cluster": {"pools": [{"replicas": 2}, {"name": "main-2"}, {}, {"name": "big"}, {}]},
            "workload": {"clients": [{"name": "chat"}, {}, {}]},
        }));
        let want = [vec!["main", "main-2", "main-3", "big", "main-4"], vec!["chat", "chat-2", "chat-3"]];
        assert_eq!(names(&s), want);
        assert!(check(s).is_ok());
        // A single entry keeps the default name.
        let one = read(json!({"cluster": {"pools": [{}]}, "workload": {"clients": [{}]}}));
        assert_eq!(one, Scenario::default());
    }

    #[test]
    fn a_pool_that_an_edit_adds_gets_a_free_name_too() {
        let (checked, _) = check(Scenario::default()).expect("the default is good");
        let change = Change::add("cluster.pools", json!({"replicas": 1}));
        let (after, _) = checked.edited(&change).expect("a pool may be added");
        assert_eq!(names(after.get())[0], ["main", "main-2"]);
    }

    #[test]
    fn scorers_without_a_profile_are_the_profile() {
        let profile = |weighted: Value| {
            let router = json!({"weighted": weighted});
            let s =
                read(json!({"cluster": {"routing": router, "disaggregation": {"prefill_routing": router}}}));
            let d = s.cluster.disaggregation.as_ref().expect("settings");
            assert_eq!(d.prefill_routing.as_ref(), Some(&s.cluster.routing));
            let RoutingPolicy::Weighted(weighted) = s.cluster.routing.clone() else { panic!("{s:?}") };
            (weighted.profile, check(s).is_ok())
        };
        let scorers = json!([{"scorer": "queue-depth", "weight": 1}]);
        assert_eq!(profile(json!({ "scorers": scorers })), (Profile::Custom, true));
        assert_eq!(profile(json!({ "scorers": [] })), (Profile::BlisDefault, true));
        assert_eq!(profile(json!({})), (Profile::BlisDefault, true));
        assert_eq!(
            profile(json!({"profile": "llm-d-default", "scorers": scorers})),
            (Profile::LlmDDefault, false)
        );
    }
}
