//! The filter of the queueing model on its own model: measurements follow its own formula for the true coefficients,
//! with noise of 2 %. The test compares the load that objectives allow by the learnt and by the true coefficients.

#![expect(clippy::print_stdout, reason = "where the filter ends is worth reading")]

use tokenyard::base::math::cos;
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::queueing::{
    Analyzer, Chain, ClosedForm, Event, Learned, Mode, NIS_GATE, ParameterStore, Params, Pod, QueueLength,
    RequestSize, Settings, Status, Variant, inferred, tune,
};

/// A model of 8 billion parameters on an H100, as the recorded trajectories have it.
const TRUE: Params = Params { alpha: 6.958, beta: 0.042, gamma: 0.0001 };
const CHAT: RequestSize = RequestSize { input_tokens: 512.0, output_tokens: 128.0 };
/// Requests of a batch.
const BATCH: u32 = 256;

/// Noise with a mean of 0 and a deviation of 1: twelve uniform draws.
struct Noise(Stream);

impl Noise {
    fn new(seed: u64) -> Self {
        Self(Stream::new(seed, Purpose::Sessions, 0))
    }

    fn draw(&mut self) -> f64 {
        (0..12).map(|_| self.0.unit()).sum::<f64>() - 6.0
    }
}

fn closed(params: Params) -> ClosedForm {
    ClosedForm::new(params, CHAT).expect("a server")
}

/// What a pod of the corrected model's world measures at a share of saturation.
fn measured(truth: Params, share: f64, noise: &mut Noise) -> Pod {
    let rate_per_s = share * closed(truth).saturation_per_s();
    let state = closed(truth).at(rate_per_s).expect("below saturation");
    pod(rate_per_s, state.ttft_ms * (1.0 + 0.02 * noise.draw()), state.itl_ms * (1.0 + 0.02 * noise.draw()))
}

fn pod(rate_per_s: f64, ttft_ms: f64, itl_ms: f64) -> Pod {
    let RequestSize { input_tokens, output_tokens } = CHAT;
    Pod { rate_per_s, input_tokens, output_tokens, ttft_ms, itl_ms, ready_s: 1e6 }
}

/// The load that the true objectives allow by `params`, as a share of the true one.
fn ratio(params: Params, truth: Params) -> f64 {
    let goals = inferred(truth, CHAT, 3.0).expect("a multiplier above 1");
    closed(params).sizing(goals).rate_per_s / closed(truth).sizing(goals).rate_per_s
}

/// Learns from a pod at each of these shares of saturation, and says where it ends.
fn learn(truth: Params, shares: &[f64], seed: u64) -> f64 {
    let (mut store, mut noise) = (ParameterStore::new(), Noise::new(seed));
    for share in shares {
        tune(Mode::Corrected, &mut store, "v", BATCH, &[measured(truth, *share, &mut noise)]);
    }
    ratio(store["v"].params, truth)
}

