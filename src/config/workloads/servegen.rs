//! Import of a client of ServeGen: rates and their variation in windows of time (`chunk-N-trace.csv`), and the
//! distributions of lengths beside them (`chunk-N-dataset.json`). It becomes a client whose rate has steps.

use crate::import::configuration::{Mapping, Report};
use base::small::sort::sort_by_key;
use base::{Diagnostic, Diagnostics, json};
use document::{Arrivals, Client, FORMAT_VERSION, Lengths, RatePoint, RateProfile, WeightedLength, limits};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A window of time.
#[derive(Clone, Debug, PartialEq)]
struct Window {
    start_s: f64,
    rate_per_s: f64,
    cv: f64,
    is_weibull: bool,
}

/// Whether a text has the windows of a client: start, rate, variation, the distribution of the gaps and two parameters.
pub fn recognises(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    first.is_some_and(|line| window(line).is_some())
}

/// A scenario with the client of these windows. Without a `dataset`, the lengths are those of a client by default.
pub fn scenario(name: &str, text: &str, dataset: Option<&Value>) -> Result<(Value, Report), Diagnostics> {
    let windows = windows(text)?;
    let mut report = Report::default();
    let mut client = Client { name: name.to_owned(), ..Client::default() };
    let end_s = over_time(&windows, &mut client, &mut report);
    for (key, lengths) in
        [("input_tokens", &mut client.prompt_tokens), ("output_tokens", &mut client.output_tokens)]
    {
        let Some(dataset) = dataset else {
            let fix = "give the -dataset.json beside it the name of the trace, or set the lengths";
            report.problems.push(Diagnostic::warning(
                key,
                "no lengths",
                "the -dataset.json of the client",
                fix,
            ));
            continue;
        };
        *lengths = measured(dataset, key, &windows, end_s)?;
        let count = if let Lengths::Empirical { lengths } = &*lengths { lengths.len() } else { 0 };
        let field = if key == "input_tokens" { "prompt_tokens" } else { "output_tokens" };
        let becomes = format!("workload.clients[0].{field}: empirical, over all windows by their requests");
        report.mappings.push(mapping(key, &format!("{count} lengths"), &becomes));
    }
    let document = json!({
        "tokenyard": FORMAT_VERSION,
        "run": { "horizon_s": end_s },
        "workload": { "clients": [json::tree(&client)] }
    });
    Ok((document, report))
}

fn mapping(key: &str, found: &str, becomes: &str) -> Mapping {
    let (key, found, becomes) = (key.to_owned(), found.to_owned(), becomes.to_owned());
    Mapping { key, found, becomes, ..Mapping::default() }
}

fn window(line: &str) -> Option<Window> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [start, rate, cv, family, first, second] = fields[..] else { return None };
    let number = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    number(first)?;
    number(second)?;
    let known = ["", "gamma", "weibull"].into_iter().any(|name| family.eq_ignore_ascii_case(name));
    known.then_some(())?;
    Some(Window {
        start_s: number(start)?,
        rate_per_s: number(rate)?,
        cv: number(cv)?,
        is_weibull: family.eq_ignore_ascii_case("weibull"),
    })
}

fn windows(text: &str) -> Result<Vec<Window>, Diagnostics> {
    let (mut all, mut problems): (Vec<Window>, _) = (Vec::new(), Diagnostics::new());
    for (line, number) in text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty()) {
        let before = all.last().map(|w| w.start_s);
        match window(line) {
            Some(w) if before.is_none_or(|start| w.start_s > start) => all.push(w),
            _ => problems.push(Diagnostic::error(
                format!("line {number}"),
                line.chars().take(60).collect::<String>(),
                "start, rate, cv, Gamma or Weibull or nothing, two parameters; starts in order",
                "correct or remove the line",
            )),
        }
    }
    if problems.is_empty() && all.iter().all(|w| w.rate_per_s <= 0.0) {
        let fix = "choose another client";
        problems.push(Diagnostic::error("", "no window with requests", "a rate above 0", fix));
    }
    problems.truncate(20);
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

