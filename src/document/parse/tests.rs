//! Tests: a document is read in one pass, with all problems of shape.

use crate::{Pool, Scenario, Write, from_value, parse, parse_change, set_path};
use serde_json::{Value, json};

/// The messages for a document, one a line.
fn problems(document: serde_json::Value) -> Vec<String> {
    from_value(document).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn an_empty_document_is_all_defaults() {
    assert_eq!(parse("{}"), Ok(Scenario::default()));
}

#[test]
fn the_default_document_reads_back() {
    let text = crate::to_json(&Scenario::default());
    assert_eq!(parse(&text), Ok(Scenario::default()));
}

#[test]
fn all_problems_are_reported_in_one_go_at_the_place_the_user_knows() {
    let all = problems(json!({
        "sed": 1,
        "cluster": { "pools": [
            { "replica": 2 },
            "H100",
            { "replicas": "many", "kv": { "blocks": -3 } },
        ], "routing": "lest-loaded" },
        "workload": { "clients": [
            { "arrivals": { "poisson": { "rate_per_s": "fast" } }, "output_tokens": { "constant": {} } },
        ], "requests": [ 7, { "arrival_us": 1.5, "prompt": [], "output": { "tokens": 1 } } ] },
    }));
    let paths: Vec<&str> = all.iter().map(|m| m.split(": ").nth(1).unwrap()).collect();
    assert_eq!(
        paths,
        [
            "sed",
            "cluster.pools[0].replica",
            "cluster.pools[1]",
            "cluster.pools[2].replicas",
            "cluster.pools[2].kv.blocks",
            "cluster.routing",
            "workload.clients[0].arrivals.poisson.rate_per_s",
            "workload.clients[0].output_tokens.constant",
            "workload.requests[0]",
            "workload.requests[1].arrival_us",
        ],
        "{all:#?}"
    );
    assert!(all[0].contains("did you mean `seed`?"), "{}", all[0]);
    assert!(all[1].contains("did you mean `replicas`?"), "{}", all[1]);
    assert!(
        all[5].contains("unknown choice \"lest-loaded\"") && all[5].contains("`least-loaded`"),
        "{}",
        all[5]
    );
    assert!(all[7].contains("no `tokens`"), "{}", all[7]);
}

#[test]
fn a_choice_with_wrong_settings_says_how_choices_are_written() {
    let all = problems(json!({"workload": {"clients": [
        {"name": "b", "arrivals": {"poisson": {"rate_per_s": 1}, "gamma": {"rate_per_s": 1, "cv": 2}}},
        {"name": "c", "arrivals": 3},
    ]}, "cluster": {"routing": {"random": {}}}}));
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(all.iter().all(|m| m.contains("choice")), "{all:#?}");
}

#[test]
fn the_bare_name_of_a_choice_stands_for_its_default_settings() {
    let short = json!({"cluster": {"routing": "weighted", "admission": "token-bucket"}});
    let long = json!({"cluster": {"routing": {"weighted": {}}, "admission": {"token-bucket": {}}}});
    assert_eq!(from_value(short), from_value(long));
    let all = problems(json!({"workload": {"clients": [{"arrivals": "poisson"}]}}));
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].contains("workload.clients[0].arrivals.poisson: no `rate_per_s`"), "{}", all[0]);
}

#[test]
fn a_hundred_problems_are_enough() {
    let many: Vec<_> = (0..300).map(|_| json!({"x": 1})).collect();
    let all = problems(json!({"cluster": {"pools": many}}));
    assert_eq!(all.len(), 101);
    assert!(all[99].contains("pools[99].x"), "{}", all[99]);
    assert!(all[100].contains("more than 100 problems"));
}

