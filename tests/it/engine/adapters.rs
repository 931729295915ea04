//! LoRA adapters: loads, the gate and the steps worked out by hand, and residency beside a second implementation.

use crate::support;
use crate::support::documents::{put_all, scenario};
use serde_json::{Value, json};
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::base::{RequestId, Span};
use tokenyard::engine::{AdapterSource, CacheFact, Cluster, Fact, RequestFact};
use tokenyard::scenario::{Scenario, to_json};
use tokenyard::session::view::SegmentKind;
use tokenyard::session::{Audience, Session, Stop, TraceReader};

/// Replicas with steps of a millisecond; a load from CPU memory takes another, one from disk 6.5 ms more. Adapters add nothing
/// to steps.
fn cluster(replicas: u32, lora: &Value) -> Value {
    let mut settings = json!({
        "adapter_mib": 13e6 / 1_048_576.0, "cpu_gb_per_s": 13, "disk_gb_per_s": 2, "step_us_per_layer": 0,
    });
    put_all(&mut settings, lora);
    json!({
        "run": { "horizon_s": 0, "warmup_s": 0 },
        "cluster": { "pools": [{
            "replicas": replicas,
            "latency": { "fitted": { "step_us": 1000, "step_us_per_prefill_token": 0, "step_us_per_decode_token": 0 } },
            "kv": { "blocks": 1000 },
            "engine": { "max_num_batched_tokens": 8192, "max_num_seqs": 64 },
            "lora": settings,
        }] },
        "workload": { "clients": [], "requests": [] },
    })
}

/// A further request: 64 tokens of a text of its own, or of `text`, and an answer.
fn ask(s: &mut Value, arrival_us: u64, adapter: &str, output: u32) {
    let number = s["workload"]["requests"].as_array().expect("a list").len();
    ask_for(s, arrival_us, adapter, (number as u32, 64), output);
}

fn ask_for(s: &mut Value, arrival_us: u64, adapter: &str, (text, tokens): (u32, u32), output: u32) {
    let requests = s["workload"]["requests"].as_array_mut().expect("a list");
    requests.push(json!({
        "arrival_us": arrival_us, "adapter": adapter,
        "prompt": [{ "text": text, "tokens": tokens }], "output": { "text": 900, "tokens": output },
    }));
}

fn run(s: &Value) -> Cluster {
    support::run(&scenario(s)).0
}

fn ttfts(e: &Cluster) -> Vec<u64> {
    e.records().iter().map(|r| r.ttft.get().expect("a first token").0).collect()
}

fn scheduled(e: &Cluster) -> Vec<u64> {
    e.records().iter().map(|r| r.scheduled.get().expect("it joined").0).collect()
}

#[test]
fn the_first_request_of_an_adapter_waits_for_disk_and_later_ones_for_what_is_gone() {
    let with_places = |places: u32| {
        let mut s = cluster(1, &json!({ "max_loras": 1, "max_cpu_loras": places }));
        for (at, adapter) in [(0, "a"), (20_000, "a"), (40_000, "b"), (60_000, "a"), (80_000, "")] {
            ask(&mut s, at, adapter, 2);
        }
        s
    };
    let e = run(&with_places(2));
    assert_eq!(ttfts(&e), [8500, 1000, 8500, 2000, 1000]);
    let counts = e.replicas()[0].adapter_counts().expect("it serves adapters");
    assert_eq!([counts.hits, counts.disk_loads, counts.cpu_loads, counts.evictions], [1, 2, 1, 2]);
    assert_eq!(counts.load_time, Span(2 * 7500 + 1000));
    // With room for one in CPU memory, b takes the place of a there too.
    assert_eq!(ttfts(&run(&with_places(1))), [8500, 1000, 8500, 8500, 1000]);
}