/// Sets arrivals and rate profile; returns when the last window ends, after the start of the first.
fn over_time(windows: &[Window], client: &mut Client, report: &mut Report) -> f64 {
    let first = windows[0].start_s;
    let width = match windows {
        [.., before, last] => last.start_s - before.start_s,
        _ => 600.0,
    };
    let end_s = windows[windows.len() - 1].start_s - first + width;
    let peak = windows.iter().map(|w| w.rate_per_s).fold(0.0, f64::max);
    // The last point ends the traffic.
    let at_once = windows.len().div_ceil(limits::RATE_POINTS - 1);
    let mut points: Vec<RatePoint> = Vec::new();
    for part in windows.chunks(at_once) {
        let rate = part.iter().map(|w| w.rate_per_s).sum::<f64>() / part.len() as f64;
        let factor = rate / peak;
        if points.last().is_none_or(|last| last.factor.total_cmp(&factor).is_ne()) {
            points.push(RatePoint { at_s: part[0].start_s - first, factor });
        }
    }
    points.push(RatePoint { at_s: end_s, factor: 0.0 });
    let weight: f64 = windows.iter().map(|w| w.rate_per_s).sum();
    let cv = windows.iter().map(|w| w.rate_per_s * w.cv).sum::<f64>() / weight;
    let cv = cv.clamp(limits::CV_MIN, limits::CV);
    let weibull: f64 = windows.iter().filter(|w| w.is_weibull).map(|w| w.rate_per_s).sum();
    let is_weibull = 2.0 * weibull > weight;
    client.arrivals = if is_weibull {
        Arrivals::Weibull { rate_per_s: peak, cv }
    } else {
        Arrivals::Gamma { rate_per_s: peak, cv }
    };
    let count = windows.len();
    let steps = points.len();
    client.rate_profile = RateProfile::Steps { points, repeat_s: 0.0 };
    let merged = if at_once > 1 { format!(", {at_once} windows in one step") } else { String::new() };
    report.mappings.push(mapping(
        "rate",
        &format!("{count} windows"),
        &format!(
            "workload.clients[0].rate_profile: {steps} steps of the busiest rate, {peak} per second{merged}"
        ),
    ));
    let family = if is_weibull { "weibull" } else { "gamma" };
    report.mappings.push(mapping(
        "cv",
        "one for each window, with its distribution",
        &format!(
            "workload.clients[0].arrivals.{family}.cv: {cv:.3}, the mean over all requests (a near match)"
        ),
    ));
    end_s
}

/// The lengths under a key of the dataset, weighted by the requests of the windows to which they apply: those from the
/// start that is their name to the next.
fn measured(dataset: &Value, key: &str, windows: &[Window], end_s: f64) -> Result<Lengths, Diagnostics> {
    let bad = |path: String, found: String| {
        let allowed = "a start in seconds, and under it input_tokens and output_tokens as {LENGTH: SHARE, …}";
        vec![Diagnostic::error(path, found, allowed, "fetch the file again")]
    };
    let parts = dataset.as_object().ok_or_else(|| bad(String::new(), "no object".to_owned()))?;
    let mut starts: Vec<(f64, &Value)> = Vec::new();
    for (start, part) in parts {
        let at = start.parse::<f64>().map_err(|_| bad(start.clone(), format!("{start:?}")))?;
        starts.push((at, part));
    }
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
    for (i, (start, part)) in starts.iter().enumerate() {
        // Windows before the first part take its lengths.
        let from = if i == 0 { 0.0 } else { *start };
        let to = starts.get(i + 1).map_or(f64::INFINITY, |next| next.0);
        let requests = requests_in(windows, end_s, from, to);
        let path = format!("{start}.{key}");
        let shares = shares(part.get(key)).ok_or_else(|| bad(path, "no lengths".to_owned()))?;
        for (tokens, share) in shares {
            *weights.entry(tokens).or_default() += share * requests;
        }
    }
    let mut lengths: Vec<WeightedLength> =
        weights.into_iter().map(|(tokens, weight)| WeightedLength { tokens, weight }).collect();
    lengths.retain(|length| length.weight > 0.0);
    if lengths.is_empty() {
        return Err(bad(String::new(), "no lengths with requests".to_owned()));
    }
    sort_by_key(&mut lengths, |length| u64::from(length.tokens));
    let at_once = lengths.len().div_ceil(limits::LENGTHS);
    let merged = lengths.chunks(at_once).map(|part| {
        let weight: f64 = part.iter().map(|l| l.weight).sum();
        let mean = part.iter().map(|l| l.weight * f64::from(l.tokens)).sum::<f64>() / weight;
        WeightedLength { tokens: mean.round() as u32, weight }
    });
    Ok(Lengths::Empirical { lengths: merged.collect() })
}

/// Requests of the windows that begin from `from` on and before `to`.
fn requests_in(windows: &[Window], end_s: f64, from: f64, to: f64) -> f64 {
    let first = windows[0].start_s;
    let mut sum = 0.0;
    for (i, w) in windows.iter().enumerate().filter(|(_, w)| w.start_s >= from && w.start_s < to) {
        let end = windows.get(i + 1).map_or(first + end_s, |next| next.start_s);
        sum += w.rate_per_s * (end - w.start_s);
    }
    sum
}

/// Lengths and their shares: an object, or a text such as `{100: 0.5, 200: 0.5}`.
fn shares(value: Option<&Value>) -> Option<Vec<(u32, f64)>> {
    let pair = |tokens: &str, share: f64| {
        let tokens = tokens.trim().trim_matches(['"', '\'']).parse::<f64>().ok()?;
        let fits = (0.0..=f64::from(limits::REQUEST_TOKENS)).contains(&tokens) && share >= 0.0;
        (fits && share.is_finite()).then(|| ((tokens.round() as u32).max(1), share))
    };
    match value? {
        Value::Object(map) => map.iter().map(|(tokens, share)| pair(tokens, share.as_f64()?)).collect(),
        Value::String(text) => {
            let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
            let parts = inner.split(',').filter(|part| !part.trim().is_empty());
            parts
                .map(|part| {
                    let (tokens, share) = part.split_once(':')?;
                    pair(tokens, share.trim().parse().ok()?)
                })
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}
