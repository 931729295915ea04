//! Recorded cycles of the published analyser, including its filter: every cycle is run in the as-coded mode and
//! compared with the published program in single precision and with an independent computation in double precision.
//!
//! Entries of a covariance or a Jacobian that are small relative to the others are differences of large numbers: they
//! may be off by a share of the largest value that their row and column allow.

use super::figures::{self, Figures, Tolerance, numbers};
use super::lines::Lines;
use super::reader::Reader;
use queueing::{
    Analyzer, Capacity, Cycle, CycleFailure, Learned, Mode, NIS_GATE, Objectives, Params, Pod, Settings,
    Status, Update, Variant, VariantTuning,
};
use serde_json::{Value, json};

/// Tolerance of coefficients against the published program.
const SINGLE: f64 = 2e-3;
/// Tolerance against the independent computation.
const DOUBLE: f64 = 1e-6;
/// Differences of measured and expected latencies, as a share of the measured ones.
const OF_MEASURED: f64 = 1e-10;

/// All trajectories of a file.
pub(super) fn check(file: &Reader<'_>, lines: &mut Lines<'_>) {
    if !lines.wants("trajectories") {
        return;
    }
    for trajectory in file.list("trajectories") {
        let mut analyzer = begin(&trajectory, Mode::AsCoded);
        for cycle in trajectory.list("cycles") {
            let variants: Vec<Variant> = cycle.list("input").iter().map(variant).collect();
            let result = analyzer.cycle(&variants);
            coded(&cycle.get("go"), &analyzer, &result, lines);
            double(&cycle.get("ref_float64"), &result, lines);
        }
    }
}

/// The results of a trajectory, cycle by cycle.
pub(super) fn result(trajectory: &Reader<'_>, mode: Mode) -> Value {
    let mut analyzer = begin(trajectory, mode);
    let cycles = trajectory.list("cycles");
    let each = cycles.iter().map(|cycle| {
        let variants: Vec<Variant> = cycle.list("input").iter().map(variant).collect();
        let result = analyzer.cycle(&variants);
        let learnt = |name: &String, known: &Learned| {
            let p = known.params;
            let all = [("alpha", p.alpha), ("beta", p.beta), ("gamma", p.gamma), ("nis", known.nis)];
            (name.clone(), Value::Object(numbers(all)))
        };
        let params: Figures = analyzer.store.iter().map(|(name, known)| learnt(name, known)).collect();
        let mut out = match &result {
            Ok(cycle) => cycle_figures(cycle),
            Err(failure) => failure_figures(failure),
        };
        out.insert("params".into(), Value::Object(params));
        Value::Object(out)
    });
    each.collect()
}

fn tuning_figures(tunings: &[VariantTuning]) -> Value {
    let one = |t: &VariantTuning| {
        let mut all = Figures::from_iter([("status".to_owned(), json!(t.tuning.status.name()))]);
        if let Some(event) = t.tuning.event {
            all.insert("event".into(), json!(event.name()));
        }
        if let Some(u) = &t.tuning.update {
            all.insert("nis".into(), json!(u.nis));
            all.insert("measured_less_expected_ms".into(), json!(u.innovation));
            all.insert("expected_ms".into(), json!(u.expected));
            all.insert("x".into(), json!(u.state));
            all.insert("P".into(), json!(u.covariance));
        }
        (t.variant.clone(), Value::Object(all))
    };
    Value::Object(tunings.iter().map(one).collect())
}

fn cycle_figures(cycle: &Cycle) -> Figures {
    let capacities = cycle.capacities.iter().map(|c| {
        let mut all = capacity_figures(c);
        all.insert("required_replicas".into(), json!(c.wanted));
        all.insert("saturated".into(), json!(c.saturated));
        Value::Object(all)
    });
    let mut out = numbers([
        ("required_capacity_rps", cycle.demand.required_per_s),
        ("spare_capacity_rps", cycle.demand.spare_per_s),
    ]);
    out.insert(
        "slo".into(),
        json!({ "ttft_ms": cycle.objectives.ttft_ms, "itl_ms": cycle.objectives.itl_ms }),
    );
    out.insert("slo_from".into(), json!(cycle.path.name()));
    out.insert("variants".into(), capacities.collect());
    out.insert("tuning".into(), tuning_figures(&cycle.tunings));
    out
}

fn failure_figures(failure: &CycleFailure) -> Figures {
    let (why, tunings) = match failure {
        CycleFailure::NoVariants => ("no variants".to_owned(), None),
        CycleFailure::Crashed { variant } => (
            format!(
                "the published program ends here: no latencies for {variant:?} in the middle of an update"
            ),
            None,
        ),
        CycleFailure::NoObjectives { tunings } => {
            ("no objectives: none given, none learnt, none measured".to_owned(), Some(tunings))
        }
        CycleFailure::NothingKnown { tunings } => {
            ("nothing is known of any variant".to_owned(), Some(tunings))
        }
    };
    let mut out = Figures::from_iter([("error".to_owned(), json!(why))]);
    if let Some(tunings) = tunings {
        out.insert("tuning".into(), tuning_figures(tunings));
    }
    out
}

