//! Cases of the closed form: states, objectives, sizes, guesses and averages.

use super::figures::{self, Figures, Tolerance, number, numbers};
use super::lines::Lines;
use super::reader::Reader;
use super::unknown_kind::{UnknownKind, unknown_kind};
use queueing::{
    Binding, ClosedForm, GuessFailure, Objectives, Params, Pod, RequestSize, State, aggregate, fallback,
    inferred, published_guess, replicas,
};
use serde_json::{Value, json};

/// Kinds of cases of the closed form.
pub(super) const KINDS: [&str; 8] = [
    "forward",
    "infer_slo",
    "fallback_slo",
    "lambda_star",
    "replicas",
    "bootstrap",
    "bootstrap_roundtrip",
    "aggregate",
];

const EXACT: Tolerance = Tolerance { relative: 1e-9, absolute: 0.0 };
/// Loads this near to 1 may be computed on either side of it.
const NEAR_ONE: f64 = 1e-9;
/// Least step, in milliseconds, of a load this near to 1 that is computed below it.
const LONG_STEP_MS: f64 = 1e12;

/// All cases of a file.
pub(super) fn check(file: &Reader<'_>, lines: &mut Lines<'_>) {
    for case in file.list("cases") {
        let kind = case.text("kind");
        if !lines.wants(kind) {
            continue;
        }
        let (input, expect) = (case.get("input"), case.get("expect"));
        match kind {
            "forward" => compare_state(&expect, figures(kind, &input).ok().flatten(), lines),
            "lambda_star" => compare_sizing(&expect, &input, lines),
            "bootstrap" => compare_guess(&input, &expect, lines),
            "bootstrap_roundtrip" => {
                round_trip(&input, lines);
                compare_guess(&input, &expect, lines);
            }
            other => match figures(other, &input) {
                Ok(got) => optional(&expect, got, lines),
                Err(UnknownKind) => unknown_kind(&case, other, &KINDS),
            },
        }
    }
}

/// The result of a case; `None` for an unknown kind or a case without results.
pub(super) fn figures(kind: &str, input: &Reader<'_>) -> Result<Option<Figures>, UnknownKind> {
    Ok(match kind {
        "forward" => {
            let server = ClosedForm::new(params(&input.get("parms")), size(input));
            server.ok().map(|server| state_figures(&server, input.number("lambda_rps")))
        }
        "lambda_star" => sizing_figures(input),
        "fallback_slo" => fallback(input.number("avg_ttft_ms"), input.number("avg_itl_ms")).map(goal_figures),
        "replicas" => {
            let need = replicas(input.number("total_arrival_rps"), input.number("per_replica_rps"));
            Some(Figures::from_iter([("required".to_owned(), need.map_or(Value::Null, |n| json!(n)))]))
        }
        "bootstrap" | "bootstrap_roundtrip" => Some(guess_figures(input).0),
        "aggregate" => aggregate_figures(input),
        kind if kind.starts_with("infer_slo") => infer(input),
        _ => return Err(UnknownKind),
    })
}

/// The coefficients of an object.
pub(super) fn params(at: &Reader<'_>) -> Params {
    Params { alpha: at.number("alpha"), beta: at.number("beta"), gamma: at.number("gamma") }
}

/// The mean lengths of a case.
pub(super) fn size(input: &Reader<'_>) -> RequestSize {
    RequestSize { input_tokens: input.number("il"), output_tokens: input.number("ol") }
}

/// Compares figures; the file may expect none.
fn optional(expect: &Reader<'_>, got: Option<Figures>, lines: &mut Lines<'_>) {
    match (expect.value(), got) {
        (Value::Null, None) => {}
        (Value::Null, Some(got)) if got.values().all(Value::is_null) => {}
        (Value::Null, Some(_)) => lines.add(expect.path(), "expected nothing, got figures"),
        (_, None) => lines.add(expect.path(), "expected figures, got nothing"),
        (_, Some(got)) => figures::compare(expect, &got, &|_| EXACT, lines),
    }
}