#[test]
fn a_load_is_a_part_of_the_requests_life() {
    let mut s = cluster(1, &json!({ "max_loras": 1 }));
    ask(&mut s, 0, "sql", 2);
    ask(&mut s, 20_000, "", 1);
    let (mut session, _) = Session::start(scenario(&s), None, Audience::Live).expect("a sound scenario");
    assert_eq!(session.advance(tokenyard::base::Micros::MAX, u64::MAX), Stop::Finished);
    let seen = session.inspect(0).expect("it arrived");
    let kinds: Vec<_> = seen.segments.iter().map(|x| (x.kind, x.to_us - x.from_us)).collect();
    let expected =
        [(SegmentKind::AdapterLoad, 7500), (SegmentKind::Prefill, 1000), (SegmentKind::Decode, 1000)];
    assert_eq!(kinds, expected);
    assert_eq!((seen.adapter.as_deref(), seen.total_us), (Some("sql"), 9500));
    assert_eq!(session.inspect(1).expect("it arrived").adapter, None);
}

#[test]
fn the_whole_batch_waits_for_a_load() {
    let mut s = cluster(1, &json!({ "max_loras": 1 }));
    ask(&mut s, 0, "", 5);
    ask(&mut s, 500, "a", 1);
    let e = run(&s);
    // The step that begins at 1000 loads for 7.5 ms and takes a millisecond: both requests have a token after it.
    let ends: Vec<u64> = e.records().iter().map(|r| r.e2e.get().expect("it is done").0).collect();
    assert_eq!(ends, [1000 + 8500 + 3 * 1000, 500 + 8500]);
}

#[test]
fn a_request_whose_adapter_finds_no_slot_is_passed_over() {
    let with_slots = |slots: u32| {
        let mut s = cluster(1, &json!({ "max_loras": slots, "cpu_gb_per_s": 1e6, "disk_gb_per_s": 1e6 }));
        for adapter in ["a", "b", "", "a", "c"] {
            ask(&mut s, 0, adapter, 3);
        }
        ask(&mut s, 1500, "a", 3);
        scheduled(&run(&s))
    };
    // Loads take no time. The later request of a, which finds it running, is before b as well.
    assert_eq!(with_slots(1), [0, 5000, 0, 0, 8000, 2000]);
    assert_eq!(with_slots(2)[..4], [0; 4]);
    assert_eq!(with_slots(3)[..5], [0; 5]);
}

#[test]
fn adapters_add_to_the_steps_that_have_any() {
    let settings = json!({
        "max_loras": 2, "cpu_gb_per_s": 1e6, "disk_gb_per_s": 1e6, "adapter_mib": 1e-6,
        "step_us_per_layer": 10, "step_us_per_adapter": 25, "step_us_per_token": 0.5,
    });
    let mut s = cluster(1, &settings);
    for (adapter, tokens) in [("a", 64), ("b", 32), ("", 500)] {
        let text = tokens;
        ask_for(&mut s, 0, adapter, (text, tokens), 2);
    }
    ask(&mut s, 50_000, "", 1);
    let e = run(&s);
    // 32 layers of 10 us, two adapters of 25 us, 96 tokens of 0.5 us; then two tokens.
    let [first, second] = [1000 + 320 + 50 + 48, 1000 + 320 + 50 + 1];
    assert_eq!(ttfts(&e), [first, first, first, 1000]);
    let e2e = e.records().at(2).e2e.get().expect("it is done");
    assert_eq!(e2e, Span(first + second));
    let counts = e.replicas()[0].adapter_counts().expect("it serves adapters");
    assert_eq!(counts.step_time, Span(first + second - 2000));
}

#[test]
fn no_adapter_finds_the_blocks_of_another_or_of_the_base_model() {
    let mut s = cluster(1, &json!({ "max_loras": 2 }));
    for (i, adapter) in ["", "a", "b", "a", "", "b"].into_iter().enumerate() {
        ask_for(&mut s, 50_000 * i as u64, adapter, (7, 80), 1);
    }
    let e = run(&s);
    let cached: Vec<u32> = e.records().iter().map(|r| r.cached_tokens).collect();
    assert_eq!(cached, [0, 0, 0, 64, 64, 64]);
}

