//! Calibration: fixes the few coefficients that one run can determine.
//!
//! A run at one load gives one figure for its steps and one or two for its first tokens, so that it fixes no more
//! coefficients than these:
//!
//! * Time per output token: the cost of a layer in every step. It differs most between hosts, drivers and releases. If
//!   no cost is low enough, the share of the bandwidth at which weights are read.
//! * Mean time to first token: the delay before a request is queued, which is all client, network and API server. If
//!   no delay is low enough, the share of the peak that matrix products reach.
//! * How much longer the first token takes with each prompt token, if the file has requests of different lengths: that same share.
//!
//! All others stay as they were. Each is found by Newton's steps with the simulation itself as the function; everything is deterministic.
//!
//! What cannot be determined is refused: a load that the file does not contain, fewer requests than coefficients, a figure
//! that no value of its coefficients comes near. A coefficient whose interval is wider than itself stays as it was; if
//! none is left, the file is refused.

use super::compare::{Compared, row};
use super::scenario::{Replay, replay, set_engine, set_latency};
use super::simulated::Simulated;
use crate::import::benchmark::statistics::of_request;
use crate::import::benchmark::{Benchmark, Request};
use base::{Diagnostic, Diagnostics, json};
use document::{
    CalibratedCoefficients, CalibratedSettings, CoefficientSource, LatencyModel, Scenario, limits,
};
use engine::perf;
use serde::Serialize;

/// A coefficient, before and after.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoefficientChange {
    /// Its name in the scenario.
    pub coefficient: &'static str,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Half of the 95 % interval, from the spread of the measured requests and the remaining distance of the search;
    /// missing if the file has neither requests nor their standard deviation.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<f64>,
    /// The figure that fixed it, in words.
    pub told_by: &'static str,
}

/// A calibration to one run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneRun {
    /// The scenario with these coefficients, their origin, and the file's facts about the engine: JSON text.
    pub scenario: String,
    /// What changed.
    pub changes: Vec<CoefficientChange>,
    /// How many coefficients the model has.
    pub of: u32,
    /// Requests behind the figures.
    pub requests: u32,
    /// Requests that failed and are in no figure.
    pub failed: u32,
    /// Reasons not to trust these coefficients, in sentences.
    pub warnings: Vec<String>,
    /// The figures before.
    pub before: Vec<Compared>,
    /// The figures after.
    pub after: Vec<Compared>,
    /// What could not be fixed, and why.
    pub notes: Vec<String>,
}

/// A coefficient that may be fixed.
struct Knob {
    name: &'static str,
    range: [f64; 2],
    /// First step of the search, in its own unit.
    step: f64,
    of: fn(&mut CalibratedCoefficients) -> &mut f64,
}

const LAYER: Knob =
    Knob { name: "step_us_per_layer", range: [0.0, 2000.0], step: 10.0, of: |c| &mut c.step_us_per_layer };
const WEIGHTS: Knob = Knob {
    name: "weights_efficiency",
    range: [limits::EFFICIENCY_MIN, 1.0],
    step: -0.02,
    of: |c| &mut c.weights_efficiency,
};
const QUEUEING: Knob =
    Knob { name: "queueing_us", range: [0.0, 1e7], step: 1000.0, of: |c| &mut c.queueing_us };
const COMPUTE: Knob = Knob {
    name: "compute_efficiency",
    range: [limits::EFFICIENCY_MIN, 1.0],
    step: -0.02,
    of: |c| &mut c.compute_efficiency,
};

/// A figure to meet, the coefficient to change for it, and the one to change if that reaches its limit.
struct Aim {
    told_by: &'static str,
    target: f64,
    /// Half of the 95 % interval of the target.
    spread: Option<f64>,
    /// Whether it is a mean, which must be met, and no slope.
    is_mean: bool,
    of: Box<Reading>,
    knobs: Vec<Knob>,
}

/// A figure of a run.
type Reading = dyn Fn(&Simulated) -> Option<f64>;

/// Rounds over all aims.
const ROUNDS: u32 = 4;
/// An aim this near is met.
const NEAR: f64 = 0.002;
/// An aim that stays this far off could not be met by any values of its coefficients.
const FAR: f64 = 0.5;
/// A number of requests for each coefficient below this is reported as few.
const FEW_EACH: u32 = 30;
/// A larger share of failed requests is reported.
const FAILED_SHARE: f64 = 0.02;
/// Fewest requests from which a slope is computed.
const FEWEST: usize = 20;
/// Least variation of prompt lengths, as a share of their mean, from which a slope is computed.
const SPREAD: f64 = 0.2;

