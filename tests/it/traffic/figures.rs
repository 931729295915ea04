//! Figures of the rows that run, by hand.

use std::sync::Arc;
use tokenyard::scenario::{TraceSettings, TraceWindow};
use tokenyard::session::{Trace, TraceReader};
use tokenyard::study::trace::TraceFigures;

/// Five requests: two sessions of two, one without; prompts of 100 to 500 tokens, a second apart.
fn trace() -> Arc<Trace> {
    let mut reader = TraceReader::new("five.csv", 1 << 20);
    reader.push(
        b"arrived_at,num_prefill_tokens,num_decode_tokens,session_id\n0,100,10,a\n1,200,20,a\n2,300,30,b\n3,400,40,b\n4,500,50,\n",
    );
    reader.finish().0.expect("a trace")
}

#[test]
fn figures_are_those_of_the_rows_that_run() {
    let as_written = TraceFigures::of(&trace(), &TraceSettings::default(), 1).expect("rows");
    assert_eq!((as_written.requests, as_written.sessions, as_written.prompt_tokens), (5, Some(2), 1500));
    assert!((as_written.duration_s - 4.0).abs() < 1e-9 && (as_written.mean_per_s - 1.25).abs() < 1e-9);
    assert!((as_written.prompt_mean - 300.0).abs() < 1e-9 && as_written.prompt_p99 == 500);
    // From second 1 for 2.5 s: the second, third and fourth; at twice the speed; prompts cut to 250.
    let window = Some(TraceWindow { start_s: 1.0, length_s: 2.5 });
    let settings = TraceSettings { window, speed: 2.0, max_prompt_tokens: 250, ..TraceSettings::default() };
    let runs = TraceFigures::of(&trace(), &settings, 1).expect("rows");
    assert_eq!((runs.requests, runs.sessions, runs.prompt_tokens, runs.output_tokens), (3, Some(2), 700, 90));
    assert!((runs.duration_s - 1.0).abs() < 1e-9 && (runs.mean_per_s - 3.0).abs() < 1e-9, "{runs:?}");
    let none = TraceSettings { window: Some(TraceWindow { start_s: 90.0, length_s: 1.0 }), ..settings };
    assert_eq!(TraceFigures::of(&trace(), &none, 1), None);
}
