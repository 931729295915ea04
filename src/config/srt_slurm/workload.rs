//! The benchmark of a recipe as a client in a closed loop, or at a rate.

use crate::import::configuration::Reader;
use document::limits;
use serde_json::{Value, json};

const AT: &str = "benchmark";
const INTO: &str = "workload.clients[0]";

/// Reads the benchmark, if the recipe says lengths.
pub(super) fn workload(r: &mut Reader<'_>) {
    let [isl, osl] = ["isl", "osl"].map(|key| format!("{AT}.{key}"));
    let most = u64::from(limits::REQUEST_TOKENS);
    let mut tokens = |path: &str, field: &str| {
        r.whole(path, &format!("{INTO}.{field}.constant")).map(|n| n.clamp(1, most))
    };
    let lengths = tokens(&isl, "prompt_tokens").zip(tokens(&osl, "output_tokens"));
    let Some((prompt, output)) = lengths else {
        r.without_counterpart(AT, "it does not say the lengths of prompts and answers");
        return;
    };
    let mut client = json!({
        "name": "benchmark",
        "prompt_tokens": { "constant": { "tokens": prompt } },
        "output_tokens": { "constant": { "tokens": output } },
    });
    let rate_at = format!("{AT}.req_rate");
    let rate = r.get(&rate_at).and_then(Value::as_f64).filter(|rate| *rate > 0.0);
    let (at, first, several) = concurrencies(r);
    match (rate, first) {
        (Some(rate), _) => {
            r.note(&rate_at, &format!("{INTO}.arrivals.poisson"));
            client["arrivals"] = json!({ "poisson": { "rate_per_s": rate.min(limits::RATE_PER_S) } });
            r.without_counterpart(&at, "requests are sent at a rate");
        }
        (None, Some(n)) => {
            let becomes = format!("{INTO}.arrivals.concurrency {n}");
            if several {
                r.near(
                    &at,
                    &becomes,
                    "the first of several, each a run of its own: import again for another",
                );
            } else {
                r.note(&at, &becomes);
            }
            client["arrivals"] = json!({ "concurrency": { "requests": n } });
            r.without_counterpart(&rate_at, "requests are sent as others end");
        }
        (None, None) => {
            r.without_counterpart(&rate_at, "all requests at once: set the arrivals of the client");
        }
    }
    r.set(&isl, "workload.clients", json!([client]));
    r.without_counterpart_of_rest(AT, "it says nothing of the lengths of texts");
}

/// The first number of requests in flight, `1x2x4` or a list, with its path and whether there are several.
fn concurrencies(r: &mut Reader<'_>) -> (String, Option<u64>, bool) {
    let path = format!("{AT}.concurrencies");
    let all: Vec<u64> = match r.get(&path) {
        Some(Value::String(text)) => text.split('x').filter_map(|part| part.trim().parse().ok()).collect(),
        Some(Value::Number(number)) => number.as_u64().into_iter().collect(),
        Some(Value::Object(list)) => list.values().filter_map(Value::as_u64).collect(),
        _ => Vec::new(),
    };
    let first = all.first().map(|n| (*n).clamp(1, u64::from(limits::CONCURRENCY)));
    (path, first, all.len() > 1)
}