/// Calibrates the pools of the first pool's GPU to a run of `file`.
pub fn calibrate(b: &Benchmark, scenario: &Scenario, file: &str) -> Result<OneRun, Diagnostics> {
    let mut aims = aims(b);
    let replay = replay(b, scenario);
    let requests = determined(b, &aims, &replay).map_err(|problem| vec![problem])?;
    let mut warnings = replay.warnings.clone();
    let first = scenario.cluster.pools.first().cloned().unwrap_or_default();
    let settings = match &first.latency {
        LatencyModel::Calibrated(settings) => settings.clone(),
        _ => CalibratedSettings { clock: b.clock, ..CalibratedSettings::default() },
    };
    let built_in = || perf::calibration(&first.gpu, settings.engine).of_model(&first.model);
    let start = settings.coefficients.clone().unwrap_or_else(built_in);
    let mut search = Search { replay, gpu: first.gpu.clone(), settings, c: start.clone() };
    let begun = search.run()?;
    let before = b.figures.iter().filter_map(|f| row(f, std::slice::from_ref(&begun))).collect();
    let (mut now, mut found) = search.fit(&aims, begun, &start)?;
    let open: Vec<CoefficientChange> = found.iter().filter(|change| change.is_open()).cloned().collect();
    if !open.is_empty() {
        let is_open = |knob: &Knob| open.iter().any(|change| change.coefficient == knob.name);
        aims.retain(|aim| !aim.knobs.iter().any(is_open));
        if aims.is_empty() {
            return Err(open.iter().map(|change| undetermined(change, requests)).collect());
        }
        search.c = start.clone();
        let begun = search.run()?;
        (now, found) = search.fit(&aims, begun, &start)?;
    }
    if let Some(problem) = aims.iter().find_map(|aim| far_off(aim, &now)) {
        return Err(vec![problem]);
    }
    let kept = |change: &CoefficientChange| {
        let problem = undetermined(change, requests);
        format!("{} stays as it was: {}.", change.coefficient, problem.found)
    };
    let notes = open.iter().map(kept).chain(aims.iter().filter_map(|aim| unmet(aim, &now))).collect();
    warnings.extend(doubts(b, requests, &found));
    let after = b.figures.iter().filter_map(|f| row(f, std::slice::from_ref(&now))).collect();
    let source = CoefficientSource {
        file: file.chars().take(200).collect(),
        tool: b.tool.to_owned(),
        date: b.date.chars().take(100).collect(),
        requests,
        coefficients: found.iter().map(|change| change.coefficient.to_owned()).collect(),
    };
    let mut calibrated = scenario.clone();
    let mut settings = search.settings.clone();
    (settings.coefficients, settings.rests_on, settings.clock) =
        (Some(search.c.clone()), Some(source), b.clock);
    set_latency(&mut calibrated, &first.gpu, &LatencyModel::Calibrated(settings));
    set_engine(b, &mut calibrated);
    let of = json::tree(&start).as_object().map_or(0, |fields| fields.len() as u32);
    let scenario = document::to_json(&calibrated);
    let failed = b.failed;
    Ok(OneRun { scenario, changes: found, of, requests, failed, warnings, before, after, notes })
}

impl CoefficientChange {
    /// Whether its interval is wider than the coefficient: the run does not determine it.
    fn is_open(&self) -> bool {
        self.half.is_some_and(|half| half > self.before.abs().max(self.after.abs()))
    }
}

/// Reports a coefficient that the requests do not determine.
fn undetermined(change: &CoefficientChange, requests: u32) -> Diagnostic {
    let half = change.half.unwrap_or(0.0);
    let found = format!(
        "{requests} requests give {:.4} ± {half:.4} by {}, which determines nothing",
        change.after, change.told_by
    );
    let fix = format!("give a longer run: {FEW_EACH} requests for each coefficient, or more");
    Diagnostic::error(change.coefficient, found, "an interval that is smaller than the coefficient", fix)
}

/// Number of requests that determine the coefficients; a problem if they cannot be determined.
fn determined(b: &Benchmark, aims: &[Aim], replay: &Replay) -> Result<u32, Diagnostic> {
    if aims.is_empty() {
        let fix = "give a run with TPOT, ITL or TTFT";
        return Err(Diagnostic::error("", "neither TPOT nor ITL nor TTFT", "at least one of them", fix));
    }
    if replay.assumed {
        let allowed = "a file that says how requests were sent: their times, a rate, or the number in \
        flight, with their lengths";
        let found = format!("an unknown load; a comparison runs {}", replay.says);
        let fix = "give the result with all its requests: coefficients cannot be determined from a run under another load";
        return Err(Diagnostic::error("", found, allowed, fix));
    }
    let requests = b.measured().unwrap_or(0);
    if (requests as usize) < aims.len().max(2) {
        let allowed = format!("at least {} for {} coefficients", aims.len().max(2), aims.len());
        let fix = format!("give a longer run: {FEW_EACH} requests for each coefficient, or more");
        return Err(Diagnostic::error("", format!("{requests} requests that were measured"), allowed, fix));
    }
    Ok(requests)
}

