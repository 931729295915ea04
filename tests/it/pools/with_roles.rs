//! Drafts, stages and adapters in prefill and decode pools, worked out by hand (`together`: t01, t07, t09, t10, t30, t31, t39, t40).
//!
//! Hand-overs take 1 µs: a byte a token.

use crate::support::documents::{asked, asked_at_once, put_all, ran, steps};
use crate::support::rows::{rows, start, whole};
use serde_json::{Value, json};
use tokenyard::base::{Micros, RequestId, math};
use tokenyard::engine::Handover;
use tokenyard::export::Table;
use tokenyard::session::Session;

/// A prefill and a decode replica with these fields, and these requests.
fn split(pools: [&Value; 2], requests: &Value) -> Value {
    let pool = |of: &Value, role: &str| {
        let mut pool = json!({"name": role, "role": role, "replicas": 1, "kv": {"blocks": 1000, "block_tokens": 16},
            "latency": steps(1000.0, 0.0, 100.0)});
        put_all(&mut pool, of);
        pool
    };
    json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {
            "pools": [pool(pools[0], "prefill"), pool(pools[1], "decode")],
            "disaggregation": {"decider": "always", "transfer": {"base_us": 0, "kv_bytes_per_token": 1, "shared_ports": false}},
        },
        "workload": {"clients": [], "requests": requests},
    })
}

/// Three drafts, accepted with this probability, that take no time to make.
fn drafts(acceptance: f64, pad_first_step: bool) -> Value {
    json!({"engine": {"speculative": {"tokens": 3, "acceptance": acceptance, "drafter": {"one-pass": {"share": 0}},
        "pad_first_step": pad_first_step}}})
}

fn handover(session: &Session, request: u32) -> &Handover {
    session.engine().handover(RequestId(request)).expect("it is routed")
}

fn joined(session: &Session, request: u32) -> u64 {
    handover(session, request).joined.get().expect("it joined at home").0
}

/// When a request was done, counted from its joining at home.
fn done_after(session: &Session, request: u32) -> u64 {
    let record = session.engine().records().at(request as usize);
    (record.arrival + record.e2e.get().expect("it is done")).0 - joined(session, request)
}

#[test]
fn the_first_step_at_home_verifies_nothing_and_is_padded_with_dummies_if_asked_for() {
    let none = json!({});
    let run = |pad| ran(split([&none, &drafts(1.0, pad)], &asked_at_once(&[[10, 12]])));
    // One token in a step of four or of one; eleven more by four, four and three.
    for (pad, first, padding) in [(true, 1400, 3), (false, 1100, 0)] {
        let session = run(pad);
        assert_eq!(done_after(&session, 0), first + 3 * 1400, "padded: {pad}");
        let found = session.report_data().pools[1].speculative.expect("it drafts");
        assert_eq!((found.padding_tokens, found.draft_tokens, found.accepted_tokens), (padding, 9, 9));
    }
    let session = run(true);
    let ttft = session.engine().records().at(0).ttft.get().expect("it has one").0;
    assert_eq!(ttft, joined(&session, 0) + 1400);
}

#[test]
fn a_first_step_that_is_not_padded_has_no_graph() {
    let none = json!({});
    let run = |pad| {
        let mut decode = drafts(1.0, pad);
        decode["engine"]["mixed_step_us"] = json!(9000);
        ran(split([&none, &decode], &asked_at_once(&[[10, 12]])))
    };
    assert_eq!(done_after(&run(false), 0), 1100 + 9000 + 3 * 1400);
    assert_eq!(done_after(&run(true), 0), 4 * 1400);
}

#[test]
fn a_first_token_of_the_prefill_replica_is_followed_by_the_first_step_at_home() {
    let none = json!({});
    let mut document = split([&none, &drafts(1.0, true)], &asked_at_once(&[[10, 10]]));
    document["cluster"]["disaggregation"]["first_token"] = json!("prefill");
    let session = ran(&document);
    // The first of ten comes at 1 ms, the second from the padded step, eight more by four.
    assert_eq!(done_after(&session, 0), 1400 + 2 * 1400);
    assert_eq!(session.engine().records().at(0).ttft.get().expect("it has one").0, 1000);
    let itl = &session.report_data().latency_ms.itl;
    assert_eq!(itl.count, 9);
    assert!((itl.max - (joined(&session, 0) + 1400 - 1000) as f64 / 1000.0).abs() < 1e-9, "{}", itl.max);
}

