//! Edits: made while a small run goes on. One that is refused changes nothing, and the run goes on after one that is taken.

use tokenyard::base::Micros;
use tokenyard::session::Session;

/// A run of two replicas, small enough to be made for each input.
const RUN: &str = r#"{
  "tokenyard": 1,
  "run": { "horizon_s": 5, "warmup_s": 0 },
  "cluster": {
    "pools": [{ "name": "main", "replicas": 2, "engine": { "max_num_seqs": 8 }, "kv": { "blocks": 96 } }],
    "routing": "least-loaded"
  },
  "workload": {
    "clients": [{
      "name": "chat",
      "arrivals": { "poisson": { "rate_per_s": 40 } },
      "prompt_tokens": { "exponential": { "mean_tokens": 120, "min_tokens": 16, "max_tokens": 300 } },
      "output_tokens": { "exponential": { "mean_tokens": 30, "min_tokens": 2, "max_tokens": 60 } },
      "prefix": { "groups": 2, "tokens": 64 }
    }]
  }
}"#;
/// Events before and between edits.
const EVENTS: u64 = 40;
/// Most edits of an input.
const EDITS: usize = 4;

thread_local! {
    /// The run after its first events: a copy costs less than another one.
    static BEGUN: Session = {
        let (mut session, _) = Session::load(RUN, None).expect("the run is a good scenario");
        session.advance(Micros::MAX, EVENTS);
        session
    };
}

/// Edits as JSON, one a line.
pub(crate) fn edit(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut session = BEGUN.with(Clone::clone);
    for line in text.lines().take(EDITS) {
        let before = session.edits().len();
        let problems = session.apply_text(line);
        let refused = problems.iter().any(|d| d.severity == tokenyard::base::Severity::Error);
        assert_eq!(session.edits().len() == before, refused, "{line} was refused and taken: {problems:?}");
        session.advance(Micros::MAX, EVENTS);
    }
}
