//! Studies of runs with prefill and decode replicas: one of the two decisions made otherwise, the parts of a hand-over in the account
//! of a request, and what published comparisons of split with mixed replicas found.

use crate::support::scenarios::started;
use tokenyard::base::Micros;
use tokenyard::scenario::{Change, Scenario, TimedEdit, parse};
use tokenyard::session::report::{Metric, RunMetric, Statistic};
use tokenyard::session::{Audience, Session};
use tokenyard::study::compare::{Comparing, Outcomes};
use tokenyard::study::oracle::oracle_of;
use tokenyard::study::sweep::{Ratio, Ratios, RunRow};
use tokenyard::study::theory::Theorist;
use tokenyard::study::whatif::{AccountedTime, AskedStage, Asking, Cause, Explaining, WhatIfQuery};

/// Steps of 1000 + 10 P + D µs, blocks of 4 tokens of 1,000 bytes each, ports of 1 GB/s, 100 µs to the first byte.
fn by_hand(prefills: u32, decodes: u32, more: &str, requests: &[(u64, u32)]) -> Scenario {
    let pool = |role: &str, replicas: u32| {
        format!(
            r#"{{"name": "{role}", "role": "{role}", "replicas": {replicas}, "kv": {{"blocks": 64, "block_tokens": 4}},
                "latency": {{"fitted": {{"step_us": 1000, "step_us_per_prefill_token": 10, "step_us_per_decode_token": 1}}}}}}"#
        )
    };
    let listed = |(i, (at, tokens)): (usize, &(u64, u32))| {
        format!(
            r#"{{"id": "r{i}", "arrival_us": {at}, "prompt": [{{"text": {}, "tokens": {tokens}}}], "output": {{"text": {}, "tokens": 3}}}}"#,
            100 + i,
            200 + i
        )
    };
    let requests: Vec<String> = requests.iter().enumerate().map(listed).collect();
    let text = format!(
        r#"{{"run": {{"horizon_s": 0, "warmup_s": 0}},
            "cluster": {{"pools": [{}, {}], "routing": "round-robin",
                "disaggregation": {{"transfer": {{"port_gb_per_s": 1, "base_us": 100, "kv_bytes_per_token": 1000}} {more}}}}},
            "workload": {{"clients": [], "requests": [{}]}}}}"#,
        pool("prefill", prefills),
        pool("decode", decodes),
        requests.join(", ")
    );
    parse(&text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn account(scenario: &Scenario, request: u32, time: AccountedTime) -> impl Fn(Cause) -> u64 + use<> {
    let (mut explaining, _) = Explaining::new(scenario.clone(), None).expect("a sound scenario");
    explaining.run_to(Micros::MAX).expect("few steps");
    let account = explaining.account(request, time).expect("it has finished");
    move |cause| account.us[cause as usize]
}

#[test]
fn the_parts_of_a_hand_over_are_those_by_hand() {
    // Prefill to 1100, transfer 100 + 12 to 1212, three steps of 1001.
    let pull = account(&by_hand(1, 1, "", &[(0, 10)]), 0, AccountedTime::E2e);
    assert_eq!(pull(Cause::Prompt) + pull(Cause::PromptOthers), 1100);
    assert_eq!([Cause::Room, Cause::Transfer, Cause::Join].map(&pull), [0, 112, 0]);
    assert_eq!(pull(Cause::Decoding), 3003);
    // The second joins the decode replica when the step of the first ends: landed 1218 or 1224, step until 2219.
    let two = by_hand(2, 1, "", &[(0, 10), (6, 10)]);
    let second = account(&two, 1, AccountedTime::E2e);
    assert!(second(Cause::Join) > 900, "{}", second(Cause::Join));
    assert_eq!(second(Cause::Prompt) + second(Cause::PromptOthers), 1100, "each has a prefill replica");
    // Without room for both at home, the second waits for blocks: 13 tokens with 3 for the first, of 5 blocks.
    let mut full = by_hand(2, 1, "", &[(0, 10), (6, 10)]);
    full.cluster.pools[1].kv.blocks = tokenyard::scenario::KvBlocks::Count(5);
    let waits = account(&full, 1, AccountedTime::E2e);
    assert!(waits(Cause::Room) > 2000, "{}", waits(Cause::Room));
}

#[test]
fn accounts_of_all_requests_add_up_in_each_kind_of_hand_over() {
    let many: Vec<(u64, u32)> = (0..40).map(|i| (i * 700, 5 + (i as u32 * 7) % 40)).collect();
    for handoff in ["pull", "push"] {
        for first in ["decode", "prefill"] {
            let more = format!(r#", "handoff": "{handoff}", "first_token": "{first}""#);
            let scenario = by_hand(2, 2, &more, &many);
            let (mut explaining, _) = Explaining::new(scenario, None).expect("a sound scenario");
            let run = explaining.run_to(Micros::MAX).expect("few steps").clone();
            let mut moved = 0;
            for (i, r) in (0..).zip(run.engine().records()) {
                for (time, whole) in [(AccountedTime::E2e, r.e2e), (AccountedTime::Ttft, r.ttft)] {
                    let account = explaining.account(i, time).expect("it has finished");
                    let sum: u64 = account.us.iter().sum();
                    assert_eq!(Some(sum), whole.get().map(|t| t.0), "{handoff}, {first}, request {i}");
                    let transfer = account.us[Cause::Transfer as usize];
                    if time == AccountedTime::E2e {
                        moved += u32::from(transfer > 0);
                    } else if first == "prefill" {
                        assert_eq!(transfer, 0, "the client has its first token before the transfer");
                    }
                }
            }
            assert_eq!(moved, 40, "{handoff}, {first}");
        }
    }
}

fn ended(scenario: &Scenario) -> Session {
    let mut session = started(scenario, Audience::Batch);
    session.advance(Micros::MAX, u64::MAX);
    session
}

#[test]
fn each_of_the_two_decisions_can_be_made_otherwise() {
    let many: Vec<(u64, u32)> = (0..12).map(|i| (i * 400, 20 + (i as u32 * 13) % 60)).collect();
    let scenario = by_hand(3, 2, "", &many);
    for (stage, replicas) in [(AskedStage::Prefill, vec![0, 1, 2]), (AskedStage::Home, vec![3, 4])] {
        let mut asking = Asking::new(scenario.clone(), None).expect("a sound scenario").0;
        let asked = WhatIfQuery { request: 7, stage, ..WhatIfQuery::default() };
        let found = asking.what_if(&asked).expect("it was routed");
        let mut seen: Vec<u32> = found.alternatives.iter().map(|a| a.replica).collect();
        seen.sort_unstable();
        assert_eq!(seen, replicas, "{stage:?}");
        assert_eq!(found.alternatives.iter().filter(|a| a.chosen).count(), 1);
        for a in &found.alternatives {
            let edit = TimedEdit::new(found.routed_us, Change::route(7, a.replica));
            let run = ended(&Scenario { edits: vec![edit], ..scenario.clone() });
            assert_eq!(run.engine().not_redirected().count(), 0, "{stage:?}, r{}", a.replica);
            let handover = run.engine().handover(tokenyard::base::RequestId(7)).expect("roles differ");
            let there = match stage {
                AskedStage::Home => handover.home.0,
                AskedStage::Prefill => handover.prefill.expect("it is prefilled elsewhere").0,
            };
            assert_eq!(there, a.replica, "{stage:?}");
            let e2e = run.engine().records().at(7).e2e.get().map(|t| t.0 as f64 / 1000.0);
            assert_eq!(a.e2e_ms, e2e, "{stage:?}, r{}", a.replica);
        }
    }
}

#[test]
fn a_prefill_that_nobody_decided_on_is_refused() {
    let asked = WhatIfQuery { request: 0, stage: AskedStage::Prefill, ..WhatIfQuery::default() };
    let found = |scenario: &Scenario| {
        let mut asking = Asking::new(scenario.clone(), None).expect("a sound scenario").0;
        asking.what_if(&asked).expect_err("no such decision").found
    };
    let local = by_hand(1, 1, r#", "decider": "never""#, &[(0, 10)]);
    assert_eq!(found(&local), "request 0, which its own replica prefills (never)");
    let mixed = parse(r#"{"run": {"horizon_s": 2, "warmup_s": 0}}"#).expect("a scenario");
    assert_eq!(found(&mixed), "request 0 of a run without prefill replicas");
}

#[test]
fn two_ports_are_compared_by_the_parts_of_their_hand_overs() {
    let many: Vec<(u64, u32)> = (0..12).map(|i| (i * 400, 20 + (i as u32 * 13) % 60)).collect();
    let thick = by_hand(3, 2, "", &many);
    let mut thin = thick.clone();
    thin.cluster.disaggregation.as_mut().expect("roles differ").transfer.port_gb_per_s = 0.01;
    let outcomes = |s: &Scenario| Outcomes::of_run(s.clone(), None).expect("it runs");
    let mut comparing = Comparing::default();
    comparing.set_scenarios(&thick, &thin);
    comparing.add(outcomes(&thick), outcomes(&thin));
    let table = comparing.result().expect("a pair").handovers.expect("roles differ");
    assert_eq!((table.remote_share.difference.a, table.remote_share.difference.b), (Some(1.0), Some(1.0)));
    let longer = table.transfer_ms.difference.diff.expect("both moved KV");
    assert!(longer > 1.0, "{longer}");
    let mixed = parse(r#"{"run": {"horizon_s": 2, "warmup_s": 0}}"#).expect("a scenario");
    let mut without = Comparing::default();
    without.add(outcomes(&mixed), outcomes(&mixed));
    assert_eq!(without.result().expect("a pair").handovers, None);
}

#[test]
fn the_oracle_is_for_mixed_pools_and_laws_say_that_a_request_passes_two_replicas() {
    let text = r#"{"cluster": {"pools": [{"name": "p", "role": "prefill"},
        {"name": "d", "role": "decode", "scaling": {"policy": {"hpa": {}}}}]}}"#;
    let apart = parse(text).expect("a scenario");
    let problems = oracle_of(&apart, None).expect_err("roles differ");
    assert_eq!((problems[0].path.as_str(), problems[0].found.as_str()), ("cluster.pools[1].role", "decode"));
    let theory = Theorist::of_plan(&apart, None).expect("a scenario").theory(None);
    let says = |of: &tokenyard::study::theory::LawFound| {
        of.assumptions.iter().any(|a| a.text.starts_with("prefill and decode apart"))
    };
    assert!(theory.laws.iter().any(says));
}

/// Four replicas with steps of 6 ms + 17 µs a prompt token + 6 µs a decoding request.
fn four(prompt: u32, rate_per_s: f64, slo: [f64; 2], requests: u64) -> Scenario {
    let text = format!(
        r#"{{"run": {{"horizon_s": 0, "warmup_s": 0, "max_requests": {requests}}}, "slo": {{"ttft_ms": {}, "tpot_ms": {}}},
            "cluster": {{"routing": "least-loaded", "pools": [{{"replicas": 4, "engine": {{"max_num_seqs": 256, "max_num_batched_tokens": 2048}},
                "kv": {{"blocks": 20000, "prefix_caching": false}},
                "latency": {{"fitted": {{"step_us": 6000, "step_us_per_prefill_token": 17, "step_us_per_decode_token": 6}}}}}}]}},
            "workload": {{"clients": [{{"arrivals": {{"poisson": {{"rate_per_s": {rate_per_s}}}}},
                "prompt_tokens": {{"lognormal": {{"median_tokens": {prompt}, "sigma": 0.7, "min_tokens": 1, "max_tokens": 16000}}}},
                "output_tokens": {{"lognormal": {{"median_tokens": 122, "sigma": 0.5, "min_tokens": 2, "max_tokens": 2000}}}}}}]}}}}"#,
        slo[0], slo[1]
    );
    parse(&text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn with_ratio(scenario: &Scenario, ratio: &str) -> (RunRow, f64) {
    let ratios = Ratios::of(scenario).expect("a mixed pool");
    let split = ratios.with(Ratio::parse(ratio).expect("a ratio")).expect("it fits");
    let run = Outcomes::of_run(split, None).expect("it runs");
    let longest = run.figure(RunMetric::Time(Metric::Itl, Statistic::Max)).expect("gaps");
    (RunRow::new(&run), longest)
}

#[test]
fn split_replicas_sustain_three_times_the_rate_on_long_prompts_within_tight_objectives() {
    let at = |rate: f64, ratio: &str| {
        let (row, longest) = with_ratio(&four(992, rate, [400.0, 7.0], 800), ratio);
        (row.met_share.expect("decided requests"), row.ttft_p50_ms.expect("first tokens"), longest)
    };
    let (mixed_20, mixed_60) = (at(20.0, "mixed"), at(60.0, "mixed"));
    let (two_60, one_60) = (at(60.0, "2:2"), at(60.0, "1:3"));
    assert!(mixed_20.0 < 0.9 && mixed_60.0 < 0.1, "{mixed_20:?} {mixed_60:?}");
    assert!(two_60.0 > 0.99, "{two_60:?}");
    // The price is the first token, and a wrong ratio is worse than none.
    assert!(mixed_60.1 < two_60.1 && one_60.1 > 10.0 * mixed_60.1, "{mixed_60:?} {two_60:?} {one_60:?}");
    assert!(one_60.0 < 0.5);
    // Interference: a step of a decode replica computes no prompt, one of a mixed replica up to 2,048 tokens of it.
    assert!(two_60.2 < 6.0 + 0.006 * 256.0 && mixed_60.2 > 20.0, "{two_60:?} {mixed_60:?}");
}

#[test]
fn mixed_replicas_sustain_more_on_short_prompts_within_loose_objectives() {
    // Mixed ones carry 1.4 times as much as the best ratio: at a rate between the two they meet what no ratio does.
    let at = |ratio: &str| with_ratio(&four(100, 600.0, [400.0, 20.0], 9000), ratio).0.met_share;
    let mixed = at("mixed").expect("decided requests");
    assert!(mixed > 0.9, "{mixed}");
    for ratio in ["1:3", "2:2", "3:1"] {
        let split = at(ratio).expect("decided requests");
        assert!(split < 0.9, "{ratio}: {split}");
    }
}

#[test]
fn splitting_does_not_improve_throughput() {
    let per_s = |ratio: &str| {
        with_ratio(&four(992, 100_000.0, [400.0, 7.0], 700), ratio).0.completed_per_s.expect("a rate")
    };
    let mixed = per_s("mixed");
    for ratio in ["1:3", "2:2", "3:1"] {
        assert!(per_s(ratio) < mixed, "{ratio}");
    }
}
