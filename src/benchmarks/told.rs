//! The load that the user gives where the file of a benchmark does not contain it.

use crate::import::benchmark::Benchmark;
use base::{Diagnostic, Diagnostics};
use document::limits;
use serde::{Deserialize, Serialize};

/// What the user says about the load. What the file says cannot be given again.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldLoad {
    /// Requests that were sent.
    #[cfg_attr(feature = "types", ts(optional))]
    pub requests: Option<u32>,
    /// Requests sent in a second, at random gaps.
    #[cfg_attr(feature = "types", ts(optional))]
    pub rate_per_s: Option<f64>,
    /// Most requests in flight.
    #[cfg_attr(feature = "types", ts(optional))]
    pub in_flight: Option<u32>,
    /// Mean prompt length.
    #[cfg_attr(feature = "types", ts(optional))]
    pub prompt_tokens: Option<f64>,
    /// Mean length of an answer.
    #[cfg_attr(feature = "types", ts(optional))]
    pub output_tokens: Option<f64>,
    /// Whether the traffic of the scenario is what was sent.
    pub own_traffic: bool,
}

/// The options of the command line by part of the load.
const OPTIONS: [&str; 6] =
    ["--requests", "--rate", "--in-flight", "--prompt-tokens", "--output-tokens", "--own-traffic"];

impl ToldLoad {
    /// Adds it to what a file says; reports each part that the file says itself, and each number out of its range.
    pub fn add_to(&self, b: &mut Benchmark) -> Result<(), Diagnostics> {
        let mut problems = self.out_of_range();
        let count = |n: Option<u32>| n.map(f64::from);
        let sending = b.requests.iter().any(|r| r.start_us.is_some());
        let known = [
            count(b.load.requests.filter(|n| *n > 0)),
            b.load.rate_per_s.or(sending.then_some(f64::NAN)),
            count(b.load.concurrency).or(sending.then_some(f64::NAN)),
            b.load.prompt_tokens,
            b.load.output_tokens,
        ];
        let given = [
            count(self.requests),
            self.rate_per_s,
            count(self.in_flight),
            self.prompt_tokens,
            self.output_tokens,
        ];
        for ((option, given), known) in OPTIONS.iter().zip(given).zip(known) {
            let Some((given, known)) = given.zip(known) else { continue };
            let said =
                if known.is_nan() { "when each request was sent".to_owned() } else { format!("{known}") };
            let allowed = format!("nothing, as the file says {said}");
            problems.push(Diagnostic::error(*option, given.to_string(), allowed, "leave it out"));
        }
        if self.own_traffic && given.iter().any(Option::is_some) {
            let fix = "give one of the two";
            problems.push(Diagnostic::error(
                OPTIONS[5],
                "a load beside it",
                "the traffic of the scenario alone",
                fix,
            ));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let load = &mut b.load;
        load.requests = load.requests.filter(|n| *n > 0).or(self.requests);
        if self.rate_per_s.is_some() {
            (load.at_once, load.rate_per_s, load.gap_cv) =
                (false, self.rate_per_s, load.gap_cv.or(Some(1.0)));
        }
        if self.in_flight.is_some() {
            load.concurrency = self.in_flight;
            load.at_once = load.rate_per_s.is_none();
        }
        load.prompt_tokens = load.prompt_tokens.or(self.prompt_tokens);
        load.output_tokens = load.output_tokens.or(self.output_tokens);
        load.own_traffic = self.own_traffic;
        if let (None, Some(line), Some(rate)) = (load.requests, &b.series, load.rate_per_s) {
            load.requests = Some((rate * line.span_s()).round().clamp(1.0, 1e9) as u32);
        }
        Ok(())
    }

    fn out_of_range(&self) -> Diagnostics {
        let whole = |n: Option<u32>| n.map(f64::from);
        let tokens = f64::from(limits::REQUEST_TOKENS / 2);
        let ranges = [
            (whole(self.requests), 1.0, limits::EXPLICIT_REQUESTS as f64),
            (self.rate_per_s, 1e-6, limits::RATE_PER_S),
            (whole(self.in_flight), 1.0, 65_536.0),
            (self.prompt_tokens, 1.0, tokens),
            (self.output_tokens, 1.0, tokens),
        ];
        let wrong = |(option, (given, low, high)): (&&str, (Option<f64>, f64, f64))| {
            let given = given.filter(|x| !(low..=high).contains(x))?;
            let allowed = format!("{low} to {high}");
            Some(Diagnostic::error(*option, given.to_string(), allowed, "give a number in this range"))
        };
        OPTIONS.iter().zip(ranges).filter_map(wrong).collect()
    }
}

/// The parts of the load that a file lacks: `sending`, `requests`, `prompt_tokens`, `output_tokens`.
pub(super) fn missing(b: &Benchmark) -> Vec<&'static str> {
    let listed = !b.requests.is_empty();
    let sending = b.load.rate_per_s.is_some()
        || b.load.at_once
        || (listed && b.requests.iter().all(|r| r.start_us.is_some()));
    let parts = [
        ("sending", sending),
        ("requests", listed || b.series.is_some() || b.load.requests.is_some_and(|n| n > 0)),
        ("prompt_tokens", listed || b.load.prompt_tokens.is_some()),
        ("output_tokens", listed || b.load.output_tokens.is_some()),
    ];
    parts.into_iter().filter(|(_, known)| !known).map(|(part, _)| part).collect()
}

/// How to give the missing parts on the command line.
pub fn options(missing: &[&str]) -> String {
    let option = |part: &&str| match *part {
        "sending" => "--rate R or --in-flight N",
        "requests" => "--requests N",
        "prompt_tokens" => "--prompt-tokens N",
        _ => "--output-tokens N",
    };
    let given: Vec<&str> = missing.iter().map(option).collect();
    let own = "--own-traffic if the traffic of the scenario, which --set changes, is what was sent";
    if given.is_empty() { own.to_owned() } else { format!("{}; or {own}", given.join(", ")) }
}