#[test]
fn blocks_for_drafts_are_opened_when_a_request_joins_and_not_when_its_home_sets_blocks_aside() {
    let none = json!({});
    for (prompt, after) in [(1000, 63), (1007, 64)] {
        let document = split([&none, &drafts(0.0, true)], &asked_at_once(&[[prompt, 100]]));
        let landed = handover(&ran(&document), 0).landed.get().expect("it lands");
        let (mut session, _) = tokenyard::session::Session::start(
            crate::support::documents::scenario(&document),
            None,
            tokenyard::session::Audience::Batch,
        )
        .expect("a sound scenario");
        let used = |session: &Session| session.engine().replicas()[1].kv().used();
        session.advance(Micros(landed.0 - 1), u64::MAX);
        assert_eq!(used(&session), 63, "{prompt} tokens on their way");
        session.advance(landed, u64::MAX);
        assert_eq!(used(&session), after, "{prompt} tokens in the batch");
    }
}

#[test]
fn landed_requests_without_room_for_drafts_join_with_a_token_each() {
    let none = json!({});
    let mut decode = drafts(0.0, true);
    let run = |blocks: u32, decode: &mut Value| {
        decode["kv"] = json!({"blocks": blocks, "block_tokens": 16});
        ran(split([&none, decode], &asked_at_once(&[[75, 2], [75, 2]])))
    };
    let ttft = |session: &Session| session.engine().records().at(1).ttft.get().expect("it has one").0;
    // Five blocks each; with drafts the second needs a sixth, of ⌈(74 + 7) / 16⌉.
    let tight = run(10, &mut decode);
    assert_eq!(joined(&tight, 0), joined(&tight, 1));
    // An answer of two needs no more than the 76 tokens of five blocks.
    assert_eq!(ttft(&tight), joined(&tight, 0) + 1000 + 8 * 100);
    let long = asked_at_once(&[[75, 20], [75, 20]]);
    decode["kv"] = json!({"blocks": 10, "block_tokens": 16});
    let tight = ran(split([&none, &decode], &long));
    assert_eq!(ttft(&tight), joined(&tight, 0) + 1000 + 2 * 100);
    decode["kv"] = json!({"blocks": 11, "block_tokens": 16});
    let one_more = ran(split([&none, &decode], &long));
    assert_eq!(ttft(&one_more), joined(&one_more, 0) + 1000 + 5 * 100);
}

#[test]
fn a_prefill_replica_drafts_nothing_and_its_drafter_takes_a_share_of_its_steps() {
    let none = json!({});
    let mut prefill = drafts(1.0, true);
    prefill["engine"]["speculative"]["drafter"] = json!({"one-pass": {"share": 0.5}});
    let ended = |prefill: &Value| {
        let session = ran(split([prefill, &none], &asked_at_once(&[[10, 2]])));
        handover(&session, 0).prefill_end.get().expect("it was computed").0
    };
    assert_eq!(ended(&prefill), 1000);
    prefill["engine"]["speculative"]["prefill_share"] = json!(0.2);
    assert_eq!(ended(&prefill), 1200);
}

#[test]
fn prompts_follow_each_other_through_the_stages_of_a_prefill_replica() {
    let stages = |pp: u32| {
        let prefill = json!({"pp": pp, "pp_link_gb_per_s": 1_000_000, "engine": {"max_num_batched_tokens": 100},
            "latency": steps(40_000.0, 0.0, 0.0)});
        let session = ran(split([&prefill, &json!({})], &asked_at_once(&[[100, 2]; 6])));
        [0, 1, 5].map(|request| handover(&session, request).prefill_end.get().expect("it was computed").0)
    };
    assert_eq!(stages(4), [40_000, 50_000, 90_000]);
    assert_eq!(stages(1), [40_000, 80_000, 240_000]);
}

#[test]
fn each_stage_sends_and_takes_in_through_ports_of_its_own() {
    let flow = |[prefill, decode]: [[u32; 2]; 2]| {
        let pool = |[tp, pp]: [u32; 2]| json!({"tp": tp, "pp": pp, "latency": steps(1000.0, 0.0, 0.0)});
        let mut document = split([&pool(prefill), &pool(decode)], &asked_at_once(&[[16_000, 2]]));
        let transfer = &mut document["cluster"]["disaggregation"]["transfer"];
        (transfer["kv_bytes_per_token"], transfer["port_gb_per_s"]) = (json!(500_000), json!(50));
        let session = ran(&document);
        let h = handover(&session, 0);
        h.landed.get().expect("it lands").since(h.flows.get().expect("it flows")).0
    };
    // 8 GB through eight ports of 50 GB/s, or through the four of the narrower side.
    assert_eq!(flow([[4, 2], [8, 1]]), 20_000);
    assert_eq!(flow([[4, 1], [8, 1]]), 40_000);
    assert_eq!(flow([[8, 1], [4, 2]]), 20_000);
    assert_eq!(flow([[8, 1], [4, 1]]), 40_000);
}