/// Two memories with the adapters that each holds and the instant of their last use, as a list: slower, and plainer than what
/// the engine has.
struct Plain {
    slots: usize,
    places: usize,
    gpu: Vec<(u32, u64)>,
    cpu: Vec<(u32, u64)>,
    running: Vec<u32>,
    clock: u64,
}

impl Plain {
    fn new(slots: usize, places: usize) -> Self {
        Self { slots, places, gpu: Vec::new(), cpu: Vec::new(), running: Vec::new(), clock: 0 }
    }

    /// All that run are used now, the one that left last.
    fn touch(&mut self, adapter: u32) {
        self.clock += 1;
        for (held, used) in self.gpu.iter_mut().chain(&mut self.cpu) {
            if *held == adapter {
                *used = self.clock;
            }
        }
    }

    /// Puts an adapter in a memory of `most`; the one that it evicts, or 0.
    fn put(memory: &mut Vec<(u32, u64)>, most: usize, adapter: u32, running: &[u32]) -> u32 {
        let mut evicted = 0;
        if memory.len() == most {
            let free = memory.iter().filter(|(held, _)| !running.contains(held));
            evicted = free.min_by_key(|(_, used)| *used).expect("one that no request has").0;
            memory.retain(|(held, _)| *held != evicted);
        }
        memory.push((adapter, 0));
        evicted
    }

    fn join(&mut self, adapter: u32) -> Option<(AdapterSource, u32)> {
        let held = |memory: &[(u32, u64)]| memory.iter().any(|(held, _)| *held == adapter);
        let (on_gpu, in_cpu) = (held(&self.gpu), held(&self.cpu));
        let mut loaded = None;
        if !on_gpu {
            if !in_cpu {
                let gone = Self::put(&mut self.cpu, self.places, adapter, &self.running);
                assert!(!self.running.contains(&gone));
            }
            let evicted = Self::put(&mut self.gpu, self.slots, adapter, &self.running);
            loaded = Some((if in_cpu { AdapterSource::Cpu } else { AdapterSource::Disk }, evicted));
        }
        self.running.push(adapter);
        self.touch(adapter);
        let mut different = self.running.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() <= self.slots, "more adapters than slots");
        loaded
    }

    fn leave(&mut self, adapter: u32) {
        let at = self.running.iter().position(|a| *a == adapter).expect("it runs");
        self.running.remove(at);
        self.touch(adapter);
    }
}

/// Traffic over adapters on too few blocks, with timeouts, conversations and an autoscaler's edits.
fn random(draws: &mut Stream) -> (Value, [u32; 2]) {
    let slots = 1 + draws.below(4);
    let places = slots + draws.below(5);
    let mut s = cluster(
        1 + draws.below(3),
        &json!({ "max_loras": slots, "max_cpu_loras": places, "step_us_per_layer": 3.5, "disk_load_ms": 2 }),
    );
    let count = 1 + draws.below(12);
    let client = |name: &str, adapters: Value, more: Value| {
        let mut client = json!({
            "name": name, "adapters": adapters, "arrivals": { "poisson": { "rate_per_s": 60 } },
            "prefix": { "groups": 2, "tokens": 48 },
            "prompt_tokens": { "exponential": { "mean_tokens": 60, "min_tokens": 1, "max_tokens": 300 } },
            "output_tokens": { "exponential": { "mean_tokens": 20, "min_tokens": 1, "max_tokens": 90 } },
        });
        put_all(&mut client, &more);
        client
    };
    let named = json!([{ "name": "sql", "weight": 2 }, { "name": "", "weight": 1 }, { "name": "adapter-2", "weight": 1 }]);
    s["workload"]["clients"] = json!([
        client("zipf", json!({ "zipf": { "count": count, "exponent": 1.1 } }), json!({})),
        client(
            "even",
            json!({ "uniform": { "count": count } }),
            json!({
                "conversation": { "rounds": { "constant": { "rounds": 3 } } },
                "arrivals": { "poisson": { "rate_per_s": 9 } },
            })
        ),
        client("named", json!({ "weighted": { "adapters": named } }), json!({})),
    ]);
    s["run"]["horizon_s"] = json!(4.0);
    let pool = &mut s["cluster"]["pools"][0];
    pool["kv"]["blocks"] = json!(30 + draws.below(120));
    pool["kv"]["cpu_blocks"] = json!([0, 60][draws.below(2) as usize]);
    pool["engine"]["max_num_seqs"] = json!(1 + draws.below(20));
    let scheduler = ["fcfs", "sjf", "reverse-priority"][draws.below(3) as usize];
    pool["engine"]["scheduler"] = json!(scheduler);
    s["workload"]["timeout_s"] = json!([0.0, 0.4][draws.below(2) as usize]);
    s["seed"] = json!(draws.below(1000));
    if draws.below(2) == 0 {
        s["cluster"]["routing"] = json!({ "weighted": { "profile": "custom", "scorers": [
            { "scorer": "lora-affinity", "weight": 2 }, { "scorer": "queue-depth", "weight": 1 },
        ] } });
        s["cluster"]["snapshot_refresh_us"] = json!([0, 50_000][draws.below(2) as usize]);
    }
    (s, [slots, places])
}

