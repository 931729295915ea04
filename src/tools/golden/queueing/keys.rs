//! The keys that golden files of the queueing model may have, place by place. Other keys are refused: a misspelt key
//! would change the computation, or silently leave a result without a comparison.
//!
//! Expected figures are not listed: an unknown figure is reported as a difference.

use super::reader::Reader;
use base::Diagnostic;
use base::alike::nearest;

/// Keys for notes that any format may have at its top.
const HEAD: &str = "schema name source tolerance units note notes oracle";
const PARAMS: &str = "alpha beta gamma";

/// A place, such as `cases[].input`, where `*` is any key; the kind or policy of the case if its keys depend on it;
/// the keys. Rows of one place add up.
type Row = (&'static str, &'static str, &'static str);

const CLOSED_FORM: &[Row] = &[
    ("", "", "cases"),
    ("cases[]", "", "id kind input expect note"),
    ("cases[].input", "forward", "parms il ol lambda_rps"),
    ("cases[].input", "infer_slo", "parms variants parms_list il ol k"),
    ("cases[].input", "fallback_slo", "avg_ttft_ms avg_itl_ms"),
    ("cases[].input", "lambda_star", "parms il ol ttft_slo_ms itl_slo_ms"),
    ("cases[].input", "replicas", "total_arrival_rps per_replica_rps"),
    ("cases[].input", "bootstrap", "ttft_ms itl_ms il ol"),
    ("cases[].input", "bootstrap_roundtrip", "ttft_ms itl_ms il ol true_parms rho"),
    ("cases[].input", "aggregate", "pods"),
    ("cases[].input.parms", "", PARAMS),
    ("cases[].input.parms[]", "", "name parms alpha beta gamma"),
    ("cases[].input.parms[].parms", "", PARAMS),
    ("cases[].input.variants[]", "", "name parms alpha beta gamma"),
    ("cases[].input.variants[].parms", "", PARAMS),
    ("cases[].input.parms_list[]", "", "name parms alpha beta gamma"),
    ("cases[].input.parms_list[].parms", "", PARAMS),
    ("cases[].input.true_parms", "", PARAMS),
    ("cases[].input.pods[]", "", "rate il ol ttft itl"),
];

const CHAIN: &[Row] = &[
    ("", "", "cases"),
    ("cases[]", "", "id kind input go_float32 ref_float64 seed_closed_form note"),
    ("cases[].input", "", "parms il ol max_batch max_queue"),
    ("cases[].input", "analyze", "rate_rps"),
    ("cases[].input", "size", "ttft_slo_ms itl_slo_ms tps_slo slo_from_k"),
    ("cases[].input.parms", "", PARAMS),
    ("cases[].go_float32", "", "error metrics rate_max_rps rate_min_rps"),
    ("cases[].go_float32", "size", "achieved rate_ttft_rps rate_itl_rps rate_tps_rps"),
];

const GUESS: &[Row] = &[
    ("", "", "cases"),
    ("cases[]", "", "id input expect note"),
    ("cases[].input", "", "Rate In Out TTFT ITL MaxBatch"),
    ("cases[].expect", "", "state error"),
];

const TRAJECTORIES: &[Row] = &[
    ("", "", "trajectories"),
    ("trajectories[]", "", "id seed_params slo_multiplier explicit_slo_ms cycles note"),
    ("trajectories[].cycles[]", "", "input go ref_float64 note"),
    ("trajectories[].cycles[].input[]", "", "Name Current Pending MaxBatch Cost Pods"),
    ("trajectories[].cycles[].input[].Pods[]", "", "Rate In Out TTFTms ITLms"),
    (
        "trajectories[].cycles[].go",
        "",
        "params required_capacity_rps spare_capacity_rps variants panic error",
    ),
    ("trajectories[].cycles[].go.params.*", "", "alpha beta gamma cov nis"),
    ("trajectories[].cycles[].ref_float64.*", "", "status nis rejected y x P H S"),
];

const POLICIES: &[Row] = &[
    ("", "", "cases"),
    ("cases[]", "", "id policy config rows input expect note"),
    ("cases[].config", "hpa", "target_average min max behavior"),
    ("cases[].rows[]", "hpa", "t total_metric current raw stabilized desired"),
    (
        "cases[].config",
        "kpa",
        "container_concurrency target_utilization stable_s panic_s panic_threshold max_up max_down tick_s",
    ),
    ("cases[].rows[]", "kpa", "t concurrency ready stable panic_value in_panic desired"),
    ("cases[].input[]", "wva-sat-v1", "kv q"),
    ("cases[].input", "wva-sat-v2", "ready pending kv_capacity_tokens replicas avg_in avg_out"),
    ("cases[].input.replicas[]", "", "tokens q"),
];

const LAWS: &[Row] = &[("", "", "tables")];

/// The rows of a format.
fn rows(schema: &str) -> &'static [Row] {
    match schema {
        "wva-closed-form/1" => CLOSED_FORM,
        "wva-queue-analyzer/1" => CHAIN,
        "wva-bootstrap-go/1" => GUESS,
        "wva-ekf/1" => TRAJECTORIES,
        "autoscaler-policies/1" => POLICIES,
        "theory/1" => LAWS,
        _ => &[],
    }
}

