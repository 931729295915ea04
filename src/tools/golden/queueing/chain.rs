//! Cases of the state-dependent chain: analyses and sizes are compared with the published program in single precision,
//! with an independent computation in double precision, and with the closed form for the same input.

use super::closed_form::{compare_sizing, compare_state, goals, params, size, state_figures};
use super::figures::{self, Figures, Tolerance, number, numbers};
use super::lines::Lines;
use super::reader::Reader;
use super::unknown_kind::{UnknownKind, unknown_kind};
use queueing::{Analysis, Chain, ChainSizing, ClosedForm, Mode, QueueLength, TargetBelow};
use serde_json::{Value, json};

/// Tolerances against the independent computation.
const DOUBLE: f64 = 1e-6;
/// Tolerances against the published program, which computes in single precision.
const SINGLE: f64 = 1e-3;
/// A wait is a difference of two times in the system: it is right to this share of a time.
const WAIT_OF_DOUBLE: f64 = 1e-12;
const WAIT_OF_SINGLE: f64 = 2e-5;

/// All cases of a file.
pub(super) fn check(file: &Reader<'_>, lines: &mut Lines<'_>) {
    for case in file.list("cases") {
        let kind = case.text("kind");
        if !lines.wants(kind) {
            continue;
        }
        match kind {
            "analyze" => analyze(&case, lines),
            "size" => size_up(&case, lines),
            other => unknown_kind(&case, other, &["analyze", "size"]),
        }
    }
}

fn chain(input: &Reader<'_>) -> Option<Chain> {
    let queue = QueueLength::Requests(input.whole("max_queue"));
    Chain::new(params(&input.get("parms")), size(input), input.whole("max_batch"), queue).ok()
}

fn analyze(case: &Reader<'_>, lines: &mut Lines<'_>) {
    let input = case.get("input");
    let rate = input.number("rate_rps");
    let chain = chain(&input);
    let got = chain.as_ref().and_then(|chain| chain.analyze(rate).ok().map(|found| (chain, found)));
    let (coded, double) = (case.get("go_float32"), case.get("ref_float64"));
    match (coded.maybe("error"), double.value(), &got) {
        (Some(_), Value::Null, None) => {
            if let Some(chain) = &chain {
                range(&coded, chain, lines);
            }
        }
        (None, _, Some((chain, found))) => {
            compare_double(&double, chain, found, lines);
            figures::compare(&coded, &beside_metrics(chain, &coded), &|_| Tolerance::relative(SINGLE), lines);
            compare_single(&coded.get("metrics"), chain, found, lines);
        }
        (_, _, None) => lines.add(case.path(), "expected an analysis, got none"),
        (_, _, Some(_)) => lines.add(case.path(), "expected an error, got an analysis"),
    }
    let closed = case.get("seed_closed_form");
    // A rate of 0 is an idle server in the closed form, and not a case here.
    if closed.value().is_null() {
        if rate > 0.0 && chain.is_some() {
            lines.add(closed.path(), "expected nothing, got figures");
        }
    } else {
        let server = ClosedForm::new(params(&input.get("parms")), size(&input));
        compare_state(&closed, server.ok().map(|server| state_figures(&server, rate)), lines);
    }
}

/// Figures next to the metrics of the published program.
fn beside_metrics(chain: &Chain, coded: &Reader<'_>) -> Figures {
    let mut all = numbers([("rate_max_rps", chain.most_per_s()), ("rate_min_rps", chain.least_per_s())]);
    all.insert("metrics".into(), coded.get("metrics").value().clone());
    all
}

/// The range of rates in which the chain is analysed, if it is given next to an error.
fn range(coded: &Reader<'_>, chain: &Chain, lines: &mut Lines<'_>) {
    for (name, got) in [("rate_max_rps", chain.most_per_s()), ("rate_min_rps", chain.least_per_s())] {
        if let Some(want) = coded.maybe(name) {
            figures::value(&want, &json!(got), Tolerance::relative(SINGLE), lines);
        }
    }
}

fn by_wait(relative: f64, wait: f64, response_ms: f64) -> impl Fn(&str) -> Tolerance {
    move |name| {
        let absolute = if name == "wait_ms" { wait * response_ms } else { 0.0 };
        Tolerance { relative, absolute }
    }
}

fn analysis_figures(chain: &Chain, a: &Analysis) -> Figures {
    numbers([
        ("throughput", a.throughput_per_s),
        ("resp_ms", a.response_ms),
        ("wait_ms", a.wait_ms),
        ("num_in_serv", a.in_service),
        ("prefill_ms", a.prefill_ms),
        ("itl_ms", a.itl_ms),
        ("ttft_ms", a.ttft_sizing_ms),
        ("ttft_tuner_ms", a.ttft_filter_ms),
        ("max_rate", chain.most_per_s()),
        ("rho", a.rho),
    ])
}

fn compare_double(want: &Reader<'_>, chain: &Chain, a: &Analysis, lines: &mut Lines<'_>) {
    let tolerance = by_wait(DOUBLE, WAIT_OF_DOUBLE, a.response_ms);
    figures::compare(want, &analysis_figures(chain, a), &tolerance, lines);
}