#[test]
fn residency_is_that_of_two_plain_memories() {
    let (mut loads, mut hits, mut preempted, mut evictions) = ([0_u32; 2], 0_u32, 0_u32, 0_u32);
    let mut draws = Stream::new(11, Purpose::Ties, 0);
    for case in 0..24 {
        let (s, [slots, places]) = random(&mut draws);
        let scenario = scenario(&s);
        let (cluster, story) = support::run(&scenario);
        let replicas = cluster.replicas().len();
        let mut plain: Vec<Plain> =
            (0..replicas).map(|_| Plain::new(slots as usize, places as usize)).collect();
        let of = |request: RequestId| cluster.adapter(request).map_or(0, |used| used.adapter);
        let mut facts = story.facts.iter().peekable();
        while let Some((_, fact)) = facts.next() {
            let Fact::Request(fact) = fact else {
                let stray = matches!(fact, Fact::Cache(CacheFact::AdapterLoaded { .. }));
                assert!(!stray, "case {case}: a load without a request that joins");
                continue;
            };
            if let RequestFact::Scheduled { request, replica, .. } = *fact
                && of(request) > 0
            {
                let expected = plain[replica.index()].join(of(request));
                let told = facts.next_if(|(_, f)| matches!(f, Fact::Cache(CacheFact::AdapterLoaded { .. })));
                let told = told.map(|(_, f)| match f {
                    Fact::Cache(CacheFact::AdapterLoaded { source, evicted, .. }) => (*source, *evicted),
                    other => panic!("{other:?}"),
                });
                assert_eq!(told, expected, "case {case}: {request:?} with adapter {}", of(request));
                match told {
                    None => hits += 1,
                    Some((source, evicted)) => {
                        loads[source as usize] += 1;
                        evictions += u32::from(evicted > 0);
                    }
                }
            }
            let left = match *fact {
                RequestFact::Completed { request, replica, .. }
                | RequestFact::Preempted { request, replica, .. } => Some((request, replica)),
                // One that waits when it is dropped has left before, or never ran.
                RequestFact::Dropped { request, replica, .. } => {
                    let runs = plain[replica.index()].running.contains(&of(request));
                    (runs && in_batch(&story.facts, fact, request)).then_some((request, replica))
                }
                _ => None,
            };
            if let Some((request, replica)) = left
                && of(request) > 0
            {
                plain[replica.index()].leave(of(request));
            }
            preempted += u32::from(matches!(fact, RequestFact::Preempted { .. }));
        }
    }
    let seen = [loads[0], loads[1], hits, preempted, evictions];
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}