/// Refuses every key of a file that its format does not have.
pub(super) fn refuse_unknown(file: &Reader<'_>) {
    let schema = file.value().get("schema").and_then(serde_json::Value::as_str).unwrap_or_default();
    let rows = rows(schema);
    // Rows of one place need not be adjacent.
    let first = |i: usize| rows[..i].iter().all(|(place, ..)| *place != rows[i].0);
    for place in (0..rows.len()).filter(|i| first(*i)).map(|i| rows[i].0) {
        visit(file, place, "", &mut |at, kind| {
            let of_kind =
                |own: &str| own.is_empty() || own == kind || (own == "infer_slo" && kind.starts_with(own));
            let known = rows.iter().filter(|(p, own, _)| *p == place && of_kind(own));
            let mut names: Vec<&str> = known.flat_map(|(.., keys)| keys.split(' ')).collect();
            if place.is_empty() {
                names.splice(0..0, HEAD.split(' '));
            }
            // An unknown kind is reported where it is read.
            if !names.is_empty() {
                refuse_others(at, &names);
            }
        });
    }
}

/// Every object at a place, with the kind of the case that it is in.
fn visit<'a>(at: &Reader<'a>, place: &str, kind: &str, see: &mut dyn FnMut(&Reader<'a>, &str)) {
    if place.is_empty() {
        if at.value().is_object() {
            see(at, kind);
        }
        return;
    }
    let named = ["kind", "policy"].iter().find_map(|key| at.value().get(key)?.as_str());
    let kind = named.unwrap_or(kind);
    let (step, rest) = match place.strip_prefix("[]") {
        Some(rest) => ("[]", rest),
        None => place.split_at(place.find(['.', '[']).unwrap_or(place.len())),
    };
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    match step {
        "[]" if at.value().is_array() => at.entries().iter().for_each(|at| visit(at, rest, kind, see)),
        "*" if at.value().is_object() => at.fields().iter().for_each(|(_, at)| visit(at, rest, kind, see)),
        "[]" | "*" => {}
        key => {
            if let Some(at) = at.maybe(key) {
                visit(&at, rest, kind, see);
            }
        }
    }
}

fn refuse_others(at: &Reader<'_>, names: &[&str]) {
    for (key, found) in at.fields() {
        if !names.contains(&key) {
            at.refuse(unknown(found.path(), key, names));
        }
    }
}

/// Reports a key that is not in `names`.
fn unknown(path: &str, key: &str, names: &[&str]) -> Diagnostic {
    let known: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let fix = nearest(key, &known).map_or_else(|| "remove it".to_owned(), |n| format!("did you mean `{n}`?"));
    Diagnostic::error(path, format!("unknown key `{key}`"), names.join(", "), fix)
}
