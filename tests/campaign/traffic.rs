//! Traffic of a case: up to three clients, each an open stream, a closed loop, conversations or agents; and lists of requests.

use super::cluster::Kind;
use super::draw::Draw;
use serde_json::{Value, json};

const CLASSES: [&str; 5] = ["critical", "standard", "sheddable", "batch", "background"];

fn lengths(draw: &mut Draw, most: u64) -> Value {
    let low = 1 + draw.below(most / 2);
    match draw.below(3) {
        0 => json!({"constant": {"tokens": low}}),
        1 => {
            json!({"gaussian": {"mean_tokens": low, "sd_tokens": low as f64 / 2.0, "min_tokens": 1, "max_tokens": most}})
        }
        _ => json!({"lognormal": {"median_tokens": low, "sigma": 0.7, "min_tokens": 1, "max_tokens": most}}),
    }
}

pub(crate) fn arrivals(draw: &mut Draw) -> Value {
    let rate = 2.0 + draw.unit() * 40.0;
    draw.of(&[
        json!({"poisson": {"rate_per_s": rate}}),
        json!({"gamma": {"rate_per_s": rate, "cv": 2.5}}),
        json!({"weibull": {"rate_per_s": rate, "cv": 1.5}}),
        json!({"constant": {"rate_per_s": rate}}),
        json!({"on-off": {"rate_per_s": rate, "on_s": 0.1, "off_s": 0.2}}),
    ])
}

pub(crate) fn closed_loop(draw: &mut Draw) -> Value {
    json!({"concurrency": {"requests": draw.of(&[1, 2, 5, 12, 60])}})
}

pub(crate) fn agent(draw: &mut Draw) -> Value {
    let turns = draw
        .of(&[json!({"constant": {"rounds": 3}}), json!({"geometric": {"mean_rounds": 3, "max_rounds": 7}})]);
    json!({"turns": turns, "tools": {"exponential": {"mean_s": draw.of(&[0.0, 0.05])}}, "fork": draw.of(&[0.0, 0.3, 1.0]),
        "sub_agents": 1 + draw.below(3), "sub_turns": 1 + draw.below(2), "max_context_tokens": draw.of(&[150, 131_072])})
}

pub(crate) fn conversation(draw: &mut Draw) -> Value {
    json!({"rounds": {"geometric": {"mean_rounds": 3, "max_rounds": 6}}, "think_time": {"exponential": {"mean_s": 0.05}},
        "clock": draw.of(&["open", "closed"]), "context_growth": draw.of(&["accumulate", "none"])})
}

pub(crate) fn adapters(draw: &mut Draw) -> Value {
    draw.of(&[json!({"uniform": {"count": 4}}), json!({"zipf": {"count": 6, "exponent": 1}})])
}

fn rate_profile(draw: &mut Draw) -> Value {
    draw.of(&[
        json!({"spike": {"start_s": 0.3, "duration_s": 0.3, "factor": 4}}),
        json!({"drain": {"start_s": 0.5, "duration_s": 0.3}}),
        json!({"steps": {"points": [{"at_s": 0, "factor": 1}, {"at_s": 0.4, "factor": 0}, {"at_s": 0.9, "factor": 2}],
            "repeat_s": 0}}),
    ])
}

pub(crate) fn client(draw: &mut Draw, kind: Kind, number: usize) -> Value {
    let longest_answer = draw.of(&[8, 40, 40, 120]);
    let mut all = json!({
        "name": format!("client-{number}"),
        "tenant": draw.of(&["", "t1", "t2"]),
        "slo_class": draw.of(&CLASSES),
        "priority": draw.of(&[0, 0, 7]),
        "prompt_tokens": lengths(draw, 140),
        "output_tokens": lengths(draw, longest_answer),
    });
    if draw.one_in(2) {
        all["prefix"] =
            json!({"groups": draw.of(&[1, 5]), "tokens": 1 + draw.below(80), "zipf": draw.of(&[0.0, 1.0])});
    }
    if draw.one_in(3) {
        all["arrivals"] = closed_loop(draw);
    } else {
        all["arrivals"] = arrivals(draw);
        if draw.one_in(4) {
            all["rate_profile"] = rate_profile(draw);
        }
        all["concurrency"] = json!(draw.of(&[0, 0, 0, 2]));
    }
    match draw.below(6) {
        0 => all["conversation"] = conversation(draw),
        1 | 2 => all["agent"] = agent(draw),
        3 => all["sessions"] = json!(4),
        _ => {}
    }
    if kind.lora && !draw.one_in(4) {
        all["adapters"] = adapters(draw);
    }
    all
}

/// Some requests at few instants, so that many come at once.
fn listed(draw: &mut Draw) -> Vec<Value> {
    let request = |i: u64| {
        json!({"arrival_us": draw.of(&[0, 0, 1, 300_000]), "session": draw.of(&["", "s"]), "tenant": draw.of(&["", "t1"]),
            "prompt": [{"text": draw.below(3), "tokens": 1 + draw.below(100)}],
            "output": {"text": 100 + i, "tokens": draw.below(30)}})
    };
    (0..8).map(request).collect()
}

pub(crate) fn workload(draw: &mut Draw, kind: Kind) -> Value {
    let clients: Vec<Value> = (0..draw.of(&[1, 1, 2, 3])).map(|i| client(draw, kind, i)).collect();
    let mut all = json!({"clients": clients});
    if draw.one_in(8) {
        all["requests"] = json!(listed(draw));
    }
    if draw.one_in(3) {
        all["timeout_s"] = json!(draw.of(&[0.02, 0.2, 1.0]));
        all["client_retries"] = json!(draw.of(&[0, 1, 3]));
        all["client_wait_s"] = json!(draw.of(&[0.0, 0.05]));
        all["client_retry_share"] = json!(draw.of(&[0.0, 0.5]));
    }
    all
}