/// Whether a request is in a batch when it is dropped: it joined one more often than it was preempted.
fn in_batch(facts: &[(tokenyard::base::Micros, Fact)], dropped: &RequestFact, request: RequestId) -> bool {
    let mut inside = false;
    for (_, fact) in facts {
        match fact {
            Fact::Request(f) if std::ptr::eq(f, dropped) => break,
            Fact::Request(RequestFact::Scheduled { request: r, .. }) if *r == request => inside = true,
            Fact::Request(RequestFact::Preempted { request: r, .. }) if *r == request => inside = false,
            _ => {}
        }
    }
    inside
}

#[test]
fn a_run_is_the_same_however_it_is_cut_and_continued() {
    let mut draws = Stream::new(5, Purpose::Ties, 0);
    for _ in 0..4 {
        let (s, _) = random(&mut draws);
        let start = || Session::start(scenario(&s), None, Audience::Live).expect("a sound scenario").0;
        let (mut whole, mut cut) = (start(), start());
        whole.advance(tokenyard::base::Micros::MAX, u64::MAX);
        while cut.advance(tokenyard::base::Micros::MAX, 37) == Stop::Events {
            if cut.events() % 407 == 0 {
                let copy = cut.snapshot();
                cut = start();
                cut.restore(&copy).expect("a snapshot of its own");
            }
        }
        assert_eq!(whole.report(), cut.report());
    }
}

#[test]
fn the_report_has_the_adapters_of_each_pool() {
    let mut s = cluster(2, &json!({ "max_loras": 1, "max_cpu_loras": 2 }));
    for (at, adapter) in [(0, "a"), (20_000, "a"), (40_000, "b"), (60_000, "a")] {
        ask(&mut s, at, adapter, 2);
    }
    let (mut session, _) = Session::start(scenario(&s), None, Audience::Live).expect("a sound scenario");
    session.advance(tokenyard::base::Micros::MAX, u64::MAX);
    let report: Value = serde_json::from_str(&session.report()).expect("JSON");
    let lora = &report["pools"][0]["lora"];
    // Least loaded: all four go to the first replica.
    let counts = ["hits", "cpu_loads", "disk_loads", "evictions", "max_loras", "max_cpu_loras"];
    assert_eq!(counts.map(|name| lora[name].as_u64()), [1, 1, 2, 2, 1, 2].map(Some));
    assert_eq!((lora["hit_rate"].as_f64(), lora["load_s"].as_f64()), (Some(0.25), Some(0.016)));
    let without = Scenario::default();
    assert!(!to_json(&without).contains("adapter") && !to_json(&without).contains("lora"));
}

fn problems(s: &Value) -> Vec<(String, String)> {
    let scenario = scenario(s);
    let problems = match Session::start(scenario, None, Audience::Live) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    };
    problems.into_iter().map(|p| (p.path, p.found)).collect()
}

#[test]
fn what_does_not_go_together_is_refused_once_each() {
    let mut fine = cluster(1, &json!({ "max_loras": 2 }));
    fine["run"]["horizon_s"] = json!(10);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut s = fine.clone();
        ask(&mut s, 0, "sql", 1);
        change(&mut s);
        problems(&s)
    };
    let one = |path: &str, found: &str| vec![(path.to_owned(), found.to_owned())];
    assert_eq!(with(&|_| {}), []);
    assert_eq!(
        with(&|s| drop(s["cluster"]["pools"][0].as_object_mut().expect("a pool").remove("lora"))),
        one("workload.requests[0].adapter", "adapter \"sql\", which pool \"main\" does not serve")
    );
    assert_eq!(
        with(&|s| {
            let without = json!({ "name": "plain", "replicas": 1, "model": "qwen3-14b" });
            s["cluster"]["pools"].as_array_mut().expect("pools").push(without);
            s["workload"]["clients"] = json!([{ "adapters": { "uniform": { "count": 9 } } }]);
            s["workload"]["requests"] = json!([]);
        }),
        one("workload.clients[0].adapters", "9 adapters, which pool \"plain\" does not serve")
    );
    let client = |adapters: &Value| {
        let adapters = adapters.clone();
        with(&|s| s["workload"]["clients"] = json!([{ "model": "llama-3.1-8b", "adapters": adapters }]))
    };
    assert_eq!(client(&json!({ "uniform": { "count": 9 } })), []);
    assert_eq!(
        client(&json!({ "uniform": { "count": 0 } }))[0].0,
        "workload.clients[0].adapters.uniform.count"
    );
    assert_eq!(
        client(&json!({ "weighted": { "adapters": [] } })),
        one("workload.clients[0].adapters.weighted.adapters", "no adapters")
    );
    assert_eq!(
        with(&|s| s["cluster"]["pools"][0]["lora"]["max_cpu_loras"] = json!(1)),
        one("cluster.pools[0].lora.max_cpu_loras", "1 adapters in CPU memory, and 2 on the GPU")
    );
    assert_eq!(
        with(&|s| s["cluster"]["pools"][0]["lora"]["rank"] = json!(0))[0].0,
        "cluster.pools[0].lora.rank"
    );
    assert_eq!(
        with(&|s| s["cluster"]["pools"][0]["lora"]["cpu_gb_per_s"] = json!(0))[0].0,
        "cluster.pools[0].lora.cpu_gb_per_s"
    );
    assert_eq!(
        with(&|s| s["cluster"]["compat"] = json!("blis")),
        one("cluster.pools[0].lora", "adapters, with cluster.compat blis")
    );
}

