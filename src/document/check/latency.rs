//! Checks a pool's latency model and architecture: figures that contradict each other.
//!
//! Problems that depend on the catalogue (an unknown name, a model that does not fit) are found when the pool is
//! resolved.

use crate::table::report::Report;
use crate::{
    Architecture, CalibratedCoefficients, Compat, LatencyModel, MixedStep, Pool, RankBalance, Ranks,
    RanksSeen, Role, limits,
};
use base::small::decimal::plain;

/// Reports what does not go together in the pool at `path`.
pub(super) fn check_latency(path: &str, p: &Pool, compat: Compat, r: &mut Report) {
    if let Some(a) = &p.architecture {
        check_architecture(&format!("{path}.architecture"), a, r);
        if p.latency == LatencyModel::Catalogue {
            r.warning(
                format!("{path}.architecture"),
                "a model of your own with the catalogue's coefficients",
                "calibrated, roofline or cross-model latency",
                "the step times are those of `model`: choose another `latency` to use this one",
            );
        }
    }
    check_expert_ranks(path, p, r);
    let at = format!("{path}.engine.mixed_step_us");
    if p.engine.mixed_step_us == MixedStep::Auto
        && !matches!(p.latency, LatencyModel::Calibrated(_))
        && r.is_fine(&at)
    {
        let fix = "only calibrated latency has a figure for it: write the microseconds";
        r.error(at, "auto, with another latency than calibrated", "a number of microseconds", fix);
    }
    if p.ranks != Ranks::default() && !(p.expert_ranks_lockstep && p.expert_ranks > 1) {
        r.error(
            format!("{path}.ranks"),
            "settings of ranks, in a pool whose replicas step by themselves",
            "expert_ranks above 1 and expert_ranks_lockstep beside them",
            "set expert_ranks_lockstep, or leave `ranks` out",
        );
    }
    check_ranks(path, p, r);
    if p.expert_ranks_lockstep {
        check_lockstep(path, p, compat, r);
    }
    if let LatencyModel::Calibrated(settings) = &p.latency
        && let Some(c) = &settings.coefficients
        && compat == Compat::Blis
    {
        check_no_front_end(&format!("{path}.latency.calibrated.coefficients"), c, r);
    }
    if let LatencyModel::Calibrated(c) = &p.latency
        && c.rests_on.is_some()
        && c.coefficients.is_none()
    {
        r.warning(
            format!("{path}.latency.calibrated.rests_on"),
            "a measured run without its own coefficients",
            "coefficients beside it",
            "calibrate again, or remove it: the built-in coefficients rest on other runs",
        );
    }
    if let LatencyModel::Piecewise(c) = &p.latency
        && c.saturated_decode_tokens_per_s < c.single_decode_tokens_per_s
        && r.is_fine(&format!("{path}.latency"))
    {
        r.warning(
            format!("{path}.latency.piecewise.saturated_decode_tokens_per_s"),
            format!("{} tokens/s, fewer than one request alone gets", plain(c.saturated_decode_tokens_per_s)),
            "at least single_decode_tokens_per_s",
            "it is the throughput of all requests together, not of each",
        );
    }
}

/// The simulator BLIS has no front end; the built-in coefficients leave theirs out there.
fn check_no_front_end(path: &str, c: &CalibratedCoefficients, r: &mut Report) {
    let names = ["front_end_us", "front_end_us_per_prompt_token", "stream_us_per_token"];
    for (name, us) in names.into_iter().zip(c.front_end()) {
        if us > 0.0 && r.are_fine(path, &[name]) {
            r.error(
                format!("{path}.{name}"),
                format!("{} us, with cluster.compat blis", plain(us)),
                "0 there",
                "that simulator has no front end: leave the key out, or use another compat",
            );
        }
    }
}