#[test]
fn what_has_landed_joins_the_next_batch_of_a_home_with_stages() {
    let decode = json!({"pp": 2, "latency": steps(4000.0, 0.0, 0.0)});
    let session = ran(split([&json!({}), &decode], &asked([[0, 16, 3], [500, 16, 3]])));
    // Each token is a way of 2 + 2 ms through the stages. The second request joins 1 ms behind the first, while that is on the first
    // stage, and is 1 ms on its way before this is free.
    let behind = joined(&session, 1) - joined(&session, 0);
    assert_eq!(behind, 1000);
    assert_eq!([0, 1].map(|request| done_after(&session, request)), [3 * 4000, 1000 + 3 * 4000]);
}

#[test]
fn both_replicas_of_a_request_load_its_adapter_as_it_joins() {
    let lora = json!({"lora": {"max_loras": 1, "adapter_mib": 13e6 / 1_048_576.0, "cpu_gb_per_s": 13, "disk_gb_per_s": 2,
        "step_us_per_layer": 0}});
    let run = |adapters: [&str; 3]| {
        let mut requests = asked([[0, 16, 40], [20_000, 16, 2], [22_000, 16, 2]]);
        for (request, adapter) in requests.as_array_mut().expect("a list").iter_mut().zip(adapters) {
            request["adapter"] = json!(adapter);
        }
        ran(split([&lora, &lora], &requests))
    };
    let ttft = |session: &Session| session.engine().records().at(0).ttft.get().expect("it has one").0;
    let (without, with) = (run(["", "", ""]), run(["a", "b", "a"]));
    let loads = [0, 1].map(|at: usize| {
        let replica = &with.engine().replicas()[at];
        replica.adapter_counts().expect("it serves adapters").load_time.0
    });
    assert!(loads.iter().all(|load| *load > 0));
    // 1 ms from CPU memory and 6.5 ms from disk, in the prefill and in the first step at home.
    assert_eq!(ttft(&with) - ttft(&without), 2 * 7500);
    // At home the only slot is the first request's: the second is passed over by the third.
    assert!(joined(&with, 2) < joined(&with, 1));
    assert!(joined(&with, 1) >= joined(&with, 0) + done_after(&with, 0));
}

/// Landings come as a Poisson stream of rate λ, and a step has no graph if any came in the step before it. So the share p of such steps
/// is that of a chain: p = (1 - p) (1 - e^(-λ u)) + p (1 - e^(-λ m)), with steps of u and of m. `together` t05 takes every step to be as
/// long as the mean, which gives 39.94 ms in place of 39.23. Batches of about 50 requests stay below the largest graph.
#[test]
fn a_home_reads_from_its_cpu_memory_what_its_gpu_has_no_more() {
    // The same six blocks twice, and others between them, which drive them from the seven blocks of the home's GPU.
    let ask = |at: u64, text: u64| json!({"arrival_us": at, "prompt": [{"text": text, "tokens": 96}], "output": {"tokens": 1, "text": 900 + at}});
    let requests = json!([ask(0, 1), ask(100_000, 2), ask(200_000, 1)]);
    let decode = json!({"kv": {"blocks": 7, "block_tokens": 16, "cpu_blocks": 100, "transfer_base_us": 50_000,
        "transfer_tokens_per_us": 16}});
    let run = |home_hits: &str| {
        let mut document = split([&json!({}), &decode], &requests);
        document["cluster"]["disaggregation"]["home_hits"] = json!(home_hits);
        ran(document)
    };
    let (gpu, both) = (run("gpu"), run("gpu+cpu"));
    let [alone, with] = [&gpu, &both].map(|session| handover(session, 2).clone());
    assert_eq!((alone.home_below, alone.home_read.get()), (0, None));
    assert_eq!(alone.bytes, u64::from(6 - alone.home_cached) * 16);
    // The last block travels alone, as its last token is computed, and the request joins when the link has brought the others.
    assert_eq!(
        (with.home_cached, with.home_cached + with.home_below, with.bytes),
        (alone.home_cached, 5, 16)
    );
    assert!(with.home_below >= 4, "{with:?}");
    let reserved = with.reserved.get().expect("blocks are set aside").0;
    let read = reserved + 50_000 + u64::from(with.home_below);
    assert_eq!((with.home_read.get(), joined(&both, 2)), (Some(Micros(read)), read));
    assert!(with.landed.get().expect("it lands").0 < read);
    assert!(joined(&gpu, 2) < read, "here it would rather have travelled");
    assert_eq!(both.engine().replicas()[1].kv().tier_counts().hits, u64::from(with.home_below));
    let report = serde_json::to_value(both.report_data()).expect("a report is JSON");
    let reads = &report["disaggregation"]["home_reads"];
    let found = ["requests", "blocks", "waited"].map(|name| reads[name].as_u64());
    assert_eq!(found, [Some(1), Some(with.home_below.into()), Some(1)], "{reads}");
    let ms = (50_000 + u64::from(with.home_below)) as f64 / 1000.0;
    assert_eq!((reads["read_ms"]["mean"].as_f64(), reads["read_ms"]["count"].as_u64()), (Some(ms), Some(1)));
    let report = serde_json::to_value(gpu.report_data()).expect("a report is JSON");
    assert_eq!(report["disaggregation"].get("home_reads"), None);
}