/// The analyser before the first cycle, with the trajectory's first coefficients.
fn begin(trajectory: &Reader<'_>, mode: Mode) -> Analyzer {
    let explicit = trajectory.maybe("explicit_slo_ms").map(|at| {
        let both: Vec<f64> = at.entries().iter().map(Reader::as_number).collect();
        let of = |k: usize| both.get(k).copied().unwrap_or_default();
        Objectives { ttft_ms: of(0), itl_ms: of(1) }
    });
    let multiplier = trajectory.number("slo_multiplier");
    // The published program replaces an invalid multiplier by the default.
    let slo_multiplier = if multiplier > 1.0 { multiplier } else { 3.0 };
    let settings = Settings { mode, slo_multiplier, explicit };
    let mut analyzer = Analyzer { settings, ..Analyzer::default() };
    if let Some(seeds) = trajectory.maybe("seed_params") {
        for (name, at) in seeds.fields() {
            // The store is in single precision.
            let all: Vec<f64> = at.entries().iter().map(|x| f64::from(x.as_number() as f32)).collect();
            if let [alpha, beta, gamma] = all[..] {
                analyzer.store.insert(name.to_owned(), Learned::given(Params { alpha, beta, gamma }));
            }
        }
    }
    analyzer
}

fn variant(at: &Reader<'_>) -> Variant {
    let pod = |at: &Reader<'_>| Pod {
        rate_per_s: at.number("Rate"),
        input_tokens: at.number("In"),
        output_tokens: at.number("Out"),
        ttft_ms: at.number("TTFTms"),
        itl_ms: at.number("ITLms"),
        // The format has no ages of pods: every pod counts as settled.
        ready_s: f64::MAX,
    };
    Variant {
        name: at.text("Name").to_owned(),
        current: at.whole("Current"),
        pending: at.whole("Pending"),
        max_batch: at.whole("MaxBatch"),
        pods: at.maybe("Pods").map_or_else(Vec::new, |pods| pods.entries().iter().map(pod).collect()),
    }
}

/// Comparison with the published program: the store, the load that each variant can serve, or how the cycle ended.
fn coded(
    want: &Reader<'_>,
    analyzer: &Analyzer,
    result: &Result<Cycle, CycleFailure>,
    lines: &mut Lines<'_>,
) {
    stored(&want.get("params"), analyzer, lines);
    let (panicked, failed) = (want.maybe("panic").is_some(), want.maybe("error").is_some());
    match result {
        Err(CycleFailure::Crashed { .. }) if panicked => {}
        Err(
            CycleFailure::NoObjectives { .. } | CycleFailure::NothingKnown { .. } | CycleFailure::NoVariants,
        ) if failed => {}
        Ok(cycle) if !panicked && !failed => carried(want, cycle, lines),
        Ok(_) => lines.add(want.path(), "expected the cycle to fail, got a result"),
        Err(failure) => lines.add(want.path(), &format!("expected a result, got {failure:?}")),
    }
}

fn stored(want: &Reader<'_>, analyzer: &Analyzer, lines: &mut Lines<'_>) {
    let expected = want.fields();
    for name in analyzer.store.keys().filter(|name| !expected.iter().any(|(known, _)| known == name)) {
        lines.add(want.path(), &format!("expected nothing of {name:?}, got coefficients"));
    }
    for (name, at) in expected {
        let Some(known) = analyzer.store.get(name) else {
            lines.add(at.path(), "expected coefficients, got none");
            continue;
        };
        let [alpha, beta, gamma] = [known.params.alpha, known.params.beta, known.params.gamma];
        for (key, got) in [("alpha", alpha), ("beta", beta), ("gamma", gamma)] {
            figures::value(&at.get(key), &json!(got), Tolerance::relative(SINGLE), lines);
        }
        if rejects(at.number("nis")) != rejects(known.nis) {
            lines.add(at.path(), &format!("the gate decides otherwise: {} here", known.nis));
        }
    }
}

fn rejects(nis: f64) -> bool {
    !(0.0..NIS_GATE).contains(&nis)
}