/// Reasons not to trust coefficients that were fitted to `requests` requests.
fn doubts(b: &Benchmark, requests: u32, found: &[CoefficientChange]) -> Vec<String> {
    let mut all = Vec::new();
    let coefficients = found.len() as u32;
    if requests < FEW_EACH * coefficients {
        all.push(format!(
            "{requests} requests are few for {coefficients} coefficients: below {FEW_EACH} for each, another run may give others."
        ));
    }
    if found.iter().any(|change| change.half.is_none()) {
        all.push(
            "The file has neither requests nor standard deviations of all its means: some intervals are unknown."
                .to_owned(),
        );
    }
    let sent = f64::from(requests) + f64::from(b.failed);
    if f64::from(b.failed) > FAILED_SHARE * sent {
        all.push(format!(
            "{} of {sent} requests failed and are not in the figures: the successful ones are often faster.",
            b.failed
        ));
    }
    all
}

/// Reports a mean that no values of its coefficients come near.
fn far_off(aim: &Aim, now: &Simulated) -> Option<Diagnostic> {
    let left = (aim.of)(now).map(|x| x / aim.target - 1.0)?;
    (aim.is_mean && left.abs() > FAR).then(|| {
        let found =
            format!("{}: {:+.0} % off at the best values of its coefficients", aim.told_by, left * 100.0);
        let allowed =
            format!("a run whose figures are within {:.0} % of those of some coefficients", FAR * 100.0);
        let fix = "check that the scenario has the model, GPU, parallelism and engine that were measured";
        Diagnostic::error("", found, allowed, fix)
    })
}

/// The aims that a file gives for coefficients.
fn aims(b: &Benchmark) -> Vec<Aim> {
    let mut aims = Vec::new();
    let mut aim = |told_by, metric: &'static str, stats: &[&'static str], knobs: Vec<Knob>| {
        // A figure between bounds fixes nothing.
        let exact = |stat: &str| {
            let figure = b.figures.iter().find(|f| f.metric == metric && f.stat == stat)?;
            (figure.high - figure.low <= 1e-9).then_some(figure.low)
        };
        let Some((stat, target)) = stats.iter().find_map(|s| Some((*s, exact(s)?))) else {
            return false;
        };
        let spread = half_interval(b, metric);
        let of = Box::new(move |s: &Simulated| s.figure(metric, stat));
        aims.push(Aim { told_by, target, spread, is_mean: true, of, knobs });
        true
    };
    if !aim("time per output token", "tpot_ms", &["mean", "p50"], vec![LAYER, WEIGHTS]) {
        aim("gaps between tokens", "itl_ms", &["mean", "p50"], vec![LAYER, WEIGHTS]);
    }
    let steepness = slope(b.counted());
    let knobs = if steepness.is_some() { vec![QUEUEING] } else { vec![QUEUEING, COMPUTE] };
    aim("time to first token", "ttft_ms", &["mean", "p50"], knobs);
    if let Some((target, half)) = steepness {
        let of = Box::new(|s: &Simulated| slope(s.requests.iter()).map(|(slope, _)| slope));
        aims.push(Aim {
            told_by: "first token by prompt length",
            target,
            spread: Some(half),
            is_mean: false,
            of,
            knobs: vec![COMPUTE],
        });
    }
    aims
}

/// Half of the 95 % interval of the mean of a metric: from its requests, or from the standard deviation in the file.
fn half_interval(b: &Benchmark, metric: &str) -> Option<f64> {
    let values: Vec<f64> = b.counted().filter_map(|r| of_request(r, metric)).collect();
    let (n, deviation) = if values.len() >= 2 {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        (n, (squares / (n - 1.0)).sqrt())
    } else {
        let told = b.deviations.iter().find(|(of, _)| *of == metric)?.1;
        (f64::from(b.measured().filter(|n| *n >= 2)?), told)
    };
    let t = STUDENT.get(n as usize - 2).copied().unwrap_or(1.96);
    Some(t * deviation / n.sqrt())
}