/// The figures of a state.
pub(super) fn state_figures(server: &ClosedForm, rate_per_s: f64) -> Figures {
    let state = server.at(rate_per_s).ok();
    let of = |value: fn(&State) -> f64| number(state.as_ref().map(value));
    let mut all = numbers([
        ("delta_ms", server.delta_ms()),
        ("rho", server.rho(rate_per_s)),
        ("lam_sat_rps", server.saturation_per_s()),
        ("prefill_work_ms", server.prefill_work_ms()),
        ("decode_work_ms", server.decode_work_ms()),
    ]);
    all.insert("stable".into(), json!(state.is_some()));
    all.insert("t_iter_ms".into(), of(|s| s.step_ms));
    all.insert("n_mean".into(), of(|s| s.batch));
    all.insert("ttft_ms".into(), of(|s| s.ttft_ms));
    all.insert("itl_ms".into(), of(|s| s.itl_ms));
    all.insert("e2e_ms".into(), of(|s| s.e2e_ms));
    all
}

/// Compares a state. At a load of nearly exactly 1, rounding decides whether there is one.
pub(super) fn compare_state(expect: &Reader<'_>, mut got: Option<Figures>, lines: &mut Lines<'_>) {
    let near = |x: &Value| x.as_f64().is_some_and(|rho| (rho - 1.0).abs() < NEAR_ONE);
    if let (Some(got), Some(want)) = (&mut got, expect.value().as_object())
        && want.get("rho").is_some_and(near)
        && got.get("rho").is_some_and(near)
    {
        // A file may allow either: no state, or an infinite step.
        if let Some(either) = want.get("either") {
            let step = got["t_iter_ms"].as_f64();
            if step.is_some_and(|step| step < LONG_STEP_MS) {
                lines.add(expect.path(), &format!("expected {either}, got a step of {step:?} ms"));
            }
            got.insert("either".into(), either.clone());
        }
        for name in ["stable", "t_iter_ms", "n_mean", "ttft_ms", "itl_ms", "e2e_ms"] {
            if let Some(value) = want.get(name) {
                got.insert(name.to_owned(), value.clone());
            }
        }
    }
    optional(expect, got, lines);
}

fn goal_figures(goals: Objectives) -> Figures {
    numbers([("ttft_ms", goals.ttft_ms), ("itl_ms", goals.itl_ms)])
}

/// The coefficients of a case: one set, or one of each variant.
fn all_params(input: &Reader<'_>) -> Vec<Params> {
    let of = |entry: &Reader<'_>| params(&entry.maybe("parms").unwrap_or_else(|| entry.clone()));
    for key in ["parms", "variants", "parms_list"] {
        if let Some(list) = input.maybe(key).filter(|at| at.value().is_array()) {
            return list.entries().iter().map(of).collect();
        }
    }
    vec![params(&input.get("parms"))]
}

/// Inferred objectives, and the load that they allow: 1 - 1/k of saturation. With several variants, the looser of
/// each.
fn infer(input: &Reader<'_>) -> Option<Figures> {
    let (size, k) = (size(input), input.number("k"));
    let all = all_params(input);
    let goals = all.iter().map(|params| inferred(*params, size, k).ok()).collect::<Option<Vec<_>>>();
    let goals = goals?.into_iter().reduce(Objectives::max)?;
    let mut got = goal_figures(goals);
    got.extend(numbers([("rho_target", 1.0 - 1.0 / k)]));
    if let [params] = &all[..]
        && let Ok(server) = ClosedForm::new(*params, size)
    {
        got.extend(numbers([
            ("lambda_star_rps", server.sizing(goals).rate_per_s),
            ("identity_lambda_rps", (1.0 - 1.0 / k) * server.saturation_per_s()),
        ]));
    }
    Some(got)
}

/// The objectives of a case.
pub(super) fn goals(input: &Reader<'_>) -> Objectives {
    Objectives { ttft_ms: input.number("ttft_slo_ms"), itl_ms: input.number("itl_slo_ms") }
}

/// The load that objectives allow, solved and searched.
fn sizing_figures(input: &Reader<'_>) -> Option<Figures> {
    let server = ClosedForm::new(params(&input.get("parms")), size(input)).ok()?;
    let (sizing, searched) = (server.sizing(goals(input)), server.sizing_by_bisection(goals(input)));
    let mut got = numbers([("lam_rps", sizing.rate_per_s)]);
    got.insert("feasible".into(), json!(sizing.binding.is_some()));
    got.insert("t_iter_cap_ms".into(), number(sizing.step_cap_ms));
    got.insert("binding".into(), json!(sizing.binding.map(Binding::name)));
    got.insert("bisection_rps".into(), number(searched.filter(|_| sizing.binding.is_some())));
    Some(got)
}