/// Experts that are spread over replicas: over existing replicas, and only with a latency model that reads it.
/// Settings of ranks that have no effect, or cannot be.
fn check_ranks(path: &str, p: &Pool, r: &mut Report) {
    let chosen = p.ranks.seen == RanksSeen::Internal;
    if !chosen && p.ranks.balance != RankBalance::default() && r.are_fine(path, &["ranks"]) {
        r.warning(
            format!("{path}.ranks.balance"),
            "a choice of ranks, where no server chooses one so",
            "seen: internal beside it",
            "set `seen` to internal, or leave it out: it has no effect",
        );
    }
    if !chosen && p.ranks.sync_ms > 0.0 && r.are_fine(path, &["ranks"]) {
        r.warning(
            format!("{path}.ranks.sync_ms"),
            "an age of counts by which no server chooses a rank",
            "seen: internal beside it",
            "set `seen` to internal, or leave it out: it has no effect",
        );
    }
    if p.ranks.align_prefills_ms > 0.0 && p.role == Role::Decode && r.are_fine(path, &["ranks", "role"]) {
        r.error(
            format!("{path}.ranks.align_prefills_ms"),
            "prompts that wait for each other, in a decode pool",
            "0 there",
            "set it in the prefill pool, or leave it out",
        );
    }
}

fn check_expert_ranks(path: &str, p: &Pool, r: &mut Report) {
    let (ranks, most) = (p.expert_ranks, p.scaling.most(p.replicas));
    if ranks < 2 || !r.are_fine(path, &["expert_ranks", "replicas", "scaling.max"]) {
        return;
    }
    if !matches!(p.latency, LatencyModel::Calibrated(_)) {
        r.warning(
            format!("{path}.expert_ranks"),
            format!("experts spread over {ranks} replicas, and a latency model that ignores it"),
            "calibrated latency, or 1",
            "choose another `latency`: with this one every replica has all experts",
        );
    } else if (1..ranks).contains(&most) {
        r.warning(
            format!("{path}.expert_ranks"),
            format!("experts spread over {ranks} replicas of a pool that has {most}"),
            "at most `replicas`",
            "add replicas or spread the experts over fewer: the step times are those of a full server",
        );
    }
}

/// Replicas in lock step: enough to fill their servers, and with something to share.
fn check_lockstep(path: &str, p: &Pool, compat: Compat, r: &mut Report) {
    let at = format!("{path}.expert_ranks_lockstep");
    if compat == Compat::Blis {
        r.error(
            at,
            "true, with cluster.compat blis",
            "false there",
            "that simulator has no such ranks: leave the key out, or use another compat",
        );
        return;
    }
    let (ranks, most) = (p.expert_ranks, p.scaling.most(p.replicas));
    if !r.are_fine(path, &["expert_ranks", "replicas", "scaling.max"]) {
        return;
    }
    if ranks < 2 {
        r.warning(
            at,
            "replicas in lock step that share no experts",
            "true where expert_ranks is above 1",
            "set `expert_ranks`, or leave this out: replicas of a dense model need not wait for each other",
        );
    } else if most > ranks && !most.is_multiple_of(ranks) {
        r.warning(
            format!("{path}.replicas"),
            format!("{most} replicas, of which {} make an incomplete server", most % ranks),
            "a multiple of expert_ranks",
            "replicas step together in groups of expert_ranks: the step times are those of full servers",
        );
    }
}

fn check_architecture(path: &str, a: &Architecture, r: &mut Report) {
    // Looked at before the relations add problems of their own.
    let fields: [&[&str]; 4] = [
        &["heads", "hidden"],
        &["heads", "kv_heads"],
        &["experts", "experts_per_token"],
        &["layers", "dense_layers"],
    ];
    let [heads, kv_heads, experts, layers] = fields.map(|fields| r.are_fine(path, fields));
    if a.heads > 0 && a.head_dim == 0 && !a.hidden.is_multiple_of(a.heads) && heads {
        r.error(
            format!("{path}.heads"),
            format!("{} heads share a width of {}", a.heads, a.hidden),
            "a divisor of `hidden`",
            "heads are equally wide: correct one of the two, or give `head_dim`",
        );
    }
    if a.kv_heads > 0 && !a.heads.is_multiple_of(a.kv_heads) && kv_heads {
        r.error(
            format!("{path}.kv_heads"),
            format!("{} heads share {} KV heads", a.heads, a.kv_heads),
            "a divisor of `heads`",
            "groups of queries are equally large: correct one of the two",
        );
    }
    if a.experts > 0 && !(1..=a.experts).contains(&a.experts_per_token) && experts {
        r.error(
            format!("{path}.experts_per_token"),
            format!("{} of {} experts for each token", a.experts_per_token, a.experts),
            format!("1 to {}", a.experts),
            "use 0 `experts` for a dense model",
        );
    }
    if a.dense_layers > a.layers && layers {
        r.error(
            format!("{path}.dense_layers"),
            format!("{} of {} layers", a.dense_layers, a.layers),
            "at most `layers`",
            "use 0 if every layer has experts",
        );
    }
    check_layer_kinds(path, a, r);
}