#[test]
fn rows_of_requests_say_what_homes_read_where_they_may() {
    let ask = |at: u64, text: u64| json!({"arrival_us": at, "prompt": [{"text": text, "tokens": 96}], "output": {"tokens": 1, "text": 900 + at}});
    let requests = json!([ask(0, 1), ask(100_000, 2), ask(200_000, 1)]);
    let decode = json!({"kv": {"blocks": 7, "block_tokens": 16, "cpu_blocks": 100}});
    let mut document = split([&json!({}), &decode], &requests);
    let without = rows(&mut start(&document), Table::Requests);
    assert!(
        without
            .iter()
            .all(|row| !row.contains_key("home_read_blocks") && row.contains_key("home_cached_blocks"))
    );
    document["cluster"]["disaggregation"]["home_hits"] = json!("gpu+cpu");
    let with = rows(&mut start(&document), Table::Requests);
    let read = |i: usize| (whole(&with[i], "home_read_blocks"), whole(&with[i], "home_read_us"));
    assert_eq!([read(0), read(1)], [(Some(0), None); 2]);
    let (blocks, at) = read(2);
    assert!(blocks >= Some(4) && at >= whole(&with[2], "reserved_us"), "{:?}", with[2]);
    // An edit brings the columns as well.
    document["edits"] = json!([{"at_us": 50_000, "set": {"cluster.disaggregation.home_hits": "gpu+cpu"}}]);
    document["cluster"]["disaggregation"]["home_hits"] = json!("gpu");
    let edited = rows(&mut start(&document), Table::Requests);
    assert_eq!(whole(&edited[2], "home_read_blocks"), blocks);
}

#[test]
fn a_slow_step_catches_more_landings_which_make_more_slow_steps() {
    let prefill = json!({"engine": {"max_num_seqs": 1024}, "latency": steps(10.0, 0.0, 0.0)});
    let mut decode = drafts(0.0, false);
    decode["latency"] = steps(20_000.0, 0.0, 0.0);
    decode["engine"]["mixed_step_us"] = json!(25_000);
    decode["engine"]["max_num_seqs"] = json!(1024);
    decode["kv"] = json!({"blocks": 100_000, "block_tokens": 16});
    let mut document = split([&prefill, &decode], &json!([]));
    document["run"] = json!({"horizon_s": 200, "warmup_s": 0});
    document["workload"] = json!({"clients": [{"arrivals": {"poisson": {"rate_per_s": 40}},
        "prompt_tokens": {"constant": {"tokens": 32}}, "output_tokens": {"constant": {"tokens": 30}}}]});
    let session = ran(&document);
    let totals = session.engine().replicas()[1].totals();
    let [fast, slow] = [0.8_f64, 1.8].map(|landings| math::exp(-landings));
    let share = (1.0 - fast) / (1.0 - fast + slow);
    let mean = totals.step_time.0 as f64 / totals.steps as f64;
    assert!((mean / (20_000.0 + 25_000.0 * share) - 1.0).abs() < 0.01, "{mean} us");
    assert!((mean / 39_940.575 - 1.0).abs() < 0.03, "{mean} us");
    let mixed = session.report_data().pools[1].mixed_steps.clone().expect("it is asked for");
    assert!((mixed.share.expect("there are steps") - share).abs() < 0.015, "{mixed:?}");
}

/// Requests that are pulled hold blocks of prefill replicas and wait for room at home; ones that are pushed hold room at home and wait for
/// prefill replicas. Ones routed after an edit from one to the other wait for those routed before it.
#[test]
fn a_hand_over_that_becomes_a_push_makes_no_circle_of_waiting_replicas() {
    let document: Value = serde_json::from_str(include_str!("push_after_pull.json")).expect("JSON");
    let session = ran(&document);
    assert!(session.requests().completed > 0);
}
