//! A file of rows holds back no more than its buffer, for any length of run.

use crate::support::rows::start;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;
use tokenyard::base::Micros;
use tokenyard::export::{Format, Output, Table, Tables};
use tokenyard::session::Stop;

/// Counts what comes and keeps none of it.
#[derive(Clone, Default)]
struct Counter(Rc<Cell<[usize; 2]>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let [sum, most] = self.0.get();
        self.0.set([sum + bytes.len(), most.max(bytes.len())]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Holds a buffer's worth of bytes and the row that did not fit, and no more.
const HELD_BACK: usize = 64 * 1024 + 1024;

/// Of each table: bytes written, the most at once, and those that came after the last event.
fn written_of(scenario: &Value, format: Format, asked: &[Table]) -> Vec<[usize; 3]> {
    let mut session = start(scenario);
    let counters: Vec<Counter> = asked.iter().map(|_| Counter::default()).collect();
    let outputs = asked.iter().zip(&counters);
    let outputs = outputs.map(|(&table, out)| Output { table, format, out: Box::new(out.clone()) }).collect();
    let mut tables = Tables::new(&session, outputs, 2);
    while tables.advance(&mut session, Micros::MAX, 4096).expect("it counts all") != Stop::Finished {}
    let before: Vec<usize> = counters.iter().map(|c| c.0.get()[0]).collect();
    while !tables.write_rest(&session, 1000).expect("it counts all") {}
    let of = |(counter, before): (&Counter, &usize)| {
        let [sum, most] = counter.0.get();
        [sum, most, sum - before]
    };
    counters.iter().zip(&before).map(of).collect()
}

/// So many requests of one token each.
fn short_requests(requests: u32) -> Value {
    json!({
        "run": { "max_requests": requests, "horizon_s": 0, "warmup_s": 0 },
        "cluster": { "pools": [{
            "replicas": 2, "model": "llama-3.1-8b", "gpu": "H100", "kv": { "blocks": 10_000 },
            "latency": { "fitted": { "step_us": 1000 } }
        }] },
        "workload": { "clients": [{
            "arrivals": { "poisson": { "rate_per_s": 20_000 } },
            "prompt_tokens": { "constant": { "tokens": 8 } }, "output_tokens": { "constant": { "tokens": 1 } }
        }] },
        "observe": { "anomalies": false }
    })
}

// A few seconds: it is about a run whose rows fill the buffers many times over.
#[test]
fn a_hundred_thousand_requests_never_hold_back_more_than_a_buffer() {
    let asked = [Table::Requests, Table::Decisions];
    let written = written_of(&short_requests(100_000), Format::Csv, &asked);
    let [[requests, most, _], [decisions, most_decisions, held_back]] = written[..] else {
        panic!("two tables were asked for: {written:?}");
    };
    assert!(requests > 80 * HELD_BACK && decisions > 100 * HELD_BACK, "{written:?}");
    assert!(most.max(most_decisions).max(held_back) <= HELD_BACK, "{written:?}");
}

#[test]
fn events_are_written_while_the_run_goes_on() {
    for format in Format::ALL {
        let [sum, most, held_back] = written_of(&short_requests(10_000), format, &[Table::Events])[0];
        assert!(sum > 30 * HELD_BACK && most.max(held_back) <= HELD_BACK, "{sum}, {most}, {held_back}");
    }
}
