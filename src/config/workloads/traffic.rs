//! Traffic of other programs as clients: distributions of lengths, shared prefixes, stages of load.

use crate::import::configuration::reader::Reader;
use base::{Diagnostic, math};
use document::limits;
use serde_json::{Value, json};

/// Times its mean at which an exponential length is cut: longer ones are one in nine million.
const EXPONENTIAL_CUT: f64 = 16.0;
/// Where lengths without an end are cut.
const CUT: f64 = 131_072.0;

/// A number of tokens within the limits.
pub(crate) fn tokens(x: f64) -> u64 {
    x.round().clamp(1.0, f64::from(limits::REQUEST_TOKENS)) as u64
}

/// A normal length, cut at both ends; constant without a spread.
pub(crate) fn gaussian(mean: f64, sd: f64, least: Option<f64>, most: Option<f64>) -> Value {
    if sd <= 0.0 {
        return json!({ "constant": { "tokens": tokens(mean) } });
    }
    let most = most.unwrap_or(mean + 8.0 * sd);
    let least = least.unwrap_or(1.0);
    json!({ "gaussian": {
        "mean_tokens": mean.max(1.0), "sd_tokens": sd,
        "min_tokens": tokens(least), "max_tokens": tokens(most.max(least)),
    } })
}

/// Lengths that are all equally likely between two ends.
pub(crate) fn uniform(least: f64, most: f64) -> Value {
    let (from, to) = (tokens(least.min(most)), tokens(most.max(least)));
    if from == to {
        return json!({ "constant": { "tokens": from } });
    }
    json!({ "uniform": { "min_tokens": from, "max_tokens": to } })
}

/// Lengths of a list, equally likely; `None` if one of them is no length, or there are too many.
pub(crate) fn listed<'v>(all: impl Iterator<Item = &'v Value>) -> Option<Value> {
    let mut each: Vec<u64> = Vec::new();
    let mut rows: Vec<(u64, u32)> = Vec::new();
    for value in all {
        let n = tokens(value.as_f64().filter(|n| *n > 0.0)?);
        each.push(n);
        match rows.iter_mut().find(|(known, _)| *known == n) {
            Some((_, times)) => *times += 1,
            None => rows.push((n, 1)),
        }
    }
    if (1..=limits::LENGTHS).contains(&each.len()) {
        return Some(json!({ "list": { "lengths_tokens": each } }));
    }
    let row = |(n, times): &(u64, u32)| json!({ "tokens": n, "weight": f64::from(*times) });
    let fits = (1..=limits::LENGTHS).contains(&rows.len());
    fits.then(|| json!({ "empirical": { "lengths": rows.iter().map(row).collect::<Vec<Value>>() } }))
}

/// The distributions of BLIS.
const DISTRIBUTIONS: [&str; 7] =
    ["gaussian", "exponential", "pareto_lognormal", "lognormal", "empirical", "uniform", "constant"];