#[test]
fn edits_read_and_fail_like_scenarios() {
    let read = parse_change;
    assert!(read(r#"{"set":{"cluster.routing":"random"}}"#).is_ok());
    let e = read(r#"{"sett":{}}"#).unwrap_err();
    assert!(e[0].to_string().contains("did you mean `set`?"), "{e:?}");
    assert_eq!(read(r#"{"set":[]}"#).unwrap_err()[0].path, "set");
}

#[test]
fn paths_set_fields_that_stand_there_and_fields_left_to_their_defaults() {
    let mut d = json!({});
    for (path, value) in [
        ("cluster.pools[0].replicas", "8"),
        ("cluster.routing", "random"),
        ("cluster.pools[0].latency.fitted.step_us", "5e3"),
        ("title", "a b"),
    ] {
        set_path(&mut d, path, value).unwrap();
    }
    let s = from_value(d).unwrap();
    assert_eq!(s.cluster.pools[0].replicas, 8);
    assert_eq!(s.title, "a b");
    // Entries written out by a path are those that a document without the list has.
    let mut d = json!({});
    set_path(&mut d, "cluster.pools[0].tp", "1").unwrap();
    set_path(&mut d, "workload.clients[0].slo_class", "standard").unwrap();
    assert_eq!(from_value(d).unwrap(), Scenario::default());
    let mut d = json!({});
    assert_eq!(set_path(&mut d, "cluster.pools[1].replicas", "8").unwrap_err()[0].allowed, "entries 0 to 0");
    assert!(set_path(&mut d, "a..b", "8").is_err());
    set_path(&mut d, "cluster.rooting", "random").unwrap();
    assert!(from_value(d).unwrap_err()[0].fix.contains("routing"));
}

#[test]
fn numbers_have_to_be_of_the_kind_of_their_field() {
    let whole = |value: Value| {
        let pool = json!({ "cluster": { "pools": [{ "replicas": value }] } });
        from_value(pool).map(|s| s.cluster.pools[0].replicas).map_err(|all| all[0].allowed.clone())
    };
    assert_eq!(whole(json!(7)), Ok(7));
    for wrong in [json!(-1), json!(1.0), json!(1e3), json!(4_294_967_296_u64), json!("7"), json!(null)] {
        assert_eq!(whole(wrong), Err("a whole number from 0 to 4,294,967,295".to_owned()));
    }
    let seed = |value: Value| from_value(json!({ "seed": value })).map(|s| s.seed);
    assert_eq!(seed(json!(u64::MAX)), Ok(u64::MAX));
    assert!(seed(json!(1.8e19)).is_err());
    let real =
        |value: Value| from_value(json!({ "run": { "warmup_s": value } })).map(|s| s.run.warmup_s.to_bits());
    assert_eq!(real(json!(3)), Ok(3.0_f64.to_bits()));
    assert_eq!(real(json!(-0.0)), Ok(0));
    let priority = |value: Value| {
        from_value(json!({ "workload": { "clients": [{ "priority": value }] } }))
            .map(|s| s.workload.clients[0].priority)
            .map_err(|all| all[0].allowed.clone())
    };
    assert_eq!(priority(json!(-3)), Ok(-3));
    let allowed = "a whole number from -2,147,483,648 to 2,147,483,647";
    assert_eq!(priority(json!(3_000_000_000_u64)), Err(allowed.to_owned()));
}

#[test]
fn all_missing_fields_are_reported_behind_those_that_stand_there() {
    let all = problems(json!({ "workload": { "requests": [{ "prompt": 1, "x": 2 }, {}] } }));
    let said: Vec<&str> = all.iter().map(|m| m.trim_start_matches("error: ")).collect();
    let starts = [
        "workload.requests[0].prompt: 1; allowed: a list",
        "workload.requests[0].x: unknown key `x`; allowed: id, arrival_us, prompt",
        "workload.requests[0]: no `arrival_us` in {\"prompt\":1,\"x\":2}; add `arrival_us`",
        "workload.requests[0]: no `output`",
        "workload.requests[1]: no `arrival_us` in {}",
        "workload.requests[1]: no `prompt`",
        "workload.requests[1]: no `output`",
    ];
    assert_eq!(said.len(), starts.len(), "{all:#?}");
    assert!(said.iter().zip(starts).all(|(said, start)| said.starts_with(start)), "{all:#?}");
}

#[test]
fn null_stands_for_a_value_that_may_be_missing_and_for_no_other() {
    let document =
        |routing: Value, apart: Value| json!({ "cluster": { "routing": routing, "disaggregation": apart } });
    assert_eq!(from_value(document(json!({ "random": null }), json!(null))), {
        from_value(json!({ "cluster": { "routing": "random" } }))
    });
    let all = problems(document(json!(null), json!(null)));
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].starts_with("error: cluster.routing: null; allowed: one choice"), "{}", all[0]);
    let all = problems(document(json!({ "random": {} }), json!(null)));
    assert!(
        all[0].starts_with("error: cluster.routing.random: {}; allowed: the name of the choice alone"),
        "{all:#?}"
    );
    let all = problems(json!({ "observe": { "keep": 1 } }));
    assert!(all[0].starts_with("error: observe.keep: 1; allowed: rows, summary; choose one"), "{all:#?}");
}

#[test]
fn the_rest_of_a_document_with_problems_is_read_and_checked() {
    let document = json!({
        "seed": 7,
        "run": { "horizon_s": "long", "warmup_s": -1 },
        "cluster": { "pools": [{ "replicas": 3, "kv": { "blocks": [] } }] },
        "workload": { "clients": [{ "arrivals": { "gamma": { "rate_per_s": 2, "cv": null } } }] },
    });
    let (read, of_shape) = super::from_value_in_part(document.clone());
    let read = read.expect("a document");
    assert_eq!((read.seed, read.cluster.pools[0].replicas), (7, 3));
    // What cannot be read, or lacks a part that it needs, has its default.
    let whole = Scenario::default();
    assert_eq!((read.run.horizon_s, read.run.warmup_s), (whole.run.horizon_s, -1.0));
    assert_eq!(read.workload.clients[0].arrivals, whole.workload.clients[0].arrivals);
    let paths: Vec<&str> = of_shape.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(
        paths,
        ["run.horizon_s", "cluster.pools[0].kv.blocks", "workload.clients[0].arrivals.gamma.cv"]
    );
    let all = problems(document);
    assert!(all.len() == 4 && all[3].starts_with("error: run.warmup_s: -1; allowed: 0 to"), "{all:#?}");
}

#[test]
fn written_documents_leave_out_what_a_table_omits_at_its_default() {
    let keys = |pool: Pool| match pool.write() {
        Value::Object(map) => map.keys().cloned().collect::<Vec<_>>(),
        other => panic!("{other}"),
    };
    let plain = ["name", "replicas", "model", "gpu", "tp", "engine", "kv", "latency"];
    assert_eq!(keys(Pool::default()), plain);
    let other = Pool { pp: 2, pp_link_gb_per_s: 25.0, ..Pool::default() };
    let with =
        ["name", "replicas", "model", "gpu", "tp", "pp", "pp_link_gb_per_s", "engine", "kv", "latency"];
    assert_eq!(keys(other), with);
}

#[test]
fn serde_reads_and_writes_settings_as_their_table() {
    let client = crate::Client { slo_class: crate::SloClass::Batch, ..crate::Client::default() };
    let text = serde_json::to_string(&client).expect("plain data");
    assert_eq!(text, client.write().to_string());
    assert_eq!(serde_json::from_str::<crate::Client>(&text).expect("the same text"), client);
    let error = serde_json::from_str::<crate::Client>(r#"{"nam": 1}"#).expect_err("no such key").to_string();
    assert_eq!(
        error,
        "error: nam: unknown key `nam`; allowed: name, kind, tenant, slo_class, model, adapters, \
        arrivals, concurrency, priority, rate_profile, prompt_tokens, output_tokens, prefix, sessions, conversation, \
        agent, retention, session_kv, max_offload_tokens; did you mean `name`?"
    );
    for class in crate::SloClass::ALL {
        let text = serde_json::to_string(&class).expect("a name");
        assert_eq!(text, format!("\"{}\"", class.name()));
        assert_eq!(serde_json::from_str::<crate::SloClass>(&text).expect("the same name"), class);
    }
    assert!(serde_json::from_str::<crate::SloClass>("\"late\"").is_err());
}
