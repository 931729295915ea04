//! The units of `AIPerf` and `genai-perf`, and how they sent requests: under `loadgen` in older releases, as a list of phases in newer ones, and under
//! `perf_analyzer` or at the top in `genai-perf`.

use super::{Benchmark, Place, Problems};

/// The load of one phase, or of a release without phases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Phase {
    rate_per_s: Option<f64>,
    gap_cv: Option<f64>,
    concurrency: Option<u32>,
}

/// Its place in releases without phases.
const WITHOUT_PHASES: [&str; 4] = [
    "input_config.loadgen",
    "input_config.perf_analyzer.stimulus",
    "input_config.perf_analyzer",
    "input_config",
];

/// Reads the load of a summary.
pub(crate) fn read_load(b: &mut Benchmark, whole: Place<'_>, problems: &mut Problems) {
    let phases = whole.list("input_config.phases").unwrap_or_default();
    let mut counted = Vec::new();
    for (i, phase) in phases.iter().enumerate() {
        let before = format!("input_config.phases[{i}]");
        let place = Place::new(phase, &before);
        let left_out = place.at("exclude_from_results").and_then(serde_json::Value::as_bool) == Some(true)
            || place.text("name") == "warmup";
        if !left_out {
            counted.push(one(place, problems));
        }
    }
    if phases.is_empty() {
        let found = WITHOUT_PHASES.iter().filter_map(|path| whole.at(path).map(|v| (path, v)));
        let mut read = found.map(|(path, value)| one(Place::new(value, path), problems));
        counted.extend(read.find(|phase| phase.rate_per_s.is_some() || phase.concurrency.is_some()));
    }
    let Some(first) = counted.first().copied() else { return };
    if counted.iter().any(|phase| *phase != first) {
        return b.note(
            "The phases of this run had different loads: the file does not say which figures belong to which phase.",
        );
    }
    b.load.rate_per_s = first.rate_per_s;
    b.load.concurrency = first.concurrency;
    b.load.gap_cv = Some(first.gap_cv.unwrap_or(1.0));
    b.load.at_once = first.rate_per_s.is_none() && first.concurrency.is_some();
}

fn one(place: Place<'_>, problems: &mut Problems) -> Phase {
    let rates = ["request_rate", "rate", "request_rate_per_s", "qps"];
    let mut phase = Phase {
        rate_per_s: rates
            .iter()
            .filter(|path| place.at(path).is_some_and(|v| !v.is_object()))
            .find_map(|path| place.number(path, problems))
            .filter(|r| *r > 0.0),
        ..Phase::default()
    };
    phase.concurrency = place.count("concurrency", problems).filter(|n| *n > 0);
    let modes = ["request_rate_mode", "arrival_pattern", "arrival_distribution", "type"];
    let mode = modes
        .iter()
        .map(|path| place.text(path))
        .find(|mode| ["constant", "poisson", "gamma"].contains(mode));
    let smooth = ["arrival_smoothness", "smoothness"];
    phase.gap_cv = match mode {
        Some("constant") => Some(0.0),
        // The shape of a gamma distribution is the square of the inverse of its coefficient of variation.
        Some("gamma") => {
            let shape = smooth.iter().find_map(|path| place.number(path, problems)).filter(|x| *x > 0.0);
            Some(shape.map_or(1.0, |x| (1.0 / x.sqrt()).clamp(0.05, 20.0)))
        }
        Some(_) | None => Some(1.0),
    };
    phase
}

/// Milliseconds in one unit.
pub(crate) fn milliseconds(unit: &str) -> Option<f64> {
    match unit {
        "ms" | "milliseconds" | "" => Some(1.0),
        "s" | "sec" | "seconds" => Some(1e3),
        "us" | "µs" | "microseconds" => Some(1e-3),
        "ns" | "nanoseconds" => Some(1e-6),
        _ => None,
    }
}