/// A distribution as BLIS writes it, for a field of a client. `None` if it cannot be read.
pub(crate) fn distribution(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Value> {
    let kind_at = format!("{at}.type");
    let kind = r.word(&kind_at)?;
    if kind == "uniform" {
        return evenly(r, at, into);
    }
    let mut number =
        |keys: &[&str]| keys.iter().find_map(|key| r.number(&format!("{at}.params.{key}"), into));
    let found = match kind {
        "gaussian" | "normal" => {
            let (mean, sd) = (number(&["mean"])?, number(&["std_dev", "stddev"]).unwrap_or(0.0));
            let (least, most) = (number(&["min"]), number(&["max"]));
            Some((gaussian(mean, sd, least, most), "gaussian", ""))
        }
        "exponential" => {
            let mean = number(&["mean"])?;
            let (least, most) = (number(&["min"]).unwrap_or(1.0), number(&["max"]));
            let most = most.unwrap_or(mean * EXPONENTIAL_CUT);
            let value = json!({ "exponential": {
                "mean_tokens": mean.max(1.0), "min_tokens": tokens(least), "max_tokens": tokens(most),
            } });
            Some((value, "exponential", "cut at 16 times its mean"))
        }
        "lognormal" => {
            let (mu, sigma) = (number(&["mu"])?, number(&["sigma"]).unwrap_or(0.0));
            let (least, most) = (number(&["min"]).unwrap_or(1.0), number(&["max"]).unwrap_or(CUT));
            let value = json!({ "lognormal": {
                "median_tokens": math::exp(mu).max(1.0), "sigma": sigma,
                "min_tokens": tokens(least), "max_tokens": tokens(most),
            } });
            Some((value, "lognormal", "cut at 131,072 tokens"))
        }
        "pareto_lognormal" => {
            let (alpha, xm) = (number(&["alpha"])?, number(&["xm"])?);
            let (mu, sigma) = (number(&["mu"])?, number(&["sigma"])?);
            let share = number(&["mix_weight"])?;
            let value = json!({ "pareto-lognormal": {
                "pareto_share": share, "pareto_min_tokens": xm.max(1.0), "pareto_tail": alpha,
                "median_tokens": math::exp(mu).max(1.0), "sigma": sigma,
                "min_tokens": 1, "max_tokens": tokens(CUT),
            } });
            Some((value, "pareto-lognormal", "cut at 131,072 tokens"))
        }
        "constant" => {
            let n = number(&["value", "mean", "tokens"])?;
            Some((json!({ "constant": { "tokens": tokens(n) } }), "constant", ""))
        }
        "empirical" => empirical(r, at, into).map(|value| (value, "empirical", "")),
        other => {
            r.unknown_name(&kind_at, other, &DISTRIBUTIONS);
            r.set_aside(at);
            None
        }
    };
    let (value, name, differs) = found?;
    if differs.is_empty() || r.get(&format!("{at}.params.max")).is_some() {
        r.note(&kind_at, &format!("{into}.{name}"));
    } else {
        r.near(&kind_at, &format!("{into}.{name}"), differs);
    }
    Some(value)
}

/// Lengths between two ends, all equally likely.
fn evenly(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Value> {
    let mut number =
        |keys: [&str; 2]| keys.iter().find_map(|key| r.number(&format!("{at}.params.{key}"), into));
    let (least, most) = (number(["min", "low"]), number(["max", "high"]));
    let Some((least, most)) = least.zip(most) else {
        let fix = "give min and max under params";
        r.problems.push(Diagnostic::error(format!("{at}.params"), "no two ends", "min and max", fix));
        return None;
    };
    r.note(&format!("{at}.type"), &format!("{into}.uniform"));
    Some(uniform(least, most))
}

/// Lengths with their shares.
fn empirical(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Value> {
    let params = format!("{at}.params");
    let file = format!("{at}.file");
    if r.get(&file).is_some() {
        let fix = "write the lengths and their shares under params";
        r.problems.push(Diagnostic::error(file, "a file beside this one", "lengths under params", fix));
        return None;
    }
    let mut rows = Vec::new();
    for (key, share) in r.get(&params).and_then(Value::as_object).into_iter().flatten() {
        r.note(&format!("{params}.{key}"), &format!("{into}.empirical"));
        if let (Ok(n), Some(weight)) = (key.parse::<f64>(), share.as_f64())
            && rows.len() < limits::LENGTHS
        {
            rows.push(json!({ "tokens": tokens(n), "weight": weight }));
        }
    }
    if rows.is_empty() {
        let fix = "write each length with its share, such as 512: 0.3";
        r.problems.push(Diagnostic::error(params, "no lengths", "lengths with shares", fix));
        return None;
    }
    Some(json!({ "empirical": { "lengths": rows } }))
}

/// A stage of load: requests per second, and seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) rate: f64,
    pub(crate) seconds: f64,
}

/// The stages of load at a path: each has a rate and a duration.
pub(crate) fn stages(r: &mut Reader<'_>, at: &str, into: &str) -> Vec<Stage> {
    let mut all = Vec::new();
    let count = r.entries(at);
    for i in 0..count {
        let [rate_at, seconds_at] = ["rate", "duration"].map(|key| format!("{at}.{i}.{key}"));
        let becomes =
            if count > 1 { format!("{into}.rate_profile") } else { format!("{into}.arrivals.rate_per_s") };
        let rate = r.number(&rate_at, &becomes);
        let seconds = r.number(&seconds_at, if count > 1 { &becomes } else { "run.horizon_s" });
        match (rate, seconds) {
            (Some(rate), Some(seconds)) if rate > 0.0 && seconds > 0.0 => all.push(Stage { rate, seconds }),
            (None, _) => {}
            (Some(rate), seconds) => {
                let found = format!("a rate of {rate} for {} s", seconds.unwrap_or(0.0));
                let fix = "give a rate and a duration above 0";
                r.problems.push(Diagnostic::error(format!("{at}.{i}"), found, "above 0", fix));
            }
        }
    }
    all
}

/// Puts stages into a client, and the end of the run beside it.
pub(crate) fn staged(r: &mut Reader<'_>, at: &str, stages: &[Stage], kind: &str, client: &mut Value) {
    let most = stages.iter().map(|s| s.rate).fold(0.0, f64::max);
    let whole: f64 = stages.iter().map(|s| s.seconds).sum();
    client["arrivals"] = json!({ kind: { "rate_per_s": most } });
    if stages.len() > 1 {
        let mut from = 0.0;
        let mut points = Vec::new();
        for stage in stages.iter().take(limits::RATE_POINTS) {
            points.push(json!({ "at_s": from, "factor": stage.rate / most }));
            from += stage.seconds;
        }
        client["rate_profile"] = json!({ "steps": { "points": points, "repeat_s": 0.0 } });
    }
    r.set(&format!("{at}.0.duration"), "run.warmup_s", json!(0.0));
    r.set(&format!("{at}.0.duration"), "run.horizon_s", json!(whole));
}

/// Groups of prompts with a prefix in common, as inference-perf generates them, in a client.
pub(crate) fn shared_prefix(r: &mut Reader<'_>, at: &str, into: &str, client: &mut Value) {
    let mut whole = |keys: &[&str], field: &str| {
        keys.iter().find_map(|key| r.whole(&format!("{at}.{key}"), &format!("{into}.{field}")))
    };
    let groups = whole(&["num_unique_system_prompts", "num_groups"], "prefix.groups");
    let prefix = whole(&["system_prompt_len"], "prefix.tokens");
    let question = whole(&["question_len"], "prompt_tokens.constant");
    let output = whole(&["output_len"], "output_tokens.constant");
    if let (Some(groups), Some(prefix)) = (groups, prefix) {
        client["prefix"] = json!({ "groups": groups, "tokens": prefix });
    }
    for (key, length) in [("prompt_tokens", question), ("output_tokens", output)] {
        if let Some(n) = length {
            client[key] = json!({ "constant": { "tokens": n.max(1) } });
        }
    }
    for (key, field) in [("question_distribution", "prompt_tokens"), ("output_distribution", "output_tokens")]
    {
        if let Some(value) = measured(r, &format!("{at}.{key}"), &format!("{into}.{field}")) {
            client[field] = value;
        }
    }
    let turns = format!("{at}.enable_multi_turn_chat");
    let is_chat = r.get(&turns) == Some(&Value::Bool(true));
    for key in ["num_users_per_system_prompt", "num_prompts_per_group"] {
        let path = format!("{at}.{key}");
        let Some(n) = r.get(&path).and_then(Value::as_u64) else { continue };
        let all = n.saturating_mul(groups.unwrap_or(1));
        let sessions = all.min(u64::from(limits::SESSIONS));
        if is_chat {
            r.near(
                &path,
                &format!("{into}.conversation"),
                "a user is a conversation, and conversations come at the rate",
            );
            continue;
        }
        drawn_again(r, &path, all);
        let differs = format!(
            "{LIST} of {all}: here each request has a question of its own, so that only prefixes are found again"
        );
        r.near(&path, &format!("{into}.sessions = {sessions}"), &differs);
        client["sessions"] = json!(sessions);
    }
    if is_chat {
        let rounds = json!({ "geometric": { "mean_rounds": 5.0, "max_rounds": 50 } });
        let differs = "its number of rounds is not said: 5 on average";
        r.near(&turns, &format!("{into}.conversation"), differs);
        client["conversation"] =
            json!({ "rounds": rounds, "think_time": { "constant": { "think_s": 0.0 } }, "clock": "closed" });
    } else {
        r.note(&turns, "single requests");
    }
    r.without_counterpart(&format!("{at}.seed"), "the seed of the scenario draws everything");
}

/// What a generator of shared prefixes does without chats.
const LIST: &str = "its requests take their prompts in turn from a list";

/// Warns that prompts of a list come again: a cache finds whole prompts, which new texts do not have.
fn drawn_again(r: &mut Reader<'_>, path: &str, prompts: u64) {
    let found = format!(
        "{LIST} of {prompts} fixed ones, which a client of this scenario does not: its questions are all different"
    );
    let fix = "for a run of more requests than that, record it and replay its rows with --trace, whose equal prompts are equal; shorter runs are the same";
    r.problems.push(Diagnostic::warning(path, found, "prompts that are all different", fix));
}

/// A distribution of inference-perf: mean, spread and ends.
pub(crate) fn measured(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Value> {
    let section = r.get(at)?;
    let is_list = section
        .as_object()
        .is_some_and(|map| !map.is_empty() && map.keys().all(|key| key.parse::<u32>().is_ok()));
    if is_list && let Some(value) = listed(section.as_object().into_iter().flat_map(|map| map.values())) {
        r.near(
            at,
            &format!("{into}.list"),
            "the lengths of the list are drawn, each as likely as it occurs in it",
        );
        r.shape(at, "a length of the list");
        return Some(value);
    }
    let mut number = |keys: &[&str]| keys.iter().find_map(|key| r.number(&format!("{at}.{key}"), into));
    let mean = number(&["mean"]);
    let sd = number(&["std_dev", "std", "stddev"]).unwrap_or(0.0);
    let (least, most) = (number(&["min"]), number(&["max"]));
    r.without_counterpart(&format!("{at}.total_count"), "as many requests are drawn as arrive");
    let kind = format!("{at}.type");
    match r.word(&kind) {
        Some("normal" | "gaussian") => r.note(&kind, &format!("{into}.gaussian")),
        Some("fixed" | "constant") => r.note(&kind, &format!("{into}.constant")),
        Some("uniform") if least.is_some() && most.is_some() => {
            r.note(&kind, &format!("{into}.uniform"));
            return Some(uniform(least?, most?));
        }
        Some(_) => r.near(&kind, &format!("{into}.gaussian"), "normal with the same mean and spread"),
        None => {}
    }
    let mean = mean.or_else(|| Some(f64::midpoint(least?, most?)))?;
    Some(gaussian(mean, sd, least, most))
}