#[test]
fn rows_of_a_trace_name_their_adapters() {
    let trace = |text: &str| {
        let mut reader = TraceReader::new("my.trace", 1 << 20);
        reader.push(text.as_bytes());
        let (trace, diagnostics, _) = reader.finish();
        trace.unwrap_or_else(|| panic!("{diagnostics:?}"))
    };
    let head = "arrived_at,num_prefill_tokens,num_decode_tokens";
    let csv = trace(&format!("{head},adapter\n2,64,1,law\n0,64,1,sql\n1,64,1,\n3,64,1,sql\n"));
    let row = |at_ms: u32, adapter: &str| {
        format!(
            "{{\"timestamp\":{at_ms},\"input_length\":64,\"output_length\":1,\"hash_ids\":[1,2,3,4],\
             \"adapter\":\"{adapter}\"}}\n"
        )
    };
    let mut rows = String::new();
    for (at, adapter) in [(0, "sql"), (1000, ""), (2000, "law"), (3000, "sql")] {
        rows += &row(at, adapter);
    }
    let jsonl = trace(&rows);
    for trace in [&csv, &jsonl] {
        let (mut named, mut order) = (Vec::new(), Vec::new());
        for row in 0..4 {
            order.push(trace.adapter(row) > 0);
            named.push((trace.adapter(row) as usize).checked_sub(1).map(|at| trace.adapters()[at].as_str()));
        }
        assert_eq!(named, [Some("sql"), None, Some("law"), Some("sql")]);
        assert_eq!(order, [true, false, true, true]);
    }
    assert_ne!(csv.digest(), trace(&format!("{head}\n0,64,1\n1,64,1\n2,64,1\n3,64,1\n")).digest());
    let mut s = cluster(1, &json!({ "max_loras": 1 }));
    s["workload"] = json!({ "trace": { "file": "my.trace", "hash_block_tokens": 16 } });
    let (mut session, _) =
        Session::start(scenario(&s), Some(jsonl), Audience::Live).expect("a sound scenario");
    assert_eq!(session.advance(tokenyard::base::Micros::MAX, u64::MAX), Stop::Finished);
    let seen: Vec<_> = (0..4).map(|i| session.inspect(i).expect("it arrived")).collect();
    assert_eq!(
        seen.iter().map(|r| r.adapter.as_deref()).collect::<Vec<_>>()[..3],
        [Some("sql"), None, Some("law")]
    );
    // The last one finds the blocks of the first, and its adapter on disk again.
    assert_eq!(seen.iter().map(|r| r.cached_tokens).collect::<Vec<_>>(), [0, 0, 0, 48]);
    assert_eq!(seen.iter().filter_map(|r| r.ttft_us).collect::<Vec<_>>(), [8500, 1000, 8500, 8500]);
}