fn carried(want: &Reader<'_>, cycle: &Cycle, lines: &mut Lines<'_>) {
    let supply: f64 = cycle.capacities.iter().map(|c| c.total_per_s).sum();
    let of_supply = Tolerance { relative: SINGLE, absolute: SINGLE * supply };
    let spare = json!(cycle.demand.spare_per_s);
    figures::value(&want.get("required_capacity_rps"), &json!(cycle.demand.required_per_s), of_supply, lines);
    figures::value(&want.get("spare_capacity_rps"), &spare, of_supply, lines);
    let rows = want.list("variants");
    if rows.len() != cycle.capacities.len() {
        lines.add(want.path(), &format!("expected {} variants, got {}", rows.len(), cycle.capacities.len()));
    }
    for row in rows {
        let name = row.text("variant");
        match cycle.capacities.iter().find(|c| c.variant == name) {
            Some(c) => {
                figures::compare(&row, &capacity_figures(c), &|_| Tolerance::relative(SINGLE), lines);
            }
            None => lines.add(row.path(), "this variant has no result"),
        }
    }
}

fn capacity_figures(c: &Capacity) -> Figures {
    let mut all = numbers([
        ("pending", f64::from(c.pending)),
        ("ready", f64::from(c.ready)),
        ("per_replica_capacity_rps", c.per_replica_per_s),
        ("total_capacity_rps", c.total_per_s),
        // A variant without an analysis has no demand.
        ("total_demand_rps", if c.per_replica_per_s > 0.0 { c.demand_per_s } else { 0.0 }),
        ("utilization", c.utilization),
    ]);
    all.insert("variant".into(), json!(c.variant));
    all
}

/// Comparison with the independent computation: the learning of each variant with measurements, number by number.
fn double(want: &Reader<'_>, result: &Result<Cycle, CycleFailure>, lines: &mut Lines<'_>) {
    let none = Vec::new();
    let tunings: &[VariantTuning] = match result {
        Ok(cycle) => &cycle.tunings,
        Err(CycleFailure::NoObjectives { tunings } | CycleFailure::NothingKnown { tunings }) => tunings,
        Err(CycleFailure::Crashed { variant }) => {
            let got = want.maybe(variant).and_then(|at| at.value().get("status"));
            if got != Some(&json!(Status::Undefined.name())) {
                lines.add(want.path(), &format!("learning from {variant:?} ended in the middle"));
            }
            return;
        }
        Err(CycleFailure::NoVariants) => &none,
    };
    let seen = |t: &&VariantTuning| t.tuning.status != Status::NothingMeasured;
    for t in tunings.iter().filter(seen).filter(|t| want.maybe(&t.variant).is_none()) {
        lines.add(
            want.path(),
            &format!("expected nothing of {:?}, got {}", t.variant, t.tuning.status.name()),
        );
    }
    for (name, at) in want.fields() {
        let Some(t) = tunings.iter().filter(seen).find(|t| t.variant == name) else {
            lines.add(at.path(), "expected a result, got none");
            continue;
        };
        let status = t.tuning.status.name();
        if at.text("status") != status {
            lines.add(at.path(), &format!("expected {}, got {status}", at.text("status")));
        } else if let Some(update) = &t.tuning.update {
            compare_update(&at, update, lines);
        }
    }
}

fn compare_update(want: &Reader<'_>, u: &Update, lines: &mut Lines<'_>) {
    let mut got = numbers([("nis", u.nis)]);
    got.insert("status".into(), json!(if u.accepted { "accepted" } else { "rejected" }));
    got.insert("rejected".into(), json!(!u.accepted));
    got.insert("x".into(), json!(u.state));
    got.insert("S".into(), json!(u.spread));
    let listed = ["y", "H", "P"];
    for name in listed {
        // These have their own scale, below.
        got.insert(name.into(), want.get(name).value().clone());
    }
    figures::compare(want, &got, &|_| Tolerance::relative(DOUBLE), lines);
    let measured: [f64; 2] = [u.innovation[0] + u.expected[0], u.innovation[1] + u.expected[1]];
    let scaled = |absolute: f64| Tolerance { relative: DOUBLE, absolute };
    for (k, at) in want.get("y").entries().iter().enumerate().take(2) {
        figures::value(at, &json!(u.innovation[k]), scaled(OF_MEASURED * measured[k]), lines);
    }
    let entries = |name: &str, visit: &mut dyn FnMut(usize, usize, &Reader<'_>)| {
        for (i, row) in want.get(name).entries().iter().enumerate() {
            for (j, at) in row.entries().iter().enumerate().take(3) {
                visit(i, j, at);
            }
        }
    };
    entries("H", &mut |i, j, at| {
        let Some(row) = u.jacobian.get(i) else { return };
        let scale = OF_MEASURED * measured[i] / u.state[j].abs().max(f64::MIN_POSITIVE);
        figures::value(at, &json!(row[j]), scaled(scale), lines);
    });
    entries("P", &mut |i, j, at| {
        let Some(row) = u.covariance.get(i) else { return };
        let scale = (u.covariance[i][i] * u.covariance[j][j]).abs().sqrt();
        figures::value(at, &Value::from(row[j]), scaled(DOUBLE * scale), lines);
    });
}
