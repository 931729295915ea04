//! The blocks of a replica one by one, worked out by hand.

use crate::support::{at, start};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::Session;
use tokenyard::session::closeup::{BlockDetail, BlockQuery, Blocks, BlocksQuery, PrefixNode};

/// One replica with blocks of 4 tokens. A step takes 1000 us, 10 us for each token of prompt and 1 us for each request that
/// decodes.
fn scenario(kv: &str, routing: &str, requests: &str) -> Scenario {
    let text = format!(
        r#"{{"run": {{"horizon_s": 60, "warmup_s": 0}},
        "cluster": {{"routing": {routing}, "pools": [{{"name": "p", "replicas": 1,
          "latency": {{"fitted": {{"step_us": 1000, "step_us_per_prefill_token": 10, "step_us_per_decode_token": 1,
            "step_us_per_context_token": 0}}}},
          "kv": {{"block_tokens": 4, {kv}}}}}]}},
        "workload": {{"clients": [], "requests": [{requests}]}}}}"#
    );
    serde_json::from_str(&text).expect("a scenario")
}

/// A request whose prompt has these texts with these tokens.
fn ask(id: &str, arrival_us: u64, prompt: &[(u32, u32)], output: u32) -> String {
    let pieces: Vec<String> =
        prompt.iter().map(|(text, tokens)| format!(r#"{{"text": {text}, "tokens": {tokens}}}"#)).collect();
    let number = 1000 + arrival_us;
    format!(
        r#"{{"id": "{id}", "arrival_us": {arrival_us}, "prompt": [{}], "output": {{"tokens": {output}, "text": {number}}}}}"#,
        pieces.join(", ")
    )
}

fn asked(session: &Session, replica: u32) -> Blocks {
    let query = BlocksQuery { replica, page: 0, strip: 5, nodes: 100 };
    session.blocks(&query).expect("there is such a replica")
}

fn block(session: &Session, replica: u32, block: u32) -> BlockDetail {
    session.block_detail(&BlockQuery { replica, block }).expect("it is shown")
}

/// Mark, label, first block, blocks, requests that hold it, blocks that are there.
fn row(node: &PrefixNode) -> (&str, &str, u32, u32, u32, u32) {
    (&node.mark, &node.label, node.from, node.blocks, node.refs, node.cached)
}

/// Both begin with 18 tokens of text 1, of which four blocks are full; each goes on for ever.
fn two_that_share() -> Scenario {
    let requests = [
        ask("a", 0, &[(1, 18), (2, 6)], 500),
        ask("b", 5000, &[(1, 18), (3, 3)], 500),
        ask("c", 5000, &[(4, 9)], 500),
    ];
    scenario(r#""blocks": 200"#, r#""round-robin""#, &requests.join(", "))
}

#[test]
fn what_two_requests_share_is_a_group_and_is_held_twice() {
    let s = at(&two_that_share(), 9000);
    let b = asked(&s, 0);
    // Steps: the prompt of `a` up to 1240; tokens up to 5244; prompts of 5 and 9 tokens up to 6385; 1003 us each from then on.
    // `a` has 24 tokens and one for each of 7 steps: 8 blocks. `b` has 21 and 2: 6. `c` has 9 and 2: 3.
    assert_eq!((b.shared, b.own, b.cached, b.free, b.total), (4, 4 + 2 + 3, 0, 187, 200));
    assert!(b.conserved && b.caching && b.hidden.is_empty());
    let rows: Vec<_> = b.tree.iter().map(row).collect();
    assert_eq!(
        rows,
        [("A", "text 1", 0, 4, 2, 4), ("", "#0", 4, 4, 1, 4), ("", "#1", 4, 2, 1, 2), ("", "#2", 0, 3, 1, 3)]
    );
    assert_eq!((b.groups.len(), b.groups[0].name.as_str(), b.groups[0].refs), (1, "text 1", 2));
    assert_eq!((b.groups[0].believed, b.picture), (None, ""));
    // The blocks of `a` are numbers 0 to 5 from its prompt on; then those of `b` and `c` among new ones of `a`.
    assert_eq!(b.grid.states[..6].to_owned(), "ssssuu");
    assert_eq!(b.grid.refs[..6], [2, 2, 2, 2, 1, 1]);
    assert_eq!((&b.grid.owner[..6], &b.grid.node[..6]), (&[0; 6][..], &[0, 0, 0, 0, 1, 1][..]));
    assert_eq!((b.grid.group[5], b.grid.node[199], b.grid.owner[199]), (0, -1, -1));
    let owned = |request: i64| b.grid.owner.iter().filter(|owner| **owner == request).count();
    assert_eq!([owned(0), owned(1), owned(2)], [8, 2, 3]);
    assert_eq!(b.strip.iter().map(|c| c.iter().sum::<u32>()).collect::<Vec<_>>(), [40; 5]);
    assert_eq!((b.happened[0].kind, b.happened[0].request, b.happened[0].blocks), ("hit", Some(1), Some(4)));
    let third = block(&s, 0, 2);
    assert_eq!((third.state.as_str(), third.position, third.of), ("s", Some(2), Some(8)));
    assert_eq!(
        (third.holders, third.tokens, third.group.as_deref()),
        (vec![0, 1], Some([8, 12]), Some("text 1"))
    );
    assert_eq!(third.before, block(&s, 0, 1).hash);
    assert!(third.hash.is_some() && third.order.is_none() && third.sentence.contains("2 requests"));
    assert_eq!(block(&s, 0, 0).before, None);
}

#[test]
fn released_blocks_are_as_old_as_the_departure_and_go_last_block_first() {
    // `a` is done after its prompt: 24 tokens, six blocks, the last of which has a token of the answer.
    let requests = [ask("a", 0, &[(1, 23)], 2), ask("b", 5000, &[(2, 8)], 500)];
    let s = at(&scenario(r#""blocks": 40"#, r#""round-robin""#, &requests.join(", ")), 8000);
    let b = asked(&s, 0);
    // Prompt up to 1230, the second token at 2231.
    let left = s.engine().records().at(0).left.get().expect("it has left");
    assert_eq!((left, b.cached), (Micros(2231), 6));
    let idle = i64::try_from((8000 - left.0) / 1000).expect("small");
    assert_eq!(b.grid.idle_ms[..6], [idle; 6]);
    assert_eq!((&b.grid.order[..6], b.next), (&[5, 4, 3, 2, 1, 0][..], Some(5)));
    let first = block(&s, 0, 0);
    assert_eq!((first.idle_us, first.order, first.cached), (Some(8000 - left.0), Some(5), 6));
    // Empty ones that were never used go before all of them.
    assert_eq!((first.before_it, first.free), (Some(5 + b.free), b.free));
    assert_eq!(block(&s, 0, 39).before_it.map(|before| before + 1), Some(b.free));
    assert!(block(&s, 0, 5).sentence.starts_with("It is the next cached block"));
    // A prefix that is only cached has no request.
    assert_eq!(b.tree.iter().filter(|node| node.request == Some(0)).count(), 0);
}

#[test]
fn an_eviction_and_a_preemption_are_among_what_happened() {
    // Ten blocks. `a` leaves 4 cached; `b` and `c` grow until one of them has to go.
    let requests =
        [ask("a", 0, &[(1, 16)], 1), ask("b", 2000, &[(2, 16)], 100), ask("c", 2000, &[(3, 14)], 100)];
    let mut s = start(&scenario(r#""blocks": 10"#, r#""round-robin""#, &requests.join(", ")));
    let mut predicted = None;
    while asked(&s, 0).evictions == 0 {
        predicted = asked(&s, 0).next;
        s.advance(Micros::MAX, 1);
    }
    let gone = predicted.expect("something was cached");
    assert_ne!(block(&s, 0, gone).state, "c");
    while asked(&s, 0).happened.iter().all(|event| event.kind != "preempted") {
        s.advance(Micros::MAX, 1);
    }
    let b = asked(&s, 0);
    assert!(b.conserved && b.evictions > 0);
    let evicted: u32 = b.happened.iter().filter(|e| e.kind == "evicted").filter_map(|e| e.blocks).sum();
    assert_eq!(u64::from(evicted), b.evictions);
    assert!(b.happened.windows(2).all(|pair| pair[0].at_us >= pair[1].at_us));
}

#[test]
fn without_a_prefix_cache_nothing_is_cached_or_shared() {
    let mut s = two_that_share();
    s.cluster.pools[0].kv.prefix_caching = false;
    let b = asked(&at(&s, 9000), 0);
    assert_eq!((b.caching, b.shared, b.cached, b.own), (false, 0, 0, 8 + 6 + 3));
    assert!(b.conserved && b.groups.is_empty() && b.next.is_none());
    assert_eq!(b.tree.iter().map(|node| node.from).max(), Some(0));
}

#[test]
fn the_cpu_tier_says_what_it_has_and_what_a_block_takes() {
    let kv = r#""blocks": 8, "cpu_blocks": 100, "transfer_base_us": 100, "transfer_tokens_per_us": 2"#;
    let requests = [
        ask("a", 0, &[(1, 16)], 1),
        ask("b", 5000, &[(2, 32)], 1),
        ask("c", 10_000, &[(1, 16), (5, 2)], 100),
    ];
    let b = asked(&at(&scenario(kv, r#""round-robin""#, &requests.join(", ")), 15_000), 0);
    let cpu = b.cpu.expect("there is a tier");
    // Four blocks of `a`, eight of `b`; the four of `a` came back for `c`, whose answer has filled a fifth.
    assert_eq!((cpu.total, cpu.used, cpu.written, cpu.loaded), (100, 13, 13, 4));
    assert!((cpu.block_us - 102.0).abs() < 1e-9);
    let kinds: Vec<_> = b.happened.iter().map(|event| (event.kind, event.blocks)).collect();
    assert!(kinds.contains(&("from-cpu", Some(4))) && kinds.contains(&("to-cpu", Some(8))), "{kinds:?}");
}

#[test]
fn a_router_that_remembers_prompts_believes_in_blocks_that_are_gone() {
    let requests = [
        ask("a", 0, &[(1, 16), (2, 4)], 1),
        ask("b", 5000, &[(3, 33)], 1),
        ask("c", 9000, &[(1, 16), (4, 4)], 90),
    ];
    let cache_aware = r#"{"cache-aware": {}}"#;
    let s = scenario(r#""blocks": 9"#, cache_aware, &requests.join(", "));
    // After `b` only what it had is cached; `c` computes its prompt anew.
    let b = asked(&at(&s, 12_000), 0);
    let own = b.tree.iter().find(|node| node.request == Some(2)).expect("it runs");
    assert_eq!((b.picture, own.believed), ("remembered", Some(5)));
    let asks = scenario(r#""blocks": 9"#, r#"{"prefix-overlap": {}}"#, &requests.join(", "));
    assert_eq!(asked(&at(&asks, 12_000), 0).picture, "asked");
}

#[test]
fn blocks_of_a_hand_over_are_held_at_one_end_and_set_aside_at_the_other() {
    let text = r#"{
      "run": {"horizon_s": 60, "warmup_s": 0},
      "cluster": {"routing": "round-robin",
        "pools": [
          {"name": "p", "role": "prefill", "replicas": 1, "latency": LATENCY, "kv": {"blocks": 100, "block_tokens": 4}},
          {"name": "d", "role": "decode", "replicas": 1, "latency": LATENCY, "kv": {"blocks": 100, "block_tokens": 4}}
        ],
        "disaggregation": {"handoff": "pull",
          "transfer": {"port_gb_per_s": 0.001, "base_us": 100, "kv_bytes_per_token": 1000}}},
      "workload": {"clients": [], "requests": [
        {"id": "a", "arrival_us": 0, "prompt": [{"text": 1, "tokens": 40}], "output": {"tokens": 3, "text": 11}}]}
    }"#;
    let latency = r#"{"fitted": {"step_us": 1000, "step_us_per_prefill_token": 10, "step_us_per_decode_token": 1,
      "step_us_per_context_token": 0}}"#;
    let scenario: Scenario = serde_json::from_str(&text.replace("LATENCY", latency)).expect("a scenario");
    let s = at(&scenario, 20_000);
    let [prefill, home] = [0, 1].map(|replica| asked(&s, replica));
    let count = |b: &Blocks, letter: char| b.grid.states.chars().filter(|l| *l == letter).count();
    assert_eq!((count(&prefill, 'h'), count(&prefill, 'u'), count(&home, 'r')), (10, 0, home.own as usize));
    assert!(home.own >= 10 && prefill.conserved && home.conserved);
    assert!(block(&s, 0, 0).sentence.contains("landed") && block(&s, 1, 0).sentence.contains("on its way"));
}

#[test]
fn a_large_cache_is_answered_page_by_page() {
    let requests = ask("a", 0, &[(1, 400_000)], 2);
    let mut s = scenario(r#""blocks": 1000000"#, r#""round-robin""#, &requests);
    s.cluster.pools[0].engine.max_num_batched_tokens = (1_u32 << 20).into();
    let s = at(&s, 1_000_000);
    let query = BlocksQuery { replica: 0, page: 9999, strip: 600, nodes: 10 };
    let b = s.blocks(&query).expect("there is such a replica");
    assert_eq!((b.pages, b.page, b.grid.first, b.grid.states.len()), (245, 244, 244 * 4096, 576));
    assert_eq!((b.strip.len(), b.strip.iter().flatten().sum::<u32>(), b.own), (600, 1_000_000, 100_000));
    assert!(b.conserved && b.grid.owner.len() == 576);
    let text = s.close_up(&tokenyard::session::closeup::CloseUp::Blocks(query));
    assert!(text.len() < 100_000, "{} bytes", text.len());
}

#[test]
fn there_is_no_answer_for_what_is_not_there() {
    let s = at(&two_that_share(), 9000);
    assert!(s.blocks(&BlocksQuery { replica: 1, page: 0, strip: 5, nodes: 5 }).is_none());
    assert!(s.block_detail(&BlockQuery { replica: 0, block: 200 }).is_none());
    let few = s.blocks(&BlocksQuery { replica: 0, page: 0, strip: 0, nodes: 1 }).expect("it is there");
    assert_eq!((few.tree.len(), few.more, few.strip.len()), (1, 3, 0));
    let mut many = two_that_share();
    many.cluster.pools[0].replicas = 9;
    let s = at(&many, 9000);
    let b = asked(&s, 0);
    assert!(!b.hidden.is_empty() && b.grid.states.is_empty() && b.strip.is_empty() && b.next.is_none());
    assert!(b.conserved && s.block_detail(&BlockQuery { replica: 0, block: 0 }).is_none());
}
