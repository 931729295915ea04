//! Outcomes of runs for tests: of real runs, and of made-up ones with a known truth.

use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{Scenario, from_value, set_field, value_from_json};
use tokenyard::session::outcomes::ReportFigures;
use tokenyard::session::report::RunPart;
use tokenyard::study::compare::{Comparing, Ending, GapBlocks, Outcome, Outcomes, RunComparison};

/// A built-in scenario with some fields set.
pub(crate) fn scenario(preset: &str, set: &[(&str, &str)]) -> Scenario {
    let preset = Preset::named(preset).expect("a built-in scenario");
    let mut document = value_from_json(preset.text).expect("it is JSON");
    for (path, value) in set {
        set_field(&mut document, path, value).expect("the field is there");
    }
    from_value(document).expect("a sound scenario")
}

/// What became of the requests of a scenario's run.
pub(crate) fn run(scenario: &Scenario) -> Outcomes {
    Outcomes::of_run(scenario.clone(), None).expect("it runs")
}

/// The comparison of pairs of runs.
pub(crate) fn compared(pairs: impl IntoIterator<Item = (Outcomes, Outcomes)>) -> RunComparison {
    let mut comparing = Comparing::default();
    pairs.into_iter().for_each(|(a, b)| comparing.add(a, b));
    comparing.result().expect("there is a pair")
}

/// The comparison of a pair of runs of two scenarios.
pub(crate) fn compared_of([a, b]: [&Scenario; 2], runs: [Outcomes; 2]) -> RunComparison {
    let mut comparing = Comparing::default();
    comparing.set_scenarios(a, b);
    let [run_a, run_b] = runs;
    comparing.add(run_a, run_b);
    comparing.result().expect("there is a pair")
}

/// Requests that arrive every 100 ms and take these times to their first token, in microseconds; nothing else
/// is known of them.
pub(crate) fn made_up(seed: u64, ttft_us: impl Iterator<Item = u64>) -> Outcomes {
    let request = |(i, us): (u64, u64)| Outcome {
        arrival_us: i * 100_000,
        ending: Ending::Met,
        counted: true,
        session: 0,
        client: 0,
        tenant: 0,
        class: 0,
        prompt_tokens: 100,
        output_tokens: 1,
        replica: Some(0),
        ttft_us: Some(us),
        e2e_us: None,
        queue_wait_us: None,
        scheduling_delay_us: None,
    };
    let one = || vec!["one".to_owned()];
    Outcomes {
        workload_digest: "made up".to_owned(),
        report_digest: format!("{seed}"),
        report: ReportFigures { run: RunPart { seed, ..RunPart::default() }, ..ReportFigures::default() },
        ended: true,
        classes: one(),
        tenants: one(),
        clients: one(),
        requests: (0..).zip(ttft_us).map(request).collect(),
        gaps: GapBlocks::default(),
    }
}

/// Nearly normal draws, with mean 0 and variance 1: the sum of twelve uniform ones less 6.
pub(crate) struct Normal(Stream);

impl Normal {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Stream::new(seed, Purpose::Arrivals, 0))
    }

    pub(crate) fn draw(&mut self) -> f64 {
        (0..12).map(|_| self.0.unit()).sum::<f64>() - 6.0
    }
}
