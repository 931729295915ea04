//! The queueing model's own world: an engine whose steps cost alpha, beta a token and gamma a token of context.

use super::common::{accept_between, client, cluster, poisson, run, ttfts};
use tokenyard::queueing::{ClosedForm, Params, RequestSize};
use tokenyard::scenario::{LatencyModel, Lengths};

#[test]
fn an_engine_with_the_models_coefficients_has_its_itl_and_a_longer_ttft() {
    // 128 prompt tokens and 128 decodes at half of saturation. An independent step-by-step simulation gave TTFT 43.5 ms and ITL
    // 24.63 ms; the closed form says 30.5 and 24.15, as it leaves out the rest of the step that an arrival falls into.
    let params = Params { alpha: 12.0, beta: 0.05, gamma: 0.0005 };
    let size = RequestSize { input_tokens: 128.0, output_tokens: 128.0 };
    let closed = ClosedForm::new(params, size).expect("a server");
    let rate = 0.5 * closed.saturation_per_s();
    let mut s = cluster(1, 60_000, [12_000.0, 50.0, 50.0]);
    let LatencyModel::Fitted(fitted) = &mut s.cluster.pools[0].latency else { panic!("a fitted model") };
    fitted.step_us_per_context_token = 0.5;
    // The prompt's step gives the first of 129 tokens.
    let lengths = |tokens| Lengths::Constant { tokens };
    s.workload.clients = vec![client(poisson(rate), lengths(128), lengths(129))];
    s.run.max_requests = 40_000;
    let engine = run(&s);
    let state = closed.at(rate).expect("half of saturation");
    let gaps: Vec<f64> = engine
        .records()
        .iter()
        .map(|r| (r.e2e.get().expect("it is known").0 - r.ttft.get().expect("it is known").0) as f64 / 128.0)
        .collect();
    accept_between("ITL", &gaps, 1000.0 * state.itl_ms, 1.03 * 1000.0 * state.itl_ms);
    accept_between("TTFT", &ttfts(&engine), 0.98 * 43_500.0, 1.02 * 43_500.0);
    assert!(state.ttft_ms < 0.75 * 43.5, "{} ms by the closed form", state.ttft_ms);
}

#[test]
fn context_costs_nothing_unless_it_is_asked_for() {
    let with = |us: f64| {
        let mut s = cluster(1, 8, [500.0, 3.0, 7.0]);
        let LatencyModel::Fitted(fitted) = &mut s.cluster.pools[0].latency else { panic!("a fitted model") };
        fitted.step_us_per_context_token = us;
        s.workload.requests = vec![super::common::listed(0, 0, 100, 3)];
        run(&s).records().at(0).e2e.get().expect("it is known").0
    };
    assert_eq!(with(0.0), 3 * 500 + 300 + 2 * 7);
    // The prompt reads 100 tokens, the two decodes 101 and 102.
    assert_eq!(with(2.0), 3 * 500 + 300 + 2 * 7 + 2 * (100 + 101 + 102));
}