/// Kinds of layers: as many as there are, and windows of known size.
fn check_layer_kinds(path: &str, a: &Architecture, r: &mut Report) {
    if !r.are_fine(path, &["layers", "sliding_layers", "linear_layers", "sliding_window"]) {
        return;
    }
    let others = a.sliding_layers + a.linear_layers;
    if others > a.layers {
        let field = if a.linear_layers > 0 { "linear_layers" } else { "sliding_layers" };
        r.error(
            format!("{path}.{field}"),
            format!("{} sliding and {} linear layers of {}", a.sliding_layers, a.linear_layers, a.layers),
            "at most `layers` together",
            "correct the counts: all other layers have full attention",
        );
    } else if a.layers > 0 && a.linear_layers == a.layers {
        r.error(
            format!("{path}.linear_layers"),
            format!("{} of {} layers", a.linear_layers, a.layers),
            "fewer than `layers`",
            "a model without any attention has no KV cache, and cannot be simulated",
        );
    }
    if a.sliding_layers > 0 && a.sliding_window == 0 {
        r.error(
            format!("{path}.sliding_window"),
            format!("no window for {} sliding layers", a.sliding_layers),
            format!("1 to {}", limits::REQUEST_TOKENS),
            "take it from the model's config.json",
        );
    }
    if a.sliding_layers == 0 && a.sliding_window > 0 {
        r.warning(
            format!("{path}.sliding_window"),
            "a window that no layer has, as `sliding_layers` is 0",
            "`sliding_layers` above 0",
            "give `sliding_layers`, or remove this field",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CrossModelCoefficients, FittedCoefficients, Hardware, PiecewiseRates, RooflineSettings, Scenario,
        check,
    };
    use base::{Diagnostics, Severity};

    fn problems(change: impl FnOnce(&mut Pool)) -> Diagnostics {
        let mut scenario = Scenario::default();
        change(&mut scenario.cluster.pools[0]);
        match check(scenario) {
            Ok((_, warnings)) => warnings,
            Err(problems) => problems,
        }
    }

    #[test]
    fn every_figure_out_of_range_is_reported_at_once() {
        let found = problems(|pool| {
            pool.kv.gpu_memory_utilization = 1.5;
            pool.architecture = Some(Architecture {
                layers: 0,
                hidden: 4095,
                kv_heads: 5,
                bytes_per_param: 0.0,
                experts: 4,
                experts_per_token: 5,
                ..Architecture::default()
            });
            pool.hardware = Some(Hardware { memory_gib: -1.0, tflops: f64::NAN, ..Hardware::default() });
            pool.latency = LatencyModel::Roofline(RooflineSettings {
                decode_efficiency: 1.2,
                all_reduce_us: -3.0,
                ..RooflineSettings::default()
            });
        });
        let paths: Vec<&str> = found.iter().map(|d| d.path.trim_start_matches("cluster.pools[0].")).collect();
        assert_eq!(
            paths,
            [
                "architecture.layers",
                "architecture.bytes_per_param",
                "hardware.memory_gib",
                "hardware.tflops",
                "kv.gpu_memory_utilization",
                "latency.roofline.decode_efficiency",
                "latency.roofline.all_reduce_us",
                "architecture.heads",
                "architecture.kv_heads",
                "architecture.experts_per_token",
            ]
        );
    }

    #[test]
    fn each_family_has_its_ranges() {
        let one = |latency: LatencyModel| {
            let found = problems(|pool| pool.latency = latency);
            assert_eq!(found.len(), 1, "{found:?}");
            found[0].path.replace("cluster.pools[0].latency.", "")
        };
        let fitted = FittedCoefficients { step_us: -1.0, ..FittedCoefficients::default() };
        assert_eq!(one(LatencyModel::Fitted(fitted)), "fitted.step_us");
        let cross =
            CrossModelCoefficients { queueing_us: f64::INFINITY, ..CrossModelCoefficients::default() };
        assert_eq!(one(LatencyModel::CrossModel(cross)), "cross-model.queueing_us");
        let rates = PiecewiseRates { prefill_tokens_per_s: 0.0, ..PiecewiseRates::default() };
        assert_eq!(one(LatencyModel::Piecewise(rates)), "piecewise.prefill_tokens_per_s");
        let rates = PiecewiseRates { saturation_batch: 0, ..PiecewiseRates::default() };
        assert_eq!(one(LatencyModel::Piecewise(rates)), "piecewise.saturation_batch");
        let rates = PiecewiseRates { saturated_decode_tokens_per_s: 50.0, ..PiecewiseRates::default() };
        assert_eq!(one(LatencyModel::Piecewise(rates)), "piecewise.saturated_decode_tokens_per_s");
    }

    #[test]
    fn experts_spread_over_replicas_that_there_are_not_or_in_vain_are_pointed_out() {
        let found = |change: &dyn Fn(&mut Pool)| {
            let found = problems(|pool| {
                pool.expert_ranks = 4;
                change(pool);
            });
            found.into_iter().map(|d| (d.severity, d.path, d.found)).collect::<Vec<_>>()
        };
        let warning = |text: &str| {
            vec![(Severity::Warning, "cluster.pools[0].expert_ranks".to_owned(), text.to_owned())]
        };
        assert_eq!(found(&|_| {}), []);
        assert_eq!(
            found(&|p| p.replicas = 3),
            warning("experts spread over 4 replicas of a pool that has 3")
        );
        assert_eq!(
            found(&|p| p.latency = LatencyModel::Catalogue),
            warning("experts spread over 4 replicas, and a latency model that ignores it")
        );
    }

    #[test]
    fn kinds_of_layers_that_do_not_go_together_are_reported() {
        let found = |change: &dyn Fn(&mut Architecture)| {
            let found = problems(|pool| {
                let mut shape = Architecture::default();
                change(&mut shape);
                pool.architecture = Some(shape);
            });
            let path = |path: String| path.replace("cluster.pools[0].architecture.", "");
            found.into_iter().map(|d| (d.severity, path(d.path))).collect::<Vec<_>>()
        };
        let one = |severity, path: &str| vec![(severity, path.to_owned())];
        assert_eq!(found(&|a| (a.sliding_layers, a.sliding_window) = (16, 128)), []);
        assert_eq!(found(&|a| a.sliding_layers = 16), one(Severity::Error, "sliding_window"));
        assert_eq!(found(&|a| a.sliding_window = 128), one(Severity::Warning, "sliding_window"));
        assert_eq!(found(&|a| (a.linear_layers, a.state_kib_per_request) = (24, 9.5)), []);
        assert_eq!(found(&|a| a.linear_layers = 32), one(Severity::Error, "linear_layers"));
        let too_many = |a: &mut Architecture| {
            (a.sliding_layers, a.sliding_window, a.linear_layers) = (10, 64, 23);
        };
        assert_eq!(found(&too_many), one(Severity::Error, "linear_layers"));
    }

    #[test]
    fn a_shape_that_nothing_reads_is_pointed_out() {
        let found = problems(|pool| {
            pool.architecture = Some(Architecture::default());
            pool.latency = LatencyModel::Catalogue;
        });
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].severity, found[0].path.as_str()),
            (Severity::Warning, "cluster.pools[0].architecture")
        );
    }
}