/// Compares a size. If both objectives allow the same load, either may be named.
pub(super) fn compare_sizing(expect: &Reader<'_>, input: &Reader<'_>, lines: &mut Lines<'_>) {
    let mut got = sizing_figures(input);
    if let (Some(got), Ok(server)) = (&mut got, ClosedForm::new(params(&input.get("parms")), size(input))) {
        let goals = goals(input);
        let by_ttft = goals.ttft_ms - server.prefill_work_ms();
        let by_itl = goals.itl_ms - server.decode_work_ms();
        let tied = goals.ttft_ms > 0.0 && goals.itl_ms > 0.0 && EXACT.agrees(by_ttft, by_itl);
        let named = expect.value().get("binding");
        if let Some(named) = named.filter(|name| tied && ["ttft", "itl"].iter().any(|n| *name == n)) {
            got.insert("binding".into(), named.clone());
        }
        if let (Some(solved), Some(searched)) = (got["lam_rps"].as_f64(), got["bisection_rps"].as_f64())
            && !EXACT.agrees(solved, searched)
        {
            lines.add(expect.path(), &format!("solved {solved} requests/s, searched {searched}"));
        }
    }
    optional(expect, got, lines);
}

fn guess_figures(input: &Reader<'_>) -> (Figures, Option<GuessFailure>) {
    let (ttft, itl) = (input.number("ttft_ms"), input.number("itl_ms"));
    let guess = published_guess(ttft, itl, input.number("il"), input.number("ol"));
    let mut got =
        numbers([("alpha", guess.alpha), ("sum_bg", guess.sum), ("denominator", guess.denominator)]);
    got.insert("ok".into(), json!(guess.failure.is_none()));
    got.insert("beta".into(), number(guess.beta));
    got.insert("gamma".into(), number(guess.gamma));
    got.insert("reason".into(), json!(guess.failure.map(GuessFailure::quantity)));
    (got, guess.failure)
}

/// Compares a guess. Reasons name the quantity; both sides leave out what was not computed after a failure.
fn compare_guess(input: &Reader<'_>, expect: &Reader<'_>, lines: &mut Lines<'_>) {
    let (mut got, failure) = guess_figures(input);
    if let (Some(failure), Some(want)) = (failure, expect.value().as_object()) {
        if let Some(reason) = want.get("reason")
            && reason.as_str().is_some_and(|text| text.contains(failure.quantity()))
        {
            got.insert("reason".into(), reason.clone());
        }
        for name in want.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name) {
            if let Some(have) = got.get_mut(name) {
                *have = Value::Null;
            }
        }
    }
    optional(expect, Some(got), lines);
}

/// The latencies of a round trip are those of the coefficients at that load.
fn round_trip(input: &Reader<'_>, lines: &mut Lines<'_>) {
    let server = ClosedForm::new(params(&input.get("true_parms")), size(input));
    let rho = input.number("rho");
    let Ok(state) = server.and_then(|server| server.at(rho * server.saturation_per_s())) else {
        return lines.add(input.path(), "no server gives these latencies");
    };
    for (name, got) in [("ttft_ms", state.ttft_ms), ("itl_ms", state.itl_ms)] {
        figures::value(&input.get(name), &number(Some(got)), EXACT, lines);
    }
}

fn aggregate_figures(input: &Reader<'_>) -> Option<Figures> {
    let pod = |at: &Reader<'_>| Pod {
        rate_per_s: at.number("rate"),
        input_tokens: at.number("il"),
        output_tokens: at.number("ol"),
        ttft_ms: at.number("ttft"),
        itl_ms: at.number("itl"),
        ready_s: 0.0,
    };
    let pods: Vec<Pod> = input.list("pods").iter().map(pod).collect();
    let all = aggregate(&pods)?;
    Some(numbers([
        ("il", all.size.input_tokens),
        ("ol", all.size.output_tokens),
        ("ttft", all.ttft_ms),
        ("itl", all.itl_ms),
        ("total_rate", all.total_per_s),
        ("busy_pods", f64::from(all.busy)),
        ("avg_rate_per_busy_pod", all.total_per_s / f64::from(all.busy)),
    ]))
}