/// 97.5 % points of Student's distribution for means of 2 to 30 values.
const STUDENT: [f64; 29] = [
    12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11,
    2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05,
];

/// Milliseconds of TTFT for each prompt token, by least squares, and half of its 95 % interval; `None` if lengths hardly
/// differ.
fn slope<'a>(requests: impl Iterator<Item = &'a Request>) -> Option<(f64, f64)> {
    let points: Vec<(f64, f64)> =
        requests.filter_map(|r| Some((f64::from(r.prompt_tokens), of_request(r, "ttft_ms")?))).collect();
    if points.len() < FEWEST {
        return None;
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
    let both: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let square: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    let told = (square / n).sqrt() > SPREAD * x && both > 0.0;
    told.then(|| {
        let slope = both / square;
        let off = |p: &(f64, f64)| p.1 - y - slope * (p.0 - x);
        let rest: f64 = points.iter().map(|p| off(p) * off(p)).sum();
        (slope, 1.96 * (rest / (n - 2.0) / square).sqrt())
    })
}

fn unmet(aim: &Aim, now: &Simulated) -> Option<String> {
    let left = (aim.of)(now).map(|x| x / aim.target - 1.0)?;
    (left.abs() > 0.02).then(|| {
        let percent = left * 100.0;
        format!(
            "{}: {percent:+.1} % off in the end, as its coefficients are at their limits or have no effect \
            on it.",
            aim.told_by
        )
    })
}

/// State of the search: the run, and the coefficients so far.
struct Search {
    replay: Replay,
    gpu: String,
    settings: CalibratedSettings,
    c: CalibratedCoefficients,
}

impl Search {
    fn run(&mut self) -> Result<Simulated, Diagnostics> {
        let settings = CalibratedSettings { coefficients: Some(self.c.clone()), ..self.settings.clone() };
        self.replay.set_latency(&self.gpu, &LatencyModel::Calibrated(settings));
        self.replay.run(self.replay.seed())
    }

    /// Meets all aims as well as it can, and gives the run and the changes then.
    fn fit(
        &mut self,
        aims: &[Aim],
        begun: Simulated,
        start: &CalibratedCoefficients,
    ) -> Result<(Simulated, Vec<CoefficientChange>), Diagnostics> {
        let (mut now, mut found) = (begun, Vec::new());
        for _ in 0..ROUNDS {
            // Means come last: a slope that cannot be met must not keep them from being met.
            for aim in aims.iter().rev() {
                now = self.meet(aim, now, start, &mut found)?;
            }
        }
        found.retain(|change| (change.before - change.after).abs() > 0.0);
        Ok((now, found))
    }

    /// One Newton step of the first coefficient of an aim that is not at its limit.
    fn meet(
        &mut self,
        aim: &Aim,
        now: Simulated,
        start: &CalibratedCoefficients,
        found: &mut Vec<CoefficientChange>,
    ) -> Result<Simulated, Diagnostics> {
        let mut now = now;
        for knob in &aim.knobs {
            let Some(value) = (aim.of)(&now) else { return Ok(now) };
            let off = value - aim.target;
            if off.abs() <= NEAR * aim.target {
                return Ok(now);
            }
            let begun = *(knob.of)(&mut self.c);
            let [low, high] = knob.range;
            let tried = (begun + knob.step).clamp(low, high);
            *(knob.of)(&mut self.c) = tried;
            let slope = (aim.of)(&self.run()?).map(|x| (x - value) / (tried - begun));
            let Some(slope) = slope.filter(|s| s.is_finite() && s.abs() > 1e-12) else {
                *(knob.of)(&mut self.c) = begun;
                continue;
            };
            let wanted = digits((begun - off / slope).clamp(low, high));
            *(knob.of)(&mut self.c) = wanted;
            now = self.run()?;
            let half = aim.spread.map(|spread| ((spread + NEAR * aim.target) / slope).abs());
            let mut copy = start.clone();
            let change = CoefficientChange {
                coefficient: knob.name,
                before: *(knob.of)(&mut copy),
                after: wanted,
                half,
                told_by: aim.told_by,
            };
            found.retain(|other| other.coefficient != knob.name);
            found.push(change);
            if wanted > low && wanted < high {
                return Ok(now);
            }
        }
        Ok(now)
    }
}

/// Five digits exceed the precision of a run.
fn digits(value: f64) -> f64 {
    use base::math::{log10, pow};
    if value <= 0.0 {
        return 0.0;
    }
    let scale = pow(10.0, 5.0 - log10(value).ceil());
    (value * scale).round() / scale
}
