//! Steps through a run, edits it and goes back: an instant before the edit is the same, whichever way it is reached.
//!
//! `cargo run --example rewind`
#![expect(clippy::print_stdout, reason = "the program prints what it found")]

use tokenyard::base::Micros;
use tokenyard::scenario::preset::Preset;
use tokenyard::session::{Audience, Budget, History, Session, StepKind, Stop};

/// Runs up to an instant, or back to it: from the nearest checkpoint before it.
fn go_to(history: &mut History, at: Micros) {
    history.seek(at);
    while history.advance(at, 10_000) == Stop::Events {}
}

fn tell(what: &str, history: &History) {
    let run = history.present();
    let requests = run.requests();
    println!("{what}: {:.6} s, {} arrived", run.now().0 as f64 / 1e6, requests.arrived);
}

pub(crate) fn main() {
    let mut scenario = Preset::named("chat-4xh100").expect("a built-in scenario").scenario();
    scenario.run.horizon_s = 20.0;
    scenario.run.warmup_s = 1.0;
    let (session, _) = Session::start(scenario, None, Audience::Live).expect("built-in scenarios are sound");
    let mut history = History::new(session, Budget::PAGE);

    go_to(&mut history, Micros(5_000_000));
    let step = history.begin_step(StepKind::Completion);
    while history.advance_step(&step, 10_000) == Stop::Events {}
    tell("the next request finished", &history);

    go_to(&mut history, Micros(9_000_000));
    let before = history.present().digest();
    go_to(&mut history, Micros(10_000_000));
    let problems = history.apply_text(r#"{"set": {"cluster.pools[0].replicas": 2}}"#);
    assert!(problems.is_empty(), "{problems:?}");
    go_to(&mut history, Micros(15_000_000));
    tell("five seconds with two replicas", &history);

    go_to(&mut history, Micros(9_000_000));
    tell("back before the edit", &history);
    assert_eq!(history.present().digest(), before);
}
