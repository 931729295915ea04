//! Kinds of clients: what they fill in, what is written wins, and edits.

use crate::support::documents::scenario;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::{Change, Client, ClientKind, Scenario, check, from_value, parse, to_json};
use tokenyard::session::{Audience, Session};
use tokenyard::workload::Source;

fn read(client: &Value) -> Client {
    let document = json!({ "workload": { "clients": [client] } });
    let s = scenario(document);
    assert!(check(s.clone()).is_ok());
    // A written document says the same.
    assert_eq!(parse(&to_json(&s)), Ok(s.clone()));
    s.workload.clients[0].clone()
}

fn tree(client: &Client) -> Value {
    serde_json::to_value(client).expect("a client is data")
}

/// Names as in documents, and means of prompt and answer: of BLIS's presets those of its catalogue.
const KINDS: [(&str, f64, f64); 4] = [
    ("chatbot", 256.0, 256.0),
    ("contentgen", 1024.0, 1024.0),
    ("summarization", 4096.0, 512.0),
    ("multidoc", 10_240.0, 1536.0),
];

#[test]
fn kinds_of_blis_have_the_lengths_of_its_presets() {
    for (kind, prompt, output) in KINDS {
        let client = tree(&read(&json!({ "kind": kind })));
        assert_eq!(client["prompt_tokens"]["gaussian"]["mean_tokens"], json!(prompt), "{kind}");
        assert_eq!(client["output_tokens"]["gaussian"]["mean_tokens"], json!(output), "{kind}");
        assert_eq!((&client["kind"], &client["name"]), (&json!(kind), &json!(kind)));
    }
    let multidoc = tree(&read(&json!({ "kind": "multidoc" })));
    assert_eq!(
        multidoc["prompt_tokens"],
        json!({ "gaussian": { "mean_tokens": 10240.0, "sd_tokens": 1200.0, "min_tokens": 500, "max_tokens": 20480 } })
    );
    assert_eq!(
        multidoc["output_tokens"],
        json!({ "gaussian": { "mean_tokens": 1536.0, "sd_tokens": 300.0, "min_tokens": 50, "max_tokens": 4096 } })
    );
}

#[test]
fn mean_lengths_of_a_kind_come_out_in_its_requests() {
    for (kind, prompt, output) in KINDS {
        let s = from_value(json!({ "workload": { "clients": [{ "kind": kind }] } })).expect("a scenario");
        let mut source = Source::new(&s, None);
        let all: Vec<_> = std::iter::from_fn(|| source.take()).take(400).collect();
        let n = all.len() as f64;
        let mean = |of: fn(&tokenyard::workload::RequestSpec) -> u32| {
            all.iter().map(|r| f64::from(of(r))).sum::<f64>() / n
        };
        // The deviation of a mean of 400 is at most 100 of 256 / 20: 2 %; the cuts are beyond two deviations.
        assert!(n > 300.0 && (mean(|r| r.prompt_tokens) / prompt - 1.0).abs() < 0.08, "{kind}");
        assert!((mean(|r| r.output.len) / output - 1.0).abs() < 0.08, "{kind}");
    }
}

#[test]
fn prefixes_conversations_and_classes_come_with_the_kind() {
    let rag = tree(&read(&json!({ "kind": "rag" })));
    assert_eq!(rag["prefix"], json!({ "groups": 200, "tokens": 4096, "zipf": 1.0 }));
    let loops = tree(&read(&json!({ "kind": "tool-loops" })));
    assert_eq!(loops["conversation"]["clock"], json!("closed"));
    assert_eq!(loops["conversation"]["rounds"]["geometric"]["mean_rounds"], json!(12.0));
    assert_eq!(tree(&read(&json!({ "kind": "batch" })))["slo_class"], json!("batch"));
}

#[test]
fn what_is_written_wins_and_the_rest_is_filled_in() {
    let own = json!({ "constant": { "tokens": 7 } });
    let client =
        read(&json!({ "kind": "rag", "name": "mine", "prompt_tokens": own, "prefix": { "groups": 3 } }));
    let client = tree(&client);
    assert_eq!((&client["name"], &client["prompt_tokens"]), (&json!("mine"), &own));
    assert_eq!(client["output_tokens"]["gaussian"]["mean_tokens"], json!(180.0));
    assert_eq!(client["prefix"], json!({ "groups": 3, "tokens": 4096 }));
    let closed = json!({ "kind": "tool-loops", "conversation": { "clock": "open" } });
    let loops = tree(&read(&closed));
    assert_eq!(loops["conversation"]["clock"], json!("open"));
    assert_eq!(loops["conversation"]["think_time"], json!({ "exponential": { "mean_s": 2.0 } }));
    // Without its conversation it is of that kind no longer.
    let single = read(&json!({ "kind": "tool-loops", "conversation": null }));
    assert_eq!((single.kind, single.conversation), (None, None));
}

#[test]
fn clients_of_one_kind_get_names_that_are_free() {
    let clients = json!([{ "kind": "rag" }, {}, { "kind": "rag" }, { "kind": "batch" }]);
    let s = from_value(json!({ "workload": { "clients": clients } })).expect("a scenario");
    let names: Vec<&str> = s.workload.clients.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["rag", "chat", "rag-2", "batch"]);
}

#[test]
fn an_unknown_kind_is_one_problem_that_names_the_kinds() {
    let problems =
        from_value(json!({ "workload": { "clients": [{ "kind": "chatbox" }] } })).expect_err("a problem");
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(problem.path, "workload.clients[0].kind");
    assert!(problem.allowed.contains("tool-loops") && problem.fix.contains("chatbot"), "{problem}");
}

#[test]
fn an_edit_of_the_kind_fills_in_what_the_new_kind_has() {
    let (checked, _) = check(Scenario::default()).expect("the default is good");
    let change = Change::set("workload.clients[0].kind", "multidoc");
    let (after, _) = checked.edited(&change).expect("a kind may change");
    let client = &after.get().workload.clients[0];
    let want = read(&json!({ "kind": "multidoc" }));
    assert_eq!(client.kind, Some(ClientKind::Multidoc));
    assert_eq!((&client.prompt_tokens, &client.output_tokens), (&want.prompt_tokens, &want.output_tokens));
    // Name and rate are the client's own.
    assert_eq!((client.name.as_str(), &client.arrivals), ("chat", &Client::default().arrivals));
    let (mut session, _) = Session::start(Scenario::default(), None, Audience::Live).expect("a run");
    session.advance(Micros(5_000_000), 1_000_000);
    assert_eq!(session.apply(change), []);
    session.advance(Micros(20_000_000), 1_000_000);
    let longest = session.engine().records().iter().map(|r| r.prompt_tokens).max();
    assert!(longest > Some(8192), "{longest:?}");
}

#[test]
fn clients_without_a_kind_are_written_as_before() {
    let text = to_json(&Scenario::default());
    for key in ["kind", "zipf", "shared"] {
        assert!(!text.contains(&format!("\"{key}\"")), "{key}");
    }
}