fn compare_single(want: &Reader<'_>, chain: &Chain, a: &Analysis, lines: &mut Lines<'_>) {
    let got = numbers([
        ("throughput_rps", a.throughput_per_s),
        ("resp_ms", a.response_ms),
        ("wait_ms", a.wait_ms),
        ("num_in_serv", a.in_service),
        ("prefill_ms", a.prefill_ms),
        ("itl_ms", a.itl_ms),
        ("ttft_ms", a.ttft_sizing_ms),
        ("max_rate_rps", chain.most_per_s()),
        ("rho", a.rho),
    ]);
    figures::compare(want, &got, &by_wait(SINGLE, WAIT_OF_SINGLE, a.response_ms), lines);
}

fn size_up(case: &Reader<'_>, lines: &mut Lines<'_>) {
    let input = case.get("input");
    let goals = goals(&input);
    let throughput = input.number("tps_slo") > 0.0;
    let chain = chain(&input);
    let got = chain.as_ref().map(|chain| (chain, chain.size(goals, throughput, Mode::AsCoded)));
    let (coded, double) = (case.get("go_float32"), case.get("ref_float64"));
    let wants_none = coded.maybe("error").is_some();
    match got {
        Some((chain, Ok(found))) if !wants_none => {
            sizes(&double, chain, &found, lines);
            sizes_of_single(&coded, chain, &found, input.number("ol"), lines);
        }
        Some((chain, Err(below))) if wants_none => {
            refused(&double, below, lines);
            range(&coded, chain, lines);
        }
        None if wants_none && double.value().is_null() => {}
        _ => lines.add(
            case.path(),
            if wants_none { "expected an error, got a size" } else { "expected a size, got none" },
        ),
    }
    let closed = case.get("seed_closed_form");
    if !closed.value().is_null() {
        compare_sizing(&closed, &input, lines);
    }
}

/// The independent computation names the objective below the region.
fn refused(want: &Reader<'_>, below: TargetBelow, lines: &mut Lines<'_>) {
    figures::compare(want, &below_figures(below), &|_| Tolerance::relative(DOUBLE), lines);
}

fn below_figures(below: TargetBelow) -> Figures {
    let why = match below {
        TargetBelow::Ttft => "ttft below region",
        TargetBelow::Itl => "itl below region",
    };
    Figures::from_iter([("ok".to_owned(), json!(false)), ("why".to_owned(), json!(why))])
}

/// The result of a case; `None` for an unknown kind or a case without results.
pub(super) fn result(kind: &str, input: &Reader<'_>, mode: Mode) -> Result<Option<Figures>, UnknownKind> {
    let chain = chain(input);
    Ok(match kind {
        "analyze" => {
            let rate = input.number("rate_rps");
            chain.and_then(|chain| chain.analyze(rate).ok().map(|a| analysis_figures(&chain, &a)))
        }
        "size" => {
            let found = |chain: Chain| match chain.size(goals(input), input.number("tps_slo") > 0.0, mode) {
                Ok(found) => {
                    let mut all = size_figures(&found);
                    all.insert("metrics".into(), Value::Object(analysis_figures(&chain, &found.analysis)));
                    all
                }
                Err(below) => below_figures(below),
            };
            chain.map(found)
        }
        _ => return Err(UnknownKind),
    })
}

fn size_figures(found: &ChainSizing) -> Figures {
    let mut all = numbers([
        ("rate_ttft", found.rate_ttft_per_s),
        ("rate_itl", found.rate_itl_per_s),
        ("rate_tps", found.rate_throughput_per_s),
    ]);
    all.insert("ok".into(), json!(true));
    all
}

fn sizes(want: &Reader<'_>, chain: &Chain, found: &ChainSizing, lines: &mut Lines<'_>) {
    let mut got = size_figures(found);
    let metrics = want.get("metrics");
    got.insert("metrics".into(), metrics.value().clone());
    figures::compare(want, &got, &|_| Tolerance::relative(DOUBLE), lines);
    compare_double(&metrics, chain, &found.analysis, lines);
}

fn sizes_of_single(
    want: &Reader<'_>,
    chain: &Chain,
    found: &ChainSizing,
    output: f64,
    lines: &mut Lines<'_>,
) {
    let a = &found.analysis;
    let mut got = numbers([
        ("rate_ttft_rps", found.rate_ttft_per_s),
        ("rate_itl_rps", found.rate_itl_per_s),
        ("rate_tps_rps", found.rate_throughput_per_s),
        ("rate_max_rps", chain.most_per_s()),
        ("rate_min_rps", chain.least_per_s()),
    ]);
    let (metrics, achieved) = (want.get("metrics"), want.get("achieved"));
    got.insert("metrics".into(), metrics.value().clone());
    got.insert("achieved".into(), achieved.value().clone());
    let single = |_: &str| Tolerance::relative(SINGLE);
    figures::compare(want, &got, &single, lines);
    let tokens = number(Some(a.throughput_per_s * output));
    let mut reached = numbers([("itl_ms", a.itl_ms), ("ttft_ms", a.ttft_sizing_ms)]);
    reached.insert("tps".into(), tokens);
    figures::compare(&achieved, &reached, &single, lines);
    compare_single(&metrics, chain, a, lines);
}