/// Loads by name, as shares of saturation.
fn loads() -> [(&'static str, Vec<f64>); 4] {
    let sine = |k: u32| 0.35 + 0.25 * cos(f64::from(k) * std::f64::consts::TAU / 20.0);
    [
        ("10 % steady", vec![0.1; 40]),
        ("40 % steady", vec![0.4; 40]),
        ("10 to 60 % on a sine", (0..60).map(sine).collect()),
        ("1 to 60 % on a ramp", (0..60).map(|k| 0.01 + 0.59 * f64::from(k) / 59.0).collect()),
    ]
}

#[test]
fn the_corrected_filter_ends_within_a_tenth_of_the_true_load() {
    for (name, shares) in loads() {
        let ends: Vec<f64> = (1..=20).map(|seed| learn(TRUE, &shares, seed)).collect();
        let mean = ends.iter().sum::<f64>() / ends.len() as f64;
        let within = ends.iter().filter(|r| (0.9..=1.1).contains(*r)).count();
        println!("{name}: {mean:.3} on average, {within} of 20 within a tenth");
        assert!((0.92..1.08).contains(&mean), "{name}: {mean}, {ends:?}");
        assert_eq!(within, ends.len(), "{name}: {ends:?}");
    }
}

#[test]
fn a_server_that_becomes_slower_is_found_again() {
    let (mut store, mut noise) = (ParameterStore::new(), Noise::new(3));
    for _ in 0..30 {
        tune(Mode::Corrected, &mut store, "v", BATCH, &[measured(TRUE, 0.3, &mut noise)]);
    }
    let slower = Params { alpha: 1.5 * TRUE.alpha, ..TRUE };
    let mut events = Vec::new();
    for _ in 0..40 {
        events.push(tune(Mode::Corrected, &mut store, "v", BATCH, &[measured(slower, 0.3, &mut noise)]));
    }
    assert_eq!(events.last().map(|t| t.status), Some(Status::Accepted), "{:?}", events.last());
    assert!((0.85..1.15).contains(&ratio(store["v"].params, slower)), "{:?}", store["v"]);
}

#[test]
fn five_rejections_in_a_row_widen_the_uncertainty_and_ten_begin_anew() {
    let (mut store, mut noise) = (ParameterStore::new(), Noise::new(4));
    for _ in 0..20 {
        tune(Mode::Corrected, &mut store, "v", BATCH, &[measured(TRUE, 0.3, &mut noise)]);
    }
    let far = Params { alpha: 4.0 * TRUE.alpha, ..TRUE };
    let told: Vec<_> = (0..60)
        .map(|_| tune(Mode::Corrected, &mut store, "v", BATCH, &[measured(far, 0.3, &mut noise)]))
        .collect();
    let first = told.iter().position(|t| t.event == Some(Event::Widened)).expect("it is rejected at first");
    assert_eq!(first, 4);
    assert!(told[..5].iter().all(|t| t.status == Status::Rejected));
    // After ten it guesses anew.
    assert_eq!(told.iter().position(|t| t.event == Some(Event::Guessed)), Some(10));
    assert!(told[10..15].iter().all(|t| t.status == Status::Accepted), "it stays locked out");
    let last = told[59].update.expect("there is one");
    assert!(last.innovation.iter().zip(last.expected).all(|(y, h)| y.abs() < 0.1 * h), "{last:?}");
}

/// What a pod of the published model's world measures.
fn measured_as_coded(share: f64) -> Pod {
    let chain = Chain::new(TRUE, CHAT, BATCH, QueueLength::TenBatches).expect("a server");
    let rate_per_s = share * chain.most_per_s();
    let a = chain.analyze(rate_per_s).expect("below its most");
    pod(rate_per_s, a.ttft_filter_ms, a.itl_ms)
}

#[test]
fn as_coded_a_perfect_measurement_is_rejected_for_ever() {
    // At a tenth of the load, and at a quarter: the first guess makes gamma many times too large, and rejecting changes nothing.
    for share in [0.1, 0.25] {
        let mut store = ParameterStore::new();
        for cycle in 0..30 {
            let t = tune(Mode::AsCoded, &mut store, "v", BATCH, &[measured_as_coded(share)]);
            assert_eq!(t.status, Status::Rejected, "cycle {cycle} at {share}");
            assert!(t.update.expect("there is one").nis >= NIS_GATE);
        }
        assert!(store["v"].params.gamma > 5.0 * TRUE.gamma, "{:?}", store["v"].params);
    }
}

#[test]
fn as_coded_an_overload_at_first_sight_leaves_nothing_learnt_and_the_corrected_mode_learns() {
    let (mut coded, mut mended) = (ParameterStore::new(), ParameterStore::new());
    for _ in 0..20 {
        let seen = [measured_as_coded(0.6)];
        assert_eq!(tune(Mode::AsCoded, &mut coded, "v", BATCH, &seen).status, Status::NotCreated);
        tune(Mode::Corrected, &mut mended, "v", BATCH, &seen);
    }
    assert!(coded.is_empty());
    assert_eq!(mended["v"].accepted, 20);
}

#[test]
fn a_pod_that_has_just_become_ready_teaches_the_corrected_mode_nothing() {
    let mut store = ParameterStore::new();
    let young = Pod { ready_s: 119.0, ..measured(TRUE, 0.2, &mut Noise::new(1)) };
    assert_eq!(tune(Mode::Corrected, &mut store, "v", BATCH, &[young]).status, Status::NothingMeasured);
    let old = Pod { ready_s: 120.0, ..young };
    assert_eq!(tune(Mode::Corrected, &mut store, "v", BATCH, &[old]).status, Status::Accepted);
}

#[test]
fn absurd_measurements_are_survived_in_both_modes() {
    let values = [0.0, -1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, 1.0, 512.0];
    for mode in [Mode::Corrected, Mode::AsCoded] {
        let mut draw = Stream::new(11, Purpose::Sessions, 1);
        let mut pick = || values[draw.below(values.len() as u32) as usize];
        for _ in 0..300 {
            let mut analyzer =
                Analyzer { settings: Settings { mode, ..Settings::default() }, ..Analyzer::default() };
            analyzer
                .store
                .insert("w".into(), Learned::given(Params { alpha: pick(), beta: pick(), gamma: pick() }));
            for name in ["v", "w"] {
                let pods = (0..2)
                    .map(|_| Pod {
                        rate_per_s: pick(),
                        input_tokens: pick(),
                        output_tokens: pick(),
                        ttft_ms: pick(),
                        itl_ms: pick(),
                        ready_s: pick(),
                    })
                    .collect();
                let variant = Variant { name: name.into(), current: 2, pending: 1, max_batch: 4, pods };
                if let Ok(cycle) = analyzer.cycle(&[variant]) {
                    for c in cycle.capacities {
                        assert!(c.per_replica_per_s.is_finite() && c.total_per_s.is_finite(), "{c:?}");
                    }
                }
            }
        }
    }
}
