//! Tests of the classes of evidence.

use super::EvidenceClass::{Carried, Fitted, Guessed, Own, SameChip};
use super::*;
use document::{CalibratedCoefficients, EngineGeneration, FittedCoefficients};

fn pool(change: impl FnOnce(&mut Pool)) -> Pool {
    let mut pool = Pool { latency: ahead(EngineGeneration::Ahead), ..Pool::default() };
    change(&mut pool);
    pool
}

fn ahead(engine: EngineGeneration) -> LatencyModel {
    LatencyModel::Calibrated(CalibratedSettings { engine, ..CalibratedSettings::default() })
}

/// Runs of two models on an H100, of one of which nothing was fitted.
fn measured() -> Vec<Configuration> {
    let of = |model: &str, tp, fitted| Configuration {
        model: model.to_owned(),
        gpu: "H100".to_owned(),
        engine: EngineGeneration::Ahead,
        precision: "16-bit weights".to_owned(),
        tp,
        fitted,
        measured: 1,
    };
    vec![of("llama-3.1-8b", 1, 1), of("llama-3.1-70b", 4, 1), of("qwen3-14b", 2, 0)]
}

fn classes(change: impl FnOnce(&mut Pool)) -> [EvidenceClass; 5] {
    Classified::by(&pool(change), &measured()).values.map(|v| v.class)
}

#[test]
fn every_value_is_fitted_only_if_its_own_runs_were() {
    assert_eq!(classes(|_| {}), [Fitted; 5]);
    assert_eq!(classes(|p| p.tp = 2), [Fitted, Fitted, Fitted, Fitted, Carried]);
    assert_eq!(classes(|p| p.model = "qwen3-14b".to_owned())[0], Carried);
    // The same model in 8 bits: the shape was measured, the precision was not.
    assert_eq!(
        classes(|p| p.model = "llama-3.1-70b-fp8".to_owned()),
        [Fitted, Fitted, Fitted, Carried, Fitted]
    );
    // Of a release before all measured ones nothing is fitted but the GPU.
    assert_eq!(
        classes(|p| p.latency = ahead(EngineGeneration::Early)),
        [Carried, Fitted, Carried, Carried, Carried]
    );
}

#[test]
fn a_description_of_ones_own_is_carried_unless_it_is_that_of_the_catalogue() {
    let known = &catalogue::architecture("llama-3.1-8b").expect("known").architecture;
    assert_eq!(classes(|p| p.architecture = Some(known.clone()))[0], Fitted);
    assert_eq!(classes(|p| p.architecture = Some(Architecture { layers: 31, ..known.clone() }))[0], Carried);
    let own = classes(|p| (p.model, p.architecture) = ("mine".to_owned(), Some(known.clone())));
    assert_eq!(own[0], Carried);
}

#[test]
fn a_gpu_is_fitted_same_chip_carried_or_guessed() {
    let gpu = |name: &str| classes(|p| p.gpu = name.to_owned())[1];
    assert_eq!((gpu("H100"), gpu("H200"), gpu("GB200"), gpu("L40S")), (Fitted, Fitted, SameChip, Fitted));
    let figures = |hardware: Hardware| classes(|p| p.hardware = Some(hardware))[1];
    let h100 = &catalogue::gpu("H100").expect("known").hardware;
    assert_eq!(figures(Hardware { memory_gib: 94.0, usd_per_hour: 9.0, ..h100.clone() }), Fitted);
    assert_eq!(figures(Hardware { bandwidth_tb_per_s: 3.9, ..h100.clone() }), Guessed);
    // The rule for a GPU without coefficients: published figures carry those of an H100.
    let row = calibration("H100", EngineGeneration::Ahead);
    let of = |gpu: &str| gpu_class(&pool(|p| p.gpu = gpu.to_owned()), &row);
    assert_eq!((of("A100-80"), of("B200"), of("nobody's")), (Carried, Carried, Guessed));
}

#[test]
fn own_coefficients_are_own_and_formulas_are_carried() {
    let own = CalibratedSettings {
        coefficients: Some(CalibratedCoefficients::default()),
        ..CalibratedSettings::default()
    };
    assert_eq!(classes(|p| p.latency = LatencyModel::Calibrated(own)), [Own; 5]);
    assert_eq!(classes(|p| p.latency = LatencyModel::Fitted(FittedCoefficients::default())), [Own; 5]);
    assert_eq!(classes(|p| p.latency = LatencyModel::Catalogue), [Fitted, Fitted, Carried, Fitted, Fitted]);
    assert_eq!(classes(|p| p.latency = LatencyModel::Roofline(RooflineSettings::default())), [Carried; 5]);
    let changed = RooflineSettings { step_us: 1.0, ..RooflineSettings::default() };
    assert_eq!(classes(|p| p.latency = LatencyModel::Roofline(changed)), [Own; 5]);
    let cross = || LatencyModel::CrossModel(CrossModelCoefficients::default());
    assert_eq!(classes(|p| p.latency = cross()), [Carried; 5]);
    assert_eq!(classes(|p| (p.latency, p.gpu) = (cross(), "L40S".to_owned()))[1], Guessed);
}

#[test]
fn the_worst_value_decides() {
    let class = |change: fn(&mut Pool)| Classified::by(&pool(change), &measured()).class();
    assert_eq!(class(|_| {}), Fitted);
    assert_eq!(class(|p| p.tp = 8), Carried);
    assert_eq!(class(|p| (p.gpu, p.tp) = ("nobody's".to_owned(), 8)), Guessed);
    assert!(EvidenceClass::ALL.is_sorted());
}

#[test]
fn a_guess_is_told_with_its_field_and_the_gpus_that_are_known() {
    let own = pool(|p| {
        p.gpu = "X100".to_owned();
        p.hardware = Some(Hardware { tflops: 1.0, ..Hardware::default() });
    });
    let told = guess(&own, "cluster.pools[2]").expect("a guess");
    assert_eq!(told.path, "cluster.pools[2].hardware");
    assert!(told.allowed.starts_with("H100, A100-80, L40S"), "{}", told.allowed);
    assert!(told.fix.ends_with("--allow-guess"), "{}", told.fix);
    assert_eq!(guess(&pool(|_| {}), "p"), None);
    // Formulas read the peaks alone; an unknown GPU is another problem.
    let roofline = LatencyModel::Roofline(RooflineSettings::default());
    assert_eq!(guess(&Pool { latency: roofline, ..own.clone() }, "p"), None);
    assert_eq!(guess(&Pool { hardware: None, ..own }, "p"), None);
    assert!(Facts::all().iter().all(|f| guess(&pool(|p| p.gpu = f.gpu.to_owned()), "p").is_none()));
}

#[test]
fn precision_is_that_of_weights_experts_and_cache() {
    let of = |weights, experts, cache| {
        let a = Architecture {
            experts: 8,
            bytes_per_param: weights,
            bytes_per_expert_param: experts,
            bytes_per_kv_value: cache,
            ..Architecture::default()
        };
        precision(&a)
    };
    assert_eq!(of(2.0, 0.0, 2.0), "16-bit weights");
    assert_eq!(of(2.0, 0.53, 1.0), "16-bit weights, 4-bit experts, 8-bit cache");
    assert_eq!(of(1.0, 1.0, 2.0), "8-bit weights");
}
