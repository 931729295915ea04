//! Documents that are worked out by hand, as JSON and as values, and their runs.

use serde_json::{Value, json};
use std::borrow::Borrow;
use tokenyard::base::Micros;
use tokenyard::scenario::{
    ExplicitOutput, ExplicitPiece, ExplicitRequest, FittedCoefficients, LatencyModel, Scenario, from_value,
};
use tokenyard::session::{Audience, Session, Stop};

/// More events than any of these runs has.
const MOST_EVENTS: u64 = 20_000_000;

/// The scenario of a document.
pub(crate) fn scenario(document: impl Borrow<Value>) -> Scenario {
    from_value(document.borrow().clone()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A batch run of a scenario to its end, with the invariants checked there.
pub(crate) fn ended(scenario: &Scenario) -> Session {
    let (mut session, _) = Session::start(scenario.clone(), None, Audience::Batch)
        .unwrap_or_else(|problems| panic!("not a sound scenario: {problems:?}"));
    assert_eq!(session.advance(Micros::MAX, MOST_EVENTS), Stop::Finished);
    session.engine().verify(true);
    session
}

/// The same of a document.
pub(crate) fn ran(document: impl Borrow<Value>) -> Session {
    ended(&scenario(document))
}

/// A document with one replica that has these fields, and these requests; it runs to the end of the last.
pub(crate) fn one_replica(pool: &Value, requests: &Value) -> Value {
    let mut document = json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [pool]},
        "workload": {"clients": [], "requests": requests},
    });
    document["cluster"]["pools"][0]["replicas"] = json!(1);
    document
}

/// Requests with texts of their own: when each arrives, its prompt and its answer.
pub(crate) fn asked(requests: impl IntoIterator<Item = [u64; 3]>) -> Value {
    let request = |(i, [arrival_us, prompt, output]): (u32, [u64; 3])| {
        json!({"id": format!("r{i}"), "arrival_us": arrival_us, "prompt": [{"text": i, "tokens": prompt}],
            "output": {"tokens": output, "text": 100_000 + i}})
    };
    (0..).zip(requests).map(request).collect()
}

/// The same for requests that arrive together.
pub(crate) fn asked_at_once(requests: &[[u32; 2]]) -> Value {
    asked(requests.iter().map(|[prompt, output]| [0, (*prompt).into(), (*output).into()]))
}

/// Step times in microseconds and no other times: of the step, each token of prompt in it, each request that decodes.
pub(crate) fn steps(step_us: f64, prefill_us: f64, decode_us: f64) -> Value {
    json!({"fitted": {"queueing_us": 0, "queueing_us_per_prompt_token": 0, "output_us_per_token": 0,
        "step_us": step_us, "step_us_per_prefill_token": prefill_us, "step_us_per_decode_token": decode_us}})
}

/// The same as a value, with all else as it is by default.
pub(crate) fn fitted(step_us: f64, prefill_us: f64, decode_us: f64) -> LatencyModel {
    LatencyModel::Fitted(FittedCoefficients {
        step_us,
        step_us_per_prefill_token: prefill_us,
        step_us_per_decode_token: decode_us,
        ..FittedCoefficients::default()
    })
}

/// A scenario without clients that runs to the end of its requests and is measured from the first on.
pub(crate) fn without_clients() -> Scenario {
    let mut s = Scenario::default();
    (s.run.horizon_s, s.run.warmup_s) = (0.0, 0.0);
    s.workload.clients.clear();
    s
}

/// A piece of text from its beginning.
pub(crate) fn piece(text: u32, tokens: u32) -> ExplicitPiece {
    ExplicitPiece { text, tokens, offset: 0 }
}

/// A request without a name. `answer` is its text.
pub(crate) fn explicit(
    arrival_us: u64,
    prompt: Vec<ExplicitPiece>,
    answer: &ExplicitPiece,
) -> ExplicitRequest {
    ExplicitRequest {
        id: String::new(),
        arrival_us,
        prompt,
        output: ExplicitOutput { text: answer.text, tokens: answer.tokens, offset: answer.offset },
        tenant: String::new(),
        slo_class: String::new(),
        model: String::new(),
        adapter: String::new(),
        session: String::new(),
        priority: 0,
        max_offload_tokens: None,
        retention: Vec::new(),
    }
}

/// Puts all fields of `more` into an object, in place of those that it has under these names.
pub(crate) fn put_all(object: &mut Value, more: &Value) {
    for (name, value) in more.as_object().expect("an object of fields") {
        object[name] = value.clone();
    }
}

/// Requests at these instants, which a replica serves one at a time: prompts of 20 tokens in two steps of 1 ms, answers of three.
pub(crate) fn one_at_a_time(arrivals_us: &[u64]) -> Value {
    let engine =
        json!({"max_num_seqs": 1, "max_num_batched_tokens": 1000, "long_prefill_threshold_tokens": 10});
    let kv = json!({"blocks": 50, "block_tokens": 10});
    let pool = json!({"engine": engine, "kv": kv, "latency": steps(1000.0, 0.0, 0.0)});
    one_replica(&pool, &asked(arrivals_us.iter().map(|at| [*at, 20, 3])))
}
